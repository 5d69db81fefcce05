//! Which lines of the lists are one phone.
//!
//! A phone may be in a list twice (on a cable and over Wi-Fi, `emulator-5554` and `127.0.0.1:5555`), or in the
//! lists of two adb servers. It is known by the id that its kernel draws at each boot: the same id read over
//! two connections is the same running system. Serial numbers do not serve: every emulator has the same, and
//! so have some cheap phones.
//!
//! Several Androids may run on one kernel, in containers, as phones in a cloud do. They have its id and its age in
//! common, and often no serial number at all; but the place of a folder on its file system is each one's own.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use ayeaye_agent::{DeviceError, DeviceId};
use tokio::time::{Instant, timeout};

use crate::client::{DeviceClient, PhoneMarks};
use crate::parse::{batch, sanitize_first_line, split_batch};

/// How far apart two readings of the time of boot may be: each takes at most two seconds.
const CLOCK_TOLERANCE: f64 = 3.0;
/// By how much of the time between two readings the clocks of two machines may drift apart: nine seconds a day.
const CLOCK_DRIFT: f64 = 1e-4;
/// How long a phone that did not tell its identity is not asked again.
const RETRY_AFTER: Duration = Duration::from_secs(30);
/// For how long what an address of the network or an emulator's console leads to is taken for granted: no link goes
/// from one phone to another in less.
const STAYS: Duration = Duration::from_secs(2);
/// How many connections are remembered.
const MAX_KNOWN: usize = 1024;

/// What a phone is known by, whatever it is reached through.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Identity {
    /// Drawn by the kernel at each boot.
    boot_id: String,
    /// `ro.serialno`, which is also the serial of a phone on a cable.
    serialno: Option<String>,
    /// `ro.product.model`. It tells no phones apart here, but it is kept over a restart.
    model: Option<String>,
    /// The phone's age. Emulators that were started from one snapshot have the same id, but hardly the same age.
    age: Option<Age>,
    /// File system and number of a folder that every Android has: no two on one kernel have the same. Not before
    /// Android 6.
    folder: Option<String>,
}

/// Seconds since a phone's boot, and when that was read by both clocks of this machine: the one stands still while
/// it sleeps, as the phone's does not, and the other one is set by people and by the network.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Age {
    seconds: f64,
    read: Instant,
    read_at: SystemTime,
}

impl Age {
    /// Whether both may be of one phone, by either clock.
    fn fits(&self, other: &Self) -> bool {
        let grown = other.seconds - self.seconds;
        let by_one = if other.read < self.read {
            -(self.read - other.read).as_secs_f64()
        } else {
            (other.read - self.read).as_secs_f64()
        };
        let by_other = match other.read_at.duration_since(self.read_at) {
            Ok(between) => between.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        };
        let fits =
            |between: f64| (grown - between).abs() <= CLOCK_TOLERANCE + CLOCK_DRIFT * between.abs();
        fits(by_one) || fits(by_other)
    }
}

impl Identity {
    /// Whether both may be one phone.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same_age = match (self.age, other.age) {
            (Some(first), Some(second)) => first.fits(&second),
            _ => true,
        };
        let same_folder = match (&self.folder, &other.folder) {
            (Some(first), Some(second)) => first == second,
            _ => true,
        };
        self.boot_id == other.boot_id && self.serialno == other.serialno && same_age && same_folder
    }

    /// Whether both are one phone even if several run on one kernel.
    pub(crate) fn is_surely(&self, other: &Self) -> bool {
        self.is_same(other) && self.folder.is_some() && self.folder == other.folder
    }

    /// The name of the phone until its next boot.
    pub(crate) fn key(&self) -> String {
        let mut key = format!("boot {}", self.boot_id);
        for part in [&self.serialno, &self.folder].into_iter().flatten() {
            key.push(' ');
            key.push_str(part);
        }
        key
    }

    pub(crate) fn serialno(&self) -> Option<&str> {
        self.serialno.as_deref()
    }

    /// What it is known by when it has been started anew.
    pub(crate) fn marks(&self) -> PhoneMarks {
        PhoneMarks { model: self.model.clone(), serial_number: self.serialno.clone() }
    }

    /// Asks a phone, in one round trip.
    pub(crate) async fn query(client: &DeviceClient) -> Result<Option<Self>, DeviceError> {
        let ask = batch(&[
            "cat /proc/sys/kernel/random/boot_id",
            "getprop ro.serialno",
            "cat /proc/uptime",
            "stat -c %d:%i /data/local/tmp 2>/dev/null",
            "getprop ro.product.model",
        ]);
        let output = client.shell_quick("its identity", &ask).await?;
        Ok(Self::read(&output.stdout, Instant::now(), SystemTime::now()))
    }

    fn read(output: &str, read: Instant, read_at: SystemTime) -> Option<Self> {
        let [boot_id, serialno, uptime, folder, model] = split_batch(output);
        let boot_id = sanitize_first_line(boot_id).filter(|id| is_uuid(id))?;
        let uptime = uptime.split_whitespace().next().and_then(|it| it.parse::<f64>().ok());
        Some(Self {
            boot_id,
            serialno: sanitize_first_line(serialno),
            model: sanitize_first_line(model),
            age: uptime.filter(|it| it.is_finite()).map(|seconds| Age { seconds, read, read_at }),
            folder: sanitize_first_line(folder).filter(|it| is_place(it)),
        })
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// Two numbers, as in `64769:131`.
fn is_place(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    text.split_once(':').is_some_and(|(device, number)| is_number(device) && is_number(number))
}

/// A connection of a server to a phone: the server's place, the serial, and the number of the connection.
pub(crate) type ConnectionKey = (usize, String, u64);

/// What the list of a server has told of the numbers of its connections.
#[derive(Debug, Default)]
struct Numbers {
    last: Vec<(String, u64)>,
    highest: u64,
}

/// The identities that were read so far, one a connection.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    numbers: Mutex<HashMap<usize, Numbers>>,
    read: Mutex<HashMap<ConnectionKey, (Instant, Option<Identity>)>>,
    /// What was last reached under each name, for names that are in no list any more.
    by_name: Mutex<HashMap<DeviceId, Identity>>,
    /// The place of the server that a serial is the name of a phone of, where others may have the same one.
    owners: Mutex<HashMap<DeviceId, usize>>,
}

