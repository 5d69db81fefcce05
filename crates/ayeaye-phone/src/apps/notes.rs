//! Notes: a list, and one note with a title and a body.
use serde::Serialize;

use super::fields::Fields;
use super::widgets::{
    CARD, FieldView, NEXT, OUTLINE, QUIET, bar, fab, home_bar, icon_button, nothing, page,
    text_button,
};
use super::{App, Cx, View};
use crate::draw::icons;
use crate::tree::element::El;

pub(crate) const PACKAGE: &str = "com.example.notes";
pub(crate) const ACTIVITY: &str = "com.example.notes.MainActivity";
const EDIT: &str = "com.example.notes.EditActivity";

/// Notes that are kept.
const MAX: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub title: String,
    pub body: String,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    New,
    Open(usize),
    Save,
    Delete,
    AskDelete(usize),
    KeepIt,
}

impl From<Act> for super::Act {
    fn from(act: Act) -> Self {
        Self::Notes(act)
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
    /// Asked whether this one shall go.
    deleting: Option<usize>,
    fields: Fields,
    /// Newest first.
    pub(crate) kept: Vec<Note>,
}

impl Notes {
    pub(crate) fn new() -> Self {
        let note =
            |title: &str, body: &str| Note { title: title.to_owned(), body: body.to_owned() };
        Self {
            editing: None,
            deleting: None,
            fields: Fields::default(),
            kept: vec![
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

    pub(crate) fn act(&mut self, act: Act, cx: &mut Cx<'_>) {
        match act {
            Act::New => {
                self.fields.clear();
                self.editing = Some(Editing::New);
                cx.forward();
                cx.focus("title");
            }
            Act::Open(i) => {
                let Some(note) = self.kept.get(i) else { return };
                self.fields.set("title", &note.title);
                self.fields.set("body", &note.body);
                self.editing = Some(Editing::Old(i));
                cx.forward();
            }
            Act::Save => {
                let Some(editing) = self.editing else { return };
                let note = Note {
                    title: self.fields.text("title").to_owned(),
                    body: self.fields.text("body").to_owned(),
                };
                if note.title.is_empty() && note.body.is_empty() {
                    cx.toast("An empty note is not saved");
                    return;
                }
                match editing.index().and_then(|i| self.kept.get_mut(i)) {
                    Some(old) => *old = note,
                    None => self.kept.insert(0, note),
                }
                self.kept.truncate(MAX);
                self.close();
                cx.unfocus();
                cx.back();
                cx.toast("Note saved");
            }
            Act::AskDelete(i) => {
                self.deleting = Some(i);
                cx.unfocus();
            }
            Act::KeepIt => self.deleting = None,
            Act::Delete => {
                if let Some(i) = self.deleting.take().filter(|i| *i < self.kept.len()) {
                    self.kept.remove(i);
                    if self.editing.is_some() {
                        cx.back();
                    }
                    self.close();
                    cx.toast("Note deleted");
                }
            }
        }
    }

    fn list(&self) -> El {
        let cards: Vec<El> = self
            .kept
            .iter()
            .enumerate()
            .map(|(i, note)| {
                let title = if note.title.is_empty() { "Untitled" } else { &note.title };
                El::column(vec![
                    El::text(title, 17.0).bold().lines(1).id("note_title"),
                    El::text(&note.body, 15.0).color(QUIET).lines(4).id("note_body"),
                ])
                .gap(4.0)
                .pad(18.0, 14.0)
                .fill(CARD)
                .border(1.0, OUTLINE)
                .radius(16.0)
                .id("note")
                .click(Act::Open(i))
                .long(Act::AskDelete(i))
            })
            .collect();
        let list = if cards.is_empty() {
            nothing(icons::NOTE, "Notes you write appear here")
        } else {
            El::column(cards).gap(10.0).edges([16.0, 4.0, 16.0, 96.0])
        };
        page(
            home_bar("Notes", Vec::new()),
            El::stack(vec![
                El::column(vec![list]).grow().scroll("notes").id("note_list"),
                fab(icons::ADD, "New note", "new_note", Act::New),
            ])
            .grow(),
        )
    }

    fn edit(&self, cx: &View<'_>, which: Option<usize>) -> El {
        let title = FieldView::new("title", "Title", &self.fields)
            .action(NEXT, super::ShellAct::Nothing)
            .plain(cx, 24.0)
            .pad(22.0, 10.0);
        let body = FieldView { multi_line: true, ..FieldView::new("body", "Note", &self.fields) };
        // Tall even when empty, so that it can be tapped anywhere below the title.
        let mut body = body.plain(cx, 17.0);
        body.pad =
            [22.0, 8.0, 22.0, if self.fields.text("body").is_empty() { 260.0 } else { 120.0 }];
        let mut buttons = Vec::new();
        if let Some(i) = which {
            buttons.push(icon_button(icons::DELETE, "Delete", "delete", Act::AskDelete(i)));
        }
        buttons.push(text_button("Save", "save", Act::Save));
        page(
            bar(if which.is_some() { "Edit note" } else { "New note" }, buttons),
            El::column(vec![title, body]).grow().scroll("note").id("editor"),
        )
    }
}

impl App for Notes {
    fn activity(&self) -> &'static str {
        if self.editing.is_some() { EDIT } else { ACTIVITY }
    }

    fn view(&self, cx: &View<'_>) -> El {
        let screen = match self.editing {
            Some(which) => self.edit(cx, which.index()),
            None => self.list(),
        };
        if self.deleting.is_none() {
            return screen;
        }
        let question = super::widgets::question(
            "Delete note?",
            "The note will be gone for good.",
            vec![
                text_button("Cancel", "android:id/button2", Act::KeepIt),
                text_button("Delete", "android:id/button1", Act::Delete),
            ],
            Act::KeepIt.into(),
        );
        El::stack(vec![screen, question]).grow()
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.deleting.take().is_some() {
            return true;
        }
        let Some(which) = self.editing else { return false };
        let before = which.index().and_then(|i| self.kept.get(i));
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
        if class == EDIT && self.editing.is_none() {
            self.editing = Some(Editing::New);
        }
        class == ACTIVITY || class == EDIT
    }
}
