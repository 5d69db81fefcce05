//! The commands. Each refuses arguments it does not know with Android 14's message, and counts it.

/// Adds formatted text to a `String`.
macro_rules! push_fmt {
    ($text:expr, $($format:tt)*) => {
        std::fmt::Write::write_fmt(&mut $text, format_args!($($format)*))
            .expect("a String takes any text")
    };
}

mod activity;
mod args;
mod builtins;
mod checksum;
mod conditions;
mod date;
mod dumpsys;
mod files;
mod getevent;
mod grep;
mod gzip;
mod ime;
mod input;
mod keys;
mod logcat;
pub(super) mod names;
mod network;
pub(super) mod package;
mod properties;
mod screencap;
mod settings;
mod system;
mod text;
mod uiautomator;
mod wm;

use std::{mem, time::Duration};

use bytes::Bytes;
use tokio::time::Instant;

use self::args::split;
pub(super) use self::files::read;
use super::{
    io::{Io, WriteError},
    process::{SHELL_PATH, Shell, Stop},
    protocol::Channel,
};
use crate::{
    device::VirtualPhone,
    profile::{Timing, pause_until},
};

/// What the shell says of what real ones have and this one has not.
const UNSUPPORTED: &str = "not supported by this virtual shell";

/// The output and the exit status of a command.
#[derive(Debug, Default)]
pub(super) struct CommandOutput {
    /// Written first, in this order.
    pub(super) earlier: Vec<(Channel, Bytes)>,
    pub(super) stdout: Vec<Bytes>,
    pub(super) stderr: Vec<u8>,
    pub(super) status: u8,
    /// A fault: the link is cut after so many bytes of stdout.
    pub(super) drop_after: Option<u64>,
}

impl CommandOutput {
    pub(super) fn ok(text: impl Into<String>) -> Self {
        Self { stdout: vec![Bytes::from(text.into())], ..Self::default() }
    }

    pub(super) fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self { stdout: vec![bytes.into()], ..Self::default() }
    }

    pub(super) fn status(status: u8) -> Self {
        Self { status, ..Self::default() }
    }

    pub(super) fn error(status: u8, text: impl Into<String>) -> Self {
        Self { stderr: text.into().into_bytes(), status, ..Self::default() }
    }

    /// Adds a failure behind what is written so far; the command goes on.
    pub(super) fn complain(&mut self, text: impl Into<String>) {
        let before = mem::take(&mut self.stdout).into_iter().map(|bytes| (Channel::Stdout, bytes));
        self.earlier.extend(before);
        self.earlier.push((Channel::Stderr, Bytes::from(text.into())));
        self.status = 1;
    }

    /// A failure with its message on stdout, as many Android commands have it.
    pub(super) fn on_stdout(status: u8, text: impl Into<String>) -> Self {
        Self { status, ..Self::ok(text) }
    }

    /// Refused arguments.
    pub(super) fn malformed(device: &VirtualPhone, status: u8, text: impl Into<String>) -> Self {
        device.count(|counts| counts.malformed_commands += 1);
        Self::error(status, text)
    }

    /// Refused arguments with their message on stdout, where `ShellCommand` has that of unknown commands.
    pub(super) fn malformed_on_stdout(
        device: &VirtualPhone,
        status: u8,
        text: impl Into<String>,
    ) -> Self {
        device.count(|counts| counts.malformed_commands += 1);
        Self::on_stdout(status, text)
    }

    /// Refused arguments of a command written in Java: an exception with a stack trace.
    pub(super) fn exception(device: &VirtualPhone, command: &str, message: &str) -> Self {
        let text = format!(
            "\nException occurred while executing '{command}':\n{message}\n\
             \tat android.os.ShellCommand.exec(ShellCommand.java:38)\n\
             \tat android.os.Binder.execTransact(Binder.java:1308)\n"
        );
        Self::malformed(device, 255, text)
    }

    /// A command that was understood and is not allowed: an exception with a stack trace.
    pub(super) fn security_exception(command: &str, message: &str) -> Self {
        let text = format!(
            "\nException occurred while executing '{command}':\njava.lang.SecurityException: {message}\n\
             \tat android.os.ShellCommand.exec(ShellCommand.java:38)\n\
             \tat android.os.Binder.execTransact(Binder.java:1308)\n"
        );
        Self::error(255, text)
    }

    /// An argument is missing after the last one.
    pub(super) fn argument_expected(device: &VirtualPhone, command: &str, last: &str) -> Self {
        let message =
            format!("java.lang.IllegalArgumentException: Argument expected after \"{last}\"");
        Self::exception(device, command, &message)
    }

    /// Something that real phones have and this one does not.
    pub(super) fn unsupported(device: &VirtualPhone, message: &str) -> Self {
        Self::malformed(device, 255, format!("{message}: not supported by this virtual phone\n"))
    }
}

