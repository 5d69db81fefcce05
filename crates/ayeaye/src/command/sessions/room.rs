//! `ayeaye sessions du`: how much room sessions take, log by log, and which are removed when.
use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Context as _;
use ayeaye_agent::journal::{
    Removable, Retention, RetentionCandidate, candidates, select_for_removal,
};
use ayeaye_agent::{AgentError, SessionId};
use ayeaye_export::{DiskUse, Format};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::find;
use super::list::short_names;
use crate::cli::SessionName;
use crate::clock;
use crate::command::Exit;
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text::{bytes, count, local_time};
use crate::wiring::App;

/// A session and its room.
struct SessionRoom {
    id: SessionId,
    room: DiskUse,
    /// When its last event was written; not known of one whose record cannot be read, or is gone.
    last: Option<Timestamp>,
    goes: Goes,
}

/// When retention removes a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    /// Not by itself: it waits for an answer, or cannot be read; or no bound concerns it.
    Stays,
    /// As soon as somebody tidies up: when a server starts, and whenever a run ends.
    Next,
    /// For its age, if nobody goes on with it.
    At(Timestamp),
    /// There is no session any more: its record was deleted by hand, and its logs are kept until somebody removes them.
    LogsOnly,
}

/// Prints the room of these sessions, or of all.
pub async fn room(
    app: &App,
    config: &Config,
    names: &[SessionName],
    as_json: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let mut wanted = Vec::new();
    for name in names {
        wanted.push(find(&*app.journal, name).await?);
    }
    let looking = terminal.waiting("Adding up");
    let data = config.data_dir.clone();
    let used = tokio::task::spawn_blocking(move || ayeaye_export::disk_use(&data)).await??;
    let now = clock::system()();
    let kept = candidates(&*app.journal, now).await.map_err(AgentError::from)?;
    drop(looking);
    let mut rows = rows(used, &kept, &config.journal.retention, now);
    if !wanted.is_empty() {
        let missing = wanted.iter().find(|id| !rows.iter().any(|row| row.id == **id));
        if let Some(id) = missing {
            return Err(AgentError::UnknownSession(*id).into());
        }
        rows.retain(|row| wanted.contains(&row.id));
    }
    if as_json {
        terminal.json(&in_json(&rows, &config.journal.retention));
    } else {
        print(&rows, config, terminal).context("the table")?;
    }
    Ok(Exit::Done)
}

/// The largest first.
fn rows(
    used: BTreeMap<SessionId, DiskUse>,
    kept: &[RetentionCandidate],
    retention: &Retention,
    now: Timestamp,
) -> Vec<SessionRoom> {
    let next = select_for_removal(retention, now, kept);
    let mut rows: Vec<SessionRoom> = used
        .into_iter()
        .map(|(id, room)| {
            let candidate = kept.iter().find(|one| one.id == id);
            let goes = match candidate {
                Some(one) if next.contains(&one.id) => Goes::Next,
                Some(one) => by_age(one, retention),
                None if room.record == 0 => Goes::LogsOnly,
                // It is just being begun or removed.
                None => Goes::Stays,
            };
            SessionRoom { id, room, last: candidate.map(|one| one.last), goes }
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(row.room.total()), row.id));
    rows
}

fn by_age(candidate: &RetentionCandidate, retention: &Retention) -> Goes {
    let most = retention.max_age.and_then(|age| SignedDuration::try_from(age).ok());
    match (candidate.removable, most) {
        (Removable::No, _) | (_, None) => Goes::Stays,
        _ if !candidate.has_age() => Goes::Stays,
        (Removable::Yes | Removable::ByAgeOnly, Some(most)) => {
            candidate.last.checked_add(most).map_or(Goes::Stays, Goes::At)
        }
    }
}

/// Bytes of one format in all of these sessions.
fn of_format(rows: &[SessionRoom], format: Format) -> u64 {
    let logs = rows.iter().flat_map(|row| &row.room.logs);
    logs.filter(|(known, _)| *known == format).map(|(_, bytes)| bytes).sum()
}

