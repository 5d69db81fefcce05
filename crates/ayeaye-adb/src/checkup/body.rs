//! What can be seen of a phone and how quickly, and the state it is in.
use std::time::Duration;

use ayeaye_agent::Device as _;

use super::{CheckResult, CheckupFinding};
use ayeaye_agent::NoElements;

use crate::device::AdbDevice;
use crate::parse;

/// A capture that takes longer makes every step slow.
const SLOW: Duration = Duration::from_secs(2);
/// Per cent of charge below which a phone without power may not last a task.
const LOW: u32 = 15;
/// Tenths of a degree from which phones slow themselves down.
const HOT: i32 = 450;

/// In which way the screen is captured, and how long that takes.
pub(super) async fn capture(device: &AdbDevice) -> CheckResult {
    let about = "capture";
    let frame = device.capture().await?;
    let Some((way, took)) = device.last_capture() else { return Ok(None) };
    let output = device.client().shell_quick("its density", "wm density").await?;
    let dpi = parse::wm_density(&output.stdout).map(|dpi| format!(" at {dpi} dpi"));
    let panel = match device.shown_on() {
        Some(shown) => format!(", of the panel that is lit ({shown})"),
        None => String::new(),
    };
    let text = format!(
        "{}{} in {} ms, {way}{panel}",
        frame.size(),
        dpi.unwrap_or_default(),
        took.as_millis()
    );
    Ok(Some(if took <= SLOW {
        CheckupFinding::fine(about, text)
    } else {
        CheckupFinding::unsure(
            about,
            text,
            "a cable is faster, or 5 GHz Wi-Fi near the access point",
        )
    }))
}

/// Whether the screen in front may be captured.
pub(super) async fn protected(device: &AdbDevice) -> CheckResult {
    let about = "protected";
    let state = device.state().await?;
    if !state.awake {
        return Ok(Some(CheckupFinding::fine(about, "not known: the screen is off")));
    }
    let app = state.foreground.map(|app| app.package);
    Ok(Some(if state.protected {
        let app = app.unwrap_or_else(|| "the app in front".to_owned());
        CheckupFinding::unsure(
            about,
            format!("{app} protects its screen: captures show nothing of it"),
            "open another app before a task; inside one you are asked to go on by hand, or set \
             run.protected-screens = \"elements\"",
        )
    } else {
        CheckupFinding::fine(about, "the screen in front is not protected")
    }))
}

/// Whether it lists what is on its screen.
pub(super) async fn elements(device: &AdbDevice) -> CheckResult {
    let about = "elements";
    Ok(Some(match device.elements().await {
        Ok(Ok(tree)) => {
            let count = tree.matches("<node").count();
            CheckupFinding::fine(about, format!("the screen in front has {count}"))
        }
        Ok(Err(why)) => {
            let (text, mend) = no_elements(&why);
            CheckupFinding::unsure(about, format!("{text}: models see its picture only"), mend)
        }
        Err(error) if error.is_unreachable() => return Err(error),
        Err(error) => CheckupFinding::unsure(
            about,
            error.to_string(),
            "end that program; until then models see pictures only",
        ),
    }))
}

/// Why a screen has no elements, and what to do about it.
fn no_elements(why: &NoElements) -> (String, &'static str) {
    let said = match why {
        NoElements::Restless => {
            return (
                "none came in time, as where a screen never rests".to_owned(),
                "switch off animations in the developer options, or look at another screen",
            );
        }
        NoElements::Because(why) | NoElements::Unusable(why) => {
            let mend =
                "run `ayeaye doctor` again with another app in front, on the screen that is shown";
            return (why.clone(), mend);
        }
        NoElements::Said(said) => said,
    };
    if said.is_empty() || said.contains("null root node") {
        // Also right after waking, and while one screen follows another.
        let told = match said.as_str() {
            "" => "the phone said nothing".to_owned(),
            said => format!("the phone said \"{said}\""),
        };
        return (
            format!("the screen in front shows nothing that can be listed ({told})"),
            "wake and unlock the phone, open another app, and run `ayeaye doctor` again: some lock screens, protected \
             windows and apps that keep accessibility out list nothing",
        );
    }
    if said.contains("dumped to") {
        return (
            format!("the phone said \"{said}\", but the list did not come through its terminal"),
            "run `ayeaye doctor` again; if it stays so, unplug the phone and plug it in again",
        );
    }
    (
        format!("the phone listed none, and said \"{said}\""),
        "run `ayeaye doctor` again with another app in front; if it stays so, restart the phone",
    )
}

/// Whether it will last, and whether it is too hot.
pub(super) async fn battery(device: &AdbDevice) -> CheckResult {
    let about = "battery";
    let output = device.client().shell_quick("its battery", "dumpsys battery").await?;
    let battery = parse::battery(&output.stdout);
    let powered = battery.powered.unwrap_or(false);
    let mut told = Vec::new();
    if let Some(charge) = battery.charge {
        told.push(format!("{charge} %"));
    }
    told.extend(battery.powered.map(|it| if it { "has power" } else { "no power" }.to_owned()));
    if let Some(tenths) = battery.temperature {
        told.push(format!("{:.1} °C", f64::from(tenths) / 10.0));
    }
    if told.is_empty() {
        return Ok(None);
    }
    let text = told.join(", ");
    let low = !powered && battery.charge.is_some_and(|charge| charge < LOW);
    let hot = battery.temperature.is_some_and(|tenths| HOT <= tenths);
    Ok(Some(match (low, hot) {
        (true, _) => CheckupFinding::unsure(about, text, "plug it in before a long task"),
        (_, true) => {
            CheckupFinding::unsure(about, text, "let it cool down: hot phones are slow and dim")
        }
        _ => CheckupFinding::fine(about, text),
    }))
}

/// Whether anybody would hear what a task plays.
pub(super) async fn sound(device: &AdbDevice) -> CheckResult {
    let about = "sound";
    let ask = "dumpsys audio | grep -E '^- STREAM_|(Muted|Max|streamVolume|Current|Devices):'";
    let output = device.client().shell_quick("its volume", ask).await?;
    let told = parse::media_volume(&output.stdout);
    Ok(told.map(|media| {
        let muted =
            if media.muted || media.volume == 0 { ": what it plays is not heard" } else { "" };
        let text = format!("media volume {} of {}{muted}", media.volume, media.max);
        CheckupFinding::fine(about, text)
    }))
}
