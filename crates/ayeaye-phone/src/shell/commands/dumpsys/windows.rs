//! `dumpsys window`: windows, focus and the lock screen.
use super::{dialog_token, focused_token, record, tasks, token};
use crate::device::VirtualPhone;
use crate::os::state::DialogWindow;

/// Everything, for no argument.
pub(super) fn all(device: &VirtualPhone) -> String {
    if device.faults().plan().no_window_list {
        return policy(device);
    }
    format!(
        "WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n{}\n{}\n{}\n{}",
        last_anr(device),
        policy(device),
        displays(device),
        list(device)
    )
}

/// A copy of what was shown when an app hung, if one has. Android keeps it for two hours.
fn last_anr(device: &VirtualPhone) -> String {
    if !device.faults().plan().app_hung {
        return "  <no ANR has occurred since boot>\n".to_owned();
    }
    let of_then = |now: String| now.replace(&device.phone().foreground().package, HUNG);
    let list = list(device);
    let (_, windows) = list.split_once('\n').unwrap_or_default();
    format!(
        "  ANR time: May 12, 2026 9:41:00 AM\n  Application at fault: ActivityRecord{{1b2c3d4 u0 {HUNG}/.Main t42}}\n  \
         Reason: Input dispatching timed out\n  isKeyguardShowing=true\n\n{}\nLast ANR continued\n{}",
        of_then(windows.to_owned()),
        of_then(displays(device)),
    )
}

const HUNG: &str = "com.example.hung";

/// What the rules for the bars note of the app in front, until Android 11; before 10 that is part of the policy.
fn app_of_bars(device: &VirtualPhone, of: std::ops::RangeInclusive<u32>) -> String {
    if !of.contains(&device.phone().options().sdk) {
        return String::new();
    }
    let Some((number, front)) = tasks(device).into_iter().next() else {
        return String::new();
    };
    format!("    mFocusedApp=Token{{{} {}}}\n", token(&front.package), record(&front, number))
}

/// A window of the list.
struct Listed {
    token: String,
    title: String,
    package: String,
    owner: u32,
    /// Where it lies, and what it is.
    place: &'static str,
    kind: &'static str,
    flags: &'static str,
    size: (i32, i32),
    shown: bool,
}

impl Listed {
    /// A window that fills the screen.
    fn whole(title: &str, size: (u32, u32), shown: bool) -> Self {
        let package = title.split_once('/').map_or("com.android.systemui", |(package, _)| package);
        let pixels = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
        Self {
            token: token(title),
            title: title.to_owned(),
            package: package.to_owned(),
            owner: 10_095,
            place: "(fillxfill) sim={adjust=resize}",
            kind: "BASE_APPLICATION",
            flags: "LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED",
            size: (pixels(size.0), pixels(size.1)),
            shown,
        }
    }

    /// As `AlertDialog` makes it: no larger than it is, and what is behind it is dimmed.
    fn dialog(dialog: &DialogWindow) -> Self {
        let token = dialog_token(&dialog.title);
        let of_system = dialog.package == "android";
        if of_system && dialog.title.contains('/') {
            // Which copy of an app is meant, an activity asks.
            return Self { token, size: dialog.size, ..Self::whole(&dialog.title, (0, 0), true) };
        }
        Self {
            token,
            title: dialog.title.clone(),
            package: dialog.package.to_owned(),
            owner: if of_system { 1000 } else { 10_095 },
            place: "(wrapxwrap) gr=CENTER sim={adjust=pan}",
            kind: if of_system { "SYSTEM_ERROR" } else { "APPLICATION" },
            flags: "DIM_BEHIND SPLIT_TOUCH HARDWARE_ACCELERATED",
            size: dialog.size,
            shown: true,
        }
    }
}

