//! Passwords as PostgreSQL keeps them: `SCRAM-SHA-256$<rounds>:<salt>$<stored key>:<server key>` (RFC 5802 and 7677).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use error::{Error, Result, sqlstate};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const SCHEME: &str = "SCRAM-SHA-256";
/// PostgreSQL's defaults: rounds of hashing, and bytes of salt.
const ROUNDS: u32 = 4096;
const SALT: usize = 16;
/// Bytes that a verifier may have, as in PostgreSQL (`MAX_ENCRYPTED_PASSWORD_LEN`).
const MAX_VERIFIER: usize = 512;
/// Bytes that a password may have, as in PostgreSQL (`MAX_ENCRYPTED_PASSWORD_LEN` and the limit of its messages).
const MAX_LENGTH: usize = 1024;

pub type Key = [u8; 32];

/// What the server knows of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    pub rounds: u32,
    pub salt: Vec<u8>,
    pub stored_key: Key,
    pub server_key: Key,
}

/// HMAC-SHA-256.
pub fn hmac(key: &[u8], parts: &[&[u8]]) -> Key {
    let mut hmac = Hmac::<Sha256>::new_from_slice(key).expect("keys of any length will do");
    parts.iter().for_each(|part| hmac.update(part));
    hmac.finalize().into_bytes().into()
}

pub fn sha256(bytes: &[u8]) -> Key {
    Sha256::digest(bytes).into()
}

/// Bytes that cannot be guessed.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let failed = |e| Error::new(sqlstate::INTERNAL_ERROR, format!("could not generate random bytes: {e}"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// A password as it is hashed. What SASLprep has no answer to is taken as it is.
fn prepared(password: &str) -> std::borrow::Cow<'_, str> {
    stringprep::saslprep(password).unwrap_or(password.into())
}

impl Verifier {
    /// Of a new password; `rounds` is `scram_iterations`.
    pub fn new(password: &str, rounds: u32) -> Result<Verifier> {
        Ok(Verifier::derive(password, &random::<SALT>()?, rounds))
    }

    fn derive(password: &str, salt: &[u8], rounds: u32) -> Verifier {
        let salted: Key = pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(prepared(password).as_bytes(), salt, rounds);
        Verifier {
            rounds,
            salt: salt.to_vec(),
            stored_key: sha256(&hmac(&salted, &[b"Client Key"])),
            server_key: hmac(&salted, &[b"Server Key"]),
        }
    }

    /// `None`: the text is no such verifier.
    pub fn parse(text: &str) -> Option<Verifier> {
        let (rounds, rest) = text.strip_prefix(SCHEME)?.strip_prefix('$')?.split_once(':')?;
        let (salt, keys) = rest.split_once('$')?;
        let (stored, server) = keys.split_once(':')?;
        let key = |text: &str| BASE64.decode(text).ok().and_then(|bytes| Key::try_from(bytes).ok());
        Some(Verifier {
            rounds: rounds.parse().ok().filter(|rounds| *rounds > 0)?,
            salt: BASE64.decode(salt).ok()?,
            stored_key: key(stored)?,
            server_key: key(server)?,
        })
    }

    /// What stands in for the password of a role that has none. It is the same each time, and fits no password.
    pub fn mock(user: &str, secret: &[u8]) -> Verifier {
        let salt = hmac(secret, &[user.as_bytes()])[..SALT].to_vec();
        // A key that no password is known to hash to.
        let nobody = hmac(secret, &[b"nobody", user.as_bytes()]);
        Verifier { rounds: ROUNDS, salt, stored_key: nobody, server_key: nobody }
    }

    /// Is it this password? It takes as long for a wrong one.
    pub fn accepts(&self, password: &str) -> bool {
        let other = Verifier::derive(password, &self.salt, self.rounds);
        self.server_key.ct_eq(&other.server_key).into()
    }
}

impl std::fmt::Display for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [salt, stored, server] =
            [&self.salt[..], &self.stored_key, &self.server_key].map(|bytes| BASE64.encode(bytes));
        write!(f, "{SCHEME}${}:{salt}${stored}:{server}", self.rounds)
    }
}

/// `md5` and 32 digits: what PostgreSQL kept before.
fn is_md5(text: &str) -> bool {
    text.strip_prefix("md5").is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// What is kept of a password that a statement gives: its verifier, which it may be already. `None` for an empty one.
pub fn kept(password: &str, rounds: u32) -> Result<Option<String>> {
    if Verifier::parse(password).is_some() {
        if password.len() > MAX_VERIFIER {
            let detail = format!("Encrypted passwords must be no longer than {MAX_VERIFIER} bytes.");
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "encrypted password is too long").detail(detail));
        }
        return Ok(Some(password.to_string()));
    }
    if is_md5(password) {
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "MD5-hashed passwords are not supported")
            .hint("Give the password itself, or its SCRAM-SHA-256 verifier."));
    }
    if password.len() > MAX_LENGTH {
        let message = format!("password is too long: it has {} bytes, and {MAX_LENGTH} are allowed", password.len());
        return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
    }
    if password.is_empty() {
        return Ok(None);
    }
    Verifier::new(password, rounds).map(|verifier| Some(verifier.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verifiers_are_postgresqls() {
        // RFC 7677's example: user "user", password "pencil".
        let salt = BASE64.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let verifier = Verifier::derive("pencil", &salt, 4096);
        let text = verifier.to_string();
        assert_eq!(
            text,
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        );
        assert!(Verifier::parse(&text) == Some(verifier.clone()));
        assert!(verifier.accepts("pencil") && !verifier.accepts("Pencil"));
        // SASLprep: a soft hyphen is nothing, an a with ordinal sign is an a.
        assert!(Verifier::new("I\u{ad}X", 2).unwrap().accepts("IX"));
        assert!(Verifier::new("\u{aa}", 2).unwrap().accepts("a"));
    }

    #[test]
    fn what_is_no_verifier_is_a_password() {
        for text in ["SCRAM-SHA-256$4096:x$y:z", "SCRAM-SHA-256$0:$:", "SCRAM-SHA-256", "md5", "secret"] {
            let kept = kept(text, 2).unwrap().unwrap();
            assert!(kept != text && Verifier::parse(&kept).unwrap().accepts(text), "{text}");
        }
        assert_eq!(kept("", 2).unwrap(), None);
        assert_eq!(kept(&format!("md5{}", "a".repeat(32)), 2).unwrap_err().code, sqlstate::FEATURE_NOT_SUPPORTED);
        assert_eq!(kept(&"x".repeat(2000), 2).unwrap_err().code, sqlstate::PROGRAM_LIMIT_EXCEEDED);
    }

    #[test]
    fn nobodys_password_stays_the_same_and_fits_nothing() {
        let mock = Verifier::mock("anna", b"secret");
        assert!(mock == Verifier::mock("anna", b"secret") && mock.salt != Verifier::mock("bob", b"secret").salt);
        assert_eq!(mock.salt.len(), SALT);
        assert!(!mock.accepts(""));
    }
}
