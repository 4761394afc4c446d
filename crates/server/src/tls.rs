//! TLS by rustls: the server's certificate and key, whose certificates clients may show, and what is known of an encrypted
//! connection.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::error::sqlstate;
use config::Settings;
use engine::{Certificate, EngineError, Result};
use sha2::{Digest, Sha256, Sha384, Sha512};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig, ServerConnection};
use x509_cert::der::Decode;
use x509_cert::der::asn1::{Ia5StringRef, PrintableStringRef, TeletexStringRef, Utf8StringRef};
use x509_cert::name::RdnSequence;

use crate::stream::Stream;

/// The protocol's name in TLS, which clients that begin with TLS must know.
const PROTOCOL: &[u8] = b"postgresql";
/// `CN` in certificates.
const COMMON_NAME: &str = "2.5.4.3";

pub struct Tls {
    acceptor: TlsAcceptor,
    /// `ssl_ca_file` is set.
    pub asks_for_certificates: bool,
    /// The hash of the server's certificate, which SCRAM binds to; `None` where none is defined for its signature.
    end_point: Option<Vec<u8>>,
}

/// What is known of an encrypted connection.
pub struct Secured {
    pub shown: Arc<engine::Tls>,
    pub end_point: Option<Vec<u8>>,
}

fn failed(message: String) -> EngineError {
    EngineError::new(sqlstate::CONFIG_FILE_ERROR, message)
}

/// A file of the settings; relative ones are in the data directory. `None`: not set.
fn file(settings: &Settings, name: &str) -> Option<PathBuf> {
    let value = settings.get(name);
    (!value.is_empty()).then(|| Path::new(settings.get("data_directory")).join(value))
}

/// The certificates of a file, at least one.
fn certificates(path: &Path, what: &str) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_file_iter(path).and_then(|found| found.collect::<std::result::Result<Vec<_>, _>>());
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(failed(format!("could not load {what} \"{}\": no certificate found", path.display()))),
        Err(error) => Err(failed(format!("could not load {what} \"{}\": {error}", path.display()))),
    }
}

/// No other user may read the key.
fn check_key_file(path: &Path) -> Result<()> {
    let shown = path.display();
    let found =
        std::fs::metadata(path).map_err(|e| failed(format!("could not access private key file \"{shown}\": {e}")))?;
    if !found.is_file() {
        return Err(failed(format!("private key file \"{shown}\" is not a regular file")));
    }
    let own = nix::unistd::geteuid().as_raw();
    if found.uid() != own && found.uid() != 0 {
        return Err(failed(format!("private key file \"{shown}\" must be owned by the database user or root")));
    }
    let forbidden = if found.uid() == own { 0o077 } else { 0o037 };
    if found.mode() & forbidden != 0 {
        return Err(failed(format!("private key file \"{shown}\" has group or world access")).detail(
            "File must have permissions u=rw (0600) or less if owned by the database user, or permissions u=rw,g=r (0640) or \
             less if owned by root.",
        ));
    }
    Ok(())
}

