//! Asks a server, under settings, and compares what it answers.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::tables;

/// What takes longer is not compared.
const LONGEST: &str = "20s";

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A line a row; sorted, unless their order is asked for. What is in the changed table comes behind.
    Rows(Vec<String>),
    /// A SQLSTATE with the message.
    Error(String, String),
    /// There is no connection any more.
    Lost(String),
}

/// What is kept of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    Rows { count: usize, crc: u32 },
    Error(String),
}

impl Answer {
    pub fn kept(&self) -> Kept {
        match self {
            Answer::Rows(rows) => Kept::Rows { count: rows.len(), crc: crc32c::crc32c(rows.join("\n").as_bytes()) },
            Answer::Error(code, _) => Kept::Error(code.clone()),
            Answer::Lost(_) => Kept::Error("lost".to_string()),
        }
    }

    /// It took too long, or is refused as not there yet. That a plan is not found is no such thing.
    pub fn is_none(&self) -> bool {
        let Answer::Error(code, message) = self else { return false };
        code == "57014" || code == "0A000" && !message.starts_with("could not devise")
    }

    /// The first lines.
    pub fn shown(&self) -> String {
        match self {
            Answer::Rows(rows) => {
                let first = rows.iter().take(12).map(|row| format!("\n      {row}")).collect::<String>();
                format!("{} lines{first}", rows.len())
            }
            Answer::Error(code, message) => format!("{code} {message}"),
            Answer::Lost(why) => format!("connection lost: {why}"),
        }
    }
}

/// A statement as it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub sql: String,
    /// The table that it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
}

pub struct Session {
    config: String,
    client: Client,
}

async fn connect(config: &str) -> Client {
    for _ in 0..50 {
        if let Ok((client, connection)) = tokio_postgres::connect(config, NoTls).await {
            tokio::spawn(connection);
            return client;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("no connection to {config}");
}

impl Session {
    /// In a database of its own, with the tables.
    pub async fn with_tables(base: &str) -> Session {
        let database = format!("joins_{}", std::process::id());
        let admin = connect(&format!("{base} dbname=postgres")).await;
        let _ = admin.simple_query(&format!("DROP DATABASE IF EXISTS {database}")).await;
        admin.simple_query(&format!("CREATE DATABASE {database}")).await.unwrap();
        let config = format!("{base} dbname={database}");
        let client = connect(&config).await;
        for sql in tables::setup() {
            client.simple_query(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        }
        Session { config, client }
    }

    /// Leaves nothing behind.
    pub async fn end(self) {
        let (base, database) = self.config.rsplit_once(" dbname=").expect("it has one");
        drop(self.client);
        let admin = connect(&format!("{base} dbname=postgres")).await;
        let drop = format!("DROP DATABASE {database}");
        for _ in 0..50 {
            if admin.simple_query(&drop).await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The settings that keep plans from something.
    pub async fn enable_settings(&self) -> Vec<String> {
        let sql = "SELECT name FROM pg_settings WHERE name LIKE 'enable\\_%' ORDER BY name";
        let messages = self.client.simple_query(sql).await.unwrap();
        let name = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_string),
            _ => None,
        };
        messages.iter().filter_map(name).collect()
    }

    pub async fn ask(&mut self, schema: &str, settings: &[String], question: &Question) -> Answer {
        if self.client.is_closed() {
            self.client = connect(&self.config).await;
        }
        let mut prepare = format!("RESET ALL; SET search_path = {schema}; SET statement_timeout = '{LONGEST}'");
        settings.iter().for_each(|setting| prepare.push_str(&format!("; SET {setting}")));
        let begins = question.changes.is_some();
        if begins {
            prepare.push_str("; BEGIN");
        }
        if let Err(error) = self.client.simple_query(&prepare).await {
            return answer_of(&error);
        }
        let answer = self.rows(question).await;
        if begins && !matches!(answer, Answer::Lost(_)) {
            let _ = self.client.simple_query("ROLLBACK").await;
        }
        answer
    }

    async fn rows(&self, question: &Question) -> Answer {
        let mut rows = match self.client.simple_query(&question.sql).await {
            Ok(messages) => lines(&messages, ""),
            Err(error) => return answer_of(&error),
        };
        if !question.ordered {
            rows.sort();
        }
        if let Some(table) = &question.changes {
            let all = format!("SELECT * FROM {table}");
            match self.client.simple_query(&all).await {
                Ok(messages) => {
                    let mut left = lines(&messages, "left: ");
                    left.sort();
                    rows.extend(left);
                }
                Err(error) => return answer_of(&error),
            }
        }
        Answer::Rows(rows)
    }
}

fn answer_of(error: &tokio_postgres::Error) -> Answer {
    match error.as_db_error() {
        Some(error) if error.code().code() != "57P01" => {
            Answer::Error(error.code().code().to_string(), error.message().to_string())
        }
        _ => Answer::Lost(error.to_string()),
    }
}

fn lines(messages: &[SimpleQueryMessage], before: &str) -> Vec<String> {
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => {
            let values = (0..row.len()).map(|at| row.get(at).unwrap_or("\\N"));
            Some(format!("{before}{}", values.collect::<Vec<_>>().join("|")))
        }
        _ => None,
    };
    messages.iter().filter_map(line).collect()
}
