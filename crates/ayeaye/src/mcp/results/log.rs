//! What an app has logged, short enough for a result.
use schemars::JsonSchema;
use serde::Serialize;

use super::{MAX_RESULT, is_zero};

/// The length of the result without its lines.
const OVERHEAD: usize = 400;

/// The log of an app.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AppLog {
    /// The phone.
    pub device_id: String,
    /// Newest last. Known secrets are replaced.
    pub lines: Vec<String>,
    /// How many older lines were left out for length.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

impl AppLog {
    /// The newest lines that fit.
    pub fn new(device_id: String, log: &str) -> Self {
        let all: Vec<&str> = log.lines().collect();
        let mut room = MAX_RESULT - OVERHEAD;
        let length = |line: &str| serde_json::to_string(line).map_or(0, |text| text.len() + 1);
        let fits = all.iter().rev().take_while(|line| {
            let needed = length(line);
            let fits = needed <= room;
            room = room.saturating_sub(needed);
            fits
        });
        let kept = fits.count();
        let omitted = all.len() - kept;
        Self {
            device_id,
            lines: all[omitted..].iter().map(|line| (*line).to_owned()).collect(),
            omitted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_log_the_newest_lines_are_told() {
        let log: Vec<String> = (0..2000).map(|number| format!("line \"{number}\"")).collect();
        let told = AppLog::new("X".to_owned(), &log.join("\n"));
        assert_eq!(told.lines.last().unwrap(), "line \"1999\"");
        assert_eq!(told.lines.len() + told.omitted, 2000);
        assert!(serde_json::to_string(&told).unwrap().len() <= MAX_RESULT);
        assert!(AppLog::new("X".to_owned(), "").lines.is_empty());
    }
}
