//! `dumpsys`: the lines that agents parse, as Android 14 prints them.
//!
//! Real dumps are thousands of lines. These hold what tools are known to parse, with enough context
//! for a careless search to find the wrong line here, too.
mod display;
mod short;
mod windows;

use super::{
    CommandOutput, package,
    screencap::{COVER_ID, DISPLAY_ID},
    system,
};
use crate::{device::VirtualPhone, packages::Component, phone::Phone};

pub(super) fn run(device: &VirtualPhone, mut words: &[&str]) -> CommandOutput {
    while let ["-t" | "-T", _, rest @ ..] = words
        && !rest.is_empty()
    {
        words = rest;
    }
    let mut words = words.to_vec();
    if let ["window" | "activity" | "package" | "SurfaceFlinger", rest @ ..] = &words[..] {
        // "All", which these show anyway.
        let all = rest.iter().take_while(|word| **word == "-a").count();
        words.drain(1..=all);
    }
    match &words[..] {
        ["-l"] => CommandOutput::ok(format!(
            "Currently running services:\n{}",
            system::service_names("  ")
        )),
        ["window"] => CommandOutput::ok(windows::all(device)),
        ["window", "windows" | "w"] => CommandOutput::ok(windows::list(device)),
        ["window", "displays" | "d"] => CommandOutput::ok(windows::displays(device)),
        ["window", "policy" | "p"] => CommandOutput::ok(windows::policy(device)),
        ["display"] => CommandOutput::ok(display::display(device)),
        ["input"] => CommandOutput::ok(display::input(device)),
        ["input_method"] => CommandOutput::ok(input_method(device)),
        ["activity"] => CommandOutput::ok(format!("{}\n{}", activities(device), recents(device))),
        ["activity", "activities" | "a"] => CommandOutput::ok(activities(device)),
        ["activity", "starter"] => CommandOutput::ok(starter(device)),
        ["activity", "top"] => CommandOutput::ok(top(device)),
        ["activity", "recents" | "r"] => CommandOutput::ok(recents(device)),
        ["power"] => CommandOutput::ok(power(device)),
        ["audio"] => CommandOutput::ok(AUDIO),
        ["device_state"] => CommandOutput::ok(display::device_state(device)),
        ["battery"] => CommandOutput::ok(battery(device)),
        ["package"] | ["package", "packages"] => package::dump_all(device),
        ["package", name] => package::dump(device, name),
        ["SurfaceFlinger"] => CommandOutput::ok(short::surface_flinger(device)),
        ["meminfo"] => CommandOutput::ok(short::memory(device)),
        ["meminfo", name] if !name.starts_with('-') => short::memory_of(device, name),
        ["cpuinfo"] => CommandOutput::ok(short::cpu(device)),
        ["gfxinfo"] => CommandOutput::ok(short::graphics(device, None)),
        ["gfxinfo", name] => CommandOutput::ok(short::graphics(device, Some(name))),
        ["notification"] | ["notification", "--noredact"] => {
            CommandOutput::ok(short::NOTIFICATIONS)
        }
        ["SurfaceFlinger", "--display-id"] => {
            let display = |id: &str, port: u8| {
                format!(
                    "Display {id} (HWC display {port}): port={port} pnpId=AYE displayName=\"Virtual\"\n"
                )
            };
            let cover = device.faults().plan().fold.map(|_| display(COVER_ID, 1));
            CommandOutput::ok(display(DISPLAY_ID, 0) + &cover.unwrap_or_default())
        }
        ["device_policy"] => CommandOutput::ok(short::DEVICE_POLICY),
        ["trust"] => CommandOutput::ok(trust(device)),
        [option, ..] if option.starts_with('-') => {
            CommandOutput::unsupported(device, &format!("dumpsys {option}"))
        }
        [] | ["SurfaceFlinger" | "window" | "activity" | "package", ..] => {
            CommandOutput::unsupported(device, &format!("dumpsys {}", words.join(" ")))
        }
        [service, ..] if system::SERVICES.contains(service) => {
            CommandOutput::unsupported(device, &format!("dumpsys {service}"))
        }
        [service, ..] => {
            CommandOutput::malformed(device, 0, format!("Can't find service: {service}\n"))
        }
    }
}

/// The hash in the name of an object, stable for one title.
fn token(title: &str) -> String {
    let hash = title
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{:07x}", hash & 0x0fff_ffff)
}