impl Tls {
    /// As the settings say; `None` without `ssl`.
    pub fn load(settings: &Settings) -> Result<Option<Tls>> {
        if !settings.bool("ssl") {
            return Ok(None);
        }
        let wrong = |what: &str, error: &dyn std::fmt::Display| failed(format!("could not use {what}: {error}"));
        let missing = |name: &str| failed(format!("ssl is on, and {name} is not set"));
        let chain_file = file(settings, "ssl_cert_file").ok_or_else(|| missing("ssl_cert_file"))?;
        let chain = certificates(&chain_file, "server certificate file")?;
        let key_file = file(settings, "ssl_key_file").ok_or_else(|| missing("ssl_key_file"))?;
        check_key_file(&key_file)?;
        let key = PrivateKeyDer::from_pem_file(&key_file).map_err(|error| {
            failed(format!("could not load private key file \"{}\": {error}", key_file.display()))
                .hint("A key that is encrypted with a passphrase is not supported.")
        })?;
        let provider = Arc::new(default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions(settings)?)
            .map_err(|error| wrong("the versions of TLS", &error))?;
        let authority = file(settings, "ssl_ca_file");
        let builder = match &authority {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(path, "root certificate file")? {
                    let added = roots.add(certificate);
                    added.map_err(|error| wrong(&format!("root certificate file \"{}\"", path.display()), &error))?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                    .with_crls(revoked(settings)?)
                    .allow_unknown_revocation_status()
                    .allow_unauthenticated()
                    .build()
                    .map_err(|error| wrong("ssl_ca_file", &error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let end_point = end_point(&chain[0]);
        let mut config = builder.with_single_cert(chain, key).map_err(|error| {
            failed(format!("could not use certificate \"{}\" with its key: {error}", chain_file.display()))
        })?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        // Sessions last: to resume one is worth nothing, and would not look at the certificate again.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Some(Tls { acceptor, asks_for_certificates: authority.is_some(), end_point }))
    }

    /// Encrypts a connection. `direct`: the client has begun with it, so it must name the protocol.
    pub async fn accept(&self, stream: TcpStream, direct: bool) -> std::io::Result<(Stream, Secured)> {
        let stream = self.acceptor.accept(stream).await?;
        let connection = stream.get_ref().1;
        if direct && connection.alpn_protocol() != Some(PROTOCOL) {
            let message = "received direct SSL connection request without ALPN protocol negotiation extension";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
        }
        let secured = Secured { shown: Arc::new(shown(connection)), end_point: self.end_point.clone() };
        Ok((Stream::encrypted(stream), secured))
    }
}

/// The versions of TLS that the settings allow. rustls knows two.
fn versions(settings: &Settings) -> Result<Vec<&'static rustls::SupportedProtocolVersion>> {
    let old = |name: &str| settings.get(name) == "TLSv1.2";
    match (old("ssl_min_protocol_version"), old("ssl_max_protocol_version")) {
        (true, false) => Ok(vec![&TLS13, &TLS12]),
        (true, true) => Ok(vec![&TLS12]),
        (false, false) => Ok(vec![&TLS13]),
        (false, true) => Err(failed("could not set SSL protocol version range".into())
            .detail("\"ssl_min_protocol_version\" cannot be higher than \"ssl_max_protocol_version\"")),
    }
}

/// `ssl_crl_file`: certificates that count no more.
fn revoked(settings: &Settings) -> Result<Vec<CertificateRevocationListDer<'static>>> {
    let Some(path) = file(settings, "ssl_crl_file") else { return Ok(vec![]) };
    let found = CertificateRevocationListDer::pem_file_iter(&path).and_then(|found| found.collect());
    found.map_err(|error| {
        failed(format!("could not load SSL certificate revocation list file \"{}\": {error}", path.display()))
    })
}

/// RFC 5929: the certificate's hash by the function that its signature uses, or a better one where that is weak.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let parsed = x509_cert::Certificate::from_der(certificate).ok()?;
    match parsed.signature_algorithm.oid.to_string().as_str() {
        // MD5, SHA-1 and SHA-256, with RSA and ECDSA.
        "1.2.840.113549.1.1.4"
        | "1.2.840.113549.1.1.5"
        | "1.2.840.113549.1.1.11"
        | "1.2.840.10045.4.1"
        | "1.2.840.10045.4.3.2" => Some(Sha256::digest(certificate).to_vec()),
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Some(Sha384::digest(certificate).to_vec()),
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}

fn shown(connection: &ServerConnection) -> engine::Tls {
    let version = match connection.protocol_version() {
        Some(rustls::ProtocolVersion::TLSv1_2) => "TLSv1.2",
        _ => "TLSv1.3",
    };
    let suite = connection.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str()).unwrap_or_default();
    let certificate = connection.peer_certificates().and_then(|chain| chain.first());
    engine::Tls {
        version,
        cipher: openssl_name(suite),
        bits: if suite.contains("AES_128") { 128 } else { 256 },
        certificate: certificate.and_then(|certificate| names(certificate)),
    }
}

/// A cipher's name as OpenSSL and so PostgreSQL give it.
fn openssl_name(suite: &str) -> String {
    match suite.strip_prefix("TLS13_") {
        Some(name) => format!("TLS_{name}"),
        None => {
            let name = suite.trim_start_matches("TLS_").replace("_WITH_", "-").replace("AES_", "AES");
            name.replace("POLY1305_SHA256", "POLY1305").replace('_', "-")
        }
    }
}

/// The names in a certificate.
fn names(certificate: &[u8]) -> Option<Certificate> {
    let parsed = x509_cert::Certificate::from_der(certificate).ok()?.tbs_certificate;
    Some(Certificate {
        subject: slashed(&parsed.subject),
        issuer: slashed(&parsed.issuer),
        serial: decimal(parsed.serial_number.as_bytes()),
        distinguished_name: parsed.subject.to_string(),
        common_name: common_name(&parsed.subject),
    })
}

/// `/C=DE/O=Example/CN=alice`.
fn slashed(name: &RdnSequence) -> String {
    name.0.iter().flat_map(|part| part.0.iter()).map(|attribute| format!("/{attribute}")).collect()
}

fn common_name(name: &RdnSequence) -> Option<String> {
    let mut attributes = name.0.iter().flat_map(|part| part.0.iter());
    let value = &attributes.find(|attribute| attribute.oid.to_string() == COMMON_NAME)?.value;
    let utf8 = value.decode_as::<Utf8StringRef>().map(|text| text.as_str().to_string());
    let found = utf8
        .or_else(|_| value.decode_as::<PrintableStringRef>().map(|text| text.as_str().to_string()))
        .or_else(|_| value.decode_as::<TeletexStringRef>().map(|text| text.as_str().to_string()))
        .or_else(|_| value.decode_as::<Ia5StringRef>().map(|text| text.as_str().to_string()));
    // A NUL would end the name for some and not for others.
    found.ok().filter(|name| !name.contains('\0'))
}

/// A number in decimal, of its bytes.
fn decimal(bytes: &[u8]) -> String {
    let mut digits = vec![0u8];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) * 256;
            *digit = (carry % 10) as u8;
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
    }
    digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ciphers_are_shown_as_postgresql_does() {
        assert_eq!(decimal(&[0]), "0");
        assert_eq!(decimal(&[0, 1, 0]), "256");
        assert_eq!(decimal(&[0xff; 9]), "4722366482869645213695");
        assert_eq!(openssl_name("TLS13_AES_256_GCM_SHA384"), "TLS_AES_256_GCM_SHA384");
        assert_eq!(openssl_name("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"), "ECDHE-RSA-AES128-GCM-SHA256");
        assert_eq!(openssl_name("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"), "ECDHE-ECDSA-CHACHA20-POLY1305");
    }
}
