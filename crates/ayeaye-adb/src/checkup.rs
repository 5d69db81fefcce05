//! What stands in the way of driving a phone, asked without changing anything on it: what is tried is a key that means
//! nothing, and a setting's own value.
//!
//! A check is a function that asks and tells; [`AdbDevice::checkup`] has the list of them.
mod body;
mod maker;

use ayeaye_agent::{Device as _, DeviceError};

use self::maker::Maker;
use crate::device::AdbDevice;
use crate::ime;
use crate::parse::{batch, sanitize, split_batch, version_name};
use crate::quote::is_package;
use crate::refusal;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckupVerdict {
    /// It is as it should be.
    Fine,
    /// Some tasks will meet it.
    Unsure,
    /// No task can work.
    Problem,
}

/// What one check has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckupFinding {
    /// How much it matters.
    pub verdict: CheckupVerdict,
    /// What was asked, in one word.
    pub about: &'static str,
    /// What was found.
    pub text: String,
    /// What to do about it; empty when there is nothing to do.
    pub mend: String,
}

impl CheckupFinding {
    fn fine(about: &'static str, text: impl Into<String>) -> Self {
        Self { verdict: CheckupVerdict::Fine, about, text: text.into(), mend: String::new() }
    }

    fn unsure(about: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { verdict: CheckupVerdict::Unsure, about, text: text.into(), mend: mend.into() }
    }

    fn problem(about: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { verdict: CheckupVerdict::Problem, about, text: text.into(), mend: mend.into() }
    }
}

impl AdbDevice {
    /// Asks everything; a check that gets no answer says so, and the others go on.
    pub async fn checkup(&self) -> Vec<CheckupFinding> {
        let asked = Maker::query(self).await;
        let unknown = Maker::default();
        let maker = asked.as_ref().unwrap_or(&unknown);
        let input = input(self, maker).await;
        let settings = settings(self, maker).await;
        let refused = |found: &CheckResult| match found {
            Ok(Some(finding)) if finding.verdict != CheckupVerdict::Fine => {
                Some(finding.mend.clone())
            }
            _ => None,
        };
        let before_setup = maker.before_setup(refused(&input).or_else(|| refused(&settings)));
        let sleep = sleep(self, refused(&settings)).await;
        // A line each: what it is about, and what was found.
        let asked = [
            ("android", android(self).await),
            ("input", input),
            ("keyboard", keyboard(self, before_setup.as_deref()).await),
            ("settings", settings),
            ("sleep", sleep),
            ("capture", body::capture(self).await),
            ("protected", body::protected(self).await),
            ("elements", body::elements(self).await),
            ("battery", body::battery(self).await),
            ("sound", body::sound(self).await),
            ("maker", asked.map(|maker| maker.finding())),
        ];
        let told = asked.into_iter().map(|(about, asked)| match asked {
            Ok(finding) => finding,
            Err(error) => Some(CheckupFinding::unsure(
                about,
                format!("not known: {error}"),
                "reconnect the phone, and run `ayeaye doctor` again",
            )),
        });
        told.flatten().collect()
    }
}

/// The API level of Android 7, the oldest that is driven.
const OLDEST_SDK: u32 = 24;

/// Asks for the screen timeout of the person in front.
const TIMEOUT: &str = "settings --user current get system screen_off_timeout";

type CheckResult = Result<Option<CheckupFinding>, DeviceError>;

/// Whether its Android is too old. Nothing is said of one that is not: its version is told with the phone's name.
async fn android(device: &AdbDevice) -> CheckResult {
    let sdk = device.sdk().await?.filter(|sdk| *sdk < OLDEST_SDK);
    Ok(sdk.map(|sdk| {
        CheckupFinding::problem(
            "android",
            format!("its Android is older than 7 (API level {sdk}): no app can be opened by name"),
            "take a phone with Android 7 or newer, or update this one",
        )
    }))
}

/// Whether taps get through: a key that means nothing is refused like any other.
async fn input(device: &AdbDevice, maker: &Maker) -> CheckResult {
    let about = "input";
    let output = device.client().shell_quick("the input check", "input keyevent 0").await?;
    let told = output.combined();
    Ok(Some(match refusal::explain(&told) {
        Some((means, mend)) => CheckupFinding::problem(about, means, maker.mend(mend)),
        None if output.exit_code != 0 || told.contains("Exception") => CheckupFinding::unsure(
            about,
            format!("a key without a meaning was not taken: {}", output.summary()),
            "watch a first task: `ayeaye run 'Open the settings'`",
        ),
        None => CheckupFinding::fine(about, "taps and keys are let through"),
    }))
}