/// That of a dialog, which has the title of its activity.
fn dialog_token(title: &str) -> String {
    token(&format!("dialog of {title}"))
}

/// That of the window with the focus.
fn focused_token(phone: &Phone) -> String {
    let focused = phone.dialog_windows().into_iter().find(|dialog| dialog.has_focus);
    focused.map_or_else(|| token(&phone.focused_window()), |dialog| dialog_token(&dialog.title))
}

/// `ActivityRecord{…}` with the number of its task.
fn record(component: &Component, task: usize) -> String {
    format!("ActivityRecord{{{} u0 {} t{task}}}", token(&component.class), component.short())
}

/// The id of the home screen's task.
const HOME_TASK: usize = 1;

/// Tasks with their ids, the foreground one first.
fn tasks(device: &VirtualPhone) -> Vec<(usize, Component)> {
    let front = device.phone().foreground();
    let mut tasks = device.phone().tasks();
    tasks.retain(|task| *task != front);
    tasks.insert(0, front);
    // An app keeps its id however the order changes.
    let number = |task: &Component| {
        if task.package == package::home().package {
            return HOME_TASK;
        }
        2 + task.package.bytes().map(usize::from).sum::<usize>() % 997
    };
    tasks.into_iter().map(|task| (number(&task), task)).collect()
}

/// The activity with which a task began; its own for the home screen.
pub(super) fn base(device: &VirtualPhone, task: &Component) -> Component {
    device.phone().base_activity(&task.package).unwrap_or_else(|| task.clone())
}

/// The tasks with their numbers, and the home screen's, which is always there.
pub(super) fn tasks_and_home(device: &VirtualPhone) -> Vec<(usize, Component)> {
    let (mut tasks, home) = (tasks(device), package::home());
    if !tasks.iter().any(|(_, task)| task.package == home.package) {
        tasks.push((HOME_TASK, home));
    }
    tasks
}

/// Whether an app is resumed: not while the phone sleeps or is locked.
pub(super) fn resumed(device: &VirtualPhone) -> bool {
    device.phone().is_awake() && !device.phone().is_locked()
}

fn activities(device: &VirtualPhone) -> String {
    let mut text = "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n\
        Display #0 (activities from top to bottom):\n"
        .to_owned();
    let resumed = resumed(device);
    let front = device.phone().foreground();
    for (number, task) in tasks(device) {
        let visible = resumed && task == front;
        let record = record(&task, number);
        let (package, short) = (&task.package, task.short());
        push_fmt!(
            text,
            "  * Task{{{token} #{number} type=standard A=10123:{package} U=0 visible={visible} visibleRequested={visible} mode=fullscreen translucent={hidden} sz=1}}\n",
            token = token(package),
            hidden = !visible,
        );
        if visible {
            push_fmt!(text, "    mResumedActivity: {record}\n");
        } else {
            push_fmt!(text, "    mLastPausedActivity: {record}\n");
        }
        push_fmt!(
            text,
            "    * Hist  #0: {record}\n        packageName={package} processName={package}\n        \
             mActivityComponent={short}\n        state={state} delayedResume=false finishing=false\n\n",
            state = if visible { "RESUMED" } else { "STOPPED" },
        );
    }
    if resumed {
        let number = tasks(device).first().map_or(0, |task| task.0);
        let record = record(&front, number);
        push_fmt!(text, "  topResumedActivity={record}\n\n  ResumedActivity: {record}\n\n");
    }
    let locked = device.phone().is_locked();
    push_fmt!(
        text,
        "ActivityTaskSupervisor state:\n  topDisplayFocusedRootTask=Task{{{token}}}\n  \
         mCurTaskIdForUser={{0=12}}\n  isHomeRecentsComponent=true\n\
         KeyguardController:\n  mKeyguardShowing={locked}\n  mAodShowing=false\n  \
         mKeyguardGoingAway=false\n  isKeyguardShowing={locked}\n",
        token = token(&front.package),
    );
    text
}

/// What was started last.
fn starter(device: &VirtualPhone) -> String {
    let front = device.phone().foreground();
    format!(
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity starter)\nActivityStarter:\n  mCurrentUser=0\n  \
         mLastStartReason=startActivityAsUser\n  mLastStartActivityResult=0\n  mLastStartActivityRecord:\n   \
         packageName={package} processName={package}\n   \
         Intent {{ act=android.intent.action.MAIN flg=0x10000000 cmp={short} }}\n",
        package = front.package,
        short = front.short(),
    )
}

