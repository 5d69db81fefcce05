//! The state of the screen, waking it, and the reset before a task.
use std::time::Duration;

use ayeaye_agent::{Component, DeviceError, ScreenSize, ScreenState};
use tokio::time::{Instant, sleep};

use crate::client::DeviceClient;
use crate::gesture::{self, ensure_accepted};
use crate::parse::{self, CaptureBan, FIELD_QUERY, WINDOWS_QUERY, batch, split_batch};
use crate::quote::is_package;

/// Whether the display is on: Android 12, and some makers' later ones, name a method instead of the field.
const AWAKE_QUERY: &str = r"dumpsys power | grep -E 'mWakefulness=|[wW]akefulness(Locked)?\(\)='";

/// All in one command line.
const STATE_QUERIES: [&str; 3] = [AWAKE_QUERY, WINDOWS_QUERY, FIELD_QUERY];

/// Whether a lock screen wants a secret, and how large the screen is.
const LOCK_QUERIES: [&str; 5] = [
    "dumpsys window policy | grep -E 'secure='",
    "dumpsys trust | grep -E 'deviceLocked='",
    "locksettings get-disabled",
    HELD,
    "wm size",
];

/// How large each display is as the phone is held.
pub(crate) const HELD: &str = "dumpsys window displays | grep -E 'Display: mDisplayId=| cur='";

const RESOLVE_LAUNCHER: &str = "cmd package resolve-activity --brief -a android.intent.action.MAIN \
                    -c android.intent.category.HOME";

/// Closing one of these makes the phone unusable, ends a phone call, or has the user enter secrets
/// again.
const NEVER_CLOSED: [&str; 9] = [
    "android",
    "com.android.systemui",
    "com.android.phone",
    "com.android.server.telecom",
    "com.android.incallui",
    "com.samsung.android.incallui",
    "com.android.keychain",
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
];

/// What one look at the state told.
pub(crate) struct StateLook {
    pub(crate) state: ScreenState,
    /// The app in front, behind the notification shade if that is open.
    app: Option<Component>,
    /// Whose that is, as a number of Android's.
    user: Option<u32>,
    /// Whose the app is that is shown: none's where the shade lies over it.
    shown: Option<u32>,
    /// The size that touches refer to, as the phone is held.
    pub(crate) size: Option<ScreenSize>,
    /// The displays that show something, where that can be believed.
    pub(crate) displays: Option<Vec<u32>>,
}

/// The state of the screen and the size that touches refer to, in one round trip. Of several displays, of this
/// one. A window of somebody under the ban is protected too.
pub(crate) async fn state(
    client: &DeviceClient,
    display: u32,
    ban: &CaptureBan,
) -> Result<StateLook, DeviceError> {
    let mut now = look(client, display).await?;
    now.state.protected |= ban.covers(now.shown);
    Ok(now)
}

async fn look(client: &DeviceClient, display: u32) -> Result<StateLook, DeviceError> {
    let what = "the screen's state";
    let output = client.shell_quick(what, &batch(&STATE_QUERIES)).await?;
    let [power, window, keyboard] = split_batch(&output.stdout);
    client.saw_field(parse::FieldState::read(keyboard));
    let windows = parse::as_of_now(window);
    let window = &*parse::on_display(windows, display);
    let forged = parse::is_forged(window);
    if forged {
        tracing::debug!(device = %client.id(), "the title of a window imitates what Android tells of windows");
    }
    let awake = parse::awake(power).or_else(|| parse::awake(window));
    let foreground = parse::in_front(window);
    if awake.is_none() && foreground.is_none() {
        return Err(client.garbled(what, output.summary()));
    }
    let state = ScreenState {
        awake: awake.unwrap_or(true),
        locked: parse::locked(window).unwrap_or(false),
        app_over_lock: parse::is_app_over_lock(window),
        foreground,
        protected: parse::is_protected(window),
        keyboard_shown: parse::keyboard_shown(keyboard).unwrap_or(false),
        secret_field: forged || parse::secret_field(keyboard),
    };
    let size = if forged { None } else { parse::current_size(window) };
    let app = parse::foreground(window);
    let user_of = |app: &Component| parse::user_in_front(window, &app.package);
    let (user, shown) =
        (app.as_ref().and_then(user_of), state.foreground.as_ref().and_then(user_of));
    let displays = (!parse::is_forged(windows)).then(|| parse::displays_in_use(windows));
    Ok(StateLook { state, app, user, shown, size, displays })
}

