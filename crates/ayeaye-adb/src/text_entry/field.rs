//! What the field in focus holds, as far as the phone tells: the evidence for what was typed into it.
//!
//! Two things tell. `dumpsys input_method` says where the caret stands, at the price of one quick
//! command; that a text of so many characters moved it by as many is taken for proof. Where it says
//! nothing, or something else, `uiautomator dump` shows the text itself, which takes a second and more.
use std::time::Duration;

use ayeaye_agent::{Element, Elements, is_unseen};
use tokio::time::{Instant, sleep};

use crate::client::DeviceClient;
use crate::elements;
use crate::parse::{self, Caret, FIELD_QUERY, FieldState};

/// How long a caret that is not where it should be is waited for, and how often it is looked at.
const CARET_PATIENCE: Duration = Duration::from_millis(400);
const CARET_INTERVAL: Duration = Duration::from_millis(80);
/// The most time for a dump of the elements. Screens that keep moving have none.
const DUMP_PATIENCE: Duration = Duration::from_secs(3);

/// Asks the phone for the field in focus; a phone that does not say is none the wiser.
pub(super) async fn query(client: &DeviceClient) -> FieldState {
    match client.shell_quick("the field in focus", FIELD_QUERY).await {
        Ok(output) => FieldState::read(&output.stdout),
        Err(error) => {
            tracing::debug!(device = %client.id(), %error, "the field in focus is not known");
            FieldState::default()
        }
    }
}

/// What a typed text has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The field holds it.
    There,
    /// The field holds it, and the keyboard is still making a word of it: that may take an enter for itself.
    Composing,
    /// The field holds what it held before: it may be typed in another way.
    Nothing,
    /// Nobody can tell; a clause. It must not be typed again.
    Unknown(String),
    /// The field holds something else, or what may have stood there before; a clause. It must not be typed again,
    /// and nothing that depends on it is done.
    Different(String),
    /// The field was empty, and holds something else than the text; a clause. Nothing is lost if it is emptied and the
    /// text typed again.
    Altered(String),
}

/// What is known of a field before a text is typed into it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FieldBefore {
    pub(super) caret: Option<Caret>,
    /// The caret was told right after a tap on the field: it may be that of the field before.
    pub(super) tapped: bool,
    /// It was seen to be empty, or has been emptied, and that was checked.
    pub(super) empty: bool,
    /// It should have been emptied, and that could not be checked.
    pub(super) maybe_empty: bool,
    /// What it showed then: the text that is left, or what an empty one asks for.
    pub(super) shown: Option<String>,
}

impl FieldBefore {
    /// The same field, now that it is known to be empty.
    pub(super) fn emptied(&self) -> Self {
        let caret = self.caret.map(|_| Caret::START);
        Self { caret, empty: true, ..Self::default() }
    }

    /// Whether nothing stood in the field that shows this now: all of it is before the caret, and what keyboards make of
    /// a text is no longer than that. Else another field may have got the focus meanwhile.
    fn was_empty(&self, caret: Option<Caret>, shown: &str, text: &str) -> bool {
        let units = |text: &str| text.encode_utf16().count();
        let held = units(shown);
        let is_behind = |now: Caret| !now.is_selection() && now.end == held;
        let may_be_typed = held <= units(text) && caret.is_none_or(is_behind);
        let is_of_field = !self.tapped && !self.maybe_empty;
        let was_at_start = is_of_field && caret.is_some() && self.caret == Some(Caret::START);
        may_be_typed && (self.empty || was_at_start)
    }
}

/// Whether the field hides what is typed into it, as far as the phone has said so.
///
/// A tap may move the focus later than it is asked about: what is said before the text is typed may be of
/// the field before. So a no counts only when it is said afterwards, and a yes whenever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hides(Option<bool>);

impl Hides {
    /// What was said before the text was typed.
    pub(super) fn before(said: Option<bool>) -> Self {
        Self(said.filter(|hides| *hides))
    }

    fn after(&mut self, said: Option<bool>) {
        if self.0 != Some(true) {
            self.0 = said.or(self.0);
        }
    }

    pub(super) fn hides_text(self) -> Option<bool> {
        self.0
    }
}

