//! Widgets shared by the apps: bars, rows, cards, buttons, fields. Material 3, light.
use jiff::civil::{Date, DateTime};

use super::fields::Fields;
use super::{Dialog, Element, Event, SystemEvent, ViewContext};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Content, FieldSpec, Length};

pub(crate) const SURFACE: Color = Color(0xFFF8_F9FF);
pub(crate) const CARD: Color = Color(0xFFFF_FFFF);
pub(crate) const SURFACE_CONTAINER: Color = Color(0xFFE9_EEF9);
pub(crate) const PRIMARY: Color = Color(0xFF0B_57D0);
pub(crate) const PRIMARY_CONTAINER: Color = Color(0xFFD3_E3FD);
pub(crate) const ON_SURFACE_VARIANT: Color = Color(0xFF44_474F);
pub(crate) const OUTLINE: Color = Color(0xFFC4_C6D0);
pub(crate) const ERROR: Color = Color(0xFFBA_1A1A);
pub(crate) const WHITE: Color = Color(0xFFFF_FFFF);

/// IME action numbers, as `EditorInfo` has them.
pub(crate) const SEARCH: u32 = 3;
pub(crate) const SEND: u32 = 4;
pub(crate) const NEXT: u32 = 5;
pub(crate) const DONE: u32 = 6;

/// A whole screen: bar on top, the rest below.
pub(crate) fn page(bar: Element, body: Element) -> Element {
    Element::column(vec![bar, body]).fill_parent().background(SURFACE).id("android:id/content")
}

/// The app bar of an inner screen: back, title, buttons.
pub(crate) fn app_bar(title: &str, buttons: Vec<Element>) -> Element {
    let mut row = vec![
        icon_button(icons::ARROW_BACK, "Navigate up", "", SystemEvent::Back),
        Element::text(title, 22.0)
            .lines(1)
            .fill_width()
            .id("toolbar_title")
            .edges([4.0, 0.0, 8.0, 0.0]),
    ];
    row.extend(buttons);
    Element::row(row).height(Length::Dp(64.0)).pad(4.0, 0.0).id("toolbar")
}

/// The app bar of an app's first screen.
pub(crate) fn main_app_bar(title: &str, buttons: Vec<Element>) -> Element {
    let mut row = vec![Element::text(title, 24.0).lines(1).fill_width().id("toolbar_title")];
    row.extend(buttons);
    Element::row(row).height(Length::Dp(68.0)).edges([20.0, 0.0, 8.0, 0.0]).id("toolbar")
}

pub(crate) fn icon_button(
    icon: char,
    desc: &str,
    id: &'static str,
    event: impl Into<Event>,
) -> Element {
    Element::centered(Element::icon(icon, 24.0, ON_SURFACE_VARIANT))
        .class("android.widget.ImageButton")
        .size(48.0, 48.0)
        .desc(desc)
        .id(id)
        .click(event)
}

pub(crate) fn filled_button(label: &str, id: &'static str, event: impl Into<Event>) -> Element {
    button(label, id, event).background(PRIMARY).color(WHITE)
}

pub(crate) fn tonal_button(label: &str, id: &'static str, event: impl Into<Event>) -> Element {
    button(label, id, event).background(PRIMARY_CONTAINER).color(Color(0xFF06_2E6F))
}

pub(crate) fn text_button(label: &str, id: &'static str, event: impl Into<Event>) -> Element {
    button(label, id, event).color(PRIMARY)
}

fn button(label: &str, id: &'static str, event: impl Into<Event>) -> Element {
    Element::text(label, 15.0)
        .class("android.widget.Button")
        .bold()
        .center_text()
        .lines(1)
        .pad(22.0, 13.0)
        .radius(24.0)
        .id(id)
        .click(event)
}

