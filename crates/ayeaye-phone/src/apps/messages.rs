//! Messages: conversations, two of them with people called Anna.
mod chat;
mod days;
mod list;
mod seed;

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use serde::Serialize;

use super::back_stack::BackStack;
use super::fields::Fields;
use super::widgets::{
    self, FieldView, ON_SURFACE_VARIANT, app_bar, avatar, delete_dialog, empty_state, page,
    search_pill,
};
use super::{App, AppContext, Dialog, Effect, Element, ViewContext};
use crate::text::icons;

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
    /// When, on the phone's clock.
    pub at: DateTime,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    pub with: String,
    pub messages: Vec<ChatMessage>,
    pub unread: bool,
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
    /// Selects a conversation in the list, or no longer.
    Select(String),
    AskDelete,
    CancelDelete,
    Delete,
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
    /// With whom the selected conversations are.
    selected: BTreeSet<String>,
    /// Whether to delete them has to be confirmed.
    deleting: bool,
    /// Newest first.
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) sent: Vec<SentMessage>,
}

impl Messages {
    pub(crate) fn new() -> Self {
        Self {
            stack: BackStack::new(Screen::List),
            fields: Fields::default(),
            selected: BTreeSet::new(),
            deleting: false,
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

    fn add(&mut self, with: &str, message: ChatMessage, unread: bool) {
        let mut conversation = match self.conversations.iter().position(|c| c.with == with) {
            Some(at) => self.conversations.remove(at),
            None => Conversation { with: with.to_owned(), messages: Vec::new(), unread: false },
        };
        conversation.messages.push(message);
        if conversation.messages.len() > MAX {
            conversation.messages.remove(0);
        }
        conversation.unread = unread;
        self.conversations.insert(0, conversation);
        self.conversations.truncate(MAX);
    }

    /// An incoming message.
    pub(crate) fn receive(&mut self, from: &str, text: &str, seen: bool, now: DateTime) {
        let message = ChatMessage { from_me: false, text: text.to_owned(), at: now };
        self.add(from, message, !seen);
    }

    fn deselect(&mut self) {
        self.selected.clear();
        self.deleting = false;
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        match event {
            Event::Open(name) => {
                if let Some(conversation) = self.conversations.iter_mut().find(|c| c.with == name) {
                    conversation.unread = false;
                }
                self.fields.clear();
                self.deselect();
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
                self.add(&name, ChatMessage { from_me: true, text, at: cx.now }, false);
                cx.effects.push(Effect::ScrollToEnd(scroll_name(&name)));
            }
            Event::Select(name) => {
                if !self.selected.remove(&name) {
                    self.selected.insert(name);
                }
            }
            Event::AskDelete => self.deleting = !self.selected.is_empty(),
            Event::CancelDelete => self.deleting = false,
            Event::Delete => {
                let gone = std::mem::take(&mut self.selected);
                self.deleting = false;
                self.conversations.retain(|c| !gone.contains(&c.with));
                cx.toast(match gone.len() {
                    1 => "Conversation deleted".to_owned(),
                    many => format!("{many} conversations deleted"),
                });
            }
            Event::Copy(text) => {
                cx.system.clipboard = Some(text);
                cx.toast("Message copied");
            }
            Event::Call => cx.toast("No SIM card"),
        }
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
            Screen::List => self.list(cx),
            Screen::New => self.new_message(cx),
            Screen::With(name) => self.conversation(cx, name),
        }
    }

    fn dialog(&self) -> Option<Dialog> {
        let title = match self.selected.len() {
            _ if !self.deleting => return None,
            1 => "Delete this conversation?".to_owned(),
            many => format!("Delete these {many} conversations?"),
        };
        let text = "This is permanent and can't be undone.";
        Some(delete_dialog(&title, text, Event::Delete, Event::CancelDelete))
    }

    fn end_selection(&mut self) -> bool {
        let ends = !self.selected.is_empty();
        self.deselect();
        ends
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
        self.deselect();
    }

    fn open(&mut self, class: &str) -> bool {
        if class == NEW {
            self.deselect();
            self.stack.raise(Screen::New);
        }
        class == ACTIVITY || class == NEW
    }
}
