//! Text in the focused field: editing it, the input method, the soft keyboard.
use super::Os;
use super::input::field_lines;
use super::state::{Gesture, InputOutcome};
use crate::apps::fields::Field;
use crate::apps::{Event, SoftKey, SystemEvent};
use crate::system::LATIN_KEYBOARD;
use crate::tree::WindowKind;
use crate::tree::element::FieldSpec;

/// `EditorInfo.IME_ACTION_NEXT`.
const NEXT: u32 = 5;

impl Os {
    /// Whether keys and text reach the focused field: nothing covers the app.
    pub(super) fn takes_text(&self) -> bool {
        self.awake && !self.locked && !self.recents && !self.has_dialog()
    }

    pub(super) fn field(&mut self, name: &'static str) -> &mut Field {
        self.apps.get_mut(self.foreground).fields().get(name)
    }

    /// Deletes the whole text when it is selected; else makes the given change.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut Field)) {
        let Some(name) = self.focus else { return };
        if std::mem::take(&mut self.all_selected) {
            self.field(name).set("");
        } else {
            change(self.field(name));
        }
        self.edited();
    }

    /// Moves the caret.
    pub(super) fn step(&mut self, change: impl FnOnce(&mut Field)) {
        let Some(name) = self.focus else { return };
        self.all_selected = false;
        change(self.field(name));
        self.edited();
    }

    /// Moves the caret to the beginning or the end of the text.
    pub(super) fn go_to_edge_of_text(&mut self, end: bool) -> bool {
        let reaches = self.focus.is_some() && self.takes_text();
        if reaches {
            self.step(|field| field.caret = if end { field.text.len() } else { 0 });
        }
        reaches
    }

    /// Moves the caret to the right or the left edge of the line that it is in, as Android's keys do: in a
    /// paragraph from right to left the right edge is where the line begins.
    pub(super) fn go_to_edge_of_line(&mut self, right: bool) {
        let Some(name) = self.focus else { return };
        let Field { text, caret } = self.field(name).clone();
        let mut lines = vec![(0, text.len())];
        if self.takes_lines() && !text.is_empty() {
            let layout = self.layout();
            let window = layout.windows.iter().find(|w| w.kind == WindowKind::App);
            if let Some(node) = window.and_then(|window| window.find_field(name)) {
                let shown = field_lines(node).1;
                lines = shown.iter().map(|line| (line.start, line.end)).collect();
            }
        }
        let row = lines.iter().rposition(|(start, _)| *start <= caret).unwrap_or(0);
        let (start, end) = lines.get(row).copied().unwrap_or_default();
        let goes_on = lines.get(row + 1).is_some_and(|(next, _)| *next == end);
        let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        // Behind the last character it would be in the next line.
        let end = if goes_on { last } else { end };
        let at_start = right == is_right_to_left(&text, start);
        self.step(|field| field.caret = if at_start { start } else { end });
    }

    fn edited(&mut self) {
        self.reveal_focus = true;
        self.invalidate();
    }

    /// Inserts text at the caret, or in place of the selection.
    pub(super) fn insert(&mut self, text: &str) -> bool {
        let Some(name) = self.focus else { return false };
        let spec = self.spec();
        let single = spec.as_ref().is_some_and(|s| !s.multi_line);
        let digits = spec.as_ref().is_some_and(|s| s.digits);
        // Single-line fields turn line breaks into spaces; number fields take digits only.
        let text: String = text
            .chars()
            .map(|c| if single && c == '\n' { ' ' } else { c })
            .filter(|c| !digits || c.is_ascii_digit())
            .collect();
        let replace = std::mem::take(&mut self.all_selected);
        let field = self.field(name);
        if replace {
            field.set("");
        }
        let fits = field.insert(&text);
        self.edited();
        fits
    }

    /// Inserts what was typed by keys, which pass through the current input method: one that composes
    /// holds letters back until something else is typed, and then makes a word of its own of them.
    pub(super) fn insert_keys(&mut self, text: &str) -> bool {
        if !self.quirks.composing || self.system.input_method() != LATIN_KEYBOARD {
            return self.insert(text);
        }
        let mut made = String::new();
        for c in text.chars() {
            if c.is_ascii_alphabetic() {
                self.composing.push(c);
            } else if self.composing.is_empty() {
                made.push(c);
            } else {
                self.composing.clear();
                made.push('\u{5b57}');
                if !matches!(c, ' ' | '0'..='9') {
                    made.push(c);
                }
            }
        }
        made.is_empty() || self.insert(&made)
    }

    /// A keyboard that is put aside forgets the letters that it held back.
    pub(crate) fn set_input_method(&mut self, id: &str) -> Result<(), String> {
        let before = self.system.input_method();
        self.system().set_input_method(id)?;
        if self.system.input_method() != before {
            self.composing.clear();
        }
        Ok(())
    }

    /// Where the selection of the focused field begins and ends, in UTF-16 units.
    pub(crate) fn selection(&mut self) -> Option<(usize, usize)> {
        let (name, all) = (self.focus?, self.all_selected);
        let field = self.field(name);
        let units = |text: &str| text.encode_utf16().count();
        let caret = units(&field.text[..field.caret]);
        Some(if all { (0, units(&field.text)) } else { (caret, caret) })
    }

    pub(super) fn select_all(&mut self) -> bool {
        let Some(name) = self.focus.filter(|_| self.takes_text()) else { return false };
        self.all_selected = !self.field(name).text.is_empty();
        self.invalidate();
        true
    }

    /// The specification of the focused field.
    fn spec(&mut self) -> Option<FieldSpec<Event>> {
        let name = self.focus?;
        let layout = self.layout();
        let window = layout.windows.iter().find(|w| w.kind == WindowKind::App)?;
        window.find_field(name)?.el.field.clone()
    }

    /// Whether the focused field takes line breaks.
    pub(crate) fn takes_lines(&mut self) -> bool {
        self.spec().is_some_and(|spec| spec.multi_line)
    }

    /// What the focused field shows while it is empty.
    pub(crate) fn hint(&mut self) -> Option<&'static str> {
        self.spec().map(|spec| spec.hint)
    }

    /// Whether the focused field takes digits only, and its editor action. From the last layout: this
    /// is called during layout.
    pub(super) fn field_traits(&self) -> (bool, Option<u32>) {
        let Some(name) = self.focus else { return (false, None) };
        let layout = self.layout.as_ref();
        let spec = layout
            .and_then(|l| l.windows.iter().find(|w| w.kind == WindowKind::App))
            .and_then(|w| w.find_field(name))
            .and_then(|n| n.el.field.as_ref());
        let action = spec.filter(|s| !s.multi_line).and_then(|s| Some(s.action.as_ref()?.0));
        (spec.is_some_and(|s| s.digits), action)
    }

    /// The enter key: a line break in multi-line fields, else the editor action.
    pub(super) fn enter(&mut self) {
        match self.spec() {
            Some(spec) if spec.multi_line => {
                self.insert("\n");
            }
            Some(spec) => self.run_action(spec.action),
            None => {}
        }
    }

    fn run_action(&mut self, action: Option<(u32, Event)>) {
        match action {
            Some((NEXT, _)) => self.next_field(),
            // Without anything else to do, the action hides the keyboard.
            Some((_, Event::System(SystemEvent::Nothing))) | None => {
                self.start_transition(crate::draw::TransitionKind::Fade, false);
                self.keyboard_hidden = true;
                self.invalidate();
            }
            Some((_, event)) => self.dispatch_event(self.foreground, event),
        }
    }

    pub(super) fn next_field(&mut self) {
        let Some(name) = self.focus else { return };
        let layout = self.layout();
        let Some(window) = layout.windows.iter().find(|w| w.kind == WindowKind::App) else {
            return;
        };
        let mut fields = window.nodes.iter().filter_map(|n| Some(n.el.field.as_ref()?.name));
        if fields.by_ref().any(|field| field == name)
            && let Some(next) = fields.next()
        {
            self.focus_on(next);
        }
    }

    /// A key of the soft keyboard.
    pub(super) fn press_soft_key(&mut self, cap: SoftKey) {
        match cap {
            SoftKey::Char(c) => {
                self.insert(&c.to_string());
                self.keyboard.shift = false;
            }
            SoftKey::Shift => self.keyboard.shift = !self.keyboard.shift,
            SoftKey::Symbols => self.keyboard.symbols = !self.keyboard.symbols,
            SoftKey::Backspace => self.edit(Field::backspace),
            SoftKey::Enter => self.enter(),
        }
        self.invalidate();
    }

    pub(crate) fn input_text(&mut self, text: &str) {
        self.counts.texts += 1;
        let gesture = Gesture::InputText { text: cut(text) };
        if self.bouncer && self.locked && self.awake {
            for c in text.chars().filter(char::is_ascii_digit) {
                self.pin_digit(c);
            }
            self.log(gesture, InputOutcome::Done, String::new());
            return;
        }
        let ascii = text.chars().all(|c| (' '..='~').contains(&c));
        let outcome = if !self.awake || self.locked {
            self.counts.input_while_off += 1;
            InputOutcome::Dropped
        } else if self.focus.is_none() || !self.takes_text() || !ascii {
            self.counts.text_without_focus += 1;
            InputOutcome::Dropped
        } else if self.insert_keys(text) {
            InputOutcome::Done
        } else {
            InputOutcome::Nothing
        };
        let target = self.focus.unwrap_or("").to_owned();
        self.log(gesture, outcome, target);
    }

    pub(crate) fn commit_text(&mut self, text: &str) -> bool {
        self.counts.texts += 1;
        let gesture = Gesture::CommitText { text: cut(text) };
        let done = self.ready() && self.insert(text);
        self.finish(gesture, done)
    }

    pub(crate) fn clear_text(&mut self) -> bool {
        self.counts.texts += 1;
        let ready = self.ready();
        if ready {
            self.all_selected = true;
            self.edit(|_| {});
        }
        self.finish(Gesture::ClearText, ready)
    }

    pub(crate) fn editor_action(&mut self, action: u32) -> bool {
        let gesture = Gesture::EditorAction { action };
        let ready = self.ready();
        let spec = if ready { self.spec() } else { None };
        let done = spec.is_some();
        let done = self.finish(gesture, done);
        if let Some(spec) = spec {
            match spec.action {
                // Unspecified and none stand for the field's own action.
                Some((own, event)) if own == action || action <= 1 => {
                    self.run_action(Some((own, event)));
                }
                _ if action == NEXT => self.next_field(),
                _ => self.run_action(None),
            }
        }
        done
    }

    /// Whether text can be entered; if not, it is counted.
    fn ready(&mut self) -> bool {
        if !self.awake || self.locked {
            self.counts.input_while_off += 1;
            false
        } else if self.focus.is_none() || !self.takes_text() {
            self.counts.text_without_focus += 1;
            false
        } else {
            true
        }
    }

    fn finish(&mut self, gesture: Gesture, done: bool) -> bool {
        let target = self.focus.unwrap_or("").to_owned();
        self.log(gesture, if done { InputOutcome::Done } else { InputOutcome::Dropped }, target);
        done
    }
}

/// Whether the paragraph at this place is written from right to left: its first letter says so.
fn is_right_to_left(text: &str, at: usize) -> bool {
    let begin = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let paragraph = text[begin..].lines().next().unwrap_or_default();
    let hebrew_or_arabic =
        |c| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    paragraph.chars().find(|c| c.is_alphabetic()).is_some_and(hebrew_or_arabic)
}

/// Bounds the texts of the log.
fn cut(text: &str) -> String {
    text.chars().take(2000).collect()
}
