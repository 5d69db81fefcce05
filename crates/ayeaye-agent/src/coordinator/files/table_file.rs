//! `table.json`: who runs what.
use std::io::{self, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::storage;
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
    #[serde(rename = "round")]
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
    #[serde(default, rename = "takeover", skip_serializing_if = "std::ops::Not::not")]
    in_hand: bool,
    #[serde(default, rename = "round")]
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

/// The table as it was left; an empty one where there is none.
pub(super) fn load(runs: &Path) -> Result<RunTable, CoordinatorError> {
    let path = runs.join(TABLE);
    let mut bytes = Vec::new();
    match open_file(&path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)) {
        Ok(_) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(RunTable::default()),
        Err(err) => return Err(storage("read", &path)(err)),
    }
    parse(&bytes).map_err(|what| {
        let what = format!("{what}; stop all ayeaye processes, then remove the file");
        storage("read", &path)(io::Error::new(io::ErrorKind::InvalidData, what))
    })
}

pub(super) fn parse(bytes: &[u8]) -> Result<RunTable, String> {
    if MOST_BYTES < bytes.len() as u64 {
        return Err("it is too long".to_owned());
    }
    let table: TableRecord = serde_json::from_slice(bytes).map_err(|err| err.to_string())?;
    if VERSION < table.v {
        return Err(format!("a later version of ayeaye uses this folder (format {})", table.v));
    }
    if MOST_RUNS < table.runs.len() {
        return Err("it names too many runs".to_owned());
    }
    let runs: Result<Vec<_>, String> = table.runs.into_iter().map(entry).collect();
    let served = table.served.into_iter().map(|it| Served {
        owner: Principal::from_record(it.owner.as_deref()),
        devices: it.devices.into_iter().map(DeviceId::new).collect(),
        queue_turn: it.queue_turn,
    });
    Ok(RunTable { last_epoch: table.last_epoch, runs: runs?, served: served.collect() })
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

fn entry(record: RunRecord) -> Result<RunEntry, String> {
    let RunRecord { session, devices, owner, server, epoch, act, in_hand, queue_turn, state } =
        record;
    Ok(RunEntry {
        session: session.parse().map_err(|_err| "it names no session".to_owned())?,
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