impl Identities {
    /// The identity of the phone at the other end of a connection; `None` where it does not tell in time.
    /// Without a number a connection cannot be told from the next one, so it is asked each time.
    pub(crate) async fn of(
        &self,
        connection: Option<ConnectionKey>,
        client: &DeviceClient,
    ) -> Option<Identity> {
        if let Some(key) = &connection
            && let Some((when, known)) = lock(&self.read).get(key)
            && (known.is_some() || when.elapsed() < RETRY_AFTER)
        {
            return known.clone();
        }
        let asked = timeout(client.limits().describe, Identity::query(client)).await;
        let identity = asked.ok().and_then(Result::ok).flatten();
        if let Some(key) = connection {
            let mut read = lock(&self.read);
            if MAX_KNOWN <= read.len() {
                read.clear();
            }
            read.insert(key, (Instant::now(), identity.clone()));
        }
        identity
    }

    /// Takes note of the connections in a server's list; `None` where it did not answer. A server that may have
    /// been started anew counts from one again, so that nothing is known of its connections any more.
    pub(crate) fn listed(&self, at: usize, connections: Option<Vec<(String, u64)>>) {
        let mut numbers = lock(&self.numbers);
        let before = numbers.entry(at).or_default();
        let Some(now) = connections else {
            *before = Numbers::default();
            return self.forget(at);
        };
        let goes_back = now.iter().any(|it| it.1 <= before.highest && !before.last.contains(it));
        if goes_back {
            *before = Numbers::default();
            self.forget(at);
        }
        let highest = now.iter().map(|it| it.1).max().unwrap_or_default();
        *before = Numbers { highest: before.highest.max(highest), last: now };
    }

    /// Takes note that nobody can be asked over a connection now: adb may take it up again by itself, with the number
    /// that it has, and lead to another phone.
    pub(crate) fn lost(&self, connection: &ConnectionKey) {
        lock(&self.read).remove(connection);
    }

    /// Forgets what a connection leads to, unless it was asked just now. True if it has to be asked again.
    pub(crate) fn lapsed(&self, connection: &ConnectionKey) -> bool {
        let mut read = lock(&self.read);
        let is_old = read.get(connection).is_some_and(|(asked, _)| STAYS <= asked.elapsed());
        is_old && read.remove(connection).is_some()
    }

    fn forget(&self, server: usize) {
        lock(&self.read).retain(|(at, ..), _| *at != server);
    }

    /// Remembers what a name has led to.
    pub(crate) fn remember(&self, name: &DeviceId, identity: &Identity) {
        let mut by_name = lock(&self.by_name);
        if MAX_KNOWN <= by_name.len() {
            by_name.clear();
        }
        by_name.insert(name.clone(), identity.clone());
    }

    /// From now on this serial without more is the name of a phone of this server.
    pub(crate) fn owns(&self, server: usize, serial: &DeviceId) {
        let mut owners = lock(&self.owners);
        if MAX_KNOWN <= owners.len() {
            owners.clear();
        }
        owners.insert(serial.clone(), server);
    }