/// Runs one command.
pub(super) async fn run(
    shell: &mut Shell,
    name: &str,
    args: &[String],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    let device = shell.device().clone();
    let phone = &device;
    let (mut name, mut args) = (name, args);
    // These run the words behind them. However many there are, each is only left out.
    let program = loop {
        let program = name.strip_prefix("/system/bin/").unwrap_or(name);
        match (program, args) {
            ("command", [flag, ..]) if flag == "-v" => break program,
            ("toybox" | "command" | "exec", [next, rest @ ..]) => (name, args) = (next, rest),
            _ => break program,
        }
    };
    let words = split(args);
    let cwd = shell.cwd().to_owned();
    let done = Instant::now() + cost(device.timing(), program, &words);
    let reply = match program {
        "command" if matches!(words.as_slice(), ["-v", ..]) => names::found(phone, &words[1..]),
        "sh" | "eval" => return builtins::sh(shell, program, args, io).await,
        "exit" | "return" => return builtins::exit(shell, &words),
        "wait" => builtins::wait(shell, &words).await,
        "cd" => builtins::cd(shell, &words),
        "export" => builtins::export(shell, args),
        "set" if words.is_empty() => builtins::set(shell),
        "pwd" => CommandOutput::ok(format!("{cwd}\n")),
        "true" | ":" => CommandOutput::status(0),
        "false" => CommandOutput::status(1),
        "test" | "[" => conditions::test(shell, program, &words),
        "echo" => builtins::echo(&words),
        "print" => builtins::print(phone, &words),
        "sleep" => builtins::sleep(phone, &words).await,

        "input" => input::run(phone, &words).await,
        "wm" => wm::run(phone, &words),
        "screencap" => screencap::run(phone, &cwd, &words).await,
        "dumpsys" => dumpsys::run(phone, &words),
        "am" => activity::run(phone, &words).await,
        "pm" => package::run(phone, &cwd, &words, io).await,
        "cmd" => cmd(phone, &cwd, &words, io).await,
        "getevent" => getevent::getevent(phone, &words),
        "getprop" => properties::getprop(phone, &words),
        // A shell may set these, in which nothing of this phone looks.
        "setprop"
            if words.first().is_some_and(|name| {
                ["debug.", "log.tag.", "persist.log.tag."].iter().any(|of| name.starts_with(of))
            }) =>
        {
            CommandOutput::unsupported(phone, &format!("setprop {}", words[0]))
        }
        "setprop" => CommandOutput::malformed(phone, 1, "Failed to set property: access denied\n"),
        "settings" => settings::run(phone, &words),
        "ime" => ime::run(phone, &words),
        "uiautomator" => uiautomator::run(shell, &words).await,
        "monkey" => activity::monkey(phone, &words).await,

        "gzip" if !phone.faults().plan().no_gzip => gzip::gzip(phone, &words, io).await?,
        "sha256sum" if !phone.faults().plan().no_sha256sum => {
            checksum::sha256sum(phone, &cwd, &words, io).await
        }
        "md5sum" => checksum::md5sum(phone, &cwd, &words, io).await,
        "locksettings" => system::locksettings(phone, &words),
        "which" => names::which(phone, &words),

        "cat" => files::cat(phone, &cwd, &words, io).await?,
        "ls" => files::list::ls(phone, &cwd, &words),
        "stat" => files::list::stat(phone, &cwd, &words),
        "df" => files::list::df(phone, &cwd, &words),
        "head" => text::head(phone, &cwd, &words, io).await?,
        "tail" => text::tail(phone, &cwd, &words, io).await,
        "wc" => text::wc(phone, &cwd, &words, io).await,
        "cut" => text::cut(phone, &cwd, &words, io).await,
        "rm" => files::change::rm(phone, &cwd, &words),
        "rmdir" => files::change::rmdir(phone, &cwd, &words),
        "cp" => files::change::cp(phone, &cwd, &words),
        "touch" => files::change::touch(phone, &cwd, &words),
        "mkdir" => files::change::mkdir(phone, &cwd, &words),
        "mv" => files::change::mv(phone, &cwd, &words),
        "chmod" => files::mode::chmod(phone, &cwd, &words),
        "sync" => args::flags(phone, "sync", &words, "")
            .map_or_else(|refusal| refusal, |_| CommandOutput::status(0)),
        "unzip" => files::unzip(phone, &cwd, &words),
        "grep" | "egrep" | "fgrep" => grep::grep(phone, &cwd, program, &words, io).await,

        "id" => system::id(phone, &words),
        "ip" => network::ip(phone, &words),
        "ifconfig" => network::ifconfig(phone, &words),
        "whoami" => CommandOutput::ok("shell\n"),
        "date" => date::date(phone, &cwd, &words),
        "pidof" => system::pidof(phone, &words),
        "ps" => system::ps(phone, &words),
        "logcat" => logcat::logcat(phone, &words, io).await,
        "svc" => system::svc(phone, &words),
        "content" => settings::content(phone, &words),

        _ if names::LACKING_BUILTINS.contains(&name) => {
            phone.count(|counts| counts.unknown_commands += 1);
            CommandOutput::error(1, format!("{SHELL_PATH}: {name}: {UNSUPPORTED}\n"))
        }
        "toybox" => CommandOutput::unsupported(phone, "toybox without a command"),
        _ => not_run(phone, &cwd, name),
    };
    pause_until(done).await;
    Ok(reply)
}

