//! Where the time goes: perf's samples of a server as a flame graph.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::{Context, Error, Result};
use crate::program;

pub struct Profiler {
    perf: Child,
    data: PathBuf,
}

impl Profiler {
    /// Samples the process `pid` and its threads and children until [`Profiler::finish`].
    pub fn start(pid: u32) -> Result<Profiler> {
        if !program::exists("perf") {
            return Err(Error::missing("--profile-cpu needs perf (apt-get install linux-perf)"));
        }
        let data = std::env::temp_dir().join(format!("inflight-bench.{}.perf", std::process::id()));
        let mut command = Command::new("perf");
        // The whole machine, because PostgreSQL's backends come and go; the report keeps the server's.
        command.args(["record", "-q", "-a", "-g", "-F", "499", "-o"]).arg(&data);
        let perf = program::spawn(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let _ = pid;
        // It samples from when its file is there on; a short query would be over before.
        let start = std::time::Instant::now();
        while !data.exists() && start.elapsed() < std::time::Duration::from_secs(5) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        Ok(Profiler { perf, data })
    }

    /// Ends the sampling and draws the picture.
    pub fn finish(mut self, svg: &Path) -> Result<()> {
        program::signal(self.perf.id(), libc::SIGINT);
        program::wait(&mut self.perf, None)?;
        let script = program::run(Command::new("perf").args(["script", "-i"]).arg(&self.data))?;
        draw(&fold(&script), svg)
    }
}

#[cfg(feature = "flame")]
fn draw(folded: &[String], svg: &Path) -> Result<()> {
    let file = std::fs::File::create(svg).context(|| format!("making {}", svg.display()))?;
    let mut options = inferno::flamegraph::Options::default();
    options.title = svg.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    inferno::flamegraph::from_lines(&mut options, folded.iter().map(String::as_str), file)
        .map_err(|e| crate::error::Error::program(format!("drawing {}: {e}", svg.display())))
}

/// Without the drawing library the stacks themselves, which any flame graph tool reads.
#[cfg(not(feature = "flame"))]
fn draw(folded: &[String], svg: &Path) -> Result<()> {
    let file = svg.with_extension("folded");
    std::fs::write(&file, folded.join("\n")).context(|| format!("writing {}", file.display()))?;
    eprintln!("   stacks: {} (a picture needs --features flame)", file.display());
    Ok(())
}

impl Drop for Profiler {
    fn drop(&mut self) {
        let _ = self.perf.kill();
        let _ = self.perf.wait();
        let _ = std::fs::remove_file(&self.data);
    }
}

/// perf's stacks, one a line, outermost first, with their number.
fn fold(script: &str) -> Vec<String> {
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    let (mut command, mut stack) = (String::new(), Vec::new());
    let mut end = |command: &mut String, stack: &mut Vec<String>| {
        if !command.is_empty() && command != "swapper" {
            stack.push(command.clone());
            stack.reverse();
            *counts.entry(stack.join(";")).or_default() += 1;
        }
        command.clear();
        stack.clear();
    };
    for line in script.lines() {
        if line.trim().is_empty() {
            end(&mut command, &mut stack);
        } else if line.starts_with(char::is_whitespace) && !command.is_empty() {
            let symbol = line.split_whitespace().nth(1).unwrap_or("[unknown]");
            stack.push(symbol.split("+0x").next().unwrap_or(symbol).replace(';', ":"));
        } else if let Some(name) = line.split_whitespace().next() {
            command = name.to_string();
        }
    }
    end(&mut command, &mut stack);
    counts.into_iter().map(|(stack, count)| format!("{stack} {count}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn stacks_are_folded_outermost_first() {
        let script = "psql 1 [000] 1.0: 1 cycles:\n\tffff inner+0x1 (lib)\n\tffff outer+0x2 (bin)\n\n\
                      psql 1 [000] 2.0: 1 cycles:\n\tffff inner+0x1 (lib)\n\tffff outer+0x2 (bin)\n\n\
                      swapper 0 [000] 2.0: 1 cycles:\n\tffff idle (k)\n\n";
        assert_eq!(super::fold(script), ["psql;outer;inner 2"]);
    }
}
