//! Packs the files of the page: 190 kB of them in 50 of the program.
use std::io::Write as _;
use std::path::Path;
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::ZlibEncoder;

#[expect(
    clippy::disallowed_methods,
    reason = "cargo says in the environment where a build script may write"
)]
fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=page");
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let mut files: Vec<_> = fs::read_dir("page")?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut lengths = Vec::new();
    for file in files {
        let text = shortened(&fs::read_to_string(file.path())?);
        packed.write_all(text.as_bytes())?;
        lengths.push((file.file_name().to_string_lossy().into_owned(), text.len()));
    }
    fs::write(Path::new(&folder).join("page"), packed.finish()?)?;
    fs::write(Path::new(&folder).join("page.rs"), format!("&{lengths:?}"))
}

/// A file without indentation, and without lines that are a comment of scripts.
fn shortened(whole: &str) -> String {
    let lines = whole.split_inclusive('\n').map(|line| line.trim_start_matches(' '));
    lines.filter(|line| !line.starts_with("//")).collect()
}
