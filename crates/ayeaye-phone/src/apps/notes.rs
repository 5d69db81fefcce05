//! Notes: a list, and one note with a title and a body.
use serde::Serialize;

use super::fields::Fields;
use super::widgets::{
    CARD, FieldView, NEXT, ON_SURFACE_VARIANT, OUTLINE, app_bar, delete_dialog, empty_state, fab,
    icon_button, main_app_bar, page, text_button,
};
use super::{App, AppContext, Dialog, Element, ViewContext};
use crate::text::icons;

pub(crate) const PACKAGE: &str = "com.example.notes";
pub(crate) const ACTIVITY: &str = "com.example.notes.MainActivity";
const EDIT: &str = "com.example.notes.EditActivity";

/// Most notes.
const MAX: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub title: String,
    pub body: String,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    New,
    Open(usize),
    Save,
    Delete,
    AskDelete(usize),
    CancelDelete,
}

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Notes(event)
    }
}

/// The note that is open.
#[derive(Debug, Clone, Copy)]
enum Editing {
    New,
    Old(usize),
}

impl Editing {
    fn index(self) -> Option<usize> {
        match self {
            Self::New => None,
            Self::Old(i) => Some(i),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Notes {
    editing: Option<Editing>,
    /// The note whose deletion has to be confirmed.
    deleting: Option<usize>,
    fields: Fields,
    /// Newest first.
    pub(crate) entries: Vec<Note>,
}

impl Notes {
    pub(crate) fn new() -> Self {
        let note =
            |title: &str, body: &str| Note { title: title.to_owned(), body: body.to_owned() };
        Self {
            editing: None,
            deleting: None,
            fields: Fields::default(),
            entries: vec![
                note("Shopping list", "Milk\nBread\nApples\nCoffee"),
                note("Books to read", "The Left Hand of Darkness\nThe Summer Book"),
                note("Bike", "Front tyre loses air. Ask Ben for the pump."),
            ],
        }
    }

    fn close(&mut self) {
        self.editing = None;
        self.fields.clear();
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        match event {
            Event::New => {
                self.fields.clear();
                self.editing = Some(Editing::New);
                cx.forward();
                cx.focus("title");
            }
            Event::Open(i) => {
                let Some(note) = self.entries.get(i) else { return };
                self.fields.set("title", &note.title);
                self.fields.set("body", &note.body);
                self.editing = Some(Editing::Old(i));
                cx.forward();
            }
            Event::Save => {
                let Some(editing) = self.editing else { return };
                let note = Note {
                    title: self.fields.text("title").to_owned(),
                    body: self.fields.text("body").to_owned(),
                };
                if note.title.is_empty() && note.body.is_empty() {
                    cx.toast("An empty note is not saved");
                    return;
                }
                match editing.index().and_then(|i| self.entries.get_mut(i)) {
                    Some(old) => *old = note,
                    None => self.entries.insert(0, note),
                }
                self.entries.truncate(MAX);
                self.close();
                cx.unfocus();
                cx.back();
                cx.toast("Note saved");
            }
            Event::AskDelete(i) => {
                self.deleting = Some(i);
                cx.unfocus();
            }
            Event::CancelDelete => self.deleting = None,
            Event::Delete => {
                if let Some(i) = self.deleting.take().filter(|i| *i < self.entries.len()) {
                    self.entries.remove(i);
                    if self.editing.is_some() {
                        cx.back();
                    }
                    self.close();
                    cx.toast("Note deleted");
                }
            }
        }
    }

    fn list(&self) -> Element {
        let cards: Vec<Element> = self
            .entries
            .iter()
            .enumerate()
            .map(|(i, note)| {
                let title = if note.title.is_empty() { "Untitled" } else { &note.title };
                Element::column(vec![
                    Element::text(title, 17.0).bold().lines(1).id("note_title"),
                    Element::text(&note.body, 15.0)
                        .color(ON_SURFACE_VARIANT)
                        .lines(4)
                        .id("note_body"),
                ])
                .gap(4.0)
                .pad(18.0, 14.0)
                .background(CARD)
                .border(1.0, OUTLINE)
                .radius(16.0)
                .id("note")
                .click(Event::Open(i))
                .long_click(Event::AskDelete(i))
            })
            .collect();
        let list = if cards.is_empty() {
            empty_state(icons::NOTE, "Notes you write appear here")
        } else {
            Element::column(cards).gap(10.0).edges([16.0, 4.0, 16.0, 96.0])
        };
        page(
            main_app_bar("Notes", Vec::new()),
            Element::stack(vec![
                Element::column(vec![list]).fill_parent().scroll("notes").id("note_list"),
                fab(icons::ADD, "New note", "new_note", Event::New),
            ])
            .fill_parent(),
        )
    }

    fn edit(&self, cx: &ViewContext<'_>, which: Option<usize>) -> Element {
        let title = FieldView::new("title", "Title", &self.fields)
            .action(NEXT, super::SystemEvent::Nothing)
            .plain(cx, 24.0)
            .pad(22.0, 10.0);
        let body = FieldView { multi_line: true, ..FieldView::new("body", "Note", &self.fields) };
        // Tall even when empty, so that it can be tapped anywhere below the title.
        let mut body = body.plain(cx, 17.0);
        body.pad =
            [22.0, 8.0, 22.0, if self.fields.text("body").is_empty() { 260.0 } else { 120.0 }];
        let mut buttons = Vec::new();
        if let Some(i) = which {
            buttons.push(icon_button(icons::DELETE, "Delete", "delete", Event::AskDelete(i)));
        }
        buttons.push(text_button("Save", "save", Event::Save));
        page(
            app_bar(if which.is_some() { "Edit note" } else { "New note" }, buttons),
            Element::column(vec![title, body]).fill_parent().scroll("note").id("editor"),
        )
    }
}

impl App for Notes {
    fn activity(&self) -> &'static str {
        if self.editing.is_some() { EDIT } else { ACTIVITY }
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        match self.editing {
            Some(which) => self.edit(cx, which.index()),
            None => self.list(),
        }
    }

    fn dialog(&self) -> Option<Dialog> {
        self.deleting?;
        let (title, text) = ("Delete note?", "The note will be gone for good.");
        Some(delete_dialog(title, text, Event::Delete, Event::CancelDelete))
    }

    fn back(&mut self, cx: &mut AppContext<'_>) -> bool {
        let Some(which) = self.editing else { return false };
        let before = which.index().and_then(|i| self.entries.get(i));
        let (title, body) = (self.fields.text("title"), self.fields.text("body"));
        let unchanged = match before {
            Some(note) => note.title == title && note.body == body,
            None => title.is_empty() && body.is_empty(),
        };
        if !unchanged {
            cx.toast("Changes discarded");
        }
        self.close();
        true
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.deleting = None;
        self.close();
    }

    fn open(&mut self, class: &str) -> bool {
        self.deleting = None;
        if class == EDIT && self.editing.is_none() {
            self.editing = Some(Editing::New);
        }
        class == ACTIVITY || class == EDIT
    }
}
