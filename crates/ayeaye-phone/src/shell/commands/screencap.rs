//! `screencap`: raw pixels or PNG, to stdout or to a file.
use bytes::{Bytes, BytesMut};
use tokio::time::Instant;

use super::CommandOutput;
use crate::{
    device::VirtualPhone,
    draw::Frame,
    faults::{Fold, RawHeader},
    files::normalize_path,
    profile::pause_until,
    shell::protocol::Channel,
};

/// The id of the panel, of a phone with two the inner one.
pub(super) const DISPLAY_ID: &str = "4619827259835644672";
/// The id of the outer panel of a phone with two.
pub(super) const COVER_ID: &str = "4619827551948147201";

const WARNING: &str = "[Warning] Multiple displays were found, but no display id was specified! \
    Defaulting to the first display found, however this default is not guaranteed to be consistent \
    across captures. A display id should be specified.\n";

pub(super) async fn run(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    match capture(device, cwd, words).await {
        Ok(output) | Err(output) => output,
    }
}

/// The picture, or why there is none.
async fn capture(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> Result<CommandOutput, CommandOutput> {
    let Wanted { png, path, display } = Wanted::read(device, words)?;
    let faults = device.faults().for_capture();
    if faults.no_screencap {
        return Err(CommandOutput::error(
            126,
            "/system/bin/sh: screencap: can't execute: Permission denied\n",
        ));
    }
    if faults.raw_unsupported && !png {
        let text = "Error: raw capture is not supported on this device\n";
        return Err(CommandOutput::error(1, text));
    }
    let mut frame = device
        .capture()
        .await
        .map_err(|_| CommandOutput::error(1, "Failed to take screenshot. Status: -2147483648\n"))?;
    if faults.fold.is_some_and(|fold| display.unwrap_or(DISPLAY_ID) != lit_panel(fold)) {
        frame = frame.blackened();
    }
    let mut picture = if png {
        vec![png_picture(device, frame).await?]
    } else {
        raw_picture(&frame, faults.header)
    };
    if let Some(limit) = faults.truncate_to {
        let whole = picture.concat();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(whole.len());
        picture = vec![Bytes::from(whole).slice(..limit)];
    }
    if let Some(path) = path {
        return Ok(write_file(device, cwd, path, picture.concat()));
    }
    let warns = faults.warning || (faults.fold.is_some() && display.is_none());
    let warning = warns.then(|| (Channel::Stderr, Bytes::from_static(WARNING.as_bytes())));
    Ok(CommandOutput {
        stdout: picture,
        earlier: warning.into_iter().collect(),
        drop_after: faults.drop_after,
        ..CommandOutput::default()
    })
}

/// What the words of the command ask for.
struct Wanted<'a> {
    png: bool,
    /// The file that it is written to; stdout without one.
    path: Option<&'a str>,
    display: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn read(device: &VirtualPhone, words: &[&'a str]) -> Result<Self, CommandOutput> {
        let mut wanted = Self { png: false, path: None, display: None };
        let two_panels = device.faults().plan().fold.is_some();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "-p" => wanted.png = true,
                "-d" => match words.next() {
                    Some(id) if *id == DISPLAY_ID || (*id == COVER_ID && two_panels) => {
                        wanted.display = Some(*id);
                    }
                    // Before Android 10 a logical id.
                    Some(&"0") if !two_panels => {}
                    id => {
                        let text = format!("Display Id '{}' is not valid.\n", id.unwrap_or(&""));
                        return Err(CommandOutput::malformed(device, 1, text));
                    }
                },
                "-h" => return Err(CommandOutput::malformed(device, 0, USAGE)),
                word if word.starts_with('-') && word != "-" => {
                    let text = format!("screencap: invalid option -- {}\n{USAGE}", &word[1..]);
                    return Err(CommandOutput::malformed(device, 1, text));
                }
                word if wanted.path.is_none() => {
                    wanted.path = Some(word);
                    wanted.png |= word.strip_suffix(".png").is_some();
                }
                _ => return Err(CommandOutput::malformed(device, 1, USAGE)),
            }
        }
        Ok(wanted)
    }
}

/// The picture as PNG, which takes as long as on a phone.
async fn png_picture(device: &VirtualPhone, frame: Frame) -> Result<Bytes, CommandOutput> {
    let made = Instant::now() + device.timing().png;
    let encoded = tokio::task::spawn_blocking(move || frame.to_png()).await;
    pause_until(made).await;
    match encoded {
        Ok(Ok(png)) => Ok(Bytes::from(png)),
        Ok(Err(_)) | Err(_) => Err(CommandOutput::error(1, "Failed to encode PNG\n")),
    }
}

fn write_file(device: &VirtualPhone, cwd: &str, path: &str, picture: Vec<u8>) -> CommandOutput {
    let time = device.unix_seconds();
    match device.files().write(&normalize_path(cwd, path), picture, 0o660, time) {
        Ok(()) => CommandOutput::status(0),
        Err(error) => CommandOutput::error(1, format!("Error opening file: {path} ({error})\n")),
    }
}

/// The panel that shows the screen.
pub(super) fn lit_panel(fold: Fold) -> &'static str {
    match fold {
        Fold::Open => DISPLAY_ID,
        Fold::Closed => COVER_ID,
    }
}

const USAGE: &str = "usage: screencap [-hp] [-d display-id] [FILENAME]\n";

/// Pixels after a header of little-endian words: width, height, format 1 (RGBA) and, since Android
/// 9, colour space 1 (sRGB).
pub(crate) fn raw_picture(frame: &Frame, header: RawHeader) -> Vec<Bytes> {
    let mut words = BytesMut::with_capacity(16);
    for word in [frame.width, frame.height, 1] {
        words.extend_from_slice(&word.to_le_bytes());
    }
    match header {
        RawHeader::Sixteen => words.extend_from_slice(&1_u32.to_le_bytes()),
        RawHeader::Twelve => {}
    }
    vec![words.freeze(), frame.rgba.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_pictures_have_the_header_of_their_time() {
        let frame = Frame { width: 2, height: 1, rgba: Bytes::from_static(&[9; 8]) };
        let new = raw_picture(&frame, RawHeader::Sixteen).concat();
        assert_eq!(new, [2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(raw_picture(&frame, RawHeader::Twelve).concat().len(), 12 + 8);
    }
}