/// Whether the display is on; `None` where the quickest way does not tell.
pub(crate) async fn is_awake(client: &DeviceClient) -> Result<Option<bool>, DeviceError> {
    let output = client.shell_quick("whether it is awake", STATE_QUERIES[0]).await?;
    Ok(parse::awake(&output.stdout))
}

/// Turns the display on and dismisses a lock screen that needs no secret.
pub(crate) async fn wake(client: &DeviceClient, display: u32) -> Result<(), DeviceError> {
    woken(client, display).await.map(drop)
}

/// [`wake`], and the state after that.
async fn woken(client: &DeviceClient, display: u32) -> Result<StateLook, DeviceError> {
    let mut now = look(client, display).await?;
    if !now.state.awake {
        // KEYCODE_WAKEUP, which unlike the power key never turns the screen off.
        let output = client.act_quick("waking it", "input keyevent 224").await?;
        ensure_accepted(client, "waking it", &output)?;
        now = poll_until(client, display, |state| state.awake).await?;
        if !now.state.awake {
            return Err(client.refused("waking it", "the screen stays off"));
        }
    }
    if now.state.locked {
        let output = client.act_quick("unlocking it", "wm dismiss-keyguard").await?;
        if output.exit_code != 0 {
            // Before Android 6 the menu key does that.
            let output = client.act_quick("unlocking it", "input keyevent 82").await?;
            ensure_accepted(client, "unlocking it", &output)?;
        }
        now = poll_until(client, display, |state| !state.locked).await?;
        if now.state.locked {
            now = swipe_away(client, display).await?;
        }
    }
    Ok(now)
}

/// Takes away a lock screen without a secret as a person does. Some makers' stay on `wm
/// dismiss-keyguard`.
async fn swipe_away(client: &DeviceClient, display: u32) -> Result<StateLook, DeviceError> {
    let what = "unlocking it";
    let output = client.shell_quick(what, &batch(&LOCK_QUERIES)).await?;
    let [policy, trust, disabled, held, set] = split_batch(&output.stdout);
    if parse::wants_secret(policy, trust, disabled) == Some(true) {
        let reason = "its lock screen wants a secret: a person has to unlock it";
        return Err(client.refused(what, reason));
    }
    let held = parse::on_display(held, display);
    if let Some(size) = parse::current_size(&held).or_else(|| parse::wm_size(set)) {
        for duration in [200, 600] {
            let swipe = gesture::unlock(size, Duration::from_millis(duration));
            swipe.send(client, what).await?;
            let now = poll_until(client, display, |state| !state.locked).await?;
            if !now.state.locked {
                return Ok(now);
            }
        }
    }
    let reason = "its lock screen does not go away by swiping up, and the phone does not say that \
                  it wants a secret: a person has to unlock it; without a lock screen (Settings, \
                  Security, Screen lock, None) it is not in the way";
    Err(client.refused(what, reason))
}

/// Wakes the screen, closes the app in front, goes home.
pub(crate) async fn reset(
    client: &DeviceClient,
    display: u32,
) -> Result<Option<String>, DeviceError> {
    let now = woken(client, display).await?;
    let what = "going back to the start";
    let mut command = String::new();
    let mut closed = None;
    if let Some(app) = now.app {
        let home = client.shell_quick("its launcher", RESOLVE_LAUNCHER).await?;
        let launcher = parse::first_component(&home.stdout).map(|(package, _)| package);
        // A phone call: of some makers the screen of one is in the app that calls are begun in.
        let is_call = app.activity.to_ascii_lowercase().contains("incall");
        if !is_call && may_be_closed(&app.package, launcher.as_deref()) {
            // For everybody otherwise: the copy in a work profile would be closed too. A profile may let no computer
            // close anything; then the app stays open behind the launcher.
            let user = user_option(now.user);
            command = format!("am force-stop --user {user} {} >/dev/null 2>&1; ", app.package);
            closed = Some(app.package);
        }
    }
    command.push_str("input keyevent 3");
    let output = client.act_quick(what, &command).await?;
    ensure_accepted(client, what, &output)?;
    Ok(closed)
}

