//! What one event does to the folder, gathered.
use jiff::Timestamp;
use serde_json::Value;

use crate::text::{excerpt, json_line, json_pretty};
use crate::{Content, FileOp};

/// The log of everything that went to and from models.
pub(super) const LOG: &str = "llm_communication.log";
/// Characters of a line of the log; replies and results stand in full in their own files.
const LONGEST_LINE: usize = 1000;

/// The changes of one event. Lines of the log are put together into one.
#[derive(Debug, Default)]
pub(super) struct Files {
    operations: Vec<FileOp>,
    log: String,
}

impl Files {
    /// A text file that is written once.
    pub(super) fn text(&mut self, path: String, text: String) {
        self.operations.push(FileOp::Write { path, content: Content::Bytes(text.into_bytes()) });
    }

    /// A JSON file that is written once.
    pub(super) fn json(&mut self, path: String, value: &Value) {
        self.text(path, json_pretty(value) + "\n");
    }

    /// A JSON file of which the latest content counts.
    pub(super) fn latest(&mut self, path: &str, value: &Value) {
        self.replace(path, json_pretty(value) + "\n");
    }

    /// A text file of which the latest content counts.
    pub(super) fn replace(&mut self, path: &str, text: String) {
        let content = Content::Bytes(text.into_bytes());
        self.operations.push(FileOp::Replace { path: path.to_owned(), content });
    }

    /// More text at the end of a file.
    pub(super) fn append(&mut self, path: String, text: String) {
        self.operations.push(FileOp::Append { path, bytes: text.into_bytes() });
    }

    /// One more element of an array.
    pub(super) fn element(&mut self, path: &str, value: &Value) {
        self.operations
            .push(FileOp::Element { path: path.to_owned(), json: json_line(value).into_bytes() });
    }

    /// A line of the log. Whatever the text holds, it stays one line.
    pub(super) fn log_line(&mut self, at: Timestamp, kind: &str, text: &str) {
        let time = at.strftime("%H:%M:%S");
        self.say_plainly(&format!("[{time}] [{kind}] {}", excerpt(text, LONGEST_LINE)));
    }

    /// A line of the log that is no entry.
    pub(super) fn say_plainly(&mut self, line: &str) {
        self.log.push_str(line);
        self.log.push('\n');
    }

    pub(super) fn finish(mut self) -> Vec<FileOp> {
        if !self.log.is_empty() {
            let log = std::mem::take(&mut self.log);
            self.append(LOG.to_owned(), log);
        }
        self.operations
    }
}
