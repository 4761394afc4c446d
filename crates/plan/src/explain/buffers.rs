//! What pages cost a node and those below it (`show_buffer_usage`). To what PostgreSQL says comes what asynchronous I/O hides: the time
//! that the device worked while the session did not wait, and in how many operations, how large and how many at once.

use super::Value;

/// Pages of a node, and the operations that read them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BufferUsage {
    pub hit: u64,
    pub read: u64,
    pub written: u64,
    pub operations: u64,
    /// Milliseconds that were waited for reads.
    pub waited: f64,
    /// Milliseconds that the device worked on reads, summed over operations.
    pub device: f64,
    /// Operations in flight when one was started, summed over operations.
    pub depth_sum: u64,
}

impl std::ops::AddAssign for BufferUsage {
    fn add_assign(&mut self, other: BufferUsage) {
        self.hit += other.hit;
        self.read += other.read;
        self.written += other.written;
        self.operations += other.operations;
        self.waited += other.waited;
        self.device += other.device;
        self.depth_sum += other.depth_sum;
    }
}

impl BufferUsage {
    /// As the text format has it: nothing of what there was none of.
    pub fn lines(&self) -> Vec<String> {
        let counts = [("hit", self.hit), ("read", self.read), ("written", self.written)];
        let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!(" {name}={count}"));
        let counts: String = counts.collect();
        let mut lines = Vec::new();
        if !counts.is_empty() {
            lines.push(format!("Buffers: shared{counts}"));
        }
        if self.operations > 0 {
            lines.push(format!("I/O Timings: shared read={:.3} device={:.3}", self.waited, self.device));
            let (size, depth) = (self.size(), self.depth());
            lines.push(format!("I/O: count={} size={size:.0}kB depth={depth:.1}", self.operations));
        }
        lines
    }

    /// As the other formats have it.
    pub fn properties(&self) -> Vec<(String, Value)> {
        let number = |label: &str, text: String| (label.to_string(), Value::Number(text));
        vec![
            number("Shared Hit Blocks", self.hit.to_string()),
            number("Shared Read Blocks", self.read.to_string()),
            number("Shared Written Blocks", self.written.to_string()),
            number("Shared I/O Read Time", format!("{:.3}", self.waited)),
            number("Shared I/O Device Time", format!("{:.3}", self.device)),
            number("I/O Count", self.operations.to_string()),
            number("I/O Size", format!("{:.0}", self.size())),
            number("I/O Depth", format!("{:.1}", self.depth())),
        ]
    }

    /// Of an operation, in kilobytes.
    fn size(&self) -> f64 {
        self.read as f64 * 8.0 / self.operations.max(1) as f64
    }

    fn depth(&self) -> f64 {
        self.depth_sum as f64 / self.operations.max(1) as f64
    }
}
