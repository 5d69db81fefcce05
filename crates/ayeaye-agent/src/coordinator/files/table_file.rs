//! `table.json`: who runs what.
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{live, storage};
use crate::bounded_file::open_file;
use crate::coordinator::table::{RunTable, Served};
use crate::coordinator::{CoordinatorError, MOST_RUNS, RunEntry, RunKind, RunState};
use crate::private_files::write_whole;
use crate::{DeviceId, Principal};

const TABLE: &str = "table.json";
/// Raised when a reader of the last version would misread it.
const VERSION: u32 = 1;
/// Most bytes of the file: every run with a few long names.
const MOST_BYTES: u64 = 4 << 20;

#[derive(Serialize, Deserialize)]
struct TableRecord {
    v: u32,
    last_epoch: u64,
    runs: Vec<RunRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    served: Vec<ServedRecord>,
}

#[derive(Serialize, Deserialize)]
struct ServedRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    devices: Vec<String>,
    queue_turn: u64,
}

#[derive(Serialize, Deserialize)]
struct RunRecord {
    session: String,
    devices: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    server: String,
    epoch: u64,
    act: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    in_hand: bool,
    queue_turn: u64,
    state: StateRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StateRecord {
    Queued,
    Running,
    Ending,
}

/// Why the bytes of the file are no table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoTable {
    /// A later version wrote it: it is whole, and not ours to replace.
    Later(u32),
    /// It was cut short, or something else was written over it.
    Damaged(String),
}

/// The table as it was left; an empty one where there is none. The table of a later version, or a damaged one
/// while somebody relies on it, is an error. Nothing is changed on the disk.
pub(super) fn load(runs: &Path) -> Result<RunTable, CoordinatorError> {
    match read(runs)? {
        Ok(table) => Ok(table),
        Err(what) => rebuilt(runs, &what),
    }
}

/// The table for whoever has the lock, and whether it has to be written anew: a damaged file is put aside.
pub(super) fn load_to_change(runs: &Path) -> Result<(RunTable, bool), CoordinatorError> {
    let what = match read(runs)? {
        Ok(table) => return Ok((table, false)),
        Err(what) => what,
    };
    let table = rebuilt(runs, &what)?;
    let path = runs.join(TABLE);
    let aside = path.with_added_extension("bad");
    fs::rename(&path, &aside).map_err(storage("put aside", &path))?;
    tracing::warn!(
        "{} is damaged ({what}), and a new one was begun, since nothing is at work: see it there",
        aside.display()
    );
    Ok((table, true))
}

/// What the file says, or how it is damaged.
fn read(runs: &Path) -> Result<Result<RunTable, String>, CoordinatorError> {
    let path = runs.join(TABLE);
    let mut bytes = Vec::new();
    match open_file(&path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)) {
        Ok(_) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Ok(RunTable::default())),
        Err(err) => return Err(storage("read", &path)(err)),
    }
    match parse(&bytes) {
        Ok(table) => Ok(Ok(table)),
        Err(NoTable::Damaged(what)) => Ok(Err(what)),
        Err(NoTable::Later(format)) => Err(invalid(
            &path,
            format!(
                "a later version of ayeaye uses this folder (format {format}): use that version, or another \
                 folder (--data-dir)"
            ),
        )),
    }
}

/// What takes the place of a damaged table. Whose process died is in no table, so after a power cut it is an empty one.
/// What lives cannot be found again: only the table names its session and its phone.
fn rebuilt(runs: &Path, what: &str) -> Result<RunTable, CoordinatorError> {
    let registered = live::registered(runs)?;
    if registered.iter().any(|(_, alive)| *alive) {
        let what = format!(
            "{what}; it is replaced as soon as the runs that are at work have ended: wait for their end, \
             or end all ayeaye processes"
        );
        return Err(invalid(&runs.join(TABLE), what));
    }
    // Messages may be left that name the run which they are for, and no new run may be taken for it. Fewer runs than
    // seconds have begun since 1970, also since the last time that this was done.
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let last = registered.iter().map(|(epoch, _)| *epoch).max();
    Ok(RunTable { last_epoch: seconds.max(last.unwrap_or_default()), ..RunTable::default() })
}

