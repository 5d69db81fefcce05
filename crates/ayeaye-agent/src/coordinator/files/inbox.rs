//! The inbox of a session: a file a message, named by its number and its id.
//!
//! Only its owner may read it, and it is removed as soon as the record has its effect: it may hold a secret.
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{names, storage};
use crate::bounded_file::open_file;
use crate::coordinator::{
    CoordinatorError, InboxMessage, InboxMessageBody, InboxMessageId, LONGEST_REPLY, MOST_MESSAGES,
    UserReply,
};
use crate::gate::PolicyProfile;
use crate::private_files::{private_folder, remove_file, write_whole};
use crate::{SessionId, StopReason};

/// Most bytes of a file: the longest reply, each byte escaped.
const MOST_BYTES: u64 = 6 * LONGEST_REPLY as u64 + 1024;

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BodyRecord {
    Reply {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<u32>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        secret: bool,
    },
    Policy {
        profile: String,
    },
    Stop {
        run: u64,
        reason: String,
    },
}

fn folder(sessions: &Path, session: SessionId) -> PathBuf {
    sessions.join(session.to_string()).join("inbox")
}

/// The files of messages in their order: number, id, name.
fn files(folder: &Path) -> Result<Vec<(u64, InboxMessageId, String)>, CoordinatorError> {
    let names = names(folder).map_err(storage("list", folder))?;
    let parse = |name: String| {
        let (number, id) = name.strip_suffix(".json")?.split_once('-')?;
        Some((number.parse().ok()?, id.parse().ok()?, name))
    };
    let mut files: Vec<_> = names.into_iter().filter_map(parse).collect();
    files.sort_unstable_by_key(|(number, ..)| *number);
    Ok(files)
}

/// Posts a message: puts it behind the others. Callers hold the lock of the table.
pub(super) fn post(
    sessions: &Path,
    session: SessionId,
    message: &InboxMessage,
    sync: bool,
) -> Result<(), CoordinatorError> {
    if let InboxMessageBody::Reply(reply) = &message.body
        && LONGEST_REPLY < reply.text.len()
    {
        return Err(CoordinatorError::TooLong);
    }
    let folder = folder(sessions, session);
    match private_folder(&folder, false) {
        Ok(()) => {}
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            return Err(CoordinatorError::UnknownSession(session));
        }
        Err(err) => return Err(storage("make", &folder)(err)),
    }
    let waiting = files(&folder)?;
    // What is no message does not count.
    if (MOST_MESSAGES <= waiting.len() || !message.body.is_reply())
        && !message.body.adds_to(&read(sessions, session)?, session)?
    {
        return Ok(());
    }
    let number = waiting.last().map_or(1, |(number, ..)| number.saturating_add(1));
    let path = folder.join(format!("{number}-{}.json", message.id));
    let bytes = serde_json::to_vec(&record(&message.body));
    let bytes = bytes.map_err(|err| storage("write", &path)(io::Error::other(err)))?;
    write_whole(&path, &bytes, sync).map_err(storage("write", &path))
}

/// All messages in their order. What is not one is put aside, and keeps nobody from the others.
pub(super) fn read(
    sessions: &Path,
    session: SessionId,
) -> Result<Vec<InboxMessage>, CoordinatorError> {
    let folder = folder(sessions, session);
    let (mut messages, mut replies) = (Vec::new(), 0);
    for (_, id, name) in files(&folder)? {
        let path = folder.join(&name);
        match load(&path) {
            Ok(Some(body)) if body.is_reply() && replies == MOST_MESSAGES => {}
            Ok(Some(body)) => {
                replies += usize::from(body.is_reply());
                messages.push(InboxMessage { id, body });
            }
            Ok(None) => put_aside(&path),
            // Somebody has acknowledged it.
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) if err.kind() == io::ErrorKind::PermissionDenied => put_aside(&path),
            // It may be one, and be readable the next time.
            Err(err) => tracing::warn!("{} cannot be read: {err}", path.display()),
        }
    }
    Ok(messages)
}

/// What a file says; `None` where it is no message.
fn load(path: &Path) -> io::Result<Option<InboxMessageBody>> {
    // What is there under the name of a message and is no file is none, and is not tried again.
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    open_file(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(parse(&bytes))
}

/// Renames what is no message, so that it is met and told of once.
fn put_aside(path: &Path) {
    let aside = path.with_added_extension("bad");
    match fs::rename(path, &aside) {
        Ok(()) => {
            tracing::warn!("{} is no message of this version: see it there", aside.display());
        }
        // Somebody else has done it, or it is passed over each time.
        Err(err) => tracing::debug!("{} is no message, and stays: {err}", path.display()),
    }
}

/// Removes a message, if it is there.
pub(super) fn remove(
    sessions: &Path,
    session: SessionId,
    id: InboxMessageId,
) -> Result<(), CoordinatorError> {
    let folder = folder(sessions, session);
    for (.., name) in files(&folder)?.into_iter().filter(|(_, other, _)| *other == id) {
        let path = folder.join(name);
        match remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => {
                return Err(storage("remove", &path)(err));
            }
            _ => {}
        }
    }
    Ok(())
}

fn record(body: &InboxMessageBody) -> BodyRecord {
    match body {
        InboxMessageBody::Reply(UserReply { text, question, secret }) => {
            BodyRecord::Reply { text: text.clone(), question: *question, secret: *secret }
        }
        InboxMessageBody::Policy(profile) => {
            BodyRecord::Policy { profile: profile.name().to_owned() }
        }
        InboxMessageBody::Stop { run, reason } => {
            BodyRecord::Stop { run: *run, reason: reason.name().to_owned() }
        }
    }
}

/// What a file says; `None` where it is not one that this version writes.
pub(super) fn parse(bytes: &[u8]) -> Option<InboxMessageBody> {
    if MOST_BYTES < bytes.len() as u64 {
        return None;
    }
    Some(match serde_json::from_slice(bytes).ok()? {
        BodyRecord::Reply { text, question, secret } => {
            (text.len() <= LONGEST_REPLY).then_some(())?;
            InboxMessageBody::Reply(UserReply { text, question, secret })
        }
        BodyRecord::Policy { profile } => {
            // One of a later version is not known to be any wider than the strictest.
            let known = PolicyProfile::from_name(&profile);
            InboxMessageBody::Policy(known.unwrap_or(PolicyProfile::ReadOnly))
        }
        BodyRecord::Stop { run, reason } => {
            InboxMessageBody::Stop { run, reason: StopReason::from_name(&reason)? }
        }
    })
}
