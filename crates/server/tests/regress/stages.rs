//! Data directories in which files have been played that others need: they are played once, and copied.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Script;
use super::client::Client;
use super::compare::{Player, Verdict};
use super::follow::Differences;
use super::record::target;
use testkit::Server;

pub struct Stages<'a> {
    scripts: BTreeMap<&'a str, &'a Script>,
    /// The files that COPY reads in `data`, and all stages beside them.
    folder: &'a Path,
    made: Mutex<BTreeMap<Vec<String>, Stage>>,
}

#[derive(Clone)]
struct Stage {
    root: PathBuf,
    differences: Differences,
}

impl<'a> Stages<'a> {
    pub fn new(scripts: &'a [Script], folder: &'a Path) -> Stages<'a> {
        let scripts = scripts.iter().map(|script| (script.name.as_str(), script)).collect();
        Stages { scripts, folder, made: Mutex::default() }
    }

    /// Plays a script on a server in which those have been played that it needs.
    pub fn play(&self, script: &Script) -> Vec<Verdict> {
        let stage = self.stage(&script.needs);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("data");
        let server = begin(stage.as_ref(), &root);
        let differences = stage.map(|stage| stage.differences).unwrap_or_default();
        Player::new(&server, self.folder, differences).unwrap().play(&script.steps)
    }

    /// Holds the lock until it is made: the others need it too.
    fn stage(&self, needs: &[String]) -> Option<Stage> {
        let mut made = self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if needs.is_empty() {
            return None;
        }
        if let Some(stage) = made.get(needs) {
            return Some(stage.clone());
        }
        let base = (1..needs.len()).rev().find_map(|length| Some((length, made.get(&needs[..length])?.clone())));
        let (length, base) = base.map_or((0, None), |(length, stage)| (length, Some(stage)));
        let root = self.folder.join(format!("stage{}", made.len()));
        let mut server = begin(base.as_ref(), &root);
        let mut differences = base.map(|stage| stage.differences).unwrap_or_default();
        for name in &needs[length..] {
            let mut player = Player::new(&server, self.folder, differences).unwrap();
            player.play(&self.scripts[name.as_str()].steps);
            differences = player.into_differences();
        }
        assert!(server.stop(), "{}", server.log.lock().unwrap());
        let stage = Stage { root, differences };
        made.insert(needs.to_vec(), stage.clone());
        Some(stage)
    }
}

/// A server on a copy of a stage, or on an empty database.
fn begin(stage: Option<&Stage>, root: &Path) -> Server {
    if let Some(stage) = stage {
        copy(&stage.root, root);
        return Server::start_in(root, &[]);
    }
    let server = Server::start_in(root, &[]);
    let mut admin = Client::connect(&target(&format!("127.0.0.1:{}", server.port), "postgres", "postgres")).unwrap();
    let answers = admin.query("CREATE DATABASE regression", &mut || None).unwrap();
    assert!(answers[0].error.is_none(), "{answers:?}");
    server
}

/// Files, folders and links with their modes.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    let mode = std::fs::metadata(from).unwrap().permissions().mode();
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(mode)).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, target) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(entry.path()).unwrap(), target).unwrap();
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
