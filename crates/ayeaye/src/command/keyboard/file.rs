//! The keyboard as a file: from this machine, or from where its authors publish it.
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_agent::error_chain;
use sha2::{Digest as _, Sha256};

use crate::command::http_client::http_client;

/// `ADBKeyboard` (GPL-2.0) as its authors publish it, at the commit of April 2026.
pub(super) const PUBLISHED: &str = "https://raw.githubusercontent.com/senzhk/ADBKeyBoard/4b513f3313b8392b316b37e9c08b0be2def79dda/ADBKeyboard.apk";
/// What that file is.
const SHA256: &str = "e698adea5633135a067b038f9a0cf41baa4de09888713a81593fb2b9682cdc59";
pub(super) const PAGE: &str = "https://github.com/senzhk/ADBKeyBoard";
/// The most bytes of a keyboard.
const MAX: usize = 16 << 20;
const FETCH_TIMEOUT: Duration = Duration::from_mins(1);

/// The path that a person has typed, or dragged into the terminal: those write quotes around it, or a backslash
/// before each blank.
pub(super) fn typed_path(said: &str, home: Option<&Path>) -> PathBuf {
    let said = said.trim();
    let in_quotes =
        ['"', '\''].into_iter().find_map(|mark| said.strip_prefix(mark)?.strip_suffix(mark));
    let text = match in_quotes {
        Some(text) => text.to_owned(),
        // On Windows it parts folders.
        None if cfg!(windows) || Path::new(said).exists() => said.to_owned(),
        None => without_backslashes(said),
    };
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => text.into(),
    }
}

/// A word as a shell reads it.
fn without_backslashes(word: &str) -> String {
    let mut letters = word.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        text.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
    }
    text
}

/// The file, and what it is.
pub(super) fn from_file(path: &Path) -> anyhow::Result<(Vec<u8>, String)> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("{shown} cannot be read"))?.len();
    if MAX as u64 <= size {
        anyhow::bail!("{shown} has {size} bytes: that is not a keyboard; nothing was changed");
    }
    let content = std::fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    if !content.starts_with(b"PK") {
        anyhow::bail!(
            "{shown} is not an Android app: get ADBKeyboard.apk from {PAGE}; nothing was changed"
        );
    }
    let sum = hex(&content);
    let known = if sum == SHA256 {
        "the file that its authors publish".to_owned()
    } else {
        format!(
            "not the published file known here (SHA-256 {sum}); it is used because you named it"
        )
    };
    let what = format!("{shown}, {} bytes: {known}", content.len());
    Ok((content, what))
}

/// The published file, from there or from a mirror; anything else is refused.
pub(super) async fn fetch(url: &str) -> anyhow::Result<Vec<u8>> {
    let way_out = format!("get ADBKeyboard.apk from {PAGE}, and name the file: --keyboard FILE");
    let offline = |cause: reqwest::Error| {
        anyhow::anyhow!(
            "{url} cannot be fetched ({}), and nothing was changed. On a machine that can fetch it, {way_out}",
            error_chain(&cause.without_url())
        )
    };
    let client = http_client(url, FETCH_TIMEOUT)?;
    let answer = client.get(url).send().await.map_err(offline)?;
    let answer = answer.error_for_status().map_err(offline)?;
    if answer.content_length().is_some_and(|length| MAX as u64 <= length) {
        anyhow::bail!("what {url} offers is not a keyboard; nothing was changed: {way_out}");
    }
    let content = answer.bytes().await.map_err(offline)?;
    let sum = hex(&content);
    if sum != SHA256 {
        anyhow::bail!(
            "what came from {url} is not the published file (SHA-256 {sum}, wanted {SHA256}); nothing was \
             changed: {way_out}"
        );
    }
    Ok(content.to_vec())
}

fn hex(content: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(content).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_as_people_and_terminals_write_it() {
        let home = Path::new("/home/ada");
        for (said, path) in [
            ("keys.apk", "keys.apk"),
            (" '/media/my apps/keys.apk' ", "/media/my apps/keys.apk"),
            ("\"/media/my apps/keys.apk\"", "/media/my apps/keys.apk"),
            ("~/keys.apk", "/home/ada/keys.apk"),
            ("'~/my keys.apk'", "/home/ada/my keys.apk"),
            ("'", "'"),
            ("", ""),
        ] {
            assert_eq!(typed_path(said, Some(home)), Path::new(path), "{said}");
        }
        assert_eq!(typed_path("~/keys.apk", None), Path::new("~/keys.apk"));
    }

    #[cfg(unix)]
    #[test]
    fn a_backslash_before_a_blank_is_the_terminals_unless_a_file_is_called_so() {
        let written = r"/media/my\ apps/key\(1\).apk";
        assert_eq!(typed_path(written, None), Path::new("/media/my apps/key(1).apk"));
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join(r"a\b.apk");
        std::fs::write(&odd, "PK").unwrap();
        assert_eq!(typed_path(odd.to_str().unwrap(), None), odd);
    }

    proptest::proptest! {
        #[test]
        fn no_answer_makes_it_panic(said in "\\PC{0,20}") {
            drop(typed_path(&said, Some(Path::new("/home/ada"))));
        }
    }
}