/// Finds out whether a text has arrived in the field in focus, and whether that hides it.
pub(super) async fn arrival(
    client: &DeviceClient,
    before: &FieldBefore,
    text: &str,
    hides: &mut Hides,
) -> Arrival {
    if text.is_empty() {
        // All that was wanted is that it is empty.
        return if before.maybe_empty {
            Arrival::Unknown("the phone does not tell whether the field is empty".to_owned())
        } else {
            Arrival::There
        };
    }
    let from = if before.empty { Some(0) } else { before.caret.map(|caret| caret.start) };
    let expected = from.map(|from| from + text.encode_utf16().count());
    let caret = settled_caret(client, expected, hides).await;
    let moved = caret.zip(expected).is_some_and(|(caret, at)| caret.is_at(at));
    if moved && !before.maybe_empty {
        return Arrival::There;
    }
    match Fields::dump(client).await {
        Ok(fields) => {
            hides.after(fields.focused().map(|field| field.password));
            fields.judge(before, caret, text)
        }
        Err(why) => Arrival::Unknown(why),
    }
}

/// The caret, once it stands where it should or stays elsewhere.
async fn settled_caret(
    client: &DeviceClient,
    expected: Option<usize>,
    hides: &mut Hides,
) -> Option<Caret> {
    let deadline = Instant::now() + CARET_PATIENCE;
    loop {
        let field = query(client).await;
        hides.after(field.secret);
        let caret = field.caret?;
        let wait = expected.is_some_and(|at| !caret.is_at(at)) && Instant::now() < deadline;
        if !wait {
            return Some(caret);
        }
        sleep(CARET_INTERVAL).await;
    }
}

/// The fields of a screen.
#[derive(Debug)]
pub(super) struct Fields(Elements);

impl Fields {
    /// The error is a clause for people.
    pub(super) async fn dump(client: &DeviceClient) -> Result<Self, String> {
        let none = "the phone does not tell what the field holds";
        let deadline = Instant::now() + DUMP_PATIENCE.min(client.limits().ui_tree);
        let text = elements::dump(client, "uiautomator dump /dev/tty", deadline).await;
        let text = text.map_err(|error| format!("{none} ({error})"))?;
        let text = text.map_err(|elsewhere| format!("{none}: {elsewhere}"))?;
        let tree = parse::ui_tree(&text).ok_or_else(|| none.to_owned())?.to_owned();
        Elements::read_on_blocking_thread(tree).await.map(Self).ok_or_else(|| none.to_owned())
    }

    pub(super) fn focused(&self) -> Option<&Element> {
        self.0.iter().find(|it| it.focused && is_field(it))
    }

    /// The text of the field in focus; `None` if there is no such field, or it hides its text. An empty
    /// one may show what it asks for instead.
    pub(super) fn text(&self) -> Option<&str> {
        let field = self.focused().filter(|it| !it.password)?;
        Some(if field.text == field.hint { "" } else { &field.text })
    }

    fn judge(&self, before: &FieldBefore, caret: Option<Caret>, text: &str) -> Arrival {
        let Some(field) = self.focused() else {
            let why = "no text field is in focus, as far as the phone tells";
            return Arrival::Unknown(why.to_owned());
        };
        if field.password {
            // Dots, one for each character; some builds show none.
            let whole = before.empty && field.text.chars().count() == text.chars().count();
            let why = || "the field hides its text".to_owned();
            return if whole { Arrival::There } else { Arrival::Unknown(why()) };
        }
        let shown = self.text().unwrap_or_default();
        let comparison = Comparison::with(text);
        let (held, typed) = (comparison.plain(shown), comparison.plain(text));
        let unmoved = match (before.caret, caret) {
            // An app that always tells a caret at the start has let nobody see whether the field was emptied.
            _ if before.maybe_empty => false,
            (Some(before), Some(now)) => before == now && !before.is_selection(),
            _ => false,
        };
        let contained = held.contains(&typed);
        let should_be_whole = before.empty || before.maybe_empty;
        if held == typed && !comparison.keeps_signs(text, shown) {
            return Arrival::Different(LEFT_OUT.to_owned());
        }
        if held == typed {
            let is_composing = caret.is_some_and(|caret| caret.composing);
            return if is_composing { Arrival::Composing } else { Arrival::There };
        }
        if contained && !should_be_whole && !unmoved {
            // Only a caret of this very field that has moved shows that the text did not stand there before.
            if before.caret.is_some() && !before.tapped {
                let typed_to = before.caret.map(|caret| caret.start + text.encode_utf16().count());
                let is_shorter = caret.zip(typed_to).is_some_and(|(now, to)| now.start < to);
                if is_shorter && !Comparison::is_long_number(text) {
                    return Arrival::Different(LEFT_OUT.to_owned());
                }
                return Arrival::There;
            }
            let why = "the field holds the text, and may have held it before";
            return Arrival::Different(why.to_owned());
        }
        if contained && should_be_whole {
            return Arrival::Different("the field holds more than the text".to_owned());
        }
        // A keyboard that types nothing leaves what an empty field asks for, which is not told from a text everywhere.
        let is_as_it_was = before.shown.as_deref() == Some(shown);
        let untouched = unmoved || shown.is_empty() || is_as_it_was;
        let is_nowhere = !contained && !self.holds_elsewhere(field, comparison, &typed);
        if untouched && is_nowhere {
            return Arrival::Nothing;
        }
        let why = format!(
            "the field in focus{} does not hold the text as it was sent: the keyboard may compose or correct words, or \
             the field changes what is typed",
            named(field)
        );
        if is_nowhere && before.was_empty(caret, shown, text) {
            Arrival::Altered(why)
        } else {
            Arrival::Different(why)
        }
    }

