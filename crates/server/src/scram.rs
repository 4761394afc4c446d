//! The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), with channel binding `tls-server-end-point` (RFC 5929).

use auth::password::{Key, Verifier, hmac, random, sha256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use engine::EngineError;
use error::sqlstate;
use subtle::ConstantTimeEq;

pub const PLAIN: &str = "SCRAM-SHA-256";
pub const PLUS: &str = "SCRAM-SHA-256-PLUS";
/// Bytes of the server's part of the nonce, as in PostgreSQL.
const NONCE: usize = 18;

/// An exchange under way: the server's first message was sent.
pub struct Exchange {
    verifier: Verifier,
    /// What the client has to repeat, in Base64: how it binds to the channel, and the channel.
    binding: String,
    nonce: String,
    client_first: String,
    pub server_first: String,
}

fn malformed(detail: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::PROTOCOL_VIOLATION, "malformed SCRAM message").detail(detail)
}

/// The value of an attribute (`r=…`).
fn attribute<'a>(text: Option<&'a str>, name: &str) -> Result<&'a str, EngineError> {
    let value = text.and_then(|text| text.strip_prefix(name)?.strip_prefix('='));
    value.ok_or_else(|| malformed(format!("Expected attribute \"{name}\".")))
}

impl Exchange {
    /// Takes the client's first message. `channel` is the hash of the server's certificate where the connection is
    /// encrypted.
    pub fn begin(
        mechanism: &str,
        message: &[u8],
        verifier: Verifier,
        channel: Option<&[u8]>,
    ) -> Result<Exchange, EngineError> {
        let plus = match mechanism {
            PLAIN => false,
            PLUS if channel.is_some() => true,
            _ => {
                return Err(EngineError::new(
                    sqlstate::PROTOCOL_VIOLATION,
                    "client selected an invalid SASL authentication mechanism",
                ));
            }
        };
        let text = std::str::from_utf8(message).map_err(|_| malformed("It is not in UTF-8."))?;
        let mut parts = text.splitn(3, ',');
        let (flag, identity) = (parts.next().unwrap_or_default(), parts.next());
        let bare = parts.next().ok_or_else(|| malformed("The message is too short."))?;
        let bound: &[u8] = match flag.split_once('=') {
            Some(("p", "tls-server-end-point")) if plus => channel.expect("it was looked at above"),
            Some(("p", _)) if plus => {
                return Err(EngineError::new(sqlstate::PROTOCOL_VIOLATION, "unsupported SCRAM channel-binding type"));
            }
            Some(("p", _)) => {
                return Err(malformed(
                    "The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel \
                     binding data.",
                ));
            }
            None if matches!(flag, "n" | "y") && plus => {
                return Err(malformed(
                    "The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.",
                ));
            }
            // A machine between the two has hidden that the server can do it.
            None if flag == "y" && channel.is_some() => {
                return Err(EngineError::new(sqlstate::INVALID_AUTHORIZATION_SPECIFICATION, "SCRAM channel binding negotiation error").detail(
                    "The client supports SCRAM channel binding but thinks the server does not.  However, this server does \
                     support channel binding.",
                ));
            }
            None if matches!(flag, "n" | "y") => &[],
            _ => return Err(malformed("Unexpected channel-binding flag.")),
        };
        if identity != Some("") {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "client uses authorization identity, but it is not supported",
            ));
        }
        // The startup message has named the user.
        let mut attributes = bare.split(',');
        attribute(attributes.next(), "n")?;
        let client_nonce = attribute(attributes.next(), "r")?;
        if client_nonce.is_empty() || !client_nonce.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(malformed("The nonce has characters that cannot be printed."));
        }
        let nonce = format!("{client_nonce}{}", BASE64.encode(random::<NONCE>()?));
        let binding = BASE64.encode([format!("{flag},,").as_bytes(), bound].concat());
        let server_first = format!("r={nonce},s={},i={}", BASE64.encode(&verifier.salt), verifier.rounds);
        Ok(Exchange { verifier, binding, nonce, client_first: bare.to_string(), server_first })
    }

    /// Takes the client's last message, and gives the server's. `None`: it was not the password.
    pub fn finish(self, message: &[u8]) -> Result<Option<String>, EngineError> {
        let text = std::str::from_utf8(message).map_err(|_| malformed("It is not in UTF-8."))?;
        let (without_proof, proof) = text.rsplit_once(",p=").ok_or_else(|| malformed("Expected attribute \"p\"."))?;
        let mut attributes = without_proof.split(',');
        if attribute(attributes.next(), "c")? != self.binding {
            return Err(EngineError::new(
                sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                "SCRAM channel binding check failed",
            ));
        }
        if attribute(attributes.next(), "r")? != self.nonce {
            return Err(EngineError::new(sqlstate::PROTOCOL_VIOLATION, "invalid SCRAM response")
                .detail("Nonce does not match."));
        }
        let proof = BASE64.decode(proof).ok().and_then(|bytes| Key::try_from(bytes).ok());
        let mut key = proof.ok_or_else(|| malformed("The proof has another length."))?;
        let exchanged = [self.client_first.as_str(), &self.server_first, without_proof].join(",");
        let signature = hmac(&self.verifier.stored_key, &[exchanged.as_bytes()]);
        key.iter_mut().zip(signature).for_each(|(byte, mask)| *byte ^= mask);
        if !bool::from(sha256(&key).ct_eq(&self.verifier.stored_key)) {
            return Ok(None);
        }
        let signature = hmac(&self.verifier.server_key, &[exchanged.as_bytes()]);
        Ok(Some(format!("v={}", BASE64.encode(signature))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verifier() -> Verifier {
        // RFC 7677's password "pencil".
        Verifier::parse(
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
        )
        .unwrap()
    }

    #[test]
    fn rfc_7677s_example() {
        let client_first = b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
        let mut exchange = Exchange::begin(PLAIN, client_first, verifier(), None).unwrap();
        assert!(exchange.server_first.starts_with("r=rOprNGfwEbeRWgbNEkqO"));
        assert!(exchange.server_first.ends_with(",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"));
        let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        exchange.nonce = nonce.into();
        exchange.server_first = format!("r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        let last = format!("c=biws,r={nonce},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        let answer = exchange.finish(last.as_bytes()).unwrap();
        assert_eq!(answer.as_deref(), Some("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
    }

    #[test]
    fn what_is_malformed_or_bound_to_another_channel_is_refused() {
        let code = |mechanism: &str, first: &str, channel: Option<&[u8]>| {
            Exchange::begin(mechanism, first.as_bytes(), verifier(), channel).err().map(|e| e.code)
        };
        assert_eq!(code(PLAIN, "n,,n=,r=abc", None), None);
        assert_eq!(code(PLAIN, "y,,n=,r=abc", None), None);
        assert_eq!(code(PLUS, "p=tls-server-end-point,,n=,r=abc", Some(b"x")), None);
        assert_eq!(code(PLUS, "p=tls-server-end-point,,n=,r=abc", None), Some("08P01"));
        assert_eq!(code(PLUS, "p=tls-unique,,n=,r=abc", Some(b"x")), Some("08P01"));
        assert_eq!(code(PLUS, "n,,n=,r=abc", Some(b"x")), Some("08P01"));
        assert_eq!(code(PLAIN, "y,,n=,r=abc", Some(b"x")), Some("28000"));
        assert_eq!(code(PLAIN, "n,a=b,n=,r=abc", None), Some("0A000"));
        for wrong in ["", "n", "n,,", "n,,n=", "n,,r=a", "n,,n=,r=", "n,,m=x,n=,r=abc", "q,,n=,r=abc", "n,,n=,r=a c"] {
            assert_eq!(code(PLAIN, wrong, None), Some("08P01"), "{wrong}");
        }
        let begin = || Exchange::begin(PLUS, b"p=tls-server-end-point,,n=,r=abc", verifier(), Some(b"here")).unwrap();
        let (one, two, three) = (begin(), begin(), begin());
        let there = BASE64.encode("p=tls-server-end-point,,there");
        let last = format!("c={there},r={},p={}", one.nonce, BASE64.encode([0; 32]));
        assert_eq!(one.finish(last.as_bytes()).unwrap_err().code, "28000");
        let last = format!("c={},r={},p={}", two.binding, two.nonce, BASE64.encode([0; 32]));
        assert_eq!(two.finish(last.as_bytes()).unwrap(), None);
        assert_eq!(three.finish(b"c=,p=").unwrap_err().code, "28000");
    }
}
