//! Files as the engine sees them: a descriptor, the name for messages, and whether it bypasses the page cache.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::descriptors::{Counted, with_room};

/// Of new files: their owner's, and to be read by the group where the process's mask allows that.
const MODE: libc::mode_t = 0o640;

/// How to open a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenMode {
    pub write: bool,
    pub create: bool,
    /// Fail when the file exists.
    pub exclusive: bool,
    /// `O_DIRECT`. A file system that refuses it gives a buffered file instead: see [`File::is_direct`].
    pub direct: bool,
    /// `O_DSYNC`: a write returns when its data is durable.
    pub dsync: bool,
}

#[derive(Debug)]
struct Inner {
    fd: OwnedFd,
    name: Arc<str>,
    direct: bool,
    dsync: bool,
    /// Of the volume it is on.
    device_number: u64,
    writes: Arc<Writes>,
    _counted: Counted,
    /// Distinguishes files when neighbours are merged; descriptors are reused by the kernel, this is not.
    id: u64,
}

/// Counts what was written to a file, and what was before the last flush that is complete began. What another process may have
/// written before the file was opened first is the first. A caller that closes a file and opens it again hands them on.
#[derive(Debug)]
pub struct Writes {
    written: AtomicU64,
    flushed: AtomicU64,
}

impl Default for Writes {
    fn default() -> Writes {
        Writes { written: AtomicU64::new(1), flushed: AtomicU64::new(0) }
    }
}

impl Writes {
    /// Does the file need a flush? Not if nothing was written since the last one that is complete began. A file that was just
    /// opened does, for another process may have died before its flush.
    pub fn are_unflushed(&self) -> bool {
        self.flushed.load(Ordering::Acquire) < self.written.load(Ordering::Acquire)
    }

    /// Something was written by others than the engine, or an entry was made in what is a directory.
    pub fn note(&self) {
        self.written.fetch_add(1, Ordering::AcqRel);
    }
}

/// An open file, closed when the last clone and the last operation on it are gone.
#[derive(Clone, Debug)]
pub struct File {
    inner: Arc<Inner>,
}

