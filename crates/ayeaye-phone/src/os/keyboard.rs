//! The soft keyboard.
use crate::apps::{Element, SoftKey, SystemEvent};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Length, ON_SURFACE};

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keyboard {
    pub(crate) shift: bool,
    pub(crate) symbols: bool,
}

const BACK: Color = Color(0xFFE3_E7F1);
const KEY: Color = Color(0xFFFC_FCFF);
const DARK_KEY: Color = Color(0xFFC9_D2E6);
const ACCENT: Color = Color(0xFF0B_57D0);

const LETTERS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const SYMBOLS: [&str; 3] = ["1234567890", "@#\u{20ac}_&-+()/", "*\"':;!?"];

/// Height in dp, without the navigation bar.
pub(crate) fn height(landscape: bool) -> f32 {
    if landscape { 176.0 } else { 262.0 }
}

/// `action` is the editor action of the field (3 search, 4 send, 5 next, 6 done).
pub(crate) fn view(
    keyboard: Keyboard,
    landscape: bool,
    digits: bool,
    action: Option<u32>,
) -> Element {
    let symbols = keyboard.symbols || digits;
    let rows = if symbols { SYMBOLS } else { LETTERS };
    let mut lines = Vec::new();
    if !landscape {
        lines.push(strip());
    }
    for (i, row) in rows.iter().enumerate() {
        let mut keys: Vec<Element> =
            row.chars().map(|c| letter(if keyboard.shift { upper(c) } else { c }, 1.0)).collect();
        if i == 2 {
            keys.insert(0, if symbols { letter(',', 1.5) } else { shift(keyboard.shift) });
            keys.push(special(
                icons::BACKSPACE,
                "Delete",
                SoftKey::Backspace,
                1.5,
                DARK_KEY,
                ON_SURFACE,
            ));
        } else if row.chars().count() == 9 {
            keys.insert(0, Element::spacer().width(Length::Fill(0.5)));
            keys.push(Element::spacer().width(Length::Fill(0.5)));
        }
        lines.push(line(keys));
    }
    let page = if symbols { "ABC" } else { "?123" };
    // The enter key shows the editor action.
    let enter = match action {
        Some(3) => (icons::SEARCH, "Search"),
        Some(4) | None => (icons::KEYBOARD_RETURN, "Enter"),
        Some(5) => (icons::CHEVRON_RIGHT, "Next"),
        Some(_) => (icons::CHECK, "Done"),
    };
    lines.push(line(vec![
        named(page, "Symbols", SoftKey::Symbols, 1.5, DARK_KEY),
        letter(',', 1.0),
        letter(if symbols { '@' } else { '/' }, 1.0),
        named("English", "Space", SoftKey::Char(' '), 4.0, KEY),
        letter('.', 1.0),
        special(enter.0, enter.1, SoftKey::Enter, 1.5, ACCENT, Color(0xFFFF_FFFF)),
    ]));
    Element::column(lines).fill_parent().pad(3.0, 4.0).background(BACK).id("keyboard_view")
}

/// The suggestion strip: icons only.
fn strip() -> Element {
    let icon = |glyph| {
        Element::centered(Element::icon(glyph, 22.0, Color(0xFF44_474F)))
            .width(Length::Fill(1.0))
            .height(Length::Dp(42.0))
    };
    Element::row(vec![
        icon(icons::EMOJI),
        icon(icons::SETTINGS),
        icon(icons::EDIT),
        icon(icons::MORE_VERT),
        icon(icons::MIC),
    ])
}

fn line(keys: Vec<Element>) -> Element {
    Element::row(keys).cross(Alignment::Stretch).fill_parent()
}

fn upper(c: char) -> char {
    c.to_ascii_uppercase()
}

fn key(face: Element, desc: &str, cap: SoftKey, share: f32, color: Color) -> Element {
    let cap_face = Element::centered(face).fill_parent().background(color).radius(7.0);
    Element::stack(vec![cap_face])
        .class("android.widget.Key")
        .width(Length::Fill(share))
        .height(Length::Fill(1.0))
        .pad(3.0, 4.5)
        .desc(desc)
        .click(SystemEvent::Key(cap))
}

fn letter(c: char, share: f32) -> Element {
    key(Element::text(c.to_string(), 22.0), &c.to_string(), SoftKey::Char(c), share, KEY)
}

fn named(label: &str, desc: &str, cap: SoftKey, share: f32, color: Color) -> Element {
    let ink = if cap == SoftKey::Symbols { ON_SURFACE } else { Color(0xFF74_777F) };
    key(Element::text(label, 15.0).lines(1).color(ink), desc, cap, share, color)
}

fn special(glyph: char, desc: &str, cap: SoftKey, share: f32, color: Color, ink: Color) -> Element {
    let round = key(Element::icon(glyph, 22.0, ink), desc, cap, share, color);
    if cap == SoftKey::Enter { round_cap(round) } else { round }
}

fn round_cap(mut el: Element) -> Element {
    for face in &mut el.children {
        face.radius = 24.0;
    }
    el
}

fn shift(on: bool) -> Element {
    let color = if on { ACCENT } else { DARK_KEY };
    let ink = if on { Color(0xFFFF_FFFF) } else { ON_SURFACE };
    special(icons::ARROW_UPWARD, "Shift", SoftKey::Shift, 1.5, color, ink)
}
