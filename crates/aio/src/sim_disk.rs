//! What a simulated disk may lose: the writes since the last flush, sector by sector.
//!
//! The files are real (best on tmpfs). The disk remembers, for every write that no flush has covered, what was there
//! before. [`SimDisk::crash`] then gives each sector one of the contents that it had since it was last durable: so writes
//! are lost, reordered and torn, as a device without its power does it. A flush that fails covers nothing, and neither do
//! later ones of that file: the kernel has called its pages clean, and they may be gone.
//!
//! A file that was made since its directory was flushed may be gone after a crash; a directory that was never flushed here keeps
//! its files. What else changes no bytes (renaming, removing, cutting files) is durable at once.

#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::file::File;
use crate::random::Random;

/// What a device writes as one.
const SECTOR: u64 = 512;

/// A disk that survives its engines. Shared by those that come one after the other.
#[derive(Debug, Default)]
pub struct SimDisk {
    /// By device and inode: files are renamed, and opened several times.
    files: Mutex<BTreeMap<(u64, u64), Unflushed>>,
    /// Of directories, what was in them when they were last flushed.
    directories: Mutex<BTreeMap<PathBuf, BTreeSet<OsString>>>,
}

#[derive(Debug)]
struct Unflushed {
    file: File,
    writes: Vec<Write>,
    /// A flush has failed.
    poisoned: bool,
}

#[derive(Debug)]
struct Write {
    offset: u64,
    /// Made durable by itself, as `O_DSYNC` does.
    durable: bool,
    before: Vec<u8>,
}

fn read_at(file: &File, offset: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    let mut done = 0;
    while done < len {
        let rest = &mut bytes[done..];
        // SAFETY: reads to a buffer of that length.
        let got = unsafe {
            libc::pread(file.as_raw_fd(), rest.as_mut_ptr().cast(), rest.len(), (offset + done as u64) as libc::off_t)
        };
        if got <= 0 {
            // The end of the file: zeros follow.
            break;
        }
        done += got as usize;
    }
    bytes
}

fn write_at(file: &File, offset: u64, bytes: &[u8]) {
    // SAFETY: writes from a buffer of that length.
    let put = unsafe { libc::pwrite(file.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), offset as libc::off_t) };
    assert_eq!(put, bytes.len() as isize, "the simulated disk's files can be written");
}

/// What is in a directory; nothing if it is gone.
fn entries(path: &Path) -> BTreeSet<OsString> {
    std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

impl SimDisk {
    /// A write is about to be made.
    pub(crate) fn before_write(&self, file: &File, offset: u64, len: u64, durable: bool) {
        let before = read_at(file, offset, len as usize);
        let mut files = self.files.lock();
        let unflushed = files.entry(file.inode()).or_insert_with(|| Unflushed {
            file: file.clone(),
            writes: Vec::new(),
            poisoned: false,
        });
        if !durable || !unflushed.writes.is_empty() {
            let durable = durable && !unflushed.poisoned;
            unflushed.writes.push(Write { offset, durable, before });
        }
    }

    /// A flush of the file has come to its end.
    pub(crate) fn after_flush(&self, file: &File, ok: bool) {
        if file.is_directory() {
            if ok && let Ok(path) = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
                let entries = entries(&path);
                self.directories.lock().insert(path, entries);
            }
            return;
        }
        let mut files = self.files.lock();
        if let Some(unflushed) = files.get_mut(&file.inode()) {
            unflushed.poisoned |= !ok;
            if !unflushed.poisoned {
                files.remove(&file.inode());
            }
        }
    }

    fn lose_entries(&self, random: &Random) {
        for (path, flushed) in &mut *self.directories.lock() {
            let share = [0, 1000, 500][random.below(3) as usize];
            for name in entries(path).difference(flushed) {
                if random.below(1000) >= share {
                    std::fs::remove_file(path.join(name)).expect("the simulated disk's files can be removed");
                }
            }
            // What is left has been found there.
            *flushed = entries(path);
        }
    }

    /// The power goes. No engine may be using the files.
    pub fn crash(&self, seed: u64) {
        let random = Random::new(seed);
        self.lose_entries(&random);
        self.lose_writes(&random, |_| true);
    }

    /// The server dies, and nothing else. Of files whose flush has failed the kernel may have forgotten what it called clean.
    pub fn kill(&self, seed: u64) {
        self.lose_writes(&Random::new(seed), |unflushed| unflushed.poisoned);
    }

    fn lose_writes(&self, random: &Random, are_lost: impl Fn(&Unflushed) -> bool) {
        let lost: Vec<_> = self.files.lock().extract_if(.., |_, unflushed| are_lost(unflushed)).collect();
        for (_, unflushed) in lost {
            // Whole files survive, or nothing of what was not flushed, or bits of it.
            let share = [0, 1000, 500, 900, 100][random.below(5) as usize];
            let len = unflushed.file.len().expect("an open file has a length");
            // Of each sector the contents it may have, but for the present one.
            let mut contents: BTreeMap<u64, Vec<&[u8]>> = BTreeMap::new();
            for write in &unflushed.writes {
                debug_assert!(write.offset.is_multiple_of(SECTOR), "transfers are whole sectors");
                for (index, sector) in write.before.chunks(SECTOR as usize).enumerate() {
                    let of = contents.entry(write.offset + index as u64 * SECTOR).or_default();
                    of.push(sector);
                    if write.durable {
                        of.clear();
                    }
                }
            }
            for (offset, contents) in contents {
                if contents.is_empty() || offset + contents[0].len() as u64 > len {
                    continue;
                }
                if random.below(1000) >= share {
                    let chosen = contents[random.below(contents.len() as u64) as usize];
                    write_at(&unflushed.file, offset, chosen);
                }
            }
        }
    }
}
