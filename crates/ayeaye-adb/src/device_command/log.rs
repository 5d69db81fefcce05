//! What an app has logged, and how it crashed.
use ayeaye_agent::DeviceError;

use super::Commander;
use crate::gesture::NO_SUCH_PROGRAM;
use crate::parse::{batch, current_user, quoted, sanitize_up_to, split_batch};

/// Bytes of a log that are read, from its end.
const MAX_LOG: usize = 256 * 1024;
/// The user ids of Android's first person are below this, those of the next one below twice as much.
const UIDS_OF_A_USER: u32 = 100_000;

impl Commander<'_> {
    /// What an app has logged, its newest lines last; with `crashes`, only how it crashed.
    pub(crate) async fn log(
        &self,
        app: &str,
        crashes: bool,
        lines: u32,
    ) -> Result<String, DeviceError> {
        let what = format!("the log of {}", quoted(app));
        let package = self.apps.package_of(self.client, &what, app).await?;
        let lines = lines.clamp(1, 2000);
        if crashes {
            let log = self.read(&what, &format!("-b crash -t {} -v time", lines * 4)).await?;
            return Ok(tail(&crashes_of(&log, &package), lines as usize));
        }
        let Some(pid) = self.process(&what, &package).await? else {
            let text = format!("{package} is not running: open it first, or ask for its crashes");
            return Err(self.client.not_sent(&what, text));
        };
        let log = self.read(&what, &format!("--pid={pid} -t {lines} -v time")).await?;
        Ok(tail(&log, lines as usize))
    }

    /// The end of what `logcat` prints. One that fails has not said that there is nothing.
    async fn read(&self, what: &str, options: &str) -> Result<String, DeviceError> {
        let ask = newest(&format!("logcat -d {options}"));
        let output = self.client.shell_quick(what, &ask).await?;
        if output.exit_code != 0 || output.combined().lines().any(|line| line.trim() == FAILED) {
            return Err(self.client.refused(what, output.summary()));
        }
        Ok(output.stdout)
    }

    /// The process of a running app: that of the person in front, where the app is there twice and both run.
    async fn process(&self, what: &str, package: &str) -> Result<Option<u32>, DeviceError> {
        let running = self.client.shell_quick(what, &format!("pidof {package}")).await?;
        if running.exit_code == NO_SUCH_PROGRAM {
            let text = "this phone has no `pidof`, by which an app's log is found; its crashes can be asked for";
            return Err(self.client.not_sent(what, text));
        }
        let pids: Vec<u32> =
            running.stdout.split_whitespace().map_while(|pid| pid.parse().ok()).collect();
        let [first, _, ..] = pids[..] else { return Ok(pids.first().copied()) };
        let own = self.of_user(what, None, &pids).await?.unwrap_or_default();
        Ok(own.first().copied().or(Some(first)))
    }

    /// Those of these processes that are a user's, without one the person's in front; `None` where the phone tells of
    /// none whose it is.
    pub(super) async fn of_user(
        &self,
        what: &str,
        user: Option<u32>,
        pids: &[u32],
    ) -> Result<Option<Vec<u32>>, DeviceError> {
        let places: Vec<String> = pids.iter().map(|pid| format!("/proc/{pid}")).collect();
        let owners = format!("stat -c '%n %u' {}", places.join(" "));
        let output =
            self.client.shell_quick(what, &batch(&["am get-current-user", &owners])).await?;
        let [person, owners] = split_batch(&output.stdout);
        let user = user.or_else(|| current_user(person)).unwrap_or(0);
        let of_user = |line: &str| {
            let (pid, uid) = line.trim().strip_prefix("/proc/")?.split_once(' ')?;
            let (pid, uid): (u32, u32) = (pid.parse().ok()?, uid.parse().ok()?);
            pids.contains(&pid).then_some((pid, uid / UIDS_OF_A_USER == user))
        };
        let told: Vec<(u32, bool)> = owners.lines().filter_map(of_user).collect();
        let own = told.iter().filter(|(_, is_own)| *is_own).map(|(pid, _)| *pid).collect();
        Ok(Some(own).filter(|_| !told.is_empty()))
    }
}

