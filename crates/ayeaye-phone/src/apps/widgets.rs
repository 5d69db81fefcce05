//! Pieces that several apps share: bars, rows, cards, buttons, fields. Material 3, light.
use super::fields::Fields;
use super::{Act, ShellAct, View};
use crate::draw::icons;
use crate::tree::element::{Color, Content, El, FieldSpec, Len, Place};

pub(crate) const SURFACE: Color = Color(0xFFF8_F9FF);
pub(crate) const CARD: Color = Color(0xFFFF_FFFF);
pub(crate) const TINT: Color = Color(0xFFE9_EEF9);
pub(crate) const PRIMARY: Color = Color(0xFF0B_57D0);
pub(crate) const CONTAINER: Color = Color(0xFFD3_E3FD);
pub(crate) const QUIET: Color = Color(0xFF44_474F);
pub(crate) const OUTLINE: Color = Color(0xFFC4_C6D0);
pub(crate) const ERROR: Color = Color(0xFFBA_1A1A);
pub(crate) const WHITE: Color = Color(0xFFFF_FFFF);

/// IME action numbers, as `EditorInfo` has them.
pub(crate) const SEARCH: u32 = 3;
pub(crate) const SEND: u32 = 4;
pub(crate) const NEXT: u32 = 5;
pub(crate) const DONE: u32 = 6;

/// A whole screen: bar on top, the rest below.
pub(crate) fn page(bar: El, body: El) -> El {
    El::column(vec![bar, body]).grow().fill(SURFACE).id("android:id/content")
}

/// The bar with the way back, a title and buttons.
pub(crate) fn bar(title: &str, buttons: Vec<El>) -> El {
    let mut row = vec![
        icon_button(icons::ARROW_BACK, "Navigate up", "", ShellAct::Back),
        El::text(title, 22.0).lines(1).wide().id("toolbar_title").edges([4.0, 0.0, 8.0, 0.0]),
    ];
    row.extend(buttons);
    El::row(row).height(Len::Dp(64.0)).pad(4.0, 0.0).id("toolbar")
}

/// The bar of an app's first screen.
pub(crate) fn home_bar(title: &str, buttons: Vec<El>) -> El {
    let mut row = vec![El::text(title, 24.0).lines(1).wide().id("toolbar_title")];
    row.extend(buttons);
    El::row(row).height(Len::Dp(68.0)).edges([20.0, 0.0, 8.0, 0.0]).id("toolbar")
}

pub(crate) fn icon_button(icon: char, desc: &str, id: &'static str, act: impl Into<Act>) -> El {
    El::stack(vec![El::icon(icon, 24.0, QUIET)])
        .class("android.widget.ImageButton")
        .main(Place::Center)
        .cross(Place::Center)
        .width(Len::Dp(48.0))
        .height(Len::Dp(48.0))
        .desc(desc)
        .id(id)
        .click(act)
}

pub(crate) fn filled_button(label: &str, id: &'static str, act: impl Into<Act>) -> El {
    button(label, id, act).fill(PRIMARY).color(WHITE)
}

pub(crate) fn tonal_button(label: &str, id: &'static str, act: impl Into<Act>) -> El {
    button(label, id, act).fill(CONTAINER).color(Color(0xFF06_2E6F))
}

pub(crate) fn text_button(label: &str, id: &'static str, act: impl Into<Act>) -> El {
    button(label, id, act).color(PRIMARY)
}

fn button(label: &str, id: &'static str, act: impl Into<Act>) -> El {
    El::text(label, 15.0)
        .class("android.widget.Button")
        .bold()
        .centered()
        .lines(1)
        .pad(22.0, 13.0)
        .radius(24.0)
        .id(id)
        .click(act)
}

/// The round or long button floating over a list's end.
pub(crate) fn fab(icon: char, label: &str, id: &'static str, act: impl Into<Act>) -> El {
    let button = El::row(vec![
        El::icon(icon, 24.0, Color(0xFF06_2E6F)),
        El::text(label, 15.0).bold().color(Color(0xFF06_2E6F)),
    ])
    .class("android.widget.Button")
    .gap(12.0)
    .pad(20.0, 16.0)
    .fill(CONTAINER)
    .radius(16.0)
    .shadow()
    .desc(label)
    .id(id)
    .click(act);
    El::column(vec![El::spring(), button]).cross(Place::End).grow().edges([0.0, 0.0, 16.0, 20.0])
}

/// A white rounded card.
pub(crate) fn card(children: Vec<El>) -> El {
    El::column(children).fill(CARD).radius(20.0).wide()
}

/// Icon, title and a second line.
pub(crate) fn row(icon: Option<(char, Color)>, title: &str, below: &str) -> El {
    let mut texts = vec![El::text(title, 16.5).lines(2).id("android:id/title")];
    if !below.is_empty() {
        texts.push(El::text(below, 14.0).color(QUIET).lines(2).id("android:id/summary"));
    }
    let mut parts = Vec::new();
    if let Some((icon, color)) = icon {
        parts.push(El::icon(icon, 24.0, color).id("android:id/icon"));
    }
    parts.push(El::column(texts).wide().gap(1.0));
    El::row(parts).gap(20.0).pad(20.0, 14.0).wide()
}

/// A row that ends in a switch; the whole row toggles.
pub(crate) fn switch_row(
    icon: Option<(char, Color)>,
    title: &str,
    below: &str,
    on: bool,
    id: &'static str,
    act: impl Into<Act>,
) -> El {
    let mut el = row(icon, title, below);
    el.children.push(switch(on, id));
    el.click(act).checked(on)
}

