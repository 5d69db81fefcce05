//! Packs the fonts: 1.2 MB of them in 0.7 of the program.
use std::io::Write as _;
use std::path::Path;
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::ZlibEncoder;

const FONTS: [(&str, &[u8]); 4] = [
    ("regular", ttf_noto_sans::REGULAR),
    ("bold", ttf_noto_sans::BOLD),
    ("emoji", epaint_default_fonts::NOTO_EMOJI_REGULAR),
    ("icons", material_icons::FONT),
];

#[expect(
    clippy::disallowed_methods,
    reason = "cargo says in the environment where a build script may write"
)]
fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    for (name, font) in FONTS {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(font)?;
        fs::write(Path::new(&folder).join(name), packed.finish()?)?;
    }
    Ok(())
}
