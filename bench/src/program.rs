//! Running other programs, so that an interrupt ends them and is noticed.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::{Context, Error, Result};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, SIGTERM and SIGHUP make every wait here end with [`Error::Interrupted`]; what has been set up is
/// taken down by its owners, as after any error.
pub fn watch_for_interrupts() {
    // Fails only if called twice.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst));
}

pub fn check_interrupt() -> Result<()> {
    if INTERRUPTED.load(Ordering::SeqCst) { Err(Error::Interrupted) } else { Ok(()) }
}

/// Is a program of this name there?
pub fn exists(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|paths| std::env::split_paths(&paths).any(|dir| dir.join(name).is_file()))
}

/// The user that this program runs as; 0 is root.
pub fn user_id() -> u32 {
    // SAFETY: a system call without arguments.
    #[allow(unsafe_code)]
    unsafe {
        libc::geteuid()
    }
}

/// Starts a program apart from the terminal's process group: Ctrl-C is ours to pass on.
pub fn spawn(command: &mut Command) -> Result<Child> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.process_group(0).spawn().context(|| format!("starting {name}"))
}

/// Runs a program to its end and gives its output; fails if the program does, with what it said.
pub fn run(command: &mut Command) -> Result<String> {
    let mut child = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (out, err) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
    let status = wait(&mut child, None)?;
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    succeeded(command, status, &err).map(|()| out)
}

/// Runs a program to its end and tells each line of its output when it comes.
pub fn follow(command: &mut Command, mut told: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let mut child = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let err = read_all(child.stderr.take());
    let (sender, lines) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().expect("piped"));
    std::thread::spawn(move || out.lines().map_while(|line| line.ok()).try_for_each(|line| sender.send(line)));
    let outcome = loop {
        let step = match lines.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => told(&line),
            Err(mpsc::RecvTimeoutError::Timeout) => check_interrupt(),
            Err(mpsc::RecvTimeoutError::Disconnected) => break Ok(()),
        };
        if step.is_err() {
            kill_group(child.id());
            break step;
        }
    };
    let status = wait(&mut child, None)?;
    outcome?;
    succeeded(command, status, &err.join().unwrap_or_default())
}

fn read_all(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.expect("piped").read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn succeeded(command: &Command, status: ExitStatus, said: &str) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    let name = command.get_program().to_string_lossy();
    Err(Error::program(format!("{name} failed ({status}): {}", said.trim())))
}

/// Waits for a program, but no longer than `limit` and not beyond an interrupt; then it is killed.
pub fn wait(child: &mut Child, limit: Option<Duration>) -> Result<ExitStatus> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().context(|| "waiting for a program".into())? {
            return Ok(status);
        }
        let late = limit.is_some_and(|l| start.elapsed() > l);
        if late || check_interrupt().is_err() {
            kill_group(child.id());
            let _ = child.wait();
            return Err(if late {
                Error::program("a program took too long and was stopped")
            } else {
                Error::Interrupted
            });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Kills a program that [`spawn`] started, and what it has started itself.
pub fn kill_group(leader: u32) {
    // SAFETY: a system call without memory.
    #[allow(unsafe_code)]
    unsafe {
        libc::kill(-(leader as i32), libc::SIGKILL);
    }
}

/// Sends a signal to a process; says whether it was there.
pub fn signal(pid: u32, signal: i32) -> bool {
    // SAFETY: a system call without memory.
    #[allow(unsafe_code)]
    unsafe {
        libc::kill(pid as i32, signal) == 0
    }
}
