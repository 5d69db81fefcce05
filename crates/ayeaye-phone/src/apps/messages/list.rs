//! The list of conversations, some of which may be selected.
use super::{Event, Messages, days};
use crate::apps::widgets::{
    ON_SURFACE_VARIANT, PRIMARY, PRIMARY_CONTAINER, SURFACE_CONTAINER, WHITE, avatar, empty_state,
    fab, icon_button, main_app_bar, page,
};
use crate::apps::{Element, SystemEvent, ViewContext};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Length};

impl Messages {
    pub(super) fn list(&self, cx: &ViewContext<'_>) -> Element {
        let rows: Vec<Element> = self
            .conversations
            .iter()
            .map(|conversation| {
                let last = conversation.messages.last();
                let mine = if last.is_some_and(|m| m.from_me) { "You: " } else { "" };
                let snippet = format!("{mine}{}", last.map_or("", |m| m.text.as_str()));
                let mut name =
                    Element::text(&conversation.with, 17.0).lines(1).id("conversation_name");
                let mut text = Element::text(snippet.replace('\n', " "), 14.5)
                    .lines(1)
                    .color(ON_SURFACE_VARIANT)
                    .id("conversation_snippet");
                let time = last.map_or_else(String::new, |m| days::short(m.at, cx.now));
                let mut end = vec![Element::text(time, 13.0).color(ON_SURFACE_VARIANT)];
                if conversation.unread {
                    name = name.bold();
                    text = text.bold().color(Color(0xFF1A_1C20));
                    end.push(
                        Element::space(10.0)
                            .background(PRIMARY)
                            .radius(5.0)
                            .desc("Unread")
                            .id("unread_dot"),
                    );
                }
                let with = conversation.with.clone();
                let selected = self.selected.contains(&with);
                let face = if selected { check_mark() } else { avatar(&with, 48.0) };
                let tapped = if self.selected.is_empty() {
                    Event::Open(with.clone())
                } else {
                    Event::Select(with.clone())
                };
                let row = Element::row(vec![
                    face,
                    Element::column(vec![name, text]).fill_width().gap(2.0),
                    Element::column(end).cross(Alignment::End).gap(6.0),
                ])
                .gap(16.0)
                .pad(18.0, 12.0)
                .id("conversation")
                .selected(selected)
                .click(tapped)
                .long_click(Event::Select(with));
                if selected { row.background(PRIMARY_CONTAINER) } else { row }
            })
            .collect();
        let list = if rows.is_empty() {
            empty_state(icons::CHAT, "No conversations")
        } else {
            Element::column(rows).edges([0.0, 0.0, 0.0, 96.0])
        };
        let mut body =
            vec![Element::column(vec![list]).fill_parent().scroll("conversations").id("list")];
        let bar = if self.selected.is_empty() {
            body.push(fab(icons::CHAT, "Start chat", "start_chat", Event::New));
            main_app_bar(
                "Messages",
                vec![Element::icon(icons::ACCOUNT_CIRCLE, 32.0, PRIMARY), Element::space(8.0)],
            )
        } else {
            self.selection_bar()
        };
        page(bar, Element::stack(body).fill_parent())
    }

    /// What can be done with the selected conversations.
    fn selection_bar(&self) -> Element {
        let count = format!("{} selected", self.selected.len());
        Element::row(vec![
            icon_button(icons::CLOSE, "Cancel selection", "action_mode_close", SystemEvent::Back),
            Element::text(count, 22.0).lines(1).fill_width().pad(4.0, 0.0).id("action_bar_title"),
            icon_button(icons::DELETE, "Delete", "action_delete", Event::AskDelete),
        ])
        .height(Length::Dp(68.0))
        .pad(4.0, 0.0)
        .background(SURFACE_CONTAINER)
        .id("action_mode_bar")
    }
}

/// In place of the picture of somebody whose conversation is selected.
fn check_mark() -> Element {
    Element::centered(Element::icon(icons::CHECK, 26.0, WHITE))
        .size(48.0, 48.0)
        .background(PRIMARY)
        .radius(24.0)
}
