//! Opening an app, and nothing more.
use super::super::context::{LauncherApp, StepContext};
use super::super::phrases;
use super::super::step::NextStep;

/// What the apps are also called.
const ALIASES: [(&str, &str); 9] = [
    ("设置", "Settings"),
    ("短信", "Messages"),
    ("信息", "Messages"),
    ("消息", "Messages"),
    ("笔记", "Notes"),
    ("便签", "Notes"),
    ("商店", "Shop"),
    ("购物", "Shop"),
    ("时钟", "Clock"),
];

/// The package of the app that the task wants opened, if it wants just that.
pub(super) fn parse(task: &str, apps: &[LauncherApp]) -> Option<String> {
    let mut rest = phrases::trimmed(task);
    let verbs = ["open", "start", "launch", "打开", "启动"];
    let (at, end) = phrases::first(rest, &verbs)?;
    let polite = ["", "please", "can you", "could you", "请", "帮我", "请帮我"];
    if !polite.iter().any(|words| rest[..at].trim().eq_ignore_ascii_case(words)) {
        return None;
    }
    rest = rest[end..].trim();
    let lower = rest.to_ascii_lowercase();
    let mut name = lower.as_str();
    for lead in ["up ", "the "] {
        name = name.strip_prefix(lead).unwrap_or(name);
    }
    for tail in [" please", " app", " application", "应用", "app", "程序"] {
        name = name.strip_suffix(tail).unwrap_or(name).trim_end();
    }
    let label = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, label)| label);
    let app = apps.iter().find(|app| app.label.eq_ignore_ascii_case(label))?;
    Some(app.package.clone())
}

pub(super) fn next(s: &StepContext<'_>, package: &str) -> NextStep {
    if !s.is_in(package) {
        return s.open(package);
    }
    let label = s.apps.iter().find(|app| app.package == package).map_or(package, |app| &app.label);
    s.complete(format!("{label} is open."), format!("{label} 已打开。"))
}
