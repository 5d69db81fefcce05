//! Copying files to and from a phone.
use ayeaye_agent::{DeviceError, Performed};
use sha2::{Digest as _, Sha256};

use super::{COPYING, Commander, MAX_FILE, noted};
use crate::apk::hex;
use crate::exchange::{ExchangeError, PART};
use crate::parse::{current_user, quoted, sanitize, sanitize_up_to};
use crate::quote::quote;
use crate::sync::{self, Stat};

/// Where people keep files.
const SHARED: [&str; 3] = ["/sdcard/", "/storage/", "/mnt/sdcard/"];
/// Where programs lie that adb, this one and others start on the phone, as its shell: nothing is sent there.
const TOOLS: &str = "/data/local/tmp/";
/// By how much a file may grow while it is fetched, in bytes, or by as much again.
const GROWTH: u64 = 1 << 20;
/// Why nothing can be said of a path.
const DENIED: &str = "it does not let its shell look there (permission denied)";
/// Says that somebody else has taken the name of a file while it was sent.
const TAKEN: &str = "ayeaye-name-taken";

impl Commander<'_> {
    /// No file of the phone is replaced: adbd empties it before it receives the other one, and may never get that. So the
    /// file has its name only once it is there as a whole.
    pub(super) async fn send(&self, file: &str, to: &str) -> Result<Performed, DeviceError> {
        let what = format!("sending {}", quoted(file));
        let (path, size) = self.local(&what, file, MAX_FILE).await?;
        let name = file.rsplit('/').next().unwrap_or(file);
        let to = if to.ends_with('/') { format!("{to}{name}") } else { to.to_owned() };
        self.check_remote(&what, &to, &SHARED)?;
        self.check_owner(&what, &to).await?;
        let there = sync::stat(self.client, &to).await;
        match there.map_err(|error| broken_off(error, &what, "nothing was sent"))? {
            Stat::Nothing => {}
            Stat::Denied => return Err(self.client.refused(&what, DENIED)),
            Stat::Failed(error) => return Err(self.client.refused(&what, cannot_look(error))),
            Stat::File(_) | Stat::Folder | Stat::Special => return Err(self.exists(&what, &to)),
        }
        self.client.ensure_driver(&what).await?;
        let part = part_of(&to);
        if let Err(error) = sync::push_file(self.client, &part, (&path, None), COPYING).await {
            let mut left = format!("there is no {} on it", quoted(&to));
            if !self.remove(&part).await {
                left = format!("{left}; a part of the file may lie there as {}", quoted(&part));
            }
            return Err(broken_off(error, &what, &left));
        }
        self.give_name(&part, &to).await?;
        Ok(noted(format!("sent {size} bytes to {}", sanitize_up_to(&to, 300))))
    }

    /// Renames what was sent, unless there is a file of that name by now.
    async fn give_name(&self, part: &str, to: &str) -> Result<(), DeviceError> {
        let (from, named) = (quoted(part), quoted(to));
        let what = format!("giving {named} its name (until then the whole file is {from})");
        let word =
            |path| quote(path).map_err(|error| self.client.not_sent(&what, error.to_string()));
        let (from, to_word) = (word(part)?, word(to)?);
        let line = format!(
            "[ -e {to_word} ] && echo {TAKEN} || {{ mv {from} {to_word} && [ -e {to_word} ]; }}"
        );
        let error = match self.client.act_quick(&what, &line).await {
            Ok(output) if output.stdout.contains(TAKEN) => self.exists(&what, to),
            Ok(output) if output.exit_code == 0 => return Ok(()),
            Ok(output) => self.client.refused(&what, output.summary()),
            Err(error) if error.may_have_acted() => return Err(error),
            Err(error) => error,
        };
        self.remove(part).await;
        Err(error)
    }

    fn exists(&self, what: &str, to: &str) -> DeviceError {
        let why = format!(
            "there is a {} on it already, and no file is replaced: choose another name for it with `to` (of a folder, with \
             a slash at its end)",
            quoted(to)
        );
        self.client.not_sent(what, why)
    }

    /// Takes away what was sent in part, if the phone can still be reached; true if it is gone.
    async fn remove(&self, part: &str) -> bool {
        let Ok(word) = quote(part) else { return false };
        let line = format!("rm -f {word}");
        let removed = self.client.shell_quick("removing a part of a file", &line).await;
        removed.is_ok_and(|output| output.exit_code == 0)
    }

    pub(super) async fn fetch(&self, from: &str, file: &str) -> Result<Performed, DeviceError> {
        let what = format!("fetching {}", quoted(from));
        self.check_remote(&what, from, &[&SHARED[..], &[TOOLS]].concat())?;
        self.check_owner(&what, from).await?;
        let folder = self.folder(&what)?;
        let unusable = |error: ExchangeError| error.to_string();
        let (own, name) = (folder.clone(), file.to_owned());
        let create = move || own.incoming(&name).map_err(unusable);
        let (incoming, into) = self.on_blocking_thread(&what, create).await?;
        let unfinished = |error| broken_off(error, &what, "nothing was fetched");
        let size = match sync::stat(self.client, from).await.map_err(unfinished)? {
            Stat::File(size) => size,
            Stat::Nothing => return Err(self.client.refused(&what, "there is no such file on it")),
            Stat::Folder => {
                return Err(self.client.refused(&what, "it is a folder: name a file in it"));
            }
            Stat::Special => {
                return Err(self.client.refused(&what, "it is no file, but a pipe or a device"));
            }
            Stat::Denied => return Err(self.client.refused(&what, DENIED)),
            Stat::Failed(error) => return Err(self.client.refused(&what, cannot_look(error))),
        };
        if MAX_FILE < size {
            let text = format!("it has {size} bytes, the most is {MAX_FILE}");
            return Err(self.client.not_sent(&what, text));
        }
        // It may be written to while it is read; a phone that sends far more than it has told is not believed.
        let most = MAX_FILE.min(size + GROWTH.max(size));
        let own = folder.clone();
        self.on_blocking_thread(&what, move || own.check_room(size).map_err(unusable)).await?;
        let fetched = sync::pull_file(self.client, from, file, into, size..=most, COPYING).await;
        let fetched = fetched.map_err(unfinished)?;
        self.on_blocking_thread(&what, move || incoming.keep().map_err(unusable)).await?;
        Ok(noted(format!("fetched {fetched} bytes as {}", sanitize(file))))
    }

    /// A path on the phone, in one of these places.
    fn check_remote(&self, what: &str, path: &str, places: &[&str]) -> Result<(), DeviceError> {
        if path.chars().any(char::is_control) {
            let why =
                format!("{} has a line break or another control character in it", quoted(path));
            return Err(self.client.not_sent(what, why));
        }
        let inside = places.iter().any(|place| path.starts_with(place));
        let leads_out = path.split('/').any(|part| part == "..");
        if !inside || leads_out || path.ends_with('/') {
            return Err(self.client.not_sent(
                what,
                format!("{} is not a file below {}", quoted(path), places.join(", ")),
            ));
        }
        Ok(())
    }

    /// The phone's adb works for its first user: these paths lead to the storage of that one, which nobody else sees.
    async fn check_owner(&self, what: &str, path: &str) -> Result<(), DeviceError> {
        if path.starts_with(TOOLS) {
            // Another phone may have the address: it is asked as it is by the question below.
            return self.client.claim_if_due(what).await;
        }
        let output = self.client.shell_quick(what, "am get-current-user").await;
        let output = output.map_err(|error| broken_off(error, what, "nothing was copied"))?;
        match current_user(&output.stdout) {
            Some(user @ 1..) => Err(self.client.not_sent(
                what,
                format!(
                    "user {user} is in front, and adb reaches the files of the phone's first user alone: \
                     switch the phone to that one first"
                ),
            )),
            _ => Ok(()),
        }
    }
}

fn cannot_look(error: u32) -> String {
    format!("it cannot look there (error {error} of its system)")
}

/// Where a file is until it is complete: beside its place, and the same at each try, so that there is never more than
/// one.
fn part_of(to: &str) -> String {
    let folder = to.rsplit_once('/').map_or("", |(folder, _)| folder);
    let digest = hex(&Sha256::digest(to));
    format!("{folder}/{PART}{}", digest.get(..16).unwrap_or(&digest))
}

/// The error of a copy of which nothing has come: nobody has to find out whether it was made.
fn broken_off(error: DeviceError, what: &str, left: &str) -> DeviceError {
    let id = match &error {
        DeviceError::LinkLost(id, _)
        | DeviceError::TimedOut { id, .. }
        | DeviceError::Garbled { id, .. } => id.clone(),
        _ => return error,
    };
    DeviceError::BrokenOff { id, what: what.to_owned(), reason: format!("{error}; {left}") }
}
