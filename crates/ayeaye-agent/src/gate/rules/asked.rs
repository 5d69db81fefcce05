//! Whether the user's words ask for what a control does.
use super::dialogs;
use crate::Gesture;
use crate::gate::apps::{AppKind, kind_of};
use crate::gate::class::ActClass;
use crate::gate::components::SystemPart;
use crate::gate::earlier_touches;
use crate::gate::fillers::says_all;
use crate::gate::intent::UserWords;
use crate::gate::phrases;
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::sent_codes::holds_unsaid_code;
use crate::gate::text::{List, mentions, normalized};

/// What tells of things that are selected.
#[rustfmt::skip]
static SELECTED: List = List::new("select|ausgewählt|seleccion|sélection|selecion|selezion|geselecteerd|zaznacz|seçil|выбран|вибран|已选|已選|选中|選択|선택|محدد|चुन|dipilih|đã chọn|เลือก|markera|valgt|valittu");

/// Whether the user's words ask for what this control does, and for all it does.
pub(super) fn is_asked(request: &GateRequest<'_>, class: ActClass, control: &ControlFacts) -> bool {
    let words = request.words;
    let class = if publishes(request, class) { ActClass::Publish } else { class };
    let takes_things = matches!(class, ActClass::Delete | ActClass::Publish);
    if !words.asks_for(class) || takes_things && words.spare_unnamed() {
        return false;
    }
    if class == ActClass::Send && sends_code(request) {
        return false;
    }
    let is_all = |it: &String| says_all(&normalized(it));
    if control.names.iter().any(is_all)
        && !(if takes_things { means_all(request) } else { is_about_all(words) })
    {
        return false;
    }
    match class {
        ActClass::Send => send_is_asked(request),
        ActClass::Call => call_is_asked(request, control),
        ActClass::Delete => deletion_is_asked(request, control),
        ActClass::Publish => publishing_is_asked(request),
        _ => true,
    }
}

/// Whether what looks like sending publishes: in a social network one button does both; there the title tells which.
fn publishes(request: &GateRequest<'_>, class: ActClass) -> bool {
    let screen = request.screen;
    class == ActClass::Send
        && kind_of(request.package) == Some(AppKind::Social)
        && screen.recipients.is_empty()
        && screen.line.is_empty()
        && screen.header.iter().any(|it| phrases::tells_of_publishing(&normalized(it)))
}

/// Whether the user's words are about all of something, without an exception.
fn is_about_all(words: &UserWords) -> bool {
    words.say_all() && !words.spare_any()
}

/// Whether they mean everything here, without an exception.
fn means_all(request: &GateRequest<'_>) -> bool {
    !request.words.spare_any() && request.words.mean_all(&place_of(request), names_of_app(request))
}

/// What stands above all that is shown.
fn place_of<'a>(request: &GateRequest<'a>) -> Vec<&'a str> {
    request.screen.header.iter().map(String::as_str).collect()
}

/// The app in front, as it may be called.
fn names_of_app<'a>(request: &GateRequest<'a>) -> [&'a str; 2] {
    [request.label, request.package]
}

/// Whether the user has named everybody to whom this is sent.
fn send_is_asked(request: &GateRequest<'_>) -> bool {
    const LABELS: [&str; 12] =
        ["to", "cc", "bcc", "an", "para", "a", "à", "naar", "do", "кому", "收件人", "宛先"];
    let GateRequest { words, screen, .. } = request;
    let all = |it: &String| says_all(&normalized(it));
    if screen.header.iter().chain(&screen.recipients).any(all) && !is_about_all(words) {
        return false;
    }
    let is_label = |it: &String| LABELS.contains(&normalized(it).trim_end_matches(':'));
    let mut recipients = screen.recipients.iter().filter(|it| !is_label(it)).peekable();
    if recipients.peek().is_some() {
        return recipients.all(|it| words.address(it));
    }
    row_is_named(request).unwrap_or_else(|| {
        !words.spare(screen.header.iter().map(String::as_str))
            && screen.header.iter().any(|it| words.address_all(it))
    })
}

