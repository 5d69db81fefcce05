//! The controls that an act is aimed at, and acts that are no touch.
use super::asked::is_asked;
use super::at_once::done_at_once;
use super::command::{command, is_sentence};
use super::dialogs;
use super::fields::{is_command_field, is_search};
use super::ids::class_of_id;
use super::only_moves;
use super::settled::{approves_login, settled};
use super::slides;
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::findings::Findings;
use crate::gate::phrases;
use crate::gate::request::{ControlFacts, GateRequest, is_dialed, presses_enter, tabs_on};
use crate::gate::text::normalized;
use crate::gate::verdict::Rule;
use crate::{DeviceCommand, Gesture, Key};

/// What the act is aimed at says what it does.
pub(in crate::gate) fn controls(findings: &mut Findings<'_>) {
    let request = findings.request;
    if matches!(request.gesture, Gesture::Awake { .. }) {
        return;
    }
    let kind = apps::kind_of(request.package);
    let screen = request.screen;
    let aimed = screen.aimed.iter();
    // A field is tapped to type into it, whatever is written in it.
    let mut aimed: Vec<_> =
        aimed.filter(|it| !it.is_field() || is_command_field(it, screen)).collect();
    if only_moves(request) {
        // Also on its way up or down, what moves aside slides what is slid.
        let across = match request.gesture {
            Gesture::Slide { from, to, .. } => 0.1 <= (from.fractions().0 - to.fractions().0).abs(),
            _ => false,
        };
        let slid = |it: &ControlFacts| slides::is_swiped(it) || across && slides::is_slid(it);
        aimed.retain(|it| slid(it));
        if aimed.is_empty() {
            return;
        }
    }
    if let Some(name) = declined(request, kind).filter(|_| !screen.on_keyboard) {
        findings.pass(Rule::Declines, name);
        return;
    }
    for control in &aimed {
        if let Some((class, evidence)) = approves_login(control, request, kind) {
            add(findings, class, control, Rule::Dialog, &evidence);
        } else if let Some((class, evidence)) = command(control, request, kind) {
            add(findings, class, control, Rule::Control, &evidence);
        } else if !super::bare::bare(findings, control, kind, Rule::Control) {
            if let Some((class, evidence)) = dialogs::agreed_to(control, request, kind) {
                add(findings, class, control, Rule::Dialog, &evidence);
            } else if let Some((class, evidence)) = slides::slid_or_held(control, request, kind) {
                add(findings, class, control, Rule::Control, &evidence);
            } else if let Some((class, evidence)) =
                done_at_once(control, request, kind).or_else(|| settled(control, request, kind))
            {
                add(findings, class, control, Rule::Control, &evidence);
            }
        }
    }
    if presses_enter(request.gesture) || presses_focused(request) || screen.on_keyboard {
        enter_key(findings, kind);
    }
}

/// The name of the control that declines, where nothing else may be meant.
fn declined<'a>(request: &GateRequest<'a>, kind: Option<AppKind>) -> Option<&'a str> {
    let reacting: Vec<_> = request.screen.aimed.iter().filter(|it| it.reacts).collect();
    let leaves = |it: &ControlFacts| is_decline(it) && !dialogs::is_guard_off(it, request.screen);
    let first = reacting.first().filter(|it| leaves(it))?;
    // Something else there may be what gets the touch.
    let other = |it: &&ControlFacts| {
        !is_decline(it) && (command(it, request, kind).is_some() || dialogs::agrees(it).is_some())
    };
    (!reacting.iter().any(other)).then(|| first.name())
}

/// A blank that is typed where no field has the focus presses the control that has it.
fn presses_focused(request: &GateRequest<'_>) -> bool {
    let Gesture::Type { text, .. } = request.gesture else { return false };
    let focused = request.screen.focused.as_ref();
    text.contains(char::is_whitespace) && focused.is_some_and(|it| !it.is_field())
}

