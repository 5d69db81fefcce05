//! Whether the user's words ask for what a control does.
use super::dialogs;
use crate::Gesture;
use crate::gate::apps::{AppKind, kind_of};
use crate::gate::class::ActClass;
use crate::gate::components::SystemPart;
use crate::gate::fillers::says_all;
use crate::gate::path;
use crate::gate::phrases;
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::sent_codes::holds_unsaid_code;
use crate::gate::text::{List, mentions, normalized};

/// What tells of things that are selected.
#[rustfmt::skip]
static SELECTED: List = List::new("select|ausgewählt|seleccion|sélection|selecion|selezion|geselecteerd|zaznacz|seçil|выбран|вибран|已选|已選|选中|選択|선택|محدد|चुन|dipilih|đã chọn|เลือก|markera|valgt|valittu");

/// Whether the user's words ask for what this control does, and for all it does.
pub(super) fn is_asked(request: &GateRequest<'_>, class: ActClass, control: &ControlFacts) -> bool {
    let GateRequest { words, screen, history, .. } = request;
    // In a social network one button sends and publishes; there the title tells which.
    let publishes = class == ActClass::Send
        && kind_of(request.package) == Some(AppKind::Social)
        && screen.recipients.is_empty()
        && screen.line.is_empty()
        && screen.header.iter().any(|it| phrases::tells_of_publishing(&normalized(it)));
    let class = if publishes { ActClass::Publish } else { class };
    let takes_things = matches!(class, ActClass::Delete | ActClass::Publish);
    if !words.asks_for(class) || takes_things && words.spare_unnamed() {
        return false;
    }
    if class == ActClass::Send && sends_code(request) {
        return false;
    }
    let names: Vec<String> = control.names.iter().map(|it| normalized(it)).collect();
    if names.iter().any(|it| says_all(it)) && (!words.say_all() || words.spare_any()) {
        return false;
    }
    let app = [request.label, request.package];
    match class {
        ActClass::Send => {
            let places = &screen.recipients;
            let labels =
                ["to", "cc", "bcc", "an", "para", "a", "à", "naar", "do", "кому", "收件人", "宛先"];
            let is_label = |it: &String| labels.contains(&normalized(it).trim_end_matches(':'));
            let mut places = places.iter().filter(|it| !is_label(it)).peekable();
            let all = |it: &String| says_all(&normalized(it));
            let to_all = screen.header.iter().chain(&screen.recipients).any(all);
            if to_all && (!words.say_all() || words.spare_any()) {
                false
            } else if places.peek().is_some() {
                places.all(|it| words.address(it))
            } else if let Some(of_row) = row_is_named(request) {
                of_row
            } else {
                !words.spare(screen.header.iter().map(String::as_str))
                    && screen.header.iter().any(|it| words.address_all(it))
            }
        }
        ActClass::Call => {
            let own = control.names.iter().filter_map(|it| dialogs::person_in(it));
            let shown = screen.header.iter().chain(&screen.titles).chain(&screen.texts);
            let anybody = || {
                let top = screen.header.iter().chain(&screen.titles);
                !words.spare(top.map(String::as_str))
                    && shown.into_iter().any(|it| words.address(it))
            };
            own.into_iter().all(|it| words.address(it))
                && row_is_named(request).unwrap_or_else(anybody)
        }
        ActClass::Delete => {
            let erases = |it: &String| {
                phrases::area_titled(it).is_some_and(|it| it.of == SystemPart::FactoryReset)
            };
            let shown = screen.texts.iter().chain(&history.touched).map(String::as_str);
            let row = row_of(request, control);
            let last = history.touched.iter().rev().take(3).map(String::as_str);
            let spares = match &row {
                Some(row) => words.spare(row.iter().copied()),
                None => words.spare(screen.texts.iter().map(String::as_str).chain(last)),
            };
            let spares =
                spares || words.spare_any() && screen.said.iter().any(|it| deletes_all(it));
            if spares || names.iter().any(erases) && !words.name_part(SystemPart::FactoryReset) {
                return false;
            }
            let place: Vec<&str> = screen.header.iter().map(String::as_str).collect();
            words.relate_to(shown.clone())
                && words.name_one_of(shown.clone(), app)
                && words.tell_apart(shown, app)
                && match row {
                    Some(row) => words.mean_row(&row, &place, app),
                    None => words.mean_all(app) || deletes_named(request, control, app),
                }
        }
        ActClass::Publish => {
            let typed = match request.gesture {
                Gesture::Type { text, .. } => Some(text),
                _ => None,
            };
            let written = typed.into_iter().chain([&screen.draft]);
            let shown = screen.texts.iter().chain(&history.touched);
            // Of what is written nothing is spared: the user has not excepted its words.
            !words.spare(shown.clone().map(String::as_str))
                && words.name_one_of(shown.chain(written).map(String::as_str), app)
        }
        _ => true,
    }
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
    // It says what it is about, and that is another thing.
    if window().any(|it| it.contains(['"', '“', '„', '«', '「', '『'])) {
        return false;
    }
    let mut things = path::things(&history.path).peekable();
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