/// Whether the user has named whom this calls: in the control's own name, in its row, or anywhere on the screen.
fn call_is_asked(request: &GateRequest<'_>, control: &ControlFacts) -> bool {
    let GateRequest { words, screen, .. } = request;
    let mut own = control.names.iter().filter_map(|it| dialogs::person_in(it));
    let is_shown = || {
        let mut top = screen.header.iter().chain(&screen.titles);
        !words.spare(top.clone().map(String::as_str))
            && (top.any(|it| words.address(it)) || screen.texts.iter().any(|it| words.address(it)))
    };
    own.all(|it| words.address(it)) && row_is_named(request).unwrap_or_else(is_shown)
}

/// Whether the user has named the very thing that this deletes, and does not except it.
fn deletion_is_asked(request: &GateRequest<'_>, control: &ControlFacts) -> bool {
    let GateRequest { words, screen, history, .. } = request;
    let row = row_of(request, control);
    if is_excepted(request, row.as_deref()) {
        return false;
    }
    if control.names.iter().any(|it| erases_phone(it)) && !words.name_part(SystemPart::FactoryReset)
    {
        return false;
    }
    let app = names_of_app(request);
    let place = place_of(request);
    let shown = screen.texts.iter().chain(&history.touched).map(String::as_str);
    words.relate_to(shown.clone())
        && words.name_one_of(shown.clone(), app)
        && words.tell_apart(shown, &place, app)
        && match row {
            Some(row) => words.mean_row(&row, &place, app),
            None => words.mean_all(&[], app) || deletes_named(request, control, app),
        }
}

/// Whether the user's words spare what is about to be deleted, or something where all is.
fn is_excepted(request: &GateRequest<'_>, row: Option<&[&str]>) -> bool {
    /// How many of the things touched last may be what is deleted.
    const LAST: usize = 3;
    let GateRequest { words, screen, history, .. } = request;
    let is_spared = if let Some(row) = row {
        words.spare(row.iter().copied())
    } else {
        let last = history.touched.iter().rev().take(LAST);
        words.spare(screen.texts.iter().chain(last).map(String::as_str))
    };
    is_spared || words.spare_any() && screen.said.iter().any(|it| deletes_all(it))
}

/// Whether a control of this name erases the whole phone.
fn erases_phone(name: &str) -> bool {
    let area = phrases::area_titled(&normalized(name));
    area.is_some_and(|it| it.of == SystemPart::FactoryReset)
}

/// Whether the user has named something of what this publishes, or told it from others where they say "all". Of what is
/// written nothing is spared: the user has not excepted its words.
fn publishing_is_asked(request: &GateRequest<'_>) -> bool {
    let GateRequest { words, screen, history, gesture, .. } = request;
    let typed = match gesture {
        Gesture::Type { text, .. } => Some(text),
        _ => None,
    };
    let written = typed.into_iter().chain([&screen.draft]);
    let shown = screen.texts.iter().chain(&history.touched).map(String::as_str);
    let app = names_of_app(request);
    let is_spared = words.spare(shown.clone());
    let shown = shown.chain(written.map(String::as_str));
    !is_spared
        && words.name_one_of(shown.clone(), app)
        && (!words.say_all() || words.tell_apart(shown, &place_of(request), app))
}

/// Whether what is sent holds a code or a password that the user has not said: whom a message goes to they have, and what
/// lets somebody in may have stood on any screen.
fn sends_code(request: &GateRequest<'_>) -> bool {
    let typed = match request.gesture {
        Gesture::Type { text, .. } => text.as_str(),
        _ => "",
    };
    let said = &request.history.said_secrets;
    [typed, &request.screen.draft].iter().any(|it| holds_unsaid_code(it, request.words, said))
}