/// A command that there is not, or a file that is named as one.
fn not_run(phone: &VirtualPhone, cwd: &str, name: &str) -> CommandOutput {
    phone.count(|counts| counts.unknown_commands += 1);
    let file = name.contains('/').then(|| files::stat_of(phone, cwd, name).ok()).flatten();
    let (status, why) = match file {
        Some(file) if file.is_dir() => (126, "can't execute: Is a directory"),
        Some(file) if file.mode & 0o111 == 0 => (126, "can't execute: Permission denied"),
        Some(_) => (126, UNSUPPORTED),
        // The status is the one for which scripts look.
        None if names::is_lacking(name) => (127, UNSUPPORTED),
        None => (127, "inaccessible or not found"),
    };
    CommandOutput::error(status, format!("{SHELL_PATH}: {name}: {why}\n"))
}

/// How long a command takes at least on a phone of this profile, besides its shell. Captures, gestures, lists of
/// elements, `gzip` and `sha256sum` take their time themselves, by what they do.
fn cost(timing: &Timing, program: &str, words: &[&str]) -> Duration {
    match (program, words) {
        ("cmd", ["input", ..]) => Duration::ZERO,
        ("am" | "pm" | "cmd" | "wm" | "settings" | "ime" | "svc" | "locksettings", _) => {
            timing.service
        }
        ("dumpsys", _) => timing.dumpsys,
        ("monkey" | "content" | "uiautomator", _) => timing.java,
        _ => Duration::ZERO,
    }
}

/// Writes to standard output at once, for what is too much to hold. `Some`: what the command ends with, as it could not.
async fn put(io: &Io, program: &str, bytes: Bytes) -> Result<Option<CommandOutput>, Stop> {
    match io.stdout.write(&[bytes], None).await {
        Ok(()) => Ok(None),
        Err(WriteError::Disconnected(gone)) => Err(Stop::Disconnected(gone)),
        Err(WriteError::File(error)) => {
            Ok(Some(CommandOutput::error(1, format!("{program}: write: {error}\n"))))
        }
    }
}

/// Writes an error message at once, behind what was put.
async fn put_error(io: &Io, text: String) -> Result<(), Stop> {
    match io.stderr.write(&[text.into()], None).await {
        Err(WriteError::Disconnected(gone)) => Err(Stop::Disconnected(gone)),
        // Those that do not fit are lost, as on a real phone.
        Ok(()) | Err(WriteError::File(_)) => Ok(()),
    }
}

/// `cmd SERVICE …`, for which most Android commands are shorthands.
async fn cmd(phone: &VirtualPhone, cwd: &str, mut words: &[&str], io: &Io) -> CommandOutput {
    while let ["-w", rest @ ..] = words {
        words = rest;
    }
    match words {
        ["-l"] => CommandOutput::ok(format!(
            "Currently running services:\n{}",
            system::service_names("  ")
        )),
        [] => CommandOutput::malformed(
            phone,
            20,
            "cmd: No service specified; use -l to list all running services. Use -w to start and wait for a service.\n",
        ),
        ["package", rest @ ..] => package::run(phone, cwd, rest, io).await,
        ["activity", rest @ ..] => activity::run(phone, rest).await,
        ["input", rest @ ..] => input::run(phone, rest).await,
        ["window", rest @ ..] => wm::run(phone, rest),
        ["settings", rest @ ..] => settings::run(phone, rest),
        ["input_method", rest @ ..] => ime::run(phone, rest),
        ["statusbar", rest @ ..] => system::statusbar(phone, rest),
        [service, ..] if system::SERVICES.contains(service) => {
            CommandOutput::unsupported(phone, &format!("cmd {}", words.join(" ")))
        }
        [service, ..] => {
            CommandOutput::malformed(phone, 20, format!("cmd: Can't find service: {service}\n"))
        }
    }
}
