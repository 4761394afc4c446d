//! From a device to a directory: loop device with direct I/O, ext4, mount. Dropping takes all of it down, in reverse.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::device::Device;
use super::profile::Profile;
use crate::error::{Context, Error, Result};
use crate::program::run;

/// Where everything of a run lives; the process number tells runs apart, and lets a later one tidy up after a killed one.
const BASE: &str = "/tmp/inflight-bench";

pub fn base_of(pid: u32) -> PathBuf {
    PathBuf::from(format!("{BASE}.{pid}"))
}

/// A directory on a volume of the wanted manners.
pub struct Mounted {
    pub profile: Profile,
    pub dir: PathBuf,
    loop_device: Option<String>,
    device: Option<Device>,
    mounted: bool,
    /// For Inflight's own simulation, where a real volume cannot be had: what `--simulate-volume` takes.
    pub inside: Option<String>,
}

impl Mounted {
    /// A volume of `size` bytes. On `local` this is a directory of the machine's own disk, at `local`.
    pub fn new(profile: Profile, size: u64, local: &Path) -> Result<Mounted> {
        let base = base_of(std::process::id());
        let Some(limits) = profile.limits() else { return Mounted::plain(profile, local, None) };
        if check_usable().is_err() {
            return Mounted::plain(profile, local, Some(limits.inside()));
        }
        let dir = base.join("mnt");
        std::fs::create_dir_all(&dir).context(|| format!("making {}", dir.display()))?;
        let device = Device::new(limits, size, &base.join("fuse"))?;
        let mut mounted =
            Mounted { profile, dir, loop_device: None, device: Some(device), mounted: false, inside: None };
        mounted.set_up()?;
        Ok(mounted)
    }

    /// A directory of the machine's own disk.
    fn plain(profile: Profile, local: &Path, inside: Option<String>) -> Result<Mounted> {
        let dir = local.join(format!("inflight-bench.{}", std::process::id()));
        std::fs::create_dir_all(&dir).context(|| format!("making {}", dir.display()))?;
        Ok(Mounted { profile, dir, loop_device: None, device: None, mounted: false, inside })
    }

    fn set_up(&mut self) -> Result<()> {
        let device = self.device.as_ref().expect("a volume of ours has a device");
        let file = device.file();
        let name = run(Command::new("losetup").args(["--find", "--show", "--direct-io=on"]).arg(file))?;
        let name = name.trim().to_string();
        self.loop_device = Some(name.clone());
        let ahead = format!("/sys/block/{}/queue/read_ahead_kb", name.trim_start_matches("/dev/"));
        std::fs::write(&ahead, "128").context(|| format!("setting {ahead}"))?;
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-E", "nodiscard,lazy_itable_init=1"]).arg(&name))?;
        run(Command::new("mount").args(["-o", "noatime,noinit_itable"]).arg(&name).arg(&self.dir))?;
        self.mounted = true;
        device.set_limited(true);
        Ok(())
    }

    /// The device behind it, if it is one of ours.
    pub fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Some(device) = &self.device {
            device.set_limited(false);
            device.set_failing(false);
        }
        if self.mounted {
            // A server that is just ending may still hold it.
            for attempt in 0..50 {
                let done = Command::new("umount").arg(&self.dir).stderr(std::process::Stdio::null()).status();
                if done.is_ok_and(|s| s.success()) {
                    break;
                }
                if attempt == 49 {
                    let _ = Command::new("umount").arg("-l").arg(&self.dir).status();
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        if let Some(name) = &self.loop_device {
            let _ = Command::new("losetup").arg("-d").arg(name).status();
            // Detaching is done when the last user is gone.
            let backing = format!("/sys/block/{}/loop/backing_file", name.trim_start_matches("/dev/"));
            for _ in 0..200 {
                if !Path::new(&backing).exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let base = base_of(std::process::id());
        let _ = std::fs::remove_file(base.join("servers"));
        if self.device.is_none() {
            let _ = std::fs::remove_dir_all(&self.dir);
            let _ = std::fs::remove_dir(base);
            return;
        }
        let _ = std::fs::remove_dir(&self.dir);
        self.device = None;
        let _ = std::fs::remove_dir(base);
    }
}

/// Notes a server, for tidying up if this run is killed.
pub fn note_server(pid: u32) -> Result<()> {
    let base = base_of(std::process::id());
    std::fs::create_dir_all(&base).context(|| format!("making {}", base.display()))?;
    let file = std::fs::File::options().create(true).append(true).open(base.join("servers"));
    file.and_then(|mut f| writeln!(f, "{pid}")).context(|| format!("writing to {}", base.display()))
}

/// Mounts, loop devices, servers and files of runs that were killed.
pub fn leftovers(local: &Path) -> Vec<(u32, PathBuf)> {
    let entries = [Path::new("/tmp"), local].into_iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten();
    let of_ours = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let pid: u32 = name.strip_prefix("inflight-bench.")?.parse().ok()?;
        (!crate::program::signal(pid, 0)).then(|| (pid, entry.path()))
    });
    of_ours.collect()
}

/// Takes down what killed runs left.
pub fn tidy_up(local: &Path) -> Result<()> {
    for (pid, base) in leftovers(local) {
        eprintln!("tidying up after the killed run {pid}: {}", base.display());
        let servers = std::fs::read_to_string(base.join("servers")).unwrap_or_default();
        for server in servers.lines().filter_map(|l| l.parse::<u32>().ok()) {
            // The number may be another process's by now.
            let command = std::fs::read(format!("/proc/{server}/cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command);
            if command.contains("/inflight") || command.contains("/postgres") {
                crate::program::kill_group(server);
            }
        }
        let _ = Command::new("umount").arg("-l").arg(base.join("mnt")).status();
        let file = base.join("fuse/volume");
        let loops = run(Command::new("losetup").args(["--list", "--noheadings", "--output", "NAME,BACK-FILE"]))?;
        for line in loops.lines().filter(|l| l.contains(&*file.to_string_lossy())) {
            let name = line.split_whitespace().next().unwrap_or_default();
            let _ = Command::new("losetup").arg("-d").arg(name).status();
        }
        let _ = Command::new("umount").arg("-l").arg(base.join("fuse")).status();
        std::fs::remove_dir_all(&base).context(|| format!("removing {}", base.display()))?;
    }
    Ok(())
}

/// Needed for any volume but the machine's own disk.
pub fn check_usable() -> Result<()> {
    if crate::program::user_id() != 0 {
        return Err(Error::missing("simulated volumes need root (FUSE, a loop device and a mount)"));
    }
    if !Path::new("/dev/fuse").exists() {
        return Err(Error::missing("simulated volumes need /dev/fuse (modprobe fuse)"));
    }
    for program in ["losetup", "mkfs.ext4", "mount", "umount"] {
        if !crate::program::exists(program) {
            return Err(Error::missing(format!(
                "simulated volumes need {program} (apt-get install util-linux e2fsprogs)"
            )));
        }
    }
    Ok(())
}