/// Whether what a control deletes that is in no row is known to be what the user names: its window says so, or all that
/// is selected, or what was touched before and nothing since. That the named thing stands on the screen too, or was
/// touched and left again, tells nothing.
fn deletes_named(request: &GateRequest<'_>, control: &ControlFacts, app: [&str; 2]) -> bool {
    let GateRequest { words, screen, history, .. } = request;
    let means = |texts: &mut dyn Iterator<Item = &str>| {
        let texts: Vec<&str> = texts.collect();
        words.mean_thing(&texts, app)
    };
    let subject = &screen.subject;
    let window = || subject.window.iter().map(String::as_str);
    if control.names.iter().any(|it| words.name_by(it, app)) || means(&mut window()) {
        return true;
    }
    // It says what it is about, and that is another thing, or all there is.
    if window().any(|it| it.contains(['"', '“', '„', '«', '「', '『']))
        || screen.said.iter().any(|it| deletes_all(it)) && !means_all(request)
    {
        return false;
    }
    let mut things = earlier_touches::things(&history.path).peekable();
    let told = window().chain(screen.header.iter().chain(&screen.titles).map(String::as_str));
    let bar: Vec<String> = told.map(normalized).filter(|it| is_selection(it)).collect();
    let count = bar.iter().find_map(|it| number_in(it));
    if !bar.is_empty() && !subject.selected.is_empty() {
        let rows = &subject.selected;
        return count.is_none_or(|count| count == rows.len())
            && rows.iter().all(|row| means(&mut row.iter().map(String::as_str)));
    }
    // One that is selected beside what was touched is another one.
    let count = count.unwrap_or(1).max(1);
    if things.peek().is_some() {
        let last: Vec<&str> = things.take(count).collect();
        return last.len() == count && last.iter().all(|it| means(&mut [*it].into_iter()));
    }
    let page = screen.header.iter().chain(&screen.titles).chain([&screen.filled]);
    // While something is selected in it, a page is called as what that stands in.
    bar.is_empty() && means(&mut page.filter(|it| subject.may_say(it)).map(String::as_str))
}

/// Whether a text (normalized) tells how many things are selected.
fn is_selection(text: &str) -> bool {
    SELECTED.iter().any(|it| mentions(text, it))
}

fn number_in(text: &str) -> Option<usize> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|it| !it.is_empty())?;
    digits.parse().ok()
}

/// Whether a dialog (what it says) asks whether all there is shall be deleted.
fn deletes_all(said: &str) -> bool {
    let said = normalized(said);
    says_all(&said) && phrases::asked_by_dialog(&said) == Some(ActClass::Delete)
}

/// What the row that a control belongs to tells of the thing in it, and the control's own names; `None` where it is
/// part of no row. How many things are selected stands beside controls for all of these.
fn row_of<'a>(request: &GateRequest<'a>, control: &'a ControlFacts) -> Option<Vec<&'a str>> {
    let tells = |text: &&String| {
        let plain = normalized(text);
        let is_time = || {
            let mut parts = plain.split(':').map(|it| it.contains(|c: char| c.is_numeric()));
            parts.next() == Some(true) && parts.next() == Some(true)
        };
        (plain.contains(char::is_alphabetic) || is_time()) && !is_selection(&plain)
    };
    let mut row: Vec<&str> = request.screen.line.iter().filter(tells).map(String::as_str).collect();
    if row.is_empty() {
        return None;
    }
    row.extend(control.names.iter().map(String::as_str));
    Some(row)
}

/// Whether the row that a control belongs to is of whom the user names; `None` where it is part of no row. Whose row
/// it is stands first in it: what else does, such as a status, anybody may write.
fn row_is_named(request: &GateRequest<'_>) -> Option<bool> {
    #[rustfmt::skip]
    const NOBODY: [&str; 13] = ["sim", "sms", "mms", "rcs", "hd", "esim", "sim 1", "sim 2", "avatar", "photo", "contact photo", "profile photo", "profile picture"];
    let is_name = |text: &&String| {
        let text = normalized(text);
        text.chars().any(char::is_alphabetic) && !NOBODY.contains(&text.as_str())
    };
    let mut names = request.screen.line.iter().filter(is_name);
    let mut first = names.next()?;
    // The letter that stands for a picture.
    if let Some(name) =
        names.next().filter(|it| first.chars().count() == 1 && it.starts_with(first.as_str()))
    {
        first = name;
    }
    Some(request.words.address(first))
}
