//! One conversation.
use super::{ChatMessage, Event, Messages, days, scroll_name};
use crate::apps::widgets::{
    FieldView, ON_SURFACE_VARIANT, PRIMARY, PRIMARY_CONTAINER, SEND, SURFACE, SURFACE_CONTAINER,
    WHITE, app_bar, icon_button, page,
};
use crate::apps::{Element, SystemEvent, ViewContext};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Length};

/// The ink of messages that are not the user's own.
const INK: Color = Color(0xFF1A_1C20);
/// The ink of a button that cannot be pressed.
const DISABLED: Color = Color(0xFF74_777F);

impl Messages {
    pub(super) fn conversation(&self, cx: &ViewContext<'_>, name: &str) -> Element {
        let conversation = self.conversations.iter().find(|c| c.with == name);
        let messages = conversation.map_or(&[][..], |t| &t.messages);
        let mut rows = Vec::new();
        let mut day = None;
        for message in messages {
            if day != Some(message.at.date()) {
                day = Some(message.at.date());
                rows.push(day_heading(message, cx));
            }
            rows.push(message_row(message));
        }
        page(
            app_bar(
                name,
                vec![
                    icon_button(icons::CALL, "Call", "call", Event::Call),
                    icon_button(icons::MORE_VERT, "More options", "more", Event::Call),
                ],
            ),
            Element::column(vec![
                Element::column(rows)
                    .fill_parent()
                    .scroll_from_end(scroll_name(name))
                    .id("messages"),
                self.compose_row(cx),
            ])
            .fill_parent()
            .background(SURFACE),
        )
    }

    /// The field for a new message, and the button that sends it.
    fn compose_row(&self, cx: &ViewContext<'_>) -> Element {
        let field = FieldView {
            multi_line: true,
            ..FieldView::new("compose", "Text message", &self.fields).action(SEND, Event::Send)
        };
        Element::row(vec![
            Element::row(vec![
                Element::icon(icons::EMOJI, 24.0, ON_SURFACE_VARIANT),
                field.plain(cx, 16.5).pad(0.0, 13.0),
            ])
            .gap(10.0)
            .pad(14.0, 0.0)
            .background(SURFACE_CONTAINER)
            .radius(24.0)
            .fill_width(),
            send_button(!self.fields.text("compose").trim().is_empty()),
        ])
        .cross(Alignment::End)
        .gap(8.0)
        .pad(12.0, 8.0)
    }
}

fn day_heading(first: &ChatMessage, cx: &ViewContext<'_>) -> Element {
    Element::text(days::heading(first.at, cx.now), 13.0)
        .color(ON_SURFACE_VARIANT)
        .center_text()
        .fill_width()
        .pad(0.0, 10.0)
}

/// A bubble at the right if the message is the user's own, else at the left.
fn message_row(message: &ChatMessage) -> Element {
    let (fill, ink) = if message.from_me { (PRIMARY, WHITE) } else { (SURFACE_CONTAINER, INK) };
    let bubble = Element::text(&message.text, 16.0)
        .color(ink)
        .background(fill)
        .radius(20.0)
        .pad(16.0, 10.0)
        .id("message_text")
        .click(SystemEvent::Nothing)
        .long_click(Event::Copy(message.text.clone()));
    let side = Element::space(64.0).height(Length::Dp(1.0));
    // Filling the row keeps a long message from reaching the other side.
    let hold = |place| Element::column(vec![bubble]).cross(place).width(Length::Fill(1.0));
    let row = if message.from_me {
        Element::row(vec![side, hold(Alignment::End)])
    } else {
        Element::row(vec![hold(Alignment::Start), side])
    };
    row.pad(16.0, 3.0)
}

fn send_button(is_ready: bool) -> Element {
    let (ink, fill) = if is_ready { (WHITE, PRIMARY) } else { (DISABLED, PRIMARY_CONTAINER) };
    Element::centered(Element::icon(icons::SEND, 24.0, ink))
        .class("android.widget.ImageButton")
        .size(48.0, 48.0)
        .radius(24.0)
        .background(fill)
        .desc("Send SMS")
        .id("send_button")
        .enabled(is_ready)
        .click(Event::Send)
}
