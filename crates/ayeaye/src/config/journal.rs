//! `[journal]` and `[logs]`: what is kept of sessions, for how long, and in which formats of others.
use ayeaye_agent::journal::{Retention, SyncPolicy};
use ayeaye_agent::{KeepElements, KeepImages, KeepText, PrivacySettings};
use ayeaye_export::{Format, Images, LogSettings};

use super::reader::Reader;
use super::{ConfigError, ValueError, value};

/// How much of sessions is kept, and for how long.
#[derive(Debug, Clone)]
pub struct JournalSettings {
    /// How much of screens and texts is recorded.
    pub privacy: PrivacySettings,
    /// When the journal is forced to the disk.
    pub sync: SyncPolicy,
    /// Bytes that must be free for a new session.
    pub min_free: u64,
    /// When finished sessions are removed.
    pub retention: Retention,
    /// Bytes of one session, at which its runs stop.
    pub max_session_size: u64,
}

impl JournalSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        const SYNC: [(&str, SyncPolicy); 3] = [
            ("always", SyncPolicy::Always),
            ("step", SyncPolicy::Step),
            ("never", SyncPolicy::Never),
        ];
        Ok(Self {
            privacy: PrivacySettings {
                images: reader.choice("journal.images", &KeepImages::ALL)?,
                text: reader.choice("journal.text", &KeepText::ALL)?,
                elements: reader.choice("journal.ui-tree", &KeepElements::ALL)?,
            },
            sync: reader.choice("journal.sync", &SYNC)?,
            min_free: reader.required("journal.min-free", value::amount)?,
            retention: Retention {
                max_age: reader.bound("journal.max-age", value::age)?,
                max_sessions: reader.bound("journal.max-sessions", value::number(1..=1_000_000))?,
                max_total_bytes: reader.bound("journal.max-size", |text| {
                    // Less would remove every session as soon as it is over.
                    let bytes = value::amount(text)?;
                    if bytes < 1 << 20 { Err(ValueError::TooSmall) } else { Ok(bytes) }
                })?,
            },
            max_session_size: reader.required("journal.max-session-size", |text| {
                // Nothing to store would end every run before its first step.
                let bytes = value::amount(text)?;
                if bytes == 0 { Err(ValueError::Zero) } else { Ok(bytes) }
            })?,
        })
    }
}

/// The logs that are written for others' tools while sessions run.
pub(super) fn read_logs(reader: &Reader<'_>) -> Result<LogSettings, ConfigError> {
    const IMAGES: [(&str, Images); 3] =
        [("none", Images::None), ("clean", Images::Clean), ("all", Images::All)];
    let named: Vec<FormatName> = reader.list("logs.formats")?;
    let is_named = |format: &Format| named.iter().any(|it| it.0 == *format);
    Ok(LogSettings {
        // Each once, in one order.
        formats: Format::ALL.into_iter().filter(is_named).collect(),
        images: reader.choice("logs.images", &IMAGES)?,
    })
}

/// A format in a list.
struct FormatName(Format);

impl std::str::FromStr for FormatName {
    type Err = ValueError;

    fn from_str(name: &str) -> Result<Self, ValueError> {
        let found = Format::ALL.into_iter().find(|format| format.name() == name);
        found.map(Self).ok_or_else(|| ValueError::NotAFormat {
            given: name.to_owned(),
            names: Format::ALL.map(Format::name).to_vec(),
        })
    }
}