fn top(device: &VirtualPhone) -> String {
    let Some((number, front)) = tasks(device).into_iter().next() else {
        return String::new();
    };
    format!(
        "TASK {} id={number} userId=0\n  ACTIVITY {} {} pid={}\n    Local Activity {} State:\n      \
         mResumed={} mStopped=false mFinished=false\n",
        front.package,
        front.short(),
        token(&front.class),
        system::process_id(&front.package),
        token(&front.package),
        resumed(device),
    )
}

fn recents(device: &VirtualPhone) -> String {
    let mut text = "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\nmRecentsUid=10095\n\
        mRecentsComponent=null\nmFreezeTaskListReordering=false\n  Recent tasks:\n"
        .to_owned();
    for (index, (number, task)) in tasks(device).iter().enumerate() {
        push_fmt!(
            text,
            "  * Recent #{index}: Task{{{} #{number} type=standard A=10123:{package}}}\n    \
             userId=0 effectiveUid=u0a123 mCallingUid=2000 mUserSetupComplete=true\n    \
             affinity=10123:{package}\n    realActivity={{{base}}}\n    topActivity={{{short}}}\n",
            token(&task.package),
            package = task.package,
            base = base(device, task).short(),
            short = task.short(),
        );
    }
    text
}

/// From Android 16 on `dumpsys input_method` names the keyboard of each user, and no longer that in use.
const FIRST_SDK_WITH_METHODS_OF_USERS: u32 = 36;
/// The keyboard of somebody who is not in front.
const OTHERS_KEYBOARD: &str = "com.example.guest/.GuestIME";

fn input_method(device: &VirtualPhone) -> String {
    let phone = device.phone();
    let (shown, current, awake) = (phone.keyboard_shown(), phone.input_method(), phone.is_awake());
    let input_type = input_type(phone);
    let started = input_type.is_some();
    let mut text =
        "Current Input Method Manager state:\n  Input Methods: mMethodMapUpdateCount=1\n"
            .to_owned();
    for (index, (id, _)) in phone.input_methods().iter().enumerate() {
        push_fmt!(text, "  InputMethod #{index}:\n    mId={id} mSettingsActivityName=null\n");
    }
    if FIRST_SDK_WITH_METHODS_OF_USERS <= phone.options().sdk {
        // Somebody else's, who is not in front, comes first.
        push_fmt!(
            text,
            "  mCurrentImeUserId=0\n  UserId=10\n    mSelectedMethodId={OTHERS_KEYBOARD}\n    mCurId=null\n    \
             mHasMainConnection=false\n  UserId=0\n    mSelectedMethodId={current}\n    mCurId={current}\n    \
             mHasMainConnection=true\n",
        );
    } else {
        push_fmt!(
            text,
            "  mCurMethodId={current}\n  \
             mCurId={current} mHaveConnection=true mBoundToMethod=true mVisibleBound={shown}\n"
        );
    }
    push_fmt!(
        text,
        "  mCurSeq=7 mCurTokenDisplayId=0\n  \
         mCurFocusedWindow=Window{{{token}}} softInputMode=STATE_UNSPECIFIED|ADJUST_RESIZE\n  \
         mShowRequested={shown} mShowExplicitlyRequested={shown} mShowForced=false mInputShown={shown}\n  \
         mInFullscreenMode=false\n  mSystemReady=true mInteractive={awake}\n",
        token = focused_token(phone),
    );
    push_fmt!(
        text,
        "\nInput method service state for {current}:\n  mWindowCreated=true mDecorViewVisible={shown} mWindowVisible={shown} mInShowWindow=false\n  \
         mInputStarted={started} mInputViewStarted={shown} mCandidatesViewStarted=false\n"
    );
    match input_type {
        Some(kind) => {
            let (start, end) = phone.selection().unwrap_or_default();
            let hint = phone.hint().filter(|hint| !hint.is_empty()).unwrap_or("null");
            push_fmt!(
                text,
                "  mInputEditorInfo:\n    inputType={kind:#x} imeOptions=0x2000006 privateImeOptions=null\n    \
                 actionLabel=null actionId=0\n    \
                 initialSelStart={start} initialSelEnd={end} initialCapsMode=0x0\n    \
                 hintText={hint} label=null\n    \
                 packageName={package} autofillId=1073741824 fieldId=2131296512 fieldName=null\n    \
                 extras=null\n",
                package = phone.foreground().package,
            );
        }
        None => push_fmt!(text, "  mInputEditorInfo: null\n"),
    }
    push_fmt!(text, "  mShowInputRequested={shown} mIsInputViewShown={shown}\n");
    if let Some((start, end)) = phone.selection() {
        push_fmt!(
            text,
            "\nInput method client state for {package}:\n  mFullscreenMode=false mActive=true\n  \
             mCursorSelStart={start} mCursorSelEnd={end} mCursorCandStart=-1 mCursorCandEnd=-1\n",
            package = phone.foreground().package,
        );
    }
    text
}