fn print(rows: &[SessionRoom], config: &Config, terminal: Terminal) -> anyhow::Result<()> {
    if rows.is_empty() {
        terminal.line("There are no sessions yet.");
        return Ok(());
    }
    let ids: Vec<SessionId> = rows.iter().map(|row| row.id).collect();
    let table = Table::new(&ids, terminal.columns());
    let names = Format::ALL.map(|format| format.name().to_uppercase());
    terminal.line(&table.line("SESSION", "RECORD", &names, "ALL", "REMOVED"));
    for (row, name) in rows.iter().zip(&table.names) {
        let sizes = Format::ALL.map(|format| {
            let found = row.room.logs.iter().find(|(known, _)| *known == format);
            found.map_or_else(|| "-".to_owned(), |(_, size)| bytes(*size))
        });
        let goes = match row.goes {
            Goes::Stays => "never".to_owned(),
            Goes::Next => "next time".to_owned(),
            Goes::At(at) => local_time(at),
            Goes::LogsOnly => "logs only".to_owned(),
        };
        let (record, all) = (bytes(row.room.record), bytes(row.room.total()));
        terminal.line(&table.line(name, &record, &sizes, &all, &goes));
    }
    let record = bytes(rows.iter().map(|row| row.room.record).sum());
    let sizes = Format::ALL.map(|format| bytes(of_format(rows, format)));
    let all = bytes(rows.iter().map(|row| row.room.total()).sum());
    let sum = count(rows.len().try_into()?, "session", "sessions");
    terminal.line(table.line(&sum, &record, &sizes, &all, "").trim_end());
    terminal.line("");
    terminal.item("where", &config.data_dir.display().to_string());
    let bounds = match config.journal.retention.in_words() {
        Some(bounds) => format!(
            "sessions that are not under way are removed {bounds}: when a server starts, and whenever a run ends"
        ),
        None => "all sessions are kept: journal.max-age, max-size and max-sessions are not set"
            .to_owned(),
    };
    terminal.item("bounds", &bounds);
    Ok(())
}

/// How the table is laid out.
struct Table {
    /// How each session is called in it.
    names: Vec<String>,
    widest: usize,
    /// Whether each log has a column; a narrow terminal has room for the sums only.
    logs: bool,
}

impl Table {
    /// For a terminal of so many columns, or for whoever reads it without one.
    fn new(ids: &[SessionId], columns: Option<usize>) -> Self {
        let whole = ids.iter().map(ToString::to_string).collect();
        // The longest text of the last column is a time.
        let width = |table: &Self| {
            table.line("", "", &Format::ALL.map(|_| String::new()), "", "").len() + 20
        };
        let table = Self { names: whole, widest: 36, logs: true };
        if columns.is_none_or(|columns| width(&table) <= columns) {
            return table;
        }
        let names = short_names(ids);
        let widest = names.iter().map(String::len).max().unwrap_or_default();
        let short = Self { names, widest, logs: true };
        if columns.is_some_and(|columns| columns < width(&short)) {
            Self { logs: false, ..short }
        } else {
            short
        }
    }

    fn line(&self, name: &str, record: &str, logs: &[String], all: &str, goes: &str) -> String {
        let logs = if self.logs { logs } else { &[] };
        let logs = logs.iter().fold(String::new(), |line, cell| line + &format!("  {cell:>8}"));
        format!("{name:<widest$}  {record:>8}{logs}  {all:>8}  {goes}", widest = self.widest)
    }
}

fn in_json(rows: &[SessionRoom], retention: &Retention) -> Value {
    let sessions: Vec<Value> = rows.iter().map(row_in_json).collect();
    json!({
        "sessions": sessions,
        "bytes": rows.iter().map(|row| row.room.total()).sum::<u64>(),
        "record_bytes": rows.iter().map(|row| row.room.record).sum::<u64>(),
        "log_bytes": Format::ALL
            .iter()
            .map(|format| (format.name().to_owned(), of_format(rows, *format).into()))
            .collect::<Map<_, _>>(),
        "retention": {
            "max_age_seconds": retention.max_age.map(|age| age.as_secs()),
            "max_bytes": retention.max_total_bytes,
            "max_sessions": retention.max_sessions,
        },
    })
}

