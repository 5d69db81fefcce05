//! What apps and the system have logged, for `logcat`. The oldest lines make room for new ones.
use std::{collections::VecDeque, time::Duration};

use super::Os;

/// Most lines.
const MAX: usize = 2000;
/// The process of the system.
const SYSTEM: &str = "system_server";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogBuffer {
    Main,
    System,
    Crash,
}

#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    /// Counts up.
    pub(crate) n: u64,
    pub(crate) buffer: LogBuffer,
    /// Since 1970.
    pub(crate) time: Duration,
    pub(crate) level: char,
    pub(crate) tag: &'static str,
    /// The name of the process.
    pub(crate) process: String,
    pub(crate) text: String,
}

#[derive(Debug, Default)]
pub(super) struct AppLog {
    lines: VecDeque<LogLine>,
    next: u64,
}

impl Os {
    pub(crate) fn write_log(
        &mut self,
        buffer: LogBuffer,
        level: char,
        tag: &'static str,
        process: &str,
        text: String,
    ) {
        let time = self.unix_time();
        let AppLog { lines, next } = &mut self.app_log;
        if lines.len() >= MAX {
            lines.pop_front();
        }
        let process = process.to_owned();
        lines.push_back(LogLine { n: *next, buffer, time, level, tag, process, text });
        *next += 1;
    }

    /// The lines from this number on.
    pub(crate) fn log_lines(&self, from: u64) -> Vec<LogLine> {
        self.app_log.lines.iter().filter(|line| line.n >= from).cloned().collect()
    }

    pub(crate) fn clear_log(&mut self, buffers: &[LogBuffer]) {
        self.app_log.lines.retain(|line| !buffers.contains(&line.buffer));
    }

    pub(super) fn log_boot(&mut self) {
        let text = "Entered the Android system server!".to_owned();
        self.write_log(LogBuffer::Main, 'I', "SystemServer", SYSTEM, text);
    }

    /// An app came to the front; its process is new or not.
    pub(super) fn log_resumed(&mut self, package: &str, fresh: bool) {
        let class = self.apps.get(package).activity();
        let of = |what: &str| format!("{what} u0 {{cmp={package}/{class}}}");
        self.write_log(LogBuffer::System, 'I', "ActivityTaskManager", SYSTEM, of("START"));
        if fresh {
            let text = "Process started".to_owned();
            self.write_log(LogBuffer::Main, 'I', "Zygote", package, text);
        }
        self.write_log(LogBuffer::Main, 'D', "Activity", package, format!("onResume {class}"));
    }
}
