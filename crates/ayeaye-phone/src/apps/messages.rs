//! Messages: conversations, two of them with people called Anna.
mod seed;

use serde::Serialize;

use super::back_stack::BackStack;
use super::fields::Fields;
use super::widgets::{
    FieldView, ON_SURFACE_VARIANT, PRIMARY, PRIMARY_CONTAINER, SEND, SURFACE, SURFACE_CONTAINER,
    WHITE, app_bar, avatar, empty_state, fab, format_time, icon_button, main_app_bar, page,
    search_pill,
};
use super::{App, AppContext, Effect, Element, ViewContext, widgets};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Length};

pub(crate) const PACKAGE: &str = "com.example.messages";
pub(crate) const ACTIVITY: &str = "com.example.messages.ConversationListActivity";
const CONVERSATION: &str = "com.example.messages.ConversationActivity";
const NEW: &str = "com.example.messages.NewMessageActivity";

/// Most conversations, and messages of each; the oldest are dropped.
const MAX: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChatMessage {
    pub from_me: bool,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    pub with: String,
    pub messages: Vec<ChatMessage>,
    pub unread: bool,
    /// The time of the last message, as shown.
    pub time: String,
}

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SentMessage {
    pub to: String,
    pub text: String,
}

#[derive(Debug, Clone)]
pub(crate) enum Event {
    Open(String),
    New,
    Send,
    Delete(String),
    Copy(String),
    Call,
}

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Messages(event)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Screen {
    List,
    New,
    With(String),
}

#[derive(Debug)]
pub(crate) struct Messages {
    stack: BackStack<Screen>,
    fields: Fields,
    /// Newest first.
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) sent: Vec<SentMessage>,
}

impl Messages {
    pub(crate) fn new() -> Self {
        Self {
            stack: BackStack::new(Screen::List),
            fields: Fields::default(),
            conversations: seed::conversations(),
            sent: Vec::new(),
        }
    }

    fn screen(&self) -> &Screen {
        self.stack.top()
    }

    /// The contact whose conversation is open.
    pub(crate) fn open_with(&self) -> Option<&str> {
        match self.screen() {
            Screen::With(name) => Some(name),
            _ => None,
        }
    }

    fn add(&mut self, with: &str, message: ChatMessage, unread: bool, time: String) {
        let mut conversation = match self.conversations.iter().position(|c| c.with == with) {
            Some(at) => self.conversations.remove(at),
            None => Conversation {
                with: with.to_owned(),
                messages: Vec::new(),
                unread: false,
                time: String::new(),
            },
        };
        conversation.messages.push(message);
        if conversation.messages.len() > MAX {
            conversation.messages.remove(0);
        }
        conversation.unread = unread;
        conversation.time = time;
        self.conversations.insert(0, conversation);
        self.conversations.truncate(MAX);
    }

    /// An incoming message.
    pub(crate) fn receive(&mut self, from: &str, text: &str, seen: bool, time: (u32, u32)) {
        let message = ChatMessage { from_me: false, text: text.to_owned() };
        self.add(from, message, !seen, format_time(time));
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        match event {
            Event::Open(name) => {
                if let Some(conversation) = self.conversations.iter_mut().find(|c| c.with == name) {
                    conversation.unread = false;
                }
                self.fields.clear();
                // Back leads to the list, not to the search for a contact.
                self.stack.reset();
                self.stack.push(Screen::With(name));
                cx.unfocus();
                cx.forward();
            }
            Event::New => {
                self.fields.clear();
                self.stack.push(Screen::New);
                cx.forward();
                cx.focus("recipient");
            }
            Event::Send => {
                let Screen::With(name) = self.screen().clone() else { return };
                let text = self.fields.text("compose").to_owned();
                if text.trim().is_empty() {
                    return;
                }
                self.fields.set("compose", "");
                self.sent.push(SentMessage { to: name.clone(), text: text.clone() });
                if self.sent.len() > MAX {
                    self.sent.remove(0);
                }
                self.add(&name, ChatMessage { from_me: true, text }, false, format_time(cx.time));
                cx.effects.push(Effect::ScrollToEnd(scroll_name(&name)));
            }
            Event::Delete(name) => {
                self.conversations.retain(|c| c.with != name);
                cx.toast("Conversation deleted");
            }
            Event::Copy(text) => {
                cx.system.clipboard = Some(text);
                cx.toast("Message copied");
            }
            Event::Call => cx.toast("No SIM card"),
        }
    }