/// Enter does what the control does that has the focus, or in a field what the control beside it does.
fn enter_key(findings: &mut Findings<'_>, kind: Option<AppKind>) {
    let request = findings.request;
    let GateRequest { screen, history, .. } = *request;
    let field = screen.aimed.iter().find(|it| it.is_field()).or(screen.focused.as_ref());
    let tabs = tabs_on(request.gesture);
    // Of a page only its outermost part may say that it has the focus.
    let is_control = |it: &&ControlFacts| !it.is_field() && !it.kind.ends_with("WebView");
    if let Some(focused) = field.filter(|it| !tabs && is_control(it)) {
        let said =
            command(focused, request, kind).or_else(|| dialogs::agreed_to(focused, request, kind));
        if let Some((class, evidence)) = said {
            add(findings, class, focused, Rule::EnterKey, &evidence);
        } else {
            super::bare::bare(findings, focused, kind, Rule::EnterKey);
        }
        return;
    }
    if field.is_some_and(|it| !tabs && is_search(it, history)) {
        return;
    }
    let before = findings.len();
    // What people have written, and the rest of a page, is no button, whatever it says.
    for control in screen.controls.iter().filter(|it| tabs || !is_sentence(it)) {
        if let Some((class, evidence)) = dialogs::agreed_to(control, request, kind) {
            add(findings, class, control, Rule::EnterKey, &evidence);
            continue;
        }
        let Some((class, evidence)) = command(control, request, kind) else { continue };
        // A note may be deleted and a person called on the same screen; enter does neither.
        if tabs || !matches!(class, ActClass::Delete | ActClass::Call) {
            add(findings, class, control, Rule::EnterKey, &evidence);
        }
    }
    // Where nothing sends, the key on the keyboard does.
    if let Some(field) = field.filter(|_| findings.len() == before) {
        if is_dialed(&field.resource_id) {
            add(findings, ActClass::Call, field, Rule::EnterKey, field.name());
            return;
        }
        let id = field.id_name().replace(['_', '-'], " ");
        let names = field.names.iter().map(String::as_str);
        let mut hints = [field.hint.as_str(), &id].into_iter().chain(names).map(normalized);
        if let Some(class) = hints.find_map(|it| phrases::written_into(&it)) {
            add(findings, class, field, Rule::EnterKey, field.name());
        }
    }
}

fn add(
    findings: &mut Findings<'_>,
    class: ActClass,
    control: &ControlFacts,
    rule: Rule,
    evidence: &str,
) {
    let asked = is_asked(findings.request, class, control);
    findings.class(class, asked, rule, evidence);
}

/// Whether a control leaves or declines, and nothing else.
pub(super) fn is_decline(control: &ControlFacts) -> bool {
    let own = !control.names.is_empty()
        && control.names.iter().all(|it| phrases::declines(&normalized(it)));
    own && class_of_id(control).is_none_or(|class| class == ActClass::Grant && denies(control))
}

/// `permission_deny_button` and its like hold a word for the permission as well.
fn denies(control: &ControlFacts) -> bool {
    control.resource_id.contains("deny")
}

/// A command that changes the apps or files of the phone.
pub(in crate::gate) fn commands(findings: &mut Findings<'_>) {
    let Gesture::Command(command) = findings.request.gesture else { return };
    match command {
        DeviceCommand::Install { file, package } => {
            let what = package.as_ref().map_or(file, |it| &it.name);
            findings.class(ActClass::Install, false, Rule::Command, what);
        }
        DeviceCommand::Uninstall { app } => {
            let words = findings.request.words;
            let asked = words.asks_for(ActClass::Delete) && words.name_app(app, app, None);
            findings.class(ActClass::Delete, asked, Rule::Command, app);
        }
        DeviceCommand::SendFile { file: name, .. } | DeviceCommand::StopApp { app: name } => {
            findings.class(ActClass::Change, true, Rule::Command, name);
        }
        DeviceCommand::OpenUrl { .. } | DeviceCommand::FetchFile { .. } => {}
    }
}

/// The model itself has asked.
pub(in crate::gate) fn marked(findings: &mut Findings<'_>) {
    if findings.request.marked {
        findings.ask(ActClass::Marked, Rule::Marked, "");
    }
}

/// Whether a control says that it changes something, such as "Save".
fn changes_something(control: &ControlFacts) -> bool {
    let id = control.id_name();
    let is_field = control.is_field();
    let is_row = control.names.len() > 2;
    let named = control.names.iter().any(|it| phrases::changes(&normalized(it), ""));
    !is_field && (named || !is_row && phrases::changes("", id))
}

/// Something is changed, which a policy for reading refuses.
pub(in crate::gate) fn changes(findings: &mut Findings<'_>) {
    let request = findings.request;
    let screen = request.screen;
    let what = match request.gesture {
        gesture if matches!(gesture, Gesture::Type { .. }) || screen.on_keyboard => {
            let field = if let Gesture::Type { point: Some(_), .. } = gesture {
                screen.aimed.iter().find(|it| it.is_field())
            } else {
                screen.focused.as_ref()
            };
            if field.is_some_and(|it| is_search(it, request.history)) {
                return;
            }
            "text"
        }
        Gesture::Drag { .. } => "something is moved",
        Gesture::HotKey { key: Key::Delete } => "a text",
        gesture if super::touches(gesture) && !only_moves(request) => {
            let changing = screen.aimed.iter().find(|it| it.reacts && changes_something(it));
            match changing {
                _ if screen.aimed.iter().any(|it| it.switch) => "a switch",
                Some(control) => control.name(),
                None => return,
            }
        }
        _ => return,
    };
    if findings.policy.treatment(ActClass::Change) != crate::gate::policy::Treatment::Allow {
        findings.class(ActClass::Change, true, Rule::ReadOnly, what);
    }
}
