//! A shell process: what it knows and hands on to its children. `exec.rs` runs scripts in it.
use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::Arc,
};

use tokio_util::sync::CancellationToken;

use super::{
    jobs::{Jobs, SHELL_PID},
    protocol::Disconnected,
    variables::{OutOfMemory, Variables},
};
use crate::device::VirtualPhone;

/// The name of the shell in its messages.
pub(crate) const SHELL_PATH: &str = "/system/bin/sh";
/// Why a script was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Exit(u8),
    Disconnected(Disconnected),
}

/// One shell process.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(super) device: VirtualPhone,
    pub(super) variables: Variables,
    pub(super) cwd: String,
    pub(super) status: u8,
    /// The status of the last command substitution of this command, which is the command's own when
    /// that has no other words. `$?` does not tell it before.
    pub(super) substituted: u8,
    pub(super) depth: usize,
    pub(super) jobs: Jobs,
    /// `$0` and what comes behind it.
    pub(super) name: Arc<str>,
    pub(super) args: Arc<[String]>,
    /// It has a terminal, which is `/dev/tty` then.
    pub(super) has_terminal: bool,
    /// Ends the program that this shell runs when the client is gone: a terminal that is gone ends what runs in it,
    /// and adbd the one process that it has started with `shell,v2`. Other programs go on.
    pub(super) hang_up: Option<CancellationToken>,
}

impl Shell {
    pub(crate) fn new(device: VirtualPhone) -> Self {
        let mut variables = Variables::default();
        for (name, value) in [
            ("ANDROID_DATA", "/data"),
            ("ANDROID_ROOT", "/system"),
            ("EXTERNAL_STORAGE", "/sdcard"),
            ("HOME", "/"),
            ("HOSTNAME", device.phone().options().product.as_str()),
            ("LOGNAME", "shell"),
            ("PATH", "/product/bin:/apex/com.android.runtime/bin:/system/bin:/vendor/bin"),
            ("SHELL", "/bin/sh"),
            ("TMPDIR", "/data/local/tmp"),
            ("USER", "shell"),
        ] {
            let set = variables.set(name, value.to_owned()).and_then(|()| variables.export(name));
            set.expect("these few are short");
        }
        Self {
            device,
            variables,
            cwd: "/".to_owned(),
            status: 0,
            substituted: 0,
            depth: 0,
            jobs: Jobs::new(),
            name: SHELL_PATH.into(),
            args: Arc::default(),
            has_terminal: false,
            hang_up: None,
        }
    }

    pub(crate) fn device(&self) -> &VirtualPhone {
        &self.device
    }

    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }

    pub(crate) fn set_cwd(&mut self, path: String) {
        self.cwd = path;
    }

    pub(crate) fn status(&self) -> u8 {
        self.status
    }

    pub(crate) fn set_variable(&mut self, name: &str, value: String) -> Result<(), OutOfMemory> {
        self.variables.set(name, value)
    }

    pub(crate) fn variable(&self, name: &str) -> String {
        match name {
            "?" => self.status.to_string(),
            "$" => SHELL_PID.to_string(),
            "!" => self.jobs.last_pid().map_or_else(String::new, |pid| pid.to_string()),
            "#" => self.args.len().to_string(),
            "0" => self.name.to_string(),
            "@" | "*" => self.args.join(" "),
            "PWD" => self.cwd.clone(),
            "RANDOM" => (RandomState::new().build_hasher().finish() & 0x7fff).to_string(),
            number if number.bytes().all(|c| c.is_ascii_digit()) => {
                let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                at.and_then(|at| self.args.get(at)).cloned().unwrap_or_default()
            }
            name => self.variables.get(name).unwrap_or_default().to_owned(),
        }
    }

    pub(super) fn jobs(&mut self) -> &mut Jobs {
        &mut self.jobs
    }

    /// A child process with a copy of this one's state.
    pub(crate) fn subshell(&self) -> Self {
        Self {
            device: self.device.clone(),
            variables: self.variables.clone(),
            cwd: self.cwd.clone(),
            status: self.status,
            substituted: 0,
            depth: self.depth,
            jobs: self.jobs.of_subshell(),
            name: Arc::clone(&self.name),
            args: Arc::clone(&self.args),
            has_terminal: self.has_terminal,
            hang_up: self.hang_up.clone(),
        }
    }

    /// A child process whose output is collected.
    pub(super) fn piped_subshell(&self) -> Self {
        Self { jobs: self.jobs.of_piped_subshell(), ..self.subshell() }
    }
}
