//! Starting an app as its icon does.
use std::fmt::Write as _;

use ayeaye_agent::{DeviceError, Performed};

use super::{InstalledApp, front, nothing_to_open};
use crate::client::DeviceClient;
use crate::parse::{batch, first_component, sanitize_up_to, split_batch};
use crate::quote::{is_package, quote};

/// `FLAG_ACTIVITY_NEW_TASK` and `FLAG_ACTIVITY_RESET_TASK_IF_NEEDED`, as a launcher sets
/// them: without them a running app would get a second copy of its first screen on top.
const LAUNCH_FLAGS: &str = "0x10200000";

/// The most characters of a refusal; Android names the whole intent before it says why.
const LONGEST_REFUSAL: usize = 400;

/// Starts an app, or brings one that is running to the front as it was left.
pub(super) async fn open(
    client: &DeviceClient,
    what: &str,
    app: &InstalledApp,
    display: u32,
) -> Result<Performed, DeviceError> {
    let InstalledApp { package, icon } = app;
    let launch = match icon {
        Some(icon) => Launch::Activity { activity: icon.activity.clone(), tv: icon.tv },
        None => look_up(client, what, package).await?,
    };
    match launch {
        Launch::Activity { activity, tv } => {
            start(client, what, package, &activity, tv, display).await?;
        }
        // It knows no displays.
        Launch::Unknown if display == 0 => start_by_monkey(client, what, package).await?,
        Launch::Unknown => {
            let why = "it does not tell what the icon of an app opens, and an app is opened on a further display by \
                       that only; open the app by its icon on the screen";
            return Err(client.refused(what, why));
        }
    }
    Ok(front::wait_for(client, package, display).await)
}

/// What the icon of an app starts.
enum Launch {
    Activity {
        activity: String,
        /// Its icon is among those of a television.
        tv: bool,
    },
    /// The phone does not tell, as before Android 7, which has no `cmd`.
    Unknown,
}

async fn look_up(client: &DeviceClient, what: &str, package: &str) -> Result<Launch, DeviceError> {
    debug_assert!(is_package(package), "lists are parsed");
    let ask = [false, true]
        .map(|tv| format!("cmd package resolve-activity --brief -c {} {package}", category(tv)));
    let output = client.shell_quick(what, &batch(&ask.each_ref().map(|it| &**it))).await?;
    let [phone, television] = split_batch(&output.stdout);
    for (told, tv) in [(phone, false), (television, true)] {
        if let Some((_, activity)) = first_component(told).filter(|(of, _)| of == package) {
            return Ok(Launch::Activity { activity, tv });
        }
    }
    // As `PackageManagerShellCommand` says it, in every language.
    if output.stdout.contains("No activity found") {
        return Err(nothing_to_open(client, what, package));
    }
    Ok(Launch::Unknown)
}

fn category(tv: bool) -> &'static str {
    if tv {
        "android.intent.category.LEANBACK_LAUNCHER"
    } else {
        "android.intent.category.LAUNCHER"
    }
}

async fn start(
    client: &DeviceClient,
    what: &str,
    package: &str,
    activity: &str,
    tv: bool,
    display: u32,
) -> Result<(), DeviceError> {
    let component = quote(&format!("{package}/{activity}"))
        .map_err(|error| client.not_sent(what, error.to_string()))?;
    // Without a number it comes to the first, whichever is lit; a closed phone may show another on its cover.
    let on = if display == 0 { String::new() } else { format!(" --display {display}") };
    let command = format!(
        "am start{on} -a android.intent.action.MAIN -c {} -f {LAUNCH_FLAGS} -n {component}",
        category(tv)
    );
    let output = client.act_quick(what, &command).await?;
    match refusal(&output.combined(), output.exit_code) {
        Some(told) => Err(client.refused(what, told)),
        None => Ok(()),
    }
}

/// By Android's own tester, which every version has and which finds the icon itself. It takes a second, and leaves the
/// screen free to turn: what its user had set is put back by the same line, whether or not anybody waits for its end.
async fn start_by_monkey(
    client: &DeviceClient,
    what: &str,
    package: &str,
) -> Result<(), DeviceError> {
    let turning = ["accelerometer_rotation", "user_rotation"];
    let ask = turning.map(|setting| format!("settings get system {setting}"));
    let told = client.shell_quick(what, &batch(&ask.each_ref().map(|it| &**it))).await?;
    let [turns, turned] = split_batch(&told.stdout).map(str::trim);
    let categories = [false, true].map(|tv| format!("-c {}", category(tv))).join(" ");
    let mut line = format!("monkey -p {package} {categories} 1");
    if turns == "0" && matches!(turned, "0" | "1" | "2" | "3") {
        // How it is turned first: that counts while it may not turn by itself.
        _ = write!(
            line,
            "; opened=$?; {{ settings put system user_rotation {turned}; settings put system \
             accelerometer_rotation 0; }} >/dev/null 2>&1; (exit $opened)"
        );
    }
    let output = client.act(what, &line, 2 * client.limits().shell).await?;
    let told = output.combined();
    if told.contains("No activities found") {
        return Err(nothing_to_open(client, what, package));
    }
    if told.contains("Events injected") {
        return Ok(());
    }
    let why = refusal(&told, output.exit_code).unwrap_or_else(|| output.summary());
    Err(client.refused(what, format!("{why}; open the app by its icon on the screen")))
}

/// Why an activity was not started, in Android's words: a line that says so, wherever it stands.
pub(crate) fn refusal(output: &str, exit_code: u8) -> Option<String> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let says_no = |line: &&str| {
        line.starts_with("Error")
            || line.contains("Exception:")
            || line.contains("Permission Denial")
    };
    // "Exception occurred while executing 'start'" says nothing that the next line does not.
    let complaints: Vec<&str> = lines()
        .filter(says_no)
        .filter(|line| !line.starts_with("Exception occurred"))
        .take(2)
        .collect();
    let told = match (complaints.as_slice(), exit_code) {
        ([], 0) => return None,
        ([], _) => lines().next_back().unwrap_or("no message").to_owned(),
        (several, _) => several.join("; "),
    };
    let way_out = if told.contains("not exported") {
        "; this phone does not let adb open it: open it by its icon"
    } else {
        ""
    };
    Some(format!("exit code {exit_code}: {}{way_out}", sanitize_up_to(&told, LONGEST_REFUSAL)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_with_the_line_that_says_why() {
        let denied = "Starting: Intent { act=android.intent.action.MAIN cmp=com.huawei.x/.Main }\n\n\
            Exception occurred while executing 'start':\n\
            java.lang.SecurityException: Permission Denial: starting Intent { cmp=com.huawei.x/.Main } \
            from null (pid=1, uid=2000) not exported from uid 10086\n\tat android.os.Parcel.x(Y.java:1)";
        let told = refusal(denied, 255).unwrap();
        assert!(told.contains("Permission Denial: starting Intent"), "{told}");
        assert!(told.contains("not exported from uid 10086; "), "{told}");
        assert!(told.contains("by its icon"), "{told}");
        let missing = "Error type 3\nError: Activity class {a.b/a.b.C} does not exist.\n";
        assert_eq!(
            refusal(missing, 1).unwrap(),
            "exit code 1: Error type 3; Error: Activity class {a.b/a.b.C} does not exist."
        );
        assert_eq!(refusal("Starting: Intent { cmp=a.b/.ErrorReport }\n", 0), None);
        assert_eq!(
            refusal("  \nSegmentation fault\n", 139).unwrap(),
            "exit code 139: Segmentation fault"
        );
    }
}