fn row_in_json(row: &SessionRoom) -> Value {
    let logs = row.room.logs.iter();
    let (goes, at) = match row.goes {
        Goes::Stays => ("stays", None),
        Goes::Next => ("next", None),
        Goes::At(at) => ("at", Some(at)),
        Goes::LogsOnly => ("logs_only", None),
    };
    json!({
        "session_id": row.id.to_string(),
        "last": row.last,
        "bytes": row.room.total(),
        "record_bytes": row.room.record,
        "log_bytes": logs
            .map(|(format, bytes)| (format.name().to_owned(), (*bytes).into()))
            .collect::<Map<_, _>>(),
        "goes": goes,
        "goes_at": at,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_table_is_as_wide_as_the_terminal() {
        let ids = [SessionId::new(), SessionId::new()];
        let widest = |columns: Option<usize>| {
            let table = Table::new(&ids, columns);
            let sizes = Format::ALL.map(|_| "999 kB".to_owned());
            let line = table.line(&table.names[0], "1 kB", &sizes, "1 MB", "2026-10-10 00:00 UTC");
            (line.len(), table.logs)
        };
        let (whole, _) = widest(None);
        for columns in [80, 100, 115, 150] {
            let (line, logs) = widest(Some(columns));
            assert!(line <= columns, "{line} of {columns}");
            // In between it depends on how much of the ids tells them apart.
            assert!(!logs || 80 < columns, "{columns}");
            assert!(logs || columns < 150, "{columns}");
        }
        assert_eq!(widest(Some(whole)), (whole, true));
    }

    #[test]
    fn the_table_says_which_sessions_go_and_when() {
        let now: Timestamp = "2026-10-01T00:00:00Z".parse().unwrap();
        let day = SignedDuration::from_hours(24);
        let one = |days: i32, bytes: u64, removable: Removable| RetentionCandidate {
            id: SessionId::new(),
            last: now.checked_sub(day * days).unwrap(),
            bytes,
            removable,
        };
        let kept = [
            one(20, 10, Removable::Yes),
            one(2, 10, Removable::Yes),
            one(1, 30, Removable::Yes),
            one(50, 5, Removable::No),
            one(3, 1, Removable::ByAgeOnly),
        ];
        let used = kept.iter().map(|it| (it.id, DiskUse { record: it.bytes, logs: Vec::new() }));
        let gone = SessionId::new();
        let used = used.chain([(gone, DiskUse { record: 0, logs: vec![(Format::Html, 0)] })]);
        let retention = Retention {
            max_age: Some(Duration::from_hours(10 * 24)),
            max_sessions: None,
            max_total_bytes: Some(40),
        };
        let rows = rows(used.collect(), &kept, &retention, now);
        assert_eq!(rows[0].id, kept[2].id, "the largest first");
        let goes = |at: usize| rows.iter().find(|row| row.id == kept[at].id).unwrap().goes;
        assert_eq!([goes(0), goes(1), goes(3)], [Goes::Next, Goes::Next, Goes::Stays]);
        assert_eq!(goes(2), Goes::At("2026-10-10T00:00:00Z".parse().unwrap()));
        assert_eq!(goes(4), Goes::At("2026-10-08T00:00:00Z".parse().unwrap()));
        assert_eq!(rows.iter().find(|row| row.id == gone).unwrap().goes, Goes::LogsOnly);
        let json = in_json(&rows, &retention);
        assert_eq!(json["bytes"], 56);
        assert_eq!(json["sessions"][0]["goes_at"], "2026-10-10T00:00:00Z");
        assert_eq!(json["retention"]["max_age_seconds"], 864_000);
    }
}