    fn list(&self) -> Element {
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
                let mut end =
                    vec![Element::text(&conversation.time, 13.0).color(ON_SURFACE_VARIANT)];
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
                Element::row(vec![
                    avatar(&conversation.with, 48.0),
                    Element::column(vec![name, text]).fill_width().gap(2.0),
                    Element::column(end).cross(Alignment::End).gap(6.0),
                ])
                .gap(16.0)
                .pad(18.0, 12.0)
                .id("conversation")
                .click(Event::Open(conversation.with.clone()))
                .long_click(Event::Delete(conversation.with.clone()))
            })
            .collect();
        let list = if rows.is_empty() {
            empty_state(icons::CHAT, "No conversations")
        } else {
            Element::column(rows).edges([0.0, 0.0, 0.0, 96.0])
        };
        page(
            main_app_bar(
                "Messages",
                vec![Element::icon(icons::ACCOUNT_CIRCLE, 32.0, PRIMARY), Element::space(8.0)],
            ),
            Element::stack(vec![
                Element::column(vec![list]).fill_parent().scroll("conversations").id("list"),
                fab(icons::CHAT, "Start chat", "start_chat", Event::New),
            ])
            .fill_parent(),
        )
    }

    fn new_message(&self, cx: &ViewContext<'_>) -> Element {
        let wanted = self.fields.text("recipient").trim().to_lowercase();
        let rows: Vec<Element> = seed::CONTACTS
            .iter()
            .filter(|(name, number)| {
                name.to_lowercase().contains(&wanted) || number.contains(&wanted)
            })
            .map(|(name, number)| {
                Element::row(vec![
                    avatar(name, 44.0),
                    Element::column(vec![
                        Element::text(*name, 17.0).id("contact_name"),
                        Element::text(*number, 14.0).color(ON_SURFACE_VARIANT).id("contact_number"),
                    ])
                    .fill_width(),
                ])
                .gap(16.0)
                .pad(18.0, 10.0)
                .id("contact")
                .click(Event::Open((*name).to_owned()))
            })
            .collect();
        let list = if rows.is_empty() {
            empty_state(icons::PERSON, "No contact with this name")
        } else {
            Element::column(rows)
        };
        let field = FieldView::new("recipient", "Type a name or phone number", &self.fields)
            .action(widgets::SEARCH, super::SystemEvent::Nothing);
        page(
            app_bar("New conversation", Vec::new()),
            Element::column(vec![
                Element::column(vec![search_pill(cx, field)]).pad(16.0, 6.0),
                Element::column(vec![list]).fill_parent().scroll("contacts").id("contact_list"),
            ])
            .fill_parent(),
        )
    }

    fn conversation(&self, cx: &ViewContext<'_>, name: &str) -> Element {
        let conversation = self.conversations.iter().find(|c| c.with == name);
        let messages = conversation.map_or(&[][..], |t| &t.messages);
        let mut bubbles = vec![
            Element::text("Today", 13.0)
                .color(ON_SURFACE_VARIANT)
                .center_text()
                .fill_width()
                .pad(0.0, 10.0),
        ];
        bubbles.extend(messages.iter().map(|message| {
            let (fill, ink) = if message.from_me {
                (PRIMARY, WHITE)
            } else {
                (SURFACE_CONTAINER, Color(0xFF1A_1C20))
            };
            let bubble = Element::text(&message.text, 16.0)
                .color(ink)
                .background(fill)
                .radius(20.0)
                .pad(16.0, 10.0)
                .id("message_text")
                .click(super::SystemEvent::Nothing)
                .long_click(Event::Copy(message.text.clone()));
            let side = Element::space(64.0).height(Length::Dp(1.0));
            // Filling the row keeps a long message from reaching the other side.
            let hold =
                |place| Element::column(vec![bubble.clone()]).cross(place).width(Length::Fill(1.0));
            if message.from_me {
                Element::row(vec![side, hold(Alignment::End)]).pad(16.0, 3.0)
            } else {
                Element::row(vec![hold(Alignment::Start), side]).pad(16.0, 3.0)
            }
        }));
        let ready = !self.fields.text("compose").trim().is_empty();
        let field = FieldView {
            multi_line: true,
            ..FieldView::new("compose", "Text message", &self.fields).action(SEND, Event::Send)
        };
        let send = Element::centered(Element::icon(
            icons::SEND,
            24.0,
            if ready { WHITE } else { Color(0xFF74_777F) },
        ))
        .class("android.widget.ImageButton")
        .size(48.0, 48.0)
        .radius(24.0)
        .background(if ready { PRIMARY } else { PRIMARY_CONTAINER })
        .desc("Send SMS")
        .id("send_button")
        .enabled(ready)
        .click(Event::Send);
        let compose = Element::row(vec![
            Element::row(vec![
                Element::icon(icons::EMOJI, 24.0, ON_SURFACE_VARIANT),
                field.plain(cx, 16.5).pad(0.0, 13.0),
            ])
            .gap(10.0)
            .pad(14.0, 0.0)
            .background(SURFACE_CONTAINER)
            .radius(24.0)
            .fill_width(),
            send,
        ])
        .cross(Alignment::End)
        .gap(8.0)
        .pad(12.0, 8.0);
        page(
            app_bar(
                name,
                vec![
                    icon_button(icons::CALL, "Call", "call", Event::Call),
                    icon_button(icons::MORE_VERT, "More options", "more", Event::Call),
                ],
            ),
            Element::column(vec![
                Element::column(bubbles)
                    .fill_parent()
                    .scroll_from_end(scroll_name(name))
                    .id("messages"),
                compose,
            ])
            .fill_parent()
            .background(SURFACE),
        )
    }
}

fn scroll_name(with: &str) -> String {
    format!("conversation {with}")
}

impl App for Messages {
    fn activity(&self) -> &'static str {
        match self.screen() {
            Screen::List => ACTIVITY,
            Screen::New => NEW,
            Screen::With(_) => CONVERSATION,
        }
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        match self.screen() {
            Screen::List => self.list(),
            Screen::New => self.new_message(cx),
            Screen::With(name) => self.conversation(cx, name),
        }
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
        let more = self.stack.pop();
        if more {
            self.fields.clear();
        }
        more
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.stack.reset();
        self.fields.clear();
    }

    fn open(&mut self, class: &str) -> bool {
        if class == NEW {
            self.stack.raise(Screen::New);
        }
        class == ACTIVITY || class == NEW
    }
}
