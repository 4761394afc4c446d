//! Which clients may connect: the rules of `pg_hba.conf`, the maps of `pg_ident.conf`, the certificates. Read at start and
//! again when the configuration is; what is wrong then is logged, and what was right before stays.

use std::path::Path;
use std::sync::Arc;

use ::error::sqlstate;
use auth::hba::{self, IdentMap, Line, Rule};
use config::Settings;
use engine::{Database, EngineError, Result};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::tls::Tls;

/// What connections are judged by.
pub struct Access {
    lines: Arc<[Line]>,
    pub maps: Arc<[IdentMap]>,
    /// Without it nothing is encrypted.
    pub tls: Option<Arc<Tls>>,
}

pub struct AccessRules {
    db: Database,
    /// Other machines can reach the server.
    exposed: bool,
    requests: watch::Receiver<u64>,
    now: Mutex<(u64, Arc<Access>)>,
}

impl Access {
    pub fn rules(&self) -> impl Iterator<Item = (&Line, &Rule)> {
        self.lines.iter().filter_map(|line| Some((line, line.rule.as_ref().ok()?)))
    }
}

impl AccessRules {
    pub fn open(db: &Database, exposed: bool) -> Result<AccessRules> {
        let requests = db.reload_requests();
        let settings = db.settings();
        let lines = rules(&settings, exposed).map_err(|errors| {
            let [first, rest @ ..] = errors.as_slice() else { unreachable!("there is an error") };
            rest.iter().for_each(|error| tracing::error!("{error}"));
            let error = EngineError::new(sqlstate::CONFIG_FILE_ERROR, format!("could not load {}", settings.get("hba_file")));
            error.detail(first).hint(if Path::new(settings.get("hba_file")).exists() {
                "Lines with other addresses than this machine's need a method that asks for something, such as \
                 scram-sha-256; or set listen_addresses to 127.0.0.1."
            } else {
                "The file is written when the data directory is made, and never again: bring it back, or write the lines \
                 of those that may connect."
            })
        })?;
        let maps = maps(&settings).unwrap_or_else(|errors| {
            errors.iter().for_each(|error| tracing::error!("{error}"));
            Arc::default()
        });
        let tls = Tls::load(&settings)?.map(Arc::new);
        let access = Access { lines, maps, tls };
        access.warn();
        let generation = *requests.borrow();
        Ok(AccessRules { db: db.clone(), exposed, requests, now: Mutex::new((generation, Arc::new(access))) })
    }

    /// What holds now; read again if that was asked for since.
    pub fn access(&self) -> Arc<Access> {
        let mut now = self.now.lock();
        let wanted = *self.requests.borrow();
        if now.0 != wanted {
            *now = (wanted, Arc::new(self.again(&now.1)));
        }
        now.1.clone()
    }

    fn again(&self, before: &Access) -> Access {
        let settings = self.db.settings();
        let keep = |what: &str, errors: Vec<String>| {
            errors.iter().for_each(|error| tracing::error!("{error}"));
            tracing::error!("{what} was not reloaded");
        };
        let lines = rules(&settings, self.exposed).unwrap_or_else(|errors| {
            keep("pg_hba.conf", errors);
            before.lines.clone()
        });
        let maps = maps(&settings).unwrap_or_else(|errors| {
            keep("pg_ident.conf", errors);
            before.maps.clone()
        });
        let tls = match Tls::load(&settings) {
            Ok(tls) => tls.map(Arc::new),
            Err(error) => {
                keep("the SSL configuration", vec![error.message]);
                before.tls.clone()
            }
        };
        let access = Access { lines, maps, tls };
        access.warn();
        access
    }
}

impl Access {
    /// Lines that can match nothing.
    fn warn(&self) {
        for (line, rule) in self.rules() {
            let why = match rule.kind {
                hba::Kind::HostSsl if self.tls.is_none() => "hostssl record cannot match because SSL is disabled",
                hba::Kind::HostGssEnc => "hostgssenc record cannot match because GSSAPI is not supported",
                _ => continue,
            };
            tracing::warn!("{} line {}: {why}", line.file.display(), line.number);
        }
    }
}

/// The rules, or all that is wrong with them.
fn rules(settings: &Settings, exposed: bool) -> std::result::Result<Arc<[Line]>, Vec<String>> {
    let path = Path::new(settings.get("hba_file"));
    let lines = hba::load(path).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    for line in &lines {
        let place = format!("{} line {}", line.file.display(), line.number);
        match &line.rule {
            Err(error) => errors.push(format!("{place}: {error}")),
            Ok(rule) if exposed && rule.trusts_others() => errors.push(format!(
                "{place}: \"{}\" lets anybody on other machines in without a password, and listen_addresses lets them reach \
                 this server",
                line.text.trim()
            )),
            Ok(_) => {}
        }
    }
    if lines.is_empty() {
        errors.push(format!("configuration file \"{}\" contains no entries", path.display()));
    }
    if errors.is_empty() { Ok(lines.into()) } else { Err(errors) }
}

fn maps(settings: &Settings) -> std::result::Result<Arc<[IdentMap]>, Vec<String>> {
    let lines = hba::load_idents(Path::new(settings.get("ident_file"))).map_err(|error| vec![error])?;
    let (mut maps, mut errors) = (Vec::new(), Vec::new());
    for line in lines {
        match line.map {
            Ok(map) => maps.push(map),
            Err(error) => errors.push(format!("{} line {}: {error}", line.file.display(), line.number)),
        }
    }
    if errors.is_empty() { Ok(maps.into()) } else { Err(errors) }
}
