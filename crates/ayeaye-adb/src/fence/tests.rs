//! The lines, run by a real shell: any POSIX shell, and `mksh`, which is what phones have, where it is installed.
use std::path::Path;
use std::process::Command;

use super::*;

#[expect(clippy::disallowed_methods, reason = "the lines are for a shell: one reads them here")]
fn command(shell: &str, line: &str) -> Command {
    let mut command = Command::new(shell);
    command.args(["-c", line]);
    command
}

/// A folder of this machine in place of the phone's.
struct Phone {
    folder: tempfile::TempDir,
    shell: &'static str,
}

impl Phone {
    fn new(shell: &'static str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), shell }
    }

    /// Of both shells, if both are there.
    fn each() -> Vec<Self> {
        let is_there = |shell: &str| command(shell, "exit 0").output().is_ok();
        ["sh", "mksh"].into_iter().filter(|shell| is_there(shell)).map(Self::new).collect()
    }

    fn run(&self, line: &str) -> ShellOutput {
        let local = line.replace("/data/local/tmp", self.folder.path().to_str().unwrap());
        let output = command(self.shell, &local).output().unwrap();
        ShellOutput {
            exit_code: u8::try_from(output.status.code().unwrap()).unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn driver(&self) -> Fence {
        let fence = Fence::default();
        fence.claim();
        self.take(&fence);
        assert_eq!(fence.state(), FenceState::Held);
        fence
    }

    fn take(&self, fence: &Fence) {
        let mut output = self.run(&format!("{}; echo after; exit 3", fence.taking_line()));
        fence.took_over(&mut output.stdout);
        assert_eq!((output.stdout.as_str(), output.exit_code), ("after\n", 3));
        assert_eq!(output.stderr, "");
    }

    fn act(&self, fence: &Fence) -> Result<(), NotBegun> {
        let output = self.run(&fence.guard("echo done & first=$!; wait $first; (exit 5)").unwrap());
        if let Some(why) = fence.not_begun(&output) {
            assert_eq!(output.stdout, "");
            return Err(why);
        }
        assert_eq!((output.stdout.as_str(), output.exit_code), ("done\n", 5));
        Ok(())
    }

    fn entries(&self) -> usize {
        fn below(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
            entries.map(|it| 1 + below(&it)).sum()
        }
        below(self.folder.path())
    }
}

#[test]
fn a_later_driver_ends_an_earlier_one() {
    for phone in Phone::each() {
        let first = phone.driver();
        assert_eq!(phone.act(&first), Ok(()));
        assert_eq!(phone.act(&first), Ok(()));
        let second = phone.driver();
        assert_eq!(phone.act(&first), Err(NotBegun::ClaimedElsewhere));
        assert_eq!(phone.act(&second), Ok(()));
        assert_eq!(phone.act(&first), Err(NotBegun::ClaimedElsewhere));
    }
}

#[test]
fn a_phone_without_any_notes_is_told_from_one_that_was_taken_over() {
    for phone in Phone::each() {
        let driver = phone.driver();
        assert_eq!(phone.act(&driver), Ok(()));
        std::fs::remove_dir_all(phone.folder.path().join(".ayeaye")).unwrap();
        assert_eq!(phone.act(&driver), Err(NotBegun::NotesAreGone));
    }
}

#[test]
fn an_act_begins_once() {
    for phone in Phone::each() {
        let driver = phone.driver();
        let line = driver.guard("echo done").unwrap();
        assert_eq!(phone.run(&line).stdout, "done\n");
        let again = phone.run(&line);
        assert_eq!(again.stdout, "");
        assert_eq!(driver.not_begun(&again), Some(NotBegun::NotNoted));
    }
}

#[test]
fn the_next_driver_learns_which_acts_had_begun() {
    for phone in Phone::each() {
        let first = phone.driver();
        let mark = || first.mark().unwrap();
        let begun = mark();
        assert_eq!(phone.act(&first), Ok(()));
        // It crashed before this one was sent, or before the phone got to it.
        let not_begun = mark();
        let late = first.guard("echo done").unwrap();

        let second = phone.driver();
        assert_eq!(second.has_begun(&begun), Some(true));
        assert_eq!(second.has_begun(&not_begun), Some(false));
        assert_eq!(phone.run(&late).stdout, "", "and that stays true");
        let unknown = ActMark { driver: "d0123456789abcdef".to_owned(), number: 1 };
        assert_eq!(second.has_begun(&unknown), None);

        // One that begins anew.
        let again = second.mark().unwrap();
        second.claim();
        phone.take(&second);
        assert_eq!(second.has_begun(&again), Some(false));
        assert_eq!(Fence::default().mark(), None, "nobody drives");
    }
}

#[test]
fn of_two_that_begin_at_once_one_drives() {
    for phone in Phone::each() {
        let (first, second) = (phone.driver(), Fence::default());
        second.claim();
        // As if the first had made its folder after the second had moved the others away.
        let line = second.taking_line();
        let (before, after) = line.split_once("; mkdir").unwrap();
        phone.run(before);
        phone.take(&first);
        let mut output = phone.run(&format!("mkdir{after}"));
        assert!(second.took_over(&mut output.stdout));
        assert!(second.is_due(), "it is not alone");
        assert_eq!(second.guard("echo done"), None);
        phone.take(&second);
        assert_eq!(phone.act(&first), Err(NotBegun::ClaimedElsewhere));
        assert_eq!(phone.act(&second), Ok(()));
    }
}

#[cfg(unix)]
#[test]
fn what_is_kept_stays_small() {
    let phone = Phone::new("sh");
    let driver = phone.driver();
    for _ in 0..KEPT * 2 + 3 {
        assert_eq!(phone.act(&driver), Ok(()));
    }
    assert!(phone.entries() <= 10, "{}", phone.entries());
    phone.driver();
    assert_eq!(phone.entries(), 2, "its folder in that of all drivers");
}

#[cfg(unix)]
#[test]
fn a_phone_without_a_place_is_driven_without() {
    let phone = Phone::new("sh");
    let fence = Fence::default();
    fence.claim();
    std::fs::write(phone.folder.path().join(".ayeaye"), "").unwrap();
    phone.take(&fence);
    assert_eq!(fence.state(), FenceState::Unable);
    assert_eq!(fence.guard("input tap 1 1"), None);
    for told in ["", "sh: syntax error", "ayeaye-drivers:"] {
        fence.claim();
        assert!(!fence.took_over(&mut told.to_owned()), "{told}");
    }
}

#[test]
fn nobody_drives_unasked() {
    assert_eq!(Fence::default().guard("input tap 1 1"), None);
    assert!(!Fence::default().is_due());
}

#[test]
fn a_driver_is_a_recent_one_by_the_phones_own_clock() {
    let drwx = "drwxrwx--x 3 shell shell 3452";
    let told = |now: &str, then: &str| {
        let name = "/data/local/tmp/.ayeaye/d0123456789abcdef";
        recent_driver(&format!("{now}\n--ayeaye--\n{drwx} {then} {name}\n"))
    };
    let driver = Some("d0123456789abcdef".to_owned());
    assert_eq!(told("2026-11-25 10:07", "2026-11-25 10:07"), driver);
    assert_eq!(told("2026-11-25 10:07", "2026-11-25 09:58"), driver);
    assert_eq!(told("2026-11-25 10:07", "2026-11-25 09:57"), None);
    assert_eq!(told("2027-01-01 00:02", "2026-12-31 23:55"), driver);
    assert_eq!(told("2028-03-01 00:02", "2028-02-29 23:55"), driver);
    assert_eq!(told("2027-03-01 00:02", "2027-02-28 23:55"), driver);
    assert_eq!(told("2026-03-01 10:00", "2026-02-01 10:00"), None);
    // Of toolbox, without numbers; a warning before it.
    let old = "WARNING: linker: x\n2026-11-25 10:07\r\n--ayeaye--\ndrwxrwx--x shell    shell             2026-11-25 10:05 \
               d0123456789abcdef\r\n";
    assert_eq!(recent_driver(old), driver);
    for foreign in [
        "2026-11-25 10:07\n--ayeaye--\nls: /data/local/tmp/.ayeaye/*: No such file or directory\n",
        "",
    ] {
        assert_eq!(recent_driver(foreign), None);
    }
    assert_eq!(told("2026-11-25 10:07", "Nov 25 10:07"), None);
    assert_eq!(told("9223372036854775807-01-01 10:07", "2026-11-25 10:07"), None);
    assert_eq!(told("2026-11-25 10:07", "9223372036854775807-12-31 23:59"), None);
}
