//! The output of an installation.
use serde_json::{Value, json};

use super::shown;
use crate::cli::EntryArgs;
use crate::clients::document::{Format, Key};
use crate::clients::kept::FileChange;
use crate::command::Exit;
use crate::terminal::Terminal;
use crate::text::lines;

/// Lines for people, beside the facts where those are asked for.
pub(super) struct InstallOutput {
    pub(super) terminal: Terminal,
    json: bool,
    facts: serde_json::Map<String, Value>,
}

impl InstallOutput {
    pub(super) fn new(terminal: Terminal, entry: &EntryArgs) -> Self {
        let terminal = if entry.json { terminal.beside_json() } else { terminal };
        Self { terminal, json: entry.json, facts: serde_json::Map::new() }
    }

    pub(super) fn line(&self, text: &str) {
        self.terminal.line(text);
    }

    /// A line to paste, or of a file.
    pub(super) fn verbatim(&self, text: &str) {
        self.terminal.verbatim(text);
    }

    pub(super) fn item(&self, name: &str, text: &str) {
        self.terminal.item(name, text);
    }

    pub(super) fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// Shows what would change in a file.
    pub(super) fn change(
        &mut self,
        name: &str,
        change: &FileChange,
        format: Format,
        key: Option<Key<'_>>,
        secrets: &[String],
    ) {
        let rows = shown::rows(change, format, key, secrets);
        let is_new = if change.before.is_none() { " (new)" } else { "" };
        self.item("file", &format!("{}{is_new}", change.path.display()));
        for row in &rows {
            self.verbatim(&format!("  {}", lines(row)));
        }
        self.fact(name, json!({ "file": change.path.display().to_string(), "diff": rows }));
    }

    pub(super) fn end(self, state: &str, exit: Exit) -> Exit {
        if self.json {
            let mut facts = self.facts;
            facts.insert("state".to_owned(), state.into());
            self.terminal.json(&facts);
        }
        exit
    }
}