    /// The server whose phone is called by this serial alone.
    pub(crate) fn owner(&self, serial: &DeviceId) -> Option<usize> {
        lock(&self.owners).get(serial).copied()
    }

    /// What a name has led to last.
    pub(crate) fn remembered(&self, name: &DeviceId) -> Option<Identity> {
        lock(&self.by_name).get(name).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that holds these locks can panic half way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOT: &str = "5d1a6e7c-1234-4000-8000-000000000001";

    fn read(boot: &str, serialno: &str, uptime: &str, now: Instant) -> Option<Identity> {
        // The other clock is of no help.
        let output = told(boot, serialno, uptime);
        Identity::read(&output, now, SystemTime::UNIX_EPOCH)
    }

    fn told(boot: &str, serialno: &str, uptime: &str) -> String {
        format!("{boot}\n--ayeaye--\n{serialno}\n--ayeaye--\n{uptime}\n")
    }

    #[test]
    fn a_phone_is_the_same_after_this_machine_has_slept() {
        let (now, date) = (Instant::now(), SystemTime::now());
        let hours = |count: u64| Duration::from_secs(count * 3600);
        let phone = |age: &str, awake: Duration, passed: Duration| {
            Identity::read(&told(BOOT, "R58M1", age), now + awake, date + passed).unwrap()
        };
        let before = phone("100.0", hours(0), hours(0));
        // It slept for an hour; the phone's clock runs a little faster, or is another one's; an emulator of the same
        // snapshot was started a minute later.
        for (age, awake, passed, is_same) in [
            ("7300.0", hours(1), hours(2), true),
            ("86505.0", hours(24), hours(24), true),
            ("86520.0", hours(24), hours(24), false),
            ("7240.0", hours(1), hours(2), false),
        ] {
            let after = phone(age, awake, passed);
            assert_eq!(before.is_same(&after), is_same, "{age}");
            assert_eq!(after.is_same(&before), is_same, "{age}");
        }
        let set_back =
            Identity::read(&told(BOOT, "R58M1", "3700.0"), now + hours(1), date - hours(2));
        assert!(before.is_same(&set_back.unwrap()));
    }

    #[test]
    fn a_phone_is_the_same_at_any_time_and_no_other_is() {
        let now = Instant::now();
        let later = now + Duration::from_mins(1);
        let phone = read(BOOT, "R58M1", "100.25 380.1", now).unwrap();
        assert!(phone.is_same(&read(BOOT, "R58M1", "160.5 400.0", later).unwrap()));
        assert!(read(BOOT, "R58M1", "160.5 400.0", later).unwrap().is_same(&phone));
        assert!(phone.is_same(&read(BOOT, "R58M1", "Permission denied", later).unwrap()));
        // Another boot, another phone, another emulator from the same snapshot.
        assert!(!phone.is_same(&read(&BOOT.replace('7', "8"), "R58M1", "100.25", now).unwrap()));
        assert!(!phone.is_same(&read(BOOT, "R58M2", "100.25", now).unwrap()));
        assert!(!phone.is_same(&read(BOOT, "R58M1", "110.0", now).unwrap()));
    }

    #[test]
    fn two_androids_on_one_kernel_are_two_phones() {
        let now = Instant::now();
        let at = |folder: &str| {
            let told = format!("{BOOT}\n--ayeaye--\n\n--ayeaye--\n1.0 1.0\n--ayeaye--\n{folder}\n");
            Identity::read(&told, now, SystemTime::UNIX_EPOCH).unwrap()
        };
        let (first, second) = (at("64769:131"), at("64769:977"));
        assert!(!first.is_same(&second) && first.key() != second.key());
        assert!(first.is_surely(&at("64769:131")) && first.key() == at("64769:131").key());
        // A phone that does not tell may be the same, but nothing proves it.
        for untold in ["", "stat: not found", "1:", "64769:131 x"] {
            let untold = at(untold);
            assert!(first.is_same(&untold) && untold.is_same(&untold), "{untold:?}");
            assert!(!first.is_surely(&untold) && !untold.is_surely(&untold), "{untold:?}");
        }
        let key = read(BOOT, "R58M1", "1.0", now).unwrap().key();
        assert_ne!(key, read(BOOT, "R58M2", "1.0", now).unwrap().key());
    }

    #[test]
    fn a_phone_that_does_not_tell_is_no_other_phone() {
        let now = Instant::now();
        let denied = "cat: /proc/sys/kernel/random/boot_id: Permission denied";
        for boot in ["", denied, "unknown", "0123456789ABCDEF"] {
            assert_eq!(read(boot, "R58M1", "1.0", now), None, "{boot}");
        }
        let other = Identity::read("Pixel 7\n--ayeaye--\n14\n", now, SystemTime::UNIX_EPOCH);
        assert_eq!(other, None);
    }
}
