//! Wi-Fi, Bluetooth and airplane mode, on or off.
use super::super::context::StepContext;
use super::super::phrases;
use super::super::step::{NextAction, NextStep};

const PACKAGE: &str = "com.android.settings";
const SEARCH_HINT: &str = "Search settings";

/// In the order they are switched: airplane mode takes the others with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Switch {
    Airplane,
    Wifi,
    Bluetooth,
}

/// Which switches to set, and how.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SwitchTask(Vec<(Switch, bool)>);

/// A clause may name a switch, a state or both; what it lacks comes from its neighbours, as in
/// "turn off Wi-Fi and Bluetooth".
pub(super) fn parse(task: &str) -> Option<SwitchTask> {
    if task.contains(['?', '？']) {
        return None;
    }
    let mut clauses = vec![task.to_ascii_lowercase()];
    for joint in [" and ", " then ", ",", ";", "，", "、", "和", "并", "再"] {
        clauses = clauses.iter().flat_map(|c| c.split(joint)).map(str::to_owned).collect();
    }
    let switches = |clause: &str| {
        let named = |names: &[&str]| phrases::any(clause, names);
        let mut found = Vec::new();
        if named(&["airplane", "aeroplane", "flight mode", "飞行"]) {
            found.push(Switch::Airplane);
        }
        if named(&["wi-fi", "wifi", "wlan", "无线"]) {
            found.push(Switch::Wifi);
        }
        if named(&["bluetooth", "蓝牙"]) {
            found.push(Switch::Bluetooth);
        }
        found
    };
    let state = |clause: &str| {
        if phrases::any(clause, &["off", "disable", "deactivate", "关"]) {
            Some(false)
        } else if phrases::any(clause, &["on", "enable", "activate", "开"]) {
            Some(true)
        } else {
            None
        }
    };
    let states: Vec<_> = clauses.iter().map(|clause| state(clause)).collect();
    let mut wanted = Vec::new();
    for (i, clause) in clauses.iter().enumerate() {
        let before = || states[..i].iter().rev().find_map(|on| *on);
        let after = || states[i..].iter().find_map(|on| *on);
        for switch in switches(clause) {
            wanted.push((switch, states[i].or_else(before).or_else(after)?));
        }
    }
    wanted.sort_unstable();
    (!wanted.is_empty()).then_some(SwitchTask(wanted))
}

pub(super) fn next(s: &StepContext<'_>, task: &SwitchTask) -> NextStep {
    let is_on = |switch| match switch {
        Switch::Airplane => s.phone.airplane,
        Switch::Wifi => s.phone.wifi,
        Switch::Bluetooth => s.phone.bluetooth,
    };
    let Some((switch, on)) = task.0.iter().find(|(switch, on)| is_on(*switch) != *on) else {
        let told = task.0.iter().map(|(switch, on)| {
            let (english, chinese) = match switch {
                Switch::Airplane => ("Airplane mode", "飞行模式"),
                Switch::Wifi => ("Wi-Fi", "Wi-Fi"),
                Switch::Bluetooth => ("Bluetooth", "蓝牙"),
            };
            let (state, now) = if *on { ("on", "已打开") } else { ("off", "已关闭") };
            (format!("{english} is {state}."), format!("{chinese}{now}。"))
        });
        let (english, chinese): (Vec<_>, Vec<_>) = told.unzip();
        return s.complete(english.join(" "), chinese.concat());
    };
    if !s.is_in(PACKAGE) {
        return s.open(PACKAGE);
    }
    // The switch itself, then the pages on the way to it, the nearest first.
    let way: &[&str] = match switch {
        Switch::Airplane => &["Airplane mode", "Network & internet"],
        Switch::Wifi => &["Wi-Fi", "Internet", "Network & internet"],
        Switch::Bluetooth => &["Bluetooth", "Connected devices"],
    };
    let goal = format!("Switch {} {}", way[0], if *on { "on" } else { "off" });
    for (i, label) in way.iter().enumerate() {
        if let Some(row) = s.find_with_text("title", label) {
            return if i == 0 {
                s.tap(row, &format!("Here is the switch for {label}."), &goal)
            } else {
                s.tap(row, &format!("{} is found under {label}.", way[0]), &format!("Open {label}"))
            };
        }
    }
    if s.title() != "Settings" {
        return s.back("This page of Settings is not on the way.");
    }
    match (s.find("search_action_bar"), way.last()) {
        // The row is scrolled away, or filtered out by what somebody searched for.
        (Some(field), Some(row)) => {
            s.fill(field, s.field_text(field, SEARCH_HINT), row, "page to look for")
        }
        _ => NextStep::new(
            NextAction::swipe(350, 800),
            "The list is scrolled down.",
            "Go up to the top of the list",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_how() {
        use Switch::{Airplane, Bluetooth, Wifi};
        for (task, wanted) in [
            ("Switch Wi-Fi off.", vec![(Wifi, false)]),
            ("turn off wifi and bluetooth", vec![(Wifi, false), (Bluetooth, false)]),
            ("Turn Bluetooth and Wi-Fi on", vec![(Wifi, true), (Bluetooth, true)]),
            ("Turn wifi off, bluetooth on", vec![(Wifi, false), (Bluetooth, true)]),
            ("请打开飞行模式", vec![(Airplane, true)]),
            ("关闭蓝牙", vec![(Bluetooth, false)]),
        ] {
            assert_eq!(parse(task), Some(SwitchTask(wanted)), "{task}");
        }
        for task in ["Is Wi-Fi on?", "Show me the Wi-Fi", "关灯"] {
            assert_eq!(parse(task), None, "{task}");
        }
    }
}
