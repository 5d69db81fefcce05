//! `logcat` and `am crash`: what apps log and how they crash.
use bytes::Bytes;

use super::{
    CommandOutput,
    system::{pid_of, strftime},
};
use crate::{
    device::{AdbDevice, unix_seconds},
    shell::io::Io,
};

/// What to show of the log.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request<'a> {
    /// Show what there is and end.
    dump: bool,
    crashes: bool,
    pid: Option<u32>,
    last: Option<usize>,
    unknown: Option<&'a str>,
}

impl<'a> Request<'a> {
    fn parse(words: &[&'a str]) -> Self {
        let mut request = Self::default();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            match word {
                "-d" => request.dump = true,
                "-t" => {
                    request.dump = true;
                    request.last = words.next().and_then(|count| count.parse().ok());
                }
                "-b" => request.crashes = words.next() == Some("crash"),
                "-v" => {
                    words.next();
                }
                word if word.starts_with("--pid=") => request.pid = word[6..].parse().ok(),
                word if word.starts_with('-') && word != "-s" => request.unknown = Some(word),
                // A filter by tag.
                _ => {}
            }
        }
        request
    }
}

/// A log of what is running. Without `-d` it is followed for ever, and nothing more comes.
pub(super) async fn logcat(device: &AdbDevice, words: &[&str], io: &Io) -> CommandOutput {
    if words.iter().any(|word| matches!(*word, "-c" | "--clear" | "-g" | "-G")) {
        return CommandOutput::status(0);
    }
    let request = Request::parse(words);
    if let Some(flag) = request.unknown {
        return CommandOutput::malformed(device, 1, format!("Unknown option '{flag}'\n"));
    }
    let (name, mut lines) =
        if request.crashes { ("crash", crashes(device)) } else { ("main", running(device)) };
    if let Some(pid) = request.pid {
        lines.retain(|(of, _)| *of == pid);
    }
    let start = lines.len().saturating_sub(request.last.unwrap_or(usize::MAX));
    let mut text = format!("--------- beginning of {name}\n");
    text.extend(lines[start..].iter().map(|(_, line)| format!("{line}\n")));
    if !request.dump {
        if io.stdout.write(&[Bytes::from(text)], None).await.is_err() {
            return CommandOutput::status(1);
        }
        tracing::debug!(serial = device.serial(), "following a log without news");
        return std::future::pending().await;
    }
    CommandOutput::ok(text)
}

fn line(time: u64, level: char, tag: &str, pid: u32, text: &str) -> (u32, String) {
    let time = strftime("%m-%d %H:%M:%S.000", time).unwrap_or_default();
    (pid, format!("{time} {level}/{tag:<8}({pid:>5}): {text}"))
}

fn running(device: &AdbDevice) -> Vec<(u32, String)> {
    let now = unix_seconds();
    let lines = device.phone().tasks().into_iter().flat_map(|task| {
        let pid = pid_of(&task.package);
        let class = task.class;
        [
            line(now, 'I', "Zygote", pid, "Process started"),
            line(now, 'D', "Activity", pid, &format!("onResume {class}")),
        ]
    });
    lines.collect()
}

fn crashes(device: &AdbDevice) -> Vec<(u32, String)> {
    let lines = device.crashes().into_iter().flat_map(|(time, package)| {
        let pid = pid_of(&package);
        [
            "FATAL EXCEPTION: main".to_owned(),
            format!("Process: {package}, PID: {pid}"),
            "android.app.RemoteServiceException$CrashedByAdbException: shell-induced crash"
                .to_owned(),
            "\tat android.app.ActivityThread.throwRemoteServiceException(ActivityThread.java:1989)"
                .to_owned(),
        ]
        .map(|text| line(time, 'E', "AndroidRuntime", pid, &text))
    });
    lines.collect()
}

/// `am crash PACKAGE`: a running app crashes.
pub(super) fn crash(device: &AdbDevice, package: &str) -> CommandOutput {
    if device.phone().tasks().iter().any(|task| task.package == package) {
        device.note_crash(package);
        device.phone().force_stop(package);
    }
    CommandOutput::status(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = Request::parse(&["-d", "--pid=12", "-t", "5", "-v", "time"]);
        assert_eq!(
            request,
            Request { dump: true, pid: Some(12), last: Some(5), ..Request::default() }
        );
        assert!(Request::parse(&["-d", "-b", "crash"]).crashes);
        assert_eq!(Request::parse(&["--nope"]).unknown, Some("--nope"));
    }
}