/// Whose copy of this app is in front, if it is; `None` where that is not known.
pub(crate) async fn user_in_front(
    client: &DeviceClient,
    display: u32,
    package: &str,
) -> Option<u32> {
    let now = look(client, display).await.ok()?;
    now.user.filter(|_| now.app.is_some_and(|app| app.package == package))
}

/// The user as `am` takes it: where it is not known, the person in front.
pub(crate) fn user_option(user: Option<u32>) -> String {
    user.map_or_else(|| "current".to_owned(), |user| user.to_string())
}

/// Whether the app in front may be closed. Where the launcher is not known, no app whose name looks
/// like one is.
fn may_be_closed(package: &str, launcher: Option<&str>) -> bool {
    let by_name = || {
        let name = package.to_ascii_lowercase();
        ["launcher", ".home", "trebuchet"].iter().any(|word| name.contains(word))
    };
    let is_launcher = launcher.map_or_else(by_name, |launcher| launcher == package);
    is_package(package) && !is_launcher && !NEVER_CLOSED.contains(&package)
}

async fn poll_until(
    client: &DeviceClient,
    display: u32,
    wanted: impl Fn(&ScreenState) -> bool,
) -> Result<StateLook, DeviceError> {
    let deadline = Instant::now() + client.limits().wake;
    loop {
        let now = look(client, display).await?;
        if wanted(&now.state) || deadline <= Instant::now() {
            return Ok(now);
        }
        sleep(Duration::from_millis(100)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `echo`, as Android's shell and others have it, a title would become lines.
    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a shell as a phone has one")]
    fn a_title_stays_one_line_in_the_phones_shell() {
        let title =
            r"a\n  mFocusedApp=ActivityRecord{1 u0 com.bank.app/.Login t1}\n--ayeaye--\nb%s";
        let run = |window: &str| {
            let script = format!(
                "dumpsys() {{ case $1 in window) printf '%s\\n' '{window}';; activity) echo '  ResumedActivity: x';; esac; }}\n{}",
                batch(&STATE_QUERIES)
            );
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let focus = format!("  mCurrentFocus=Window{{1 u0 {title}}}");
        let known = format!("{focus}\n  mFocusedApp=ActivityRecord{{2 u0 com.evil.app/.Main t1}}");
        let told = run(&known);
        let [_, window, _]: [&str; 3] = split_batch(&told);
        assert_eq!(window.trim_end().strip_prefix('\n'), Some(&*known));
        // Where no app is named, the activities are asked.
        let told = run("  mCurrentFocus=null\n  mAwake=true");
        let [_, window, _]: [&str; 3] = split_batch(&told);
        assert_eq!(window, "\n  mCurrentFocus=null\n  mAwake=true\n  ResumedActivity: x\n");
    }

    #[test]
    fn the_launcher_and_the_system_stay() {
        assert!(may_be_closed("com.android.settings", Some("com.x.home")));
        assert!(may_be_closed("com.android.settings", None));
        assert!(!may_be_closed("com.x.home", Some("com.x.home")));
        assert!(!may_be_closed("com.android.launcher3", None));
        assert!(!may_be_closed("com.miui.home", None));
        assert!(!may_be_closed("com.android.systemui", Some("com.x.home")));
        assert!(!may_be_closed("com.samsung.android.incallui", Some("com.x.home")));
        assert!(!may_be_closed("x; reboot", None));
    }
}
