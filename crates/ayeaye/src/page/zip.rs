//! An archive of a folder. What takes room in it are pictures, which are packed already: nothing is packed again.
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use ayeaye_agent::private_files::{make_private_file, private_options};
use rawzip::{CompressionMethod, ZipArchiveWriter, ZipDataWriter};

/// How deep folders are.
const DEEPEST: usize = 16;

/// Writes the files of a folder into a new archive, by their paths below it: those whose first part is wanted.
/// Anything that is not a file, such as a link, is left out.
pub(super) fn write_zip(
    folder: &Path,
    archive: &Path,
    wanted: impl Fn(&str) -> bool,
) -> io::Result<()> {
    let out = BufWriter::new(make_private_file(archive, private_options().write(true))?);
    let mut archive = ZipArchiveWriter::new(out);
    add_folder(&mut archive, folder, "", DEEPEST, &wanted)?;
    archive.finish().map_err(io::Error::other)?.flush()
}

fn add_folder<W: io::Write>(
    archive: &mut ZipArchiveWriter<W>,
    folder: &Path,
    prefix: &str,
    deep: usize,
    wanted: &dyn Fn(&str) -> bool,
) -> io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let name = format!("{prefix}{}", name.to_string_lossy());
        if !wanted(name.split('/').next().unwrap_or_default()) {
            continue;
        }
        if kind.is_dir() && 0 < deep {
            add_folder(archive, &entry.path(), &format!("{name}/"), deep - 1, wanted)?;
        } else if kind.is_file() {
            add_file(archive, &entry.path(), &name)?;
        }
    }
    Ok(())
}

fn add_file<W: io::Write>(
    archive: &mut ZipArchiveWriter<W>,
    path: &Path,
    name: &str,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    let store = CompressionMethod::STORE;
    let (mut entry, config) =
        archive.new_file(name).compression_method(store).start().map_err(io::Error::other)?;
    let mut writer: ZipDataWriter<_> = config.wrap(&mut entry);
    io::copy(&mut file, &mut writer)?;
    let (_, descriptor) = writer.finish().map_err(io::Error::other)?;
    entry.finish(descriptor).map_err(io::Error::other)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_is_in_a_folder_is_in_the_archive() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a");
        std::fs::create_dir_all(folder.join("b/c")).unwrap();
        std::fs::write(folder.join("x.txt"), "one").unwrap();
        std::fs::write(folder.join("b/c/y"), "two").unwrap();
        std::fs::write(folder.join("lock"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hostname", folder.join("link")).unwrap();
        let path = home.path().join("a.zip");
        write_zip(&folder, &path, |name| name != "lock").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
        let mut found = Vec::new();
        for entry in archive.entries() {
            let entry = entry.unwrap();
            let name = String::from_utf8(entry.file_path().as_ref().to_vec()).unwrap();
            let data = archive.get_entry(entry.wayfinder()).unwrap();
            let mut text = String::new();
            data.verifying_reader(data.data()).read_to_string(&mut text).unwrap();
            found.push((name, text));
        }
        let expected = [("b/c/y", "two"), ("x.txt", "one")];
        assert_eq!(found, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
        assert!(write_zip(&folder, &path, |_| true).is_err(), "nothing is written over");
    }
}