fn invalid(path: &Path, what: String) -> CoordinatorError {
    storage("read", path)(io::Error::new(io::ErrorKind::InvalidData, what))
}

pub(super) fn parse(bytes: &[u8]) -> Result<RunTable, NoTable> {
    #[derive(Deserialize)]
    struct Format {
        v: u32,
    }
    let damaged = |what: &str| NoTable::Damaged(what.to_owned());
    if MOST_BYTES < bytes.len() as u64 {
        return Err(damaged("it is too long"));
    }
    // Of a later format nothing else may be as it is here.
    let broken = |err: serde_json::Error| NoTable::Damaged(err.to_string());
    let Format { v } = serde_json::from_slice(bytes).map_err(broken)?;
    if VERSION < v {
        return Err(NoTable::Later(v));
    }
    let table: TableRecord = serde_json::from_slice(bytes).map_err(broken)?;
    if MOST_RUNS < table.runs.len() {
        return Err(damaged("it names too many runs"));
    }
    let runs: Option<Vec<_>> = table.runs.into_iter().map(entry).collect();
    let served = table.served.into_iter().map(|it| Served {
        owner: Principal::from_record(it.owner.as_deref()),
        devices: it.devices.into_iter().map(DeviceId::new).collect(),
        queue_turn: it.queue_turn,
    });
    Ok(RunTable {
        last_epoch: table.last_epoch,
        runs: runs.ok_or_else(|| damaged("it names no session"))?,
        served: served.collect(),
    })
}

pub(super) fn store(runs: &Path, table: &RunTable, sync: bool) -> Result<(), CoordinatorError> {
    let path = runs.join(TABLE);
    let bytes = encode(table).map_err(|err| storage("write", &path)(io::Error::other(err)))?;
    write_whole(&path, &bytes, sync).map_err(storage("write", &path))
}

pub(super) fn encode(table: &RunTable) -> serde_json::Result<Vec<u8>> {
    let runs = table.runs.iter().map(record).collect();
    let served = table.served.iter().map(|it| ServedRecord {
        owner: it.owner.recorded(),
        devices: names(&it.devices),
        queue_turn: it.queue_turn,
    });
    let (last_epoch, served) = (table.last_epoch, served.collect());
    serde_json::to_vec(&TableRecord { v: VERSION, last_epoch, runs, served })
}

fn names(devices: &[DeviceId]) -> Vec<String> {
    devices.iter().map(|it| it.as_str().to_owned()).collect()
}

fn entry(record: RunRecord) -> Option<RunEntry> {
    let RunRecord { session, devices, owner, server, epoch, act, in_hand, queue_turn, state } =
        record;
    Some(RunEntry {
        session: session.parse().ok()?,
        devices: devices.into_iter().map(DeviceId::new).collect(),
        owner: Principal::from_record(owner.as_deref()),
        server,
        epoch,
        kind: match (act, in_hand) {
            (true, _) => RunKind::Act,
            (_, true) => RunKind::InHand,
            _ => RunKind::Task,
        },
        state: match state {
            StateRecord::Queued => RunState::Queued,
            StateRecord::Running => RunState::Running,
            StateRecord::Ending => RunState::Ending,
        },
        queue_turn,
    })
}

fn record(run: &RunEntry) -> RunRecord {
    RunRecord {
        session: run.session.to_string(),
        devices: names(&run.devices),
        owner: run.owner.recorded(),
        server: run.server.clone(),
        epoch: run.epoch,
        act: run.kind == RunKind::Act,
        in_hand: run.kind == RunKind::InHand,
        queue_turn: run.queue_turn,
        state: match run.state {
            RunState::Queued => StateRecord::Queued,
            RunState::Running => StateRecord::Running,
            RunState::Ending => StateRecord::Ending,
        },
    }
}
