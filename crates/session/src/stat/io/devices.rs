//! The volumes that files are on: `inflight_devices`.

use std::path::Path;

use aio::{Device, DeviceOp, DeviceView, Pattern};
use types::{Datum, Result};

use crate::stat::{AnswerRows, Row, Server, count, milliseconds, numeric, row};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_stat_get_devices", devices)];

fn devices(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let engine = server.db.engine();
    let now = engine.clock().now();
    // What the system says of them; where it does not, their numbers are all there is to show.
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut rows = Vec::new();
    for device in engine.devices() {
        let number = major_minor(device.number());
        let block_device = std::fs::read_link(Path::new("/sys/dev/block").join(&number)).ok();
        let name = block_device.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        let names = [name.unwrap_or(&number).into(), mount_point(&mounts, &number).map_or(Datum::Null, Datum::text)];
        rows.extend(device.operations(now).map(|view| names.iter().cloned().chain(operation(device, &view)).collect()));
    }
    Ok(rows)
}

/// The system's number for a device as it writes it.
fn major_minor(number: u64) -> String {
    let major = (number >> 8) & 0xfff | (number >> 32) & !0xfff;
    let minor = number & 0xff | (number >> 12) & !0xff & 0xffff_ffff;
    format!("{major}:{minor}")
}

/// Where the volume is mounted first (`proc_pid_mountinfo(5)`).
fn mount_point(mounts: &str, number: &str) -> Option<String> {
    let mut lines = mounts.lines().map(|line| line.split(' '));
    let path = lines.find_map(|mut fields| (fields.nth(2)? == number).then(|| fields.nth(1))?)?;
    // Blanks and backslashes are written so.
    Some(path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
}

fn operation(device: &Device, view: &DeviceView) -> Row {
    let [(iops, bandwidth), (max_iops, max_bandwidth)] = [view.rate, view.ceiling];
    let share = match max_iops > 0.0 {
        true => Datum::F64((iops / max_iops).max(if max_bandwidth > 0.0 { bandwidth / max_bandwidth } else { 0.0 })),
        false => Datum::Null,
    };
    let mut out = row![view.operation.name(), count(view.count), numeric(view.bytes)];
    out.extend([iops, bandwidth, max_iops, max_bandwidth].map(Datum::F64));
    out.push(share);
    out.extend(view.latency.map(milliseconds));
    out.push(Datum::I32(device.in_flight() as i32));
    let depth = |pattern| match (view.operation, device.read_speed(pattern).depth) {
        (DeviceOp::Read, pages @ 1..) => Datum::I32(pages as i32),
        _ => Datum::Null,
    };
    out.extend([depth(Pattern::Sequential), depth(Pattern::Scattered)]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_have_the_systems_names() {
        assert_eq!(major_minor(0x801), "8:1");
        assert_eq!(major_minor(0x7_00), "7:0");
        assert_eq!(major_minor(0x1_0305), "259:5");
        assert_eq!(major_minor(0x10_072c), "7:300");
        let mounts =
            "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 7:3 / /mnt/a\\040b rw,noatime shared:1 - ext4 /dev/loop3 rw\n";
        assert_eq!(mount_point(mounts, "7:3").as_deref(), Some("/mnt/a b"));
        assert_eq!(mount_point(mounts, "9:9"), None);
    }
}
