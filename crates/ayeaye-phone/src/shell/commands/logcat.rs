//! `logcat` and `am crash`: what apps log and how they crash.
mod request;

use std::time::Duration;

use bytes::Bytes;

use self::request::{Last, LogFormat, Request};
use super::{
    CommandOutput,
    system::{process_id, strftime},
};
use crate::{device::VirtualPhone, os::app_log::LogBuffer, os::app_log::LogLine, shell::io::Io};

/// How often a log that is followed is looked at.
const FOLLOW: Duration = Duration::from_millis(100);

/// What there is of the log. Without `-d`, `-t` and the like what comes is shown too, for ever.
pub(super) async fn logcat(device: &VirtualPhone, words: &[&str], io: &Io) -> CommandOutput {
    let request = match Request::parse(words) {
        Ok(request) => request,
        Err(why) => return CommandOutput::malformed(device, 1, format!("logcat: {why}\n")),
    };
    if request.clear {
        device.phone().clear_log(&request.buffers);
        return CommandOutput::status(0);
    }
    if request.sizes {
        return CommandOutput::ok(sizes(device, &request));
    }
    let mut seen = Vec::new();
    let all = device.phone().log_lines(0);
    let text = shown(&all, &request, &mut seen, true);
    if request.dump {
        return CommandOutput::ok(text);
    }
    let mut next = all.last().map_or(0, |line| line.n + 1);
    let mut text = Some(text);
    loop {
        if let Some(text) = text.take()
            && io.stdout.write(&[Bytes::from(text)], None).await.is_err()
        {
            return CommandOutput::status(1);
        }
        tokio::time::sleep(FOLLOW).await;
        let news = device.phone().log_lines(next);
        if let Some(last) = news.last() {
            next = last.n + 1;
            text = Some(shown(&news, &request, &mut seen, false)).filter(|text| !text.is_empty());
        }
    }
}

/// The lines that were asked for. `seen`: the buffers whose beginning was told.
fn shown(
    all: &[LogLine],
    request: &Request<'_>,
    seen: &mut Vec<LogBuffer>,
    limited: bool,
) -> String {
    let of_process =
        |line: &&LogLine| request.pid.is_none_or(|pid| process_id(&line.process) == pid);
    let mut lines: Vec<&LogLine> = all
        .iter()
        .filter(|line| request.buffers.contains(&line.buffer))
        .filter(of_process)
        .collect();
    // As Android's: the last ones are counted before tags are looked at.
    match request.last.filter(|_| limited) {
        Some(Last::Lines(most)) => {
            lines.drain(..lines.len().saturating_sub(most));
        }
        Some(Last::Since(time)) => lines.retain(|line| *written(line) >= *time),
        None => {}
    }
    let mut text = String::new();
    for line in lines.into_iter().filter(|line| request.shows(line.tag, line.level)) {
        if !seen.contains(&line.buffer) {
            seen.push(line.buffer);
            push_fmt!(text, "--------- beginning of {}\n", request::name(line.buffer));
        }
        text += &formatted(line, request.format);
    }
    text
}

/// `05-12 10:00:00.000`.
fn written(line: &LogLine) -> String {
    let seconds = strftime("%m-%d %H:%M:%S", line.time.as_secs()).unwrap_or_default();
    format!("{seconds}.{:03}", line.time.subsec_millis())
}

fn formatted(line: &LogLine, format: LogFormat) -> String {
    let LogLine { level, tag, text, .. } = line;
    let (time, pid) = (written(line), process_id(&line.process));
    match format {
        LogFormat::Threadtime => format!("{time} {pid:>5} {pid:>5} {level} {tag:<8}: {text}\n"),
        LogFormat::Time => format!("{time} {level}/{tag:<8}({pid:>5}): {text}\n"),
        LogFormat::Brief => format!("{level}/{tag:<8}({pid:>5}): {text}\n"),
        LogFormat::Long => format!("[ {time} {pid:>5}:{pid:>5} {level}/{tag:<8} ]\n{text}\n\n"),
        LogFormat::Process => format!("{level}({pid:>5}) {text}  ({tag})\n"),
        LogFormat::Tag => format!("{level}/{tag:<8}: {text}\n"),
        LogFormat::Raw => format!("{text}\n"),
    }
}

fn sizes(device: &VirtualPhone, request: &Request<'_>) -> String {
    let all = device.phone().log_lines(0);
    let of = |buffer: &LogBuffer| {
        let lines = all.iter().filter(|line| line.buffer == *buffer);
        let used: usize = lines.map(|line| line.text.len() + line.tag.len() + 28).sum();
        format!(
            "{}: ring buffer is 256 KiB ({used} B consumed), max entry is 5120 B, max payload is 4068 B\n",
            request::name(*buffer)
        )
    };
    request.buffers.iter().map(of).collect()
}

/// `am crash PACKAGE`: a running app crashes.
pub(super) fn crash(device: &VirtualPhone, package: &str) -> CommandOutput {
    if device.phone().tasks().iter().any(|task| task.package == package) {
        let pid = process_id(package);
        let lines = [
            "FATAL EXCEPTION: main".to_owned(),
            format!("Process: {package}, PID: {pid}"),
            "android.app.RemoteServiceException$CrashedByAdbException: shell-induced crash"
                .to_owned(),
            "\tat android.app.ActivityThread.throwRemoteServiceException(ActivityThread.java:1989)"
                .to_owned(),
        ];
        device.phone().log_crash(package, lines);
        device.phone().force_stop(package);
    }
    CommandOutput::status(0)
}