/// The crashes of one app in the log of all crashes: from each line that begins one to the next.
fn crashes_of(log: &str, package: &str) -> String {
    let begins = |line: &str| line.contains("FATAL EXCEPTION") || line.contains("*** ***");
    let mut crashes: Vec<Vec<&str>> = Vec::new();
    for line in log.lines().filter(|line| !line.starts_with("---------")) {
        if begins(line) || crashes.is_empty() {
            crashes.push(Vec::new());
        }
        if let Some(last) = crashes.last_mut() {
            last.push(line);
        }
    }
    let of_app = |crash: &Vec<&str>| {
        crash.iter().any(|line| {
            let names = |mark: &str| {
                line.split_once(mark).is_some_and(|(_, rest)| {
                    let end = rest.find(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
                    rest[..end.unwrap_or(rest.len())] == *package
                })
            };
            names("Process: ") || names(">>> ")
        })
    };
    crashes.into_iter().filter(of_app).flatten().collect::<Vec<_>>().join("\n")
}

/// What a failing command says of itself, where the exit code is that of a later one.
const FAILED: &str = "ayeaye-failed";

/// The end of what a command prints, cut on the phone: some lines of an app's log have thousands of letters. A
/// phone without `tail` sends it all.
fn newest(command: &str) -> String {
    format!("{{ {command} || echo {FAILED} >&2; }} | (tail -c {MAX_LOG} 2>/dev/null || cat)")
}

/// The last lines of a log, without what could deceive a reader.
fn tail(log: &str, lines: usize) -> String {
    let start = log.len().saturating_sub(MAX_LOG);
    let start = (start..=log.len()).find(|at| log.is_char_boundary(*at)).unwrap_or(log.len());
    let all: Vec<&str> =
        log[start..].lines().filter(|line| !line.starts_with("---------")).collect();
    let kept = &all[all.len().saturating_sub(lines)..];
    kept.iter().map(|line| sanitize_up_to(line, 1000)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_crashes_of_the_app_are_told() {
        let log = "--------- beginning of crash\n\
            05-12 10:00:00.000 E/AndroidRuntime( 11): FATAL EXCEPTION: main\n\
            05-12 10:00:00.000 E/AndroidRuntime( 11): Process: org.a, PID: 11\n\
            05-12 10:00:00.000 E/AndroidRuntime( 11): java.lang.NullPointerException\n\
            05-12 10:00:01.000 E/AndroidRuntime( 12): FATAL EXCEPTION: main\n\
            05-12 10:00:01.000 E/AndroidRuntime( 12): Process: org.a.other, PID: 12\n\
            05-12 10:00:01.000 E/AndroidRuntime( 12): java.lang.Error\n\
            05-12 10:00:02.000 F/DEBUG   ( 13): *** *** *** ***\n\
            05-12 10:00:02.000 F/DEBUG   ( 13): pid: 13, name: x  >>> org.a <<<\n";
        let told = crashes_of(log, "org.a");
        assert_eq!(told.lines().count(), 5, "{told}");
        assert!(told.contains("NullPointer") && told.contains(">>> org.a <<<"));
        assert!(!told.contains("other"));
        assert_eq!(crashes_of("nothing\n", "org.a"), "");
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a shell as a phone has one")]
    fn a_log_of_any_length_is_cut_on_the_phone() {
        let run =
            |line: &str| std::process::Command::new("sh").args(["-c", line]).output().unwrap();
        let output = run(&newest("(yes line | head -n 400000; echo last)"));
        assert_eq!(output.stdout.len(), MAX_LOG);
        assert!(output.stdout.ends_with(b"\nlast\n") && output.stderr.is_empty());
        let output = run(&newest("(echo no such option >&2; exit 1)"));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("no such option") && told.contains(FAILED), "{told}");
        // Without `tail`.
        let output = run(&format!("tail() {{ return 127; }}; {}", newest("echo all")));
        assert_eq!(output.stdout, b"all\n");
    }

    #[test]
    fn a_log_is_cut_at_its_beginning() {
        assert_eq!(tail("--------- beginning of main\na\nb\u{202e}\nc\n", 2), "b\nc");
        let long = "é\n".repeat(MAX_LOG);
        assert!(tail(&long, usize::MAX).len() <= MAX_LOG);
    }
}