/// A floating action button.
pub(crate) fn fab(icon: char, label: &str, id: &'static str, event: impl Into<Event>) -> Element {
    let button = Element::row(vec![
        Element::icon(icon, 24.0, Color(0xFF06_2E6F)),
        Element::text(label, 15.0).bold().color(Color(0xFF06_2E6F)),
    ])
    .class("android.widget.Button")
    .gap(12.0)
    .pad(20.0, 16.0)
    .background(PRIMARY_CONTAINER)
    .radius(16.0)
    .shadow()
    .desc(label)
    .id(id)
    .click(event);
    Element::column(vec![Element::spacer(), button])
        .cross(Alignment::End)
        .fill_parent()
        .edges([0.0, 0.0, 16.0, 20.0])
}

/// A white rounded card.
pub(crate) fn card(children: Vec<Element>) -> Element {
    Element::column(children).background(CARD).radius(20.0).fill_width()
}

/// A list item: icon, title and summary.
pub(crate) fn row(icon: Option<(char, Color)>, title: &str, below: &str) -> Element {
    let mut texts = vec![Element::text(title, 16.5).lines(2).id("android:id/title")];
    if !below.is_empty() {
        texts.push(
            Element::text(below, 14.0).color(ON_SURFACE_VARIANT).lines(2).id("android:id/summary"),
        );
    }
    let mut parts = Vec::new();
    if let Some((icon, color)) = icon {
        parts.push(Element::icon(icon, 24.0, color).id("android:id/icon"));
    }
    parts.push(Element::column(texts).fill_width().gap(1.0));
    Element::row(parts).gap(20.0).pad(20.0, 14.0).fill_width()
}

/// A list item with a switch; the whole row toggles it.
pub(crate) fn switch_row(
    icon: Option<(char, Color)>,
    title: &str,
    below: &str,
    on: bool,
    id: &'static str,
    event: impl Into<Event>,
) -> Element {
    let mut el = row(icon, title, below);
    el.children.push(switch(on, id));
    el.click(event).checked(on)
}

pub(crate) fn switch(on: bool, id: &'static str) -> Element {
    Element::control(Content::Switch(on), "android.widget.Switch", 52.0, 32.0).checked(on).id(id)
}

pub(crate) fn avatar(name: &str, size: f32) -> Element {
    const COLORS: [u32; 6] =
        [0xFF8E_4EC6, 0xFF0B_7A75, 0xFFC2_571A, 0xFF1A_73E8, 0xFFB3_2650, 0xFF5A_6E1F];
    let sum: usize = name.chars().map(|c| c as usize).sum();
    let letter: String = name.chars().take(1).collect();
    Element::centered(Element::text(letter, size * 0.46).color(WHITE))
        .size(size, size)
        .background(Color(COLORS[sum % COLORS.len()]))
        .radius(size / 2.0)
}

/// A text field.
#[derive(Debug)]
pub(crate) struct FieldView<'a> {
    pub(crate) name: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) fields: &'a Fields,
    pub(crate) password: bool,
    pub(crate) multi_line: bool,
    pub(crate) digits: bool,
    pub(crate) action: Option<(u32, Event)>,
}

impl<'a> FieldView<'a> {
    pub(crate) fn new(name: &'static str, hint: &'static str, fields: &'a Fields) -> Self {
        Self { name, hint, fields, password: false, multi_line: false, digits: false, action: None }
    }

    pub(crate) fn action(mut self, action: u32, event: impl Into<Event>) -> Self {
        self.action = Some((action, event.into()));
        self
    }

    /// The field without an outline of its own.
    pub(crate) fn plain(self, cx: &ViewContext<'_>, size: f32) -> Element {
        let focused = cx.focus == Some(self.name);
        let mut el = Element::text(self.fields.text(self.name), size)
            .class("android.widget.EditText")
            .id(self.name)
            .fill_width()
            .focused(focused);
        if !self.multi_line {
            el = el.lines(1);
        }
        el.field = Some(FieldSpec {
            name: self.name,
            caret: self.fields.caret(self.name),
            all_selected: focused && cx.all_selected,
            hint: self.hint,
            password: self.password,
            multi_line: self.multi_line,
            digits: self.digits,
            action: self.action,
        });
        el
    }

