//! Compiles PostgreSQL's grammar (`vendor`) and what stands between it and Rust (`c`).

use std::path::PathBuf;

/// Folders that hold sources; all their files belong to the library.
const SOURCES: [&str; 3] = ["c", "vendor/postgresql", "vendor/libpg_query/src/postgres"];

fn main() {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in SOURCES {
        println!("cargo:rerun-if-changed={folder}");
        let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
        files.extend(entries.map(|e| e.expect(folder).path()).filter(|p| p.extension().is_some_and(|e| e == "c")));
    }
    files.sort();
    let mut build = cc::Build::new();
    // `.ci/sanitize` looks at C's memory as at Rust's. The flag is no cargo feature: all crates have it, or none.
    println!("cargo:rustc-check-cfg=cfg(sanitized)");
    if std::env::var("CARGO_CFG_SANITIZE").is_ok_and(|which| which.split(',').any(|one| one == "address")) {
        println!("cargo:rustc-cfg=sanitized");
        build.flag("-fsanitize=address").flag("-fno-omit-frame-pointer").define("SANITIZED", None);
    }
    build
        .files(files)
        .include("c")
        .include("vendor/postgresql")
        .include("vendor/libpg_query/src/postgres/include")
        // PostgreSQL's own flags. Every statement passes here, in tests too: always optimized.
        .flag("-fno-strict-aliasing")
        .flag("-fwrapv")
        .opt_level(2)
        .debug(false)
        .warnings(false)
        .compile("syntax_c");
}