/// Two files of a file system change places, at once also after a power loss once their directories are flushed. Not all file
/// systems can.
pub fn exchange_files(one: &Path, other: &Path) -> io::Result<()> {
    let [one, other] = [one, other].map(|path| CString::new(path.as_os_str().as_bytes()));
    let (one, other) = (one?, other?);
    let here = libc::AT_FDCWD;
    // SAFETY: two strings with their zeros, which live through the call.
    match unsafe { libc::renameat2(here, one.as_ptr(), here, other.as_ptr(), libc::RENAME_EXCHANGE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

impl File {
    /// Opens `path`; `name` is what messages and views call it (`base/5/16384`).
    pub fn open(path: &Path, name: &str, mode: OpenMode) -> io::Result<File> {
        File::open_again(path, name, mode, Arc::default())
    }

    /// The same for a file that was open before, with what was written to it then.
    pub fn open_again(path: &Path, name: &str, mode: OpenMode, writes: Arc<Writes>) -> io::Result<File> {
        let (counted, id) = Counted::begin();
        let c_path = CString::new(path.as_os_str().as_bytes())?;
        let mut flags = libc::O_CLOEXEC | if mode.write { libc::O_RDWR } else { libc::O_RDONLY };
        if mode.create {
            flags |= libc::O_CREAT;
        }
        if mode.exclusive {
            flags |= libc::O_EXCL;
        }
        if mode.dsync {
            flags |= libc::O_DSYNC;
        }
        let open_once = |flags: i32| -> io::Result<OwnedFd> {
            // SAFETY: `c_path` is a valid C string for the length of the call.
            let fd = unsafe { libc::open(c_path.as_ptr(), flags, MODE) };
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the descriptor was just opened and nothing else owns it.
            Ok(unsafe { OwnedFd::from_raw_fd(fd) })
        };
        let open = |flags| with_room(|| open_once(flags));
        let (fd, direct) = if mode.direct {
            match open(flags | libc::O_DIRECT) {
                Ok(fd) => (fd, true),
                // tmpfs of older kernels, some FUSE file systems.
                Err(e) if e.raw_os_error() == Some(libc::EINVAL) => (open(flags & !libc::O_EXCL)?, false),
                Err(e) => return Err(e),
            }
        } else {
            (open(flags)?, false)
        };
        let device_number = stat(&fd)?.st_dev;
        Ok(File {
            inner: Arc::new(Inner {
                fd,
                name: name.into(),
                direct,
                dsync: mode.dsync,
                device_number,
                writes,
                _counted: counted,
                id,
            }),
        })
    }

    pub fn name(&self) -> &Arc<str> {
        &self.inner.name
    }

    /// False where direct I/O was not asked for, or refused by the file system.
    pub fn is_direct(&self) -> bool {
        self.inner.direct
    }

    /// Is a write durable when it is complete?
    pub fn is_dsync(&self) -> bool {
        self.inner.dsync
    }

    /// The system's number for the volume it is on (`st_dev`).
    pub fn device_number(&self) -> u64 {
        self.inner.device_number
    }

    /// Device and inode: the same for every descriptor of the file, whatever it is called.
    pub(crate) fn inode(&self) -> (u64, u64) {
        stat(&self.inner.fd).map_or((0, self.id()), |stat| (stat.st_dev, stat.st_ino))
    }

    /// Length in bytes.
    pub fn len(&self) -> io::Result<u64> {
        Ok(stat(&self.inner.fd)?.st_size as u64)
    }

    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Cuts or extends the file. Metadata only; no operation may be under way beyond `len`.
    pub fn set_len(&self, len: u64) -> io::Result<()> {
        // SAFETY: a plain system call on an open descriptor.
        if unsafe { libc::ftruncate(self.as_raw_fd(), len as libc::off_t) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.note_written();
        Ok(())
    }

    /// Makes the file at least so long. Unlike [`File::set_len`] it never cuts what others write behind the end meanwhile, unless
    /// the file system cannot do that.
    pub fn extend_to(&self, len: u64) -> io::Result<()> {
        if self.len()? >= len {
            return Ok(());
        }
        loop {
            // SAFETY: a plain system call on an open descriptor.
            if unsafe { libc::fallocate(self.as_raw_fd(), 0, (len - 1) as libc::off_t, 1) } == 0 {
                self.note_written();
                return Ok(());
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EOPNOTSUPP | libc::ENOSYS) => return self.set_len(len),
                _ => return Err(error),
            }
        }
    }

    /// What was written to it, for a caller that opens it again.
    pub fn writes(&self) -> &Arc<Writes> {
        &self.inner.writes
    }

    /// Does it need a flush?
    pub fn is_unflushed(&self) -> bool {
        self.inner.writes.are_unflushed()
    }

    /// Does another owner have it just now: an operation, or a session that is about to begin one?
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.inner) > 1
    }

    /// How much was written so far: what a flush that begins now will have made durable.
    pub(crate) fn written(&self) -> u64 {
        self.inner.writes.written.load(Ordering::Acquire)
    }

    /// Something was written to it by others than the engine, or an entry was made in it that is a directory.
    pub fn note_written(&self) {
        self.inner.writes.note();
    }

    /// A flush is complete; [`File::written`] said `written` before it began.
    pub(crate) fn note_flushed(&self, written: u64) {
        self.inner.writes.flushed.fetch_max(written, Ordering::AcqRel);
    }

    pub(crate) fn id(&self) -> u64 {
        self.inner.id
    }

    pub(crate) fn is_directory(&self) -> bool {
        stat(&self.inner.fd).is_ok_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFDIR)
    }
}

fn stat(fd: &OwnedFd) -> io::Result<libc::stat> {
    // SAFETY: all-zero is a valid `stat` structure, and `fstat` writes only to it.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: an open descriptor and a valid place for the answer.
    if unsafe { libc::fstat(fd.as_raw_fd(), &mut stat) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(stat)
}

impl AsRawFd for File {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.fd.as_raw_fd()
    }
}