    pub(crate) fn outlined(self, cx: &ViewContext<'_>) -> Element {
        let focused = cx.focus == Some(self.name);
        let el = self.plain(cx, 17.0).pad(16.0, 16.0).radius(8.0);
        if focused { el.border(2.0, PRIMARY) } else { el.border(1.0, Color(0xFF74_777F)) }
    }
}

/// A search field shaped like a pill.
pub(crate) fn search_pill(cx: &ViewContext<'_>, view: FieldView<'_>) -> Element {
    Element::row(vec![
        Element::icon(icons::SEARCH, 24.0, ON_SURFACE_VARIANT),
        view.plain(cx, 16.5).pad(0.0, 15.0),
    ])
    .gap(12.0)
    .pad(18.0, 0.0)
    .background(SURFACE_CONTAINER)
    .radius(28.0)
    .fill_width()
}

pub(crate) fn chip(label: &str, on: bool, id: &'static str, event: impl Into<Event>) -> Element {
    let el = Element::text(label, 14.0)
        .class("android.widget.CheckBox")
        .pad(14.0, 8.0)
        .radius(9.0)
        .checked(on)
        .id(id)
        .click(event);
    if on {
        el.background(PRIMARY_CONTAINER).color(Color(0xFF06_2E6F))
    } else {
        el.border(1.0, OUTLINE)
    }
}

/// The placeholder of an empty list.
pub(crate) fn empty_state(icon: char, text: &str) -> Element {
    Element::column(vec![
        Element::icon(icon, 56.0, OUTLINE),
        Element::text(text, 16.0).color(ON_SURFACE_VARIANT).center_text().id("empty"),
    ])
    .cross(Alignment::Center)
    .main(Alignment::Center)
    .gap(12.0)
    .pad(24.0, 48.0)
    .fill_width()
}

pub(crate) fn divider() -> Element {
    Element::space(1.0).fill_width().background(OUTLINE.with_alpha(0x80))
}

pub(crate) fn section_header(text: &str) -> Element {
    Element::text(text, 14.0).bold().color(PRIMARY).edges([20.0, 18.0, 20.0, 6.0])
}

/// 9:05 as a phone writes it.
pub(crate) fn format_time((hour, minute): (u32, u32)) -> String {
    format!("{hour}:{minute:02}")
}

/// The time of a moment as a phone writes it, such as 9:05.
pub(crate) fn format_clock(at: DateTime) -> String {
    at.strftime("%-H:%M").to_string()
}

/// Tue, 12 May.
pub(crate) fn format_date(day: Date) -> String {
    day.strftime("%a, %-d %b").to_string()
}

/// Cents as euros.
pub(crate) fn format_euros(cents: u32) -> String {
    format!("\u{20ac}{}.{:02}", cents / 100, cents % 100)
}

/// What a dialog consists of; the screen behind it is dimmed by the system.
pub(crate) fn dialog(title: &str, text: &str, buttons: Vec<Element>) -> Element {
    let mut row = vec![Element::spacer().height(Length::Dp(1.0))];
    row.extend(buttons);
    let mut parts = vec![Element::text(title, 22.0).id("android:id/alertTitle")];
    if !text.is_empty() {
        parts.push(Element::text(text, 15.5).color(ON_SURFACE_VARIANT).id("android:id/message"));
    }
    parts.push(Element::row(row).id("android:id/buttonPanel"));
    Element::column(parts)
        .gap(14.0)
        .edges([24.0, 24.0, 16.0, 14.0])
        .background(Color(0xFFEE_F1FA))
        .radius(28.0)
        .shadow()
        .fill_width()
        .id("android:id/parentPanel")
}

/// The question before something is deleted for good.
pub(crate) fn delete_dialog(
    title: &str,
    text: &str,
    delete: impl Into<Event>,
    cancel: impl Into<Event>,
) -> Dialog {
    let cancel = cancel.into();
    let buttons = vec![
        text_button("Cancel", "android:id/button2", cancel.clone()),
        text_button("Delete", "android:id/button1", delete),
    ];
    Dialog { panel: dialog(title, text, buttons), cancel }
}