/// Whether texts of every script can be typed. `before` is what has to be switched on before a keyboard can
/// be put on the phone.
async fn keyboard(device: &AdbDevice, before: Option<&str>) -> CheckResult {
    let about = "keyboard";
    let (methods, has_yadb) = ime::query(device.client()).await?;
    Ok(Some(match ime::usable(device.id(), &methods) {
        Ok(id) => {
            let is_used = methods.current.as_ref() == Some(&id);
            let state = if is_used { "in use" } else { "there" };
            let version = version_of(device, &id).await?;
            let text =
                format!("ADBKeyboard{version} is {state}: texts of every script can be typed");
            CheckupFinding::fine(about, text)
        }
        Err(_) if has_yadb => {
            CheckupFinding::fine(about, "yadb is there: texts of every script can be typed")
        }
        Err(_) if ime::find(&methods).is_none() => CheckupFinding::unsure(
            about,
            "only ASCII can be typed: there is no keyboard for other scripts",
            {
                let first = before.map(|it| format!("{it}; after that ")).unwrap_or_default();
                format!(
                    "{first}`ayeaye setup {} --keyboard fetch` installs ADBKeyboard, and `--keyboard remove` \
                     takes it away",
                    device.id()
                )
            },
        ),
        Err(_) => {
            let (means, mend) = refusal::explain("WRITE_SECURE_SETTINGS").unwrap_or_default();
            CheckupFinding::unsure(
                about,
                format!("ADBKeyboard is installed, but {means}"),
                format!(
                    "{}; or choose ADBKeyboard as the keyboard on the phone itself",
                    before.unwrap_or(mend)
                ),
            )
        }
    }))
}

/// The version of a keyboard, with a space in front. An old one on a newer Android types nothing.
async fn version_of(device: &AdbDevice, id: &str) -> Result<String, DeviceError> {
    let Some(package) = id.split('/').next().filter(|it| is_package(it)) else {
        return Ok(String::new());
    };
    let ask = format!("dumpsys package {package} | grep -E 'Package [[]|versionName='");
    let output = device.client().shell_quick("its keyboard", &ask).await?;
    Ok(version_name(&output.stdout, package).map(|it| format!(" {it}")).unwrap_or_default())
}

/// Writes a setting the value that it has, and prints that first.
///
/// In one command, and not the screen timeout where there is another: a run changes that, and one that ends between
/// the two would have its own value written over the one it has just put back. That of touch sounds only people
/// change.
pub(crate) const WRITE_AGAIN: &str = "key=sound_effects_enabled; \
    now=$(settings --user current get system $key | grep -x '[0-9][0-9]*'); \
    [ -n \"$now\" ] || { key=screen_off_timeout; \
    now=$(settings --user current get system $key | grep -x '[0-9][0-9]*'); }; \
    [ -n \"$now\" ] && echo \"$now\" && settings --user current put system $key \"$now\"";

/// Whether settings may be written, tried with a value that is there already.
async fn settings(device: &AdbDevice, maker: &Maker) -> CheckResult {
    let about = "settings";
    Ok(settings_refusal(device).await?.map(|refused| match refused {
        None => CheckupFinding::fine(about, "may be written, and are put back after a task"),
        Some((means, mend)) => CheckupFinding::unsure(about, means, maker.mend(&mend)),
    }))
}

/// Why settings may not be written, and what to do about it; the outer `None` where there is nothing to try
/// it with.
async fn settings_refusal(
    device: &AdbDevice,
) -> Result<Option<Option<(String, String)>>, DeviceError> {
    let output = device.client().shell_quick("the settings check", WRITE_AGAIN).await?;
    // What comes before the value is no refusal of a change.
    let is_value = |line: &str| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
    let mut lines = output.stdout.lines().map(str::trim);
    if !lines.any(is_value) {
        return Ok(None);
    }
    let output = output.with_stdout(&lines.collect::<Vec<_>>().join("\n"));
    let told = output.combined();
    // Before Android 8 a refusal ends with 0 too.
    if output.exit_code == 0 && !told.contains("Exception") {
        return Ok(Some(None));
    }
    let (means, mend) = match refusal::explain(&told) {
        Some((means, mend)) => (means.to_owned(), mend.to_owned()),
        None => (
            format!("may not be written: {}", sanitize(&output.summary())),
            "raise the screen timeout on the phone itself (Display > Screen timeout)".to_owned(),
        ),
    };
    Ok(Some(Some((means, mend))))
}

/// After how long the screen goes off. `refused` is what to do where settings may not be written.
async fn sleep(device: &AdbDevice, refused: Option<String>) -> CheckResult {
    let about = "sleep";
    let ask = batch(&[
        TIMEOUT,
        "settings get global stay_on_while_plugged_in",
        "dumpsys battery | grep powered",
    ]);
    let output = device.client().shell_quick("the screen timeout", &ask).await?;
    let [timeout, stay_on, powered] = split_batch(&output.stdout);
    let Ok(ms) = timeout.trim().parse::<u64>() else { return Ok(None) };
    let stays = stay_on.trim().parse::<u32>().is_ok_and(|mask| mask != 0);
    let powered = powered.contains("powered: true");
    if stays && powered {
        let text = "the screen stays on while the phone is plugged in";
        return Ok(Some(CheckupFinding::fine(about, text)));
    }
    let off = format!("the screen goes off after {} s without a touch", ms / 1000);
    Ok(Some(match refused {
        None => CheckupFinding::fine(about, format!("{off}; while a task runs it is kept on")),
        Some(mend) => CheckupFinding::unsure(
            about,
            format!("{off}, also while a task runs: this setting cannot be changed over adb"),
            format!("{mend}, or raise the screen timeout on the phone itself"),
        ),
    }))
}