    /// Whether the text may have gone to another element: boxes for single digits pass the focus on,
    /// and names become elements of their own.
    fn holds_elsewhere(&self, field: &Element, comparison: Comparison, typed: &str) -> bool {
        let takes = |it: &Element| is_field(it) && !it.text.is_empty() && it.text != it.hint;
        let others = self.0.iter().filter(|it| it.index != field.index);
        others.into_iter().any(|it| {
            takes(it) && it.text.chars().count() == 1 || comparison.plain(&it.text).contains(typed)
        })
    }
}

/// By what a field can be told from the others, in brackets.
fn named(field: &Element) -> String {
    let id = field.resource_id.rsplit('/').next().unwrap_or_default();
    let name = if id.is_empty() { field.hint.trim() } else { id };
    let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    if name.is_empty() { name } else { format!(" ({name})") }
}

fn is_field(element: &Element) -> bool {
    element.password || element.class.contains("EditText") || element.class.contains("AutoComplete")
}

/// The longest name of a field, in characters.
const LONGEST_NAME: usize = 60;

const LEFT_OUT: &str = "the field has left out signs of the text";

/// How texts are compared: fields group digits, turn line breaks into spaces and change letters to
/// capitals.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    /// The text has nothing but signs.
    signs: bool,
}

impl Comparison {
    fn with(text: &str) -> Self {
        Self { signs: !text.chars().any(char::is_alphanumeric) }
    }

    /// Whether as many signs are shown as were typed: fields add some and write others instead, as "…" for three
    /// points, but "1.5" and "-5" are not "15" and "5". Those of long numbers are the field's to set.
    fn keeps_signs(self, typed: &str, shown: &str) -> bool {
        let count = |text: &str| -> usize {
            let weight = |c: char| match c {
                c if c.is_alphanumeric() || c.is_whitespace() || is_unseen(c) => 0,
                // What joins letters and emoji, and says how they are drawn.
                '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => 0,
                '…' => 3,
                '–' | '—' => 2,
                _ => 1,
            };
            text.chars().map(weight).sum()
        };
        self.signs || Self::is_long_number(typed) || count(typed) <= count(shown)
    }

    fn is_long_number(typed: &str) -> bool {
        const LONG: usize = 7;
        !typed.chars().any(char::is_alphabetic)
            && LONG <= typed.chars().filter(char::is_ascii_digit).count()
    }