pub(crate) fn switch(on: bool, id: &'static str) -> El {
    El::control(Content::Switch(on), "android.widget.Switch", 52.0, 32.0).checked(on).id(id)
}

pub(crate) fn avatar(name: &str, size: f32) -> El {
    const COLORS: [u32; 6] =
        [0xFF8E_4EC6, 0xFF0B_7A75, 0xFFC2_571A, 0xFF1A_73E8, 0xFFB3_2650, 0xFF5A_6E1F];
    let sum: usize = name.chars().map(|c| c as usize).sum();
    let letter: String = name.chars().take(1).collect();
    El::stack(vec![El::text(letter, size * 0.46).color(WHITE)])
        .main(Place::Center)
        .cross(Place::Center)
        .width(Len::Dp(size))
        .height(Len::Dp(size))
        .fill(Color(COLORS[sum % COLORS.len()]))
        .radius(size / 2.0)
}

/// A text field in an outline.
#[derive(Debug)]
pub(crate) struct FieldView<'a> {
    pub(crate) name: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) fields: &'a Fields,
    pub(crate) password: bool,
    pub(crate) multi_line: bool,
    pub(crate) digits: bool,
    pub(crate) action: Option<(u32, Act)>,
}

impl<'a> FieldView<'a> {
    pub(crate) fn new(name: &'static str, hint: &'static str, fields: &'a Fields) -> Self {
        Self { name, hint, fields, password: false, multi_line: false, digits: false, action: None }
    }

    pub(crate) fn action(mut self, action: u32, act: impl Into<Act>) -> Self {
        self.action = Some((action, act.into()));
        self
    }

    /// The field without an outline of its own.
    pub(crate) fn plain(self, cx: &View<'_>, size: f32) -> El {
        let focused = cx.focus == Some(self.name);
        let mut el = El::text(self.fields.text(self.name), size)
            .class("android.widget.EditText")
            .id(self.name)
            .wide()
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

    pub(crate) fn outlined(self, cx: &View<'_>) -> El {
        let focused = cx.focus == Some(self.name);
        let el = self.plain(cx, 17.0).pad(16.0, 16.0).radius(8.0);
        if focused { el.border(2.0, PRIMARY) } else { el.border(1.0, Color(0xFF74_777F)) }
    }
}

/// A search field shaped like a pill.
pub(crate) fn search_pill(cx: &View<'_>, view: FieldView<'_>) -> El {
    El::row(vec![El::icon(icons::SEARCH, 24.0, QUIET), view.plain(cx, 16.5).pad(0.0, 15.0)])
        .gap(12.0)
        .pad(18.0, 0.0)
        .fill(TINT)
        .radius(28.0)
        .wide()
}

pub(crate) fn chip(label: &str, on: bool, id: &'static str, act: impl Into<Act>) -> El {
    let el = El::text(label, 14.0)
        .class("android.widget.CheckBox")
        .pad(14.0, 8.0)
        .radius(9.0)
        .checked(on)
        .id(id)
        .click(act);
    if on { el.fill(CONTAINER).color(Color(0xFF06_2E6F)) } else { el.border(1.0, OUTLINE) }
}

/// An empty list says so.
pub(crate) fn nothing(icon: char, text: &str) -> El {
    El::column(vec![
        El::icon(icon, 56.0, OUTLINE),
        El::text(text, 16.0).color(QUIET).centered().id("empty"),
    ])
    .cross(Place::Center)
    .main(Place::Center)
    .gap(12.0)
    .pad(24.0, 48.0)
    .wide()
}

pub(crate) fn divider() -> El {
    El::space(1.0).wide().fill(OUTLINE.with_alpha(0x80))
}

pub(crate) fn label(text: &str) -> El {
    El::text(text, 14.0).bold().color(PRIMARY).edges([20.0, 18.0, 20.0, 6.0])
}

/// 9:05 as a phone writes it.
pub(crate) fn hours((hour, minute): (u32, u32)) -> String {
    format!("{hour}:{minute:02}")
}

/// Cents as euros.
pub(crate) fn euros(cents: u32) -> String {
    format!("\u{20ac}{}.{:02}", cents / 100, cents % 100)
}

/// A question over a dimmed screen; touching beside it does `beside`.
pub(crate) fn question(title: &str, text: &str, buttons: Vec<El>, beside: Act) -> El {
    let mut row = vec![El::spring().height(Len::Dp(1.0))];
    row.extend(buttons);
    let mut parts = vec![El::text(title, 22.0).id("android:id/alertTitle")];
    if !text.is_empty() {
        parts.push(El::text(text, 15.5).color(QUIET).id("android:id/message"));
    }
    parts.push(El::row(row).id("android:id/buttonPanel"));
    let panel = El::column(parts)
        .gap(14.0)
        .edges([24.0, 24.0, 16.0, 14.0])
        .fill(Color(0xFFEE_F1FA))
        .radius(28.0)
        .shadow()
        .wide()
        .id("android:id/parentPanel")
        .click(ShellAct::Nothing);
    El::stack(vec![
        El::spring().fill(Color(0x7A00_0000)).click(beside),
        El::column(vec![panel]).main(Place::Center).cross(Place::Stretch).grow().pad(32.0, 24.0),
    ])
    .grow()
}