/// Windows from top to bottom. Since Android 10 the focus is not part of this.
pub(super) fn list(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let focused = phone.focused_window();
    let front = phone.foreground().full();
    let dialogs = phone.dialog_windows();
    let mut titles =
        vec!["NavigationBar0".to_owned(), "NotificationShade".to_owned(), "StatusBar".to_owned()];
    if phone.keyboard_shown() {
        titles.push("InputMethod".to_owned());
    }
    let is_dialog = dialogs.iter().any(|dialog| dialog.has_focus);
    if !is_dialog && !titles.contains(&focused) {
        titles.push(focused.clone());
    }
    let system = titles.len();
    for (_, task) in tasks(device) {
        let title = task.full();
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let bars = ["NavigationBar0", "StatusBar", "InputMethod"];
    let whole = |title: &String| {
        let shown = *title == focused || *title == front || bars.contains(&title.as_str());
        Listed::whole(title, phone.display_size(), shown)
    };
    let mut windows: Vec<Listed> = titles.iter().map(whole).collect();
    windows.splice(system..system, dialogs.iter().map(Listed::dialog));
    let mut text = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n".to_owned();
    for (index, window) in windows.iter().enumerate() {
        let Listed { token, title, package, owner, place, kind, flags, size, shown } = window;
        let hidden = *title == front && *kind == "BASE_APPLICATION" && phone.is_secure();
        let secure = if hidden { " SECURE" } else { "" };
        push_fmt!(
            text,
            "  Window #{index} Window{{{token} u0 {title}}}:\n    \
             mDisplayId=0 rootTaskId=1 mSession=Session{{59e06c8 819:u0a10095}} mClient=android.os.BinderProxy@88820ad\n    \
             mOwnerUid={owner} showForAllUsers=true package={package} appop=NONE\n    \
             mAttrs={{(0,0){place} ty={kind} fmt=TRANSPARENT\n      \
             fl={flags}{secure}}}\n    \
             Requested w={width} h={height} mLayoutSeq=108\n    \
             mHasSurface={shown} isReadyForDisplay()={shown} mWindowRemovalAllowed=false\n    \
             isOnScreen={shown}\n    isVisible={shown}\n",
            width = size.0,
            height = size.1,
        );
    }
    push_fmt!(
        text,
        "\n  mGlobalConfiguration={{1.0 ?mcc?mnc [en_US] ldltr sw411dp w411dp h891dp port finger}}\n  \
         mHasPermanentDpad=false\n  mTopFocusedDisplayId={in_focus}\n  \
         imeLayeringTarget in display# 0 Window{{{token} u0 {focused}}}\n  \
         imeInputTarget in display# 0 Window{{{token} u0 {focused}}}\n  \
         mInTouchMode=true\n",
        in_focus = if device.faults().plan().other_display { OTHER_DISPLAY } else { 0 },
        token = focused_token(phone),
    );
    text
}

/// The display that a fault adds.
const OTHER_DISPLAY: u32 = 4;

/// What is told of that one; nothing where it is not there.
fn other_display(device: &VirtualPhone) -> String {
    if !device.faults().plan().other_display {
        return String::new();
    }
    format!(
        "  Display: mDisplayId={OTHER_DISPLAY} (organized)\n    init=1240x1080 300dpi cur=1240x1080 app=1240x1080 rng=1080x1080-1240x1240\n  \
         mCurrentFocus=Window{{5a1c2d3 u0 com.example.clock/com.example.clock.Main}}\n  \
         mFocusedApp=ActivityRecord{{6b2d3e4 u0 com.example.clock/.Main t9}}\n\n"
    )
}

/// The display: its size, and the focused window and app.
pub(super) fn displays(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let options = phone.options();
    let (width, height) = phone.display_size();
    let (natural_width, natural_height) = (options.width, options.height);
    let density = options.density;
    let base = match (phone.size_override(), phone.density_override()) {
        (None, None) => String::new(),
        (size, forced) => {
            let (w, h) = size.unwrap_or((natural_width, natural_height));
            format!(" base={w}x{h} {}dpi", forced.unwrap_or(density))
        }
    };
    let focused = phone.focused_window();
    let focus = format!("Window{{{} u0 {focused}}}", focused_token(phone));
    let Some((number, front)) = tasks(device).into_iter().next() else {
        return String::new();
    };
    let app = record(&front, number);
    let locked = phone.is_locked();
    let rotation = phone.rotation();
    let free = phone.setting("system", "accelerometer_rotation").as_deref() == Some("1");
    format!(
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n{other}  \
         Display: mDisplayId=0 (organized)\n    \
         init={natural_width}x{natural_height} {density}dpi mMinSizeOfResizeableTaskDp=220{base} cur={width}x{height} app={width}x{height} rng={short}x{short}-{long}x{long}\n    \
         deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion()\n\n  \
         mLayoutSeq=108\n  \
         mCurrentFocus={focus}\n  mFocusedApp={app}\n\n  \
         DisplayRotation\n    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED\n    \
         mLastOrientation=-1\n    mRotation={rotation} mDeferredRotationPauseCount=0\n    \
         WindowOrientationListener\n      mEnabled={free}\n      mCurrentRotation=ROTATION_{degrees}\n    \
         mUserRotationMode=USER_ROTATION_{mode} mUserRotation=ROTATION_{degrees}\n\n  \
         DisplayPolicy\n    mDreamingLockscreen={locked} mShowingDream=false\n    \
         mTopFullscreenOpaqueWindowState=Window{{{token} u0 {full}}}\n    \
         mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}\n{bars}",
        other = other_display(device),
        bars = app_of_bars(device, 29..=30),
        short = width.min(height),
        long = width.max(height),
        mode = if free { "FREE" } else { "LOCKED" },
        degrees = u32::from(rotation) * 90,
        token = token(&front.class),
        full = front.full(),
        awake = phone.is_awake(),
    )
}

/// The keyguard: awake, locked, secure.
pub(super) fn policy(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let (awake, locked) = (phone.is_awake(), phone.is_locked());
    let secure = phone.has_pin();
    let (screen, interactive) = if awake {
        ("SCREEN_STATE_ON", "INTERACTIVE_STATE_AWAKE")
    } else {
        ("SCREEN_STATE_OFF", "INTERACTIVE_STATE_SLEEP")
    };
    format!(
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    \
         mSafeMode=false mSystemReady=true mSystemBooted=true\n    \
         mCameraLensCoverState=CAMERA_LENS_COVER_ABSENT\n    mWakeGestureEnabledSetting=false\n    \
         mUiMode=UI_MODE_TYPE_NORMAL mEnableCarDockHomeCapture=true\n    \
         mShortPressOnPowerBehavior=SHORT_PRESS_POWER_GO_TO_SLEEP\n    \
         mShowingLockscreen={locked} mDreamingLockscreen={locked} isKeyguardShowing={locked}\n    \
         mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}\n{bars}    \
         KeyguardServiceDelegate\n      showing={locked}\n      showingAndNotOccluded={locked}\n      \
         inputRestricted={locked}\n      occluded=false\n      secure={secure}\n      dreaming=false\n      \
         systemIsReady=true\n      deviceHasKeyguard=true\n      enabled=true\n      \
         offReason=OFF_BECAUSE_OF_USER\n      currentUser=-10000\n      bootCompleted=true\n      \
         screenState={screen}\n      interactiveState={interactive}\n      KeyguardStateMonitor\n        \
         mIsShowing={locked}\n        mSimSecure=false\n        mInputRestricted={locked}\n        \
         mTrusted=false\n        mCurrentUserId=0\n",
        bars = app_of_bars(device, 0..=28),
    )
}
