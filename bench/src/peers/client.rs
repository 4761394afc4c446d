//! The client is the real psql.

use std::process::Command;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::program::run;

/// A server to talk to, on the loopback interface.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    pub port: u16,
}

/// How long a statement took, by psql's own clock, and what it answered.
#[derive(Clone, Debug)]
pub struct Timed {
    pub ms: f64,
    pub answer: String,
}

impl Client {
    pub fn psql(&self) -> Command {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-U", "postgres", "-d", "postgres"]);
        command.args(["-v", "ON_ERROR_STOP=1", "-p", &self.port.to_string()]);
        // What the user has set for psql is not for the measurement.
        command.env("LC_ALL", "C");
        for name in ["PGOPTIONS", "PGSERVICE", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PSQLRC"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs statements; gives what the last printed.
    pub fn run(&self, statements: &[&str]) -> Result<String> {
        let mut command = self.psql();
        statements.iter().for_each(|s| {
            command.args(["-c", s]);
        });
        Ok(run(&mut command)?.trim_end().to_string())
    }

    /// Runs `before`, and then `statement` with the clock on.
    pub fn timed(&self, before: &[String], statement: &str) -> Result<Timed> {
        let mut command = self.psql();
        before.iter().for_each(|s| {
            command.args(["-c", s]);
        });
        command.args(["-c", "\\timing on", "-c", statement]);
        let output = run(&mut command)?;
        let (answer, time) = output
            .trim_end()
            .rsplit_once("Time: ")
            .ok_or_else(|| Error::program(format!("psql printed no time: {output}")))?;
        let ms = time.split_whitespace().next().and_then(|t| t.parse().ok());
        let ms = ms.ok_or_else(|| Error::program(format!("psql printed no time: {output}")))?;
        Ok(Timed { ms, answer: answer.trim().to_string() })
    }

    pub fn answers(&self) -> bool {
        let mut command = self.psql();
        command.env("PGCONNECT_TIMEOUT", "2").args(["-c", "select 1"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        crate::program::spawn(&mut command)
            .and_then(|mut child| crate::program::wait(&mut child, Some(Duration::from_secs(5))))
            .is_ok_and(|status| status.success())
    }
}