/// Android's `InputType` of the field in focus: text, of several lines, or the password variation of it.
fn input_type(phone: &Phone) -> Option<u32> {
    let state = phone.state();
    let field = state.nodes.iter().find(|node| node.focused && node.class.ends_with("EditText"))?;
    Some(match (field.password, phone.takes_lines()) {
        (true, _) => 0x81,
        (false, true) => 0x2_0001,
        (false, false) => 0x1,
    })
}

/// Whether a secret is needed to get in.
fn trust(device: &VirtualPhone) -> String {
    let locked = u8::from(device.phone().is_locked() && device.phone().has_pin());
    format!(
        "Trust manager state:\n User \"Owner\" (id=0, flags=0x4c13) (current): trusted=0, \
         trustManaged=0, deviceLocked={locked}, isActiveUnlockRunning=0, strongAuthRequired=0x0\n"
    )
}

fn power(device: &VirtualPhone) -> String {
    let awake = device.phone().is_awake();
    let (plugged, stays) = (device.phone().is_plugged(), device.phone().stays_on());
    let plug = if plugged { 2 } else { 0 };
    let timeout = device.phone().setting("system", "screen_off_timeout").unwrap_or_default();
    let (wakefulness, state) = if awake { ("Awake", "ON") } else { ("Asleep", "OFF") };
    format!(
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mDirty=0x0\n  \
         mWakefulness={wakefulness}\n  mWakefulnessChanging=false\n  mIsPowered={plugged}\n  mPlugType={plug}\n  \
         mBatteryLevel=87\n  mStayOn={stays}\n  mBootCompleted=true\n  mSystemReady=true\n  \
         mHoldingWakeLockSuspendBlocker=false\n  mHoldingDisplaySuspendBlocker={awake}\n\n\
         Settings and Configuration:\n  mScreenOffTimeoutSetting={timeout}\n\n\
         Display Power: state={state}\n"
    )
}

fn battery(device: &VirtualPhone) -> String {
    let plugged = device.phone().is_plugged();
    format!(
        "Current Battery Service state:\n  AC powered: false\n  USB powered: {plugged}\n{BATTERY}"
    )
}

const AUDIO: &str = "Media session service:\n- STREAM_RING:\n   Muted: false\n   Muted Internally: false\n   \
    Min: 0\n   Max: 7\n   streamVolume:5\n   Current: 2 (speaker): 5, 40000000 (default): 5\n   \
    Devices: speaker(2)\n- STREAM_MUSIC:\n   Muted: false\n   Muted Internally: false\n   Min: 0\n   Max: 15\n   \
    streamVolume:6\n   Current: 2 (speaker): 6, 40000000 (default): 6\n   Devices: speaker(2)\n";

const BATTERY: &str = "  \
    Wireless powered: false\n  Dock powered: false\n  Max charging current: 500000\n  \
    Max charging voltage: 5000000\n  Charge counter: 3480000\n  status: 2\n  health: 2\n  \
    present: true\n  level: 87\n  scale: 100\n  voltage: 4200\n  temperature: 250\n  \
    technology: Li-ion\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_name_the_short_class() {
        let component = Component { package: "a.b".to_owned(), class: "a.b.C".to_owned() };
        let text = record(&component, 7);
        assert!(text.starts_with("ActivityRecord{") && text.ends_with(" u0 a.b/.C t7}"), "{text}");
        assert_eq!(token("x"), token("x"));
        assert_ne!(token("x"), token("y"));
    }
}