    fn plain(self, text: &str) -> String {
        let kept = |c: &char| if self.signs { !c.is_whitespace() } else { c.is_alphanumeric() };
        text.chars().filter(kept).flat_map(char::to_lowercase).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(nodes: &[(&str, &str, &str)]) -> Fields {
        let node = |(class, text, more): &(&str, &str, &str)| {
            format!(
                r#"<node class="android.widget.{class}" text="{text}" bounds="[0,0][9,9]" {more} />"#
            )
        };
        let nodes: String = nodes.iter().map(node).collect();
        Fields(Elements::read(&format!("<hierarchy>{nodes}</hierarchy>")).unwrap())
    }

    fn one(text: &str) -> Fields {
        fields(&[("EditText", text, r#"focused="true""#)])
    }

    fn at(place: usize) -> Caret {
        Caret { start: place, end: place, composing: false }
    }

    const UNKNOWN: &FieldBefore =
        &FieldBefore { caret: None, tapped: false, empty: false, maybe_empty: false, shown: None };
    const EMPTIED: &FieldBefore =
        &FieldBefore { caret: None, tapped: false, empty: true, maybe_empty: false, shown: None };

    fn before(place: usize) -> FieldBefore {
        FieldBefore { caret: Some(at(place)), ..FieldBefore::default() }
    }

    fn is_different(arrival: &Arrival) -> bool {
        matches!(arrival, Arrival::Different(_))
    }

    #[test]
    fn a_text_is_known_again_as_fields_write_it() {
        for (shown, text) in [
            ("hello", "hello"),
            ("555-1234", "5551234"),
            ("MILK", "milk"),
            ("two lines", "two\nlines"),
            ("\u{4f60}\u{597d}", "\u{4f60}\u{597d}"),
            ("...", "..."),
        ] {
            assert_eq!(one(shown).judge(EMPTIED, None, text), Arrival::There, "{shown}");
            let now = Some(at(4 + shown.encode_utf16().count()));
            let behind = one(&format!("old {shown}"));
            assert_eq!(behind.judge(&before(4), now, text), Arrival::There, "{shown}");
            // It may be what is old.
            let tapped = FieldBefore { tapped: true, ..before(4) };
            for before in [UNKNOWN, &tapped] {
                assert!(is_different(&behind.judge(before, now, text)), "{shown}");
            }
        }
    }

    #[test]
    fn a_text_whose_signs_are_left_out_is_another() {
        for (shown, text) in [("15", "1.5"), ("5", "-5"), ("C", "C++"), ("ok", "ok 👍")] {
            assert!(is_different(&one(shown).judge(EMPTIED, None, text)), "{shown}");
        }
        for (shown, text) in [
            ("1.5", "1.5"),
            ("it’s", "it's"),
            ("wait…", "wait..."),
            ("555-123-4567", "(555) 123-4567"),
            ("1,500", "1500"),
        ] {
            assert_eq!(one(shown).judge(EMPTIED, None, text), Arrival::There, "{shown}");
        }
    }

    #[test]
    fn a_text_behind_another_that_moves_the_caret_too_little_is_another() {
        let behind = one("old 15");
        assert!(is_different(&behind.judge(&before(4), Some(at(6)), "1.5")));
        assert_eq!(behind.judge(&before(4), Some(at(6)), "15"), Arrival::There);
        // The field groups what was typed.
        assert_eq!(one("old 1,500").judge(&before(4), Some(at(9)), "1500"), Arrival::There);
    }

    #[test]
    fn a_word_that_is_still_composed_is_told_from_one_that_is_there() {
        let composing = Some(Caret { composing: true, ..at(4) });
        assert_eq!(one("milk").judge(EMPTIED, composing, "milk"), Arrival::Composing);
        assert!(is_different(&one("more milk").judge(EMPTIED, composing, "milk")));
    }

    #[test]
    fn a_text_may_be_typed_again_only_where_nothing_has_changed() {
        assert_eq!(one("old").judge(&before(3), Some(at(3)), "new"), Arrival::Nothing);
        assert_eq!(one("").judge(UNKNOWN, None, "new"), Arrival::Nothing);
        assert_eq!(one("").judge(EMPTIED, None, "new"), Arrival::Nothing);
        // What was there before is not known.
        assert!(is_different(&one("old").judge(UNKNOWN, None, "new")));
        let maybe_empty = FieldBefore { maybe_empty: true, ..before(0) };
        assert!(is_different(&one("old").judge(&maybe_empty, Some(at(0)), "new")));
        // Shown is what was left, or what an empty field asks for.
        let hint = FieldBefore { shown: Some("Note".to_owned()), ..maybe_empty };
        assert_eq!(one("Note").judge(&hint, Some(at(0)), "new"), Arrival::Nothing);
        assert!(is_different(&one("Note").judge(&hint, Some(at(0)), "not")), "it may be there");
        assert!(is_different(&one("\u{5b57}").judge(&hint, Some(at(1)), "new")));
        assert!(is_different(&one("old\u{5b57}").judge(&before(3), Some(at(4)), "new")));
        // Nothing moved, and yet it is there: from before, or not.
        assert!(is_different(&one("banana").judge(&before(6), Some(at(6)), "a")));
        assert!(is_different(&one("old new").judge(EMPTIED, Some(at(7)), "new")));
    }

    #[test]
    fn a_text_may_replace_what_became_of_it_only_in_a_field_that_was_empty() {
        let is_altered = |shown: &str, before: &FieldBefore, caret: Option<Caret>| {
            let judged = one(shown).judge(before, caret, "ni hao");
            assert!(is_different(&judged) || matches!(judged, Arrival::Altered(_)), "{judged:?}");
            matches!(judged, Arrival::Altered(_))
        };
        assert!(is_altered("\u{4f60}\u{597d}", EMPTIED, None));
        assert!(is_altered("\u{4f60}\u{597d}", &before(0), Some(at(2))));
        let composing = Some(Caret { composing: true, ..at(2) });
        assert!(is_altered("\u{4f60}\u{597d}", &before(0), composing));
        // Something stands behind it, or before it, or is too long to come from the text.
        assert!(!is_altered("\u{4f60}\u{597d}old", &before(0), Some(at(2))));
        assert!(!is_altered("old\u{4f60}", &before(3), Some(at(4))));
        assert!(!is_altered("what is old", &before(0), Some(at(11))));
        // The caret may be that of the field before.
        let tapped = FieldBefore { tapped: true, ..before(0) };
        assert!(!is_altered("old\u{4f60}", &tapped, Some(at(4))));
        let maybe_empty = FieldBefore { maybe_empty: true, ..before(0) };
        assert!(!is_altered("old\u{4f60}", &maybe_empty, Some(at(4))));
        assert!(!is_altered("old", UNKNOWN, Some(at(3))));
        // It may have become a part of the screen.
        let part = ("Button", "Ni Hao", "");
        let judged = fields(&[part, ("EditText", "x", r#"focused="true""#)]);
        assert!(is_different(&judged.judge(EMPTIED, Some(at(1)), "ni hao")));
    }

    #[test]
    fn what_went_to_another_element_is_not_typed_again() {
        let focused = ("EditText", "", r#"focused="true""#);
        for other in [
            ("EditText", "7", ""),
            ("EditText", "\u{2022}", r#"password="true""#),
            ("Button", "Anna Lee", ""),
        ] {
            let text = if other.0 == "Button" { "anna lee" } else { "7" };
            let judged = fields(&[other, focused]).judge(&before(0), Some(at(0)), text);
            assert!(is_different(&judged), "{other:?}: {judged:?}");
        }
        let judged = fields(&[("EditText", "x", "")]).judge(&before(0), Some(at(0)), "7");
        assert!(matches!(judged, Arrival::Unknown(_)), "{judged:?}");
    }

    #[test]
    fn a_hidden_text_is_counted_and_never_typed_again() {
        let secret = |dots: usize| {
            let dots = "\u{2022}".repeat(dots);
            fields(&[("EditText", &dots, r#"focused="true" password="true""#)])
        };
        assert_eq!(secret(4).judge(EMPTIED, None, "abcd"), Arrival::There);
        for dots in [0, 3] {
            let judged = secret(dots).judge(EMPTIED, Some(at(0)), "abcd");
            assert!(matches!(judged, Arrival::Unknown(_)), "{judged:?}");
        }
    }

    #[test]
    fn what_is_said_before_may_be_of_another_field() {
        let told = |before, after: &[Option<bool>]| {
            let mut hides = Hides::before(before);
            for said in after {
                hides.after(*said);
            }
            hides.hides_text()
        };
        assert_eq!(told(Some(false), &[]), None);
        assert_eq!(told(Some(false), &[None]), None);
        assert_eq!(told(None, &[Some(false)]), Some(false));
        assert_eq!(told(Some(false), &[Some(true), Some(false)]), Some(true));
        assert_eq!(told(Some(true), &[Some(false)]), Some(true));
    }

    #[test]
    fn a_hint_is_no_text() {
        let hinted = fields(&[("EditText", "Search", r#"focused="true" hint="Search""#)]);
        assert_eq!(hinted.text(), Some(""));
        assert_eq!(hinted.judge(UNKNOWN, None, "milk"), Arrival::Nothing);
    }
}
