//! Key events.
use super::Os;
use super::state::{Gesture, InputOutcome};
use crate::apps::fields::Field;
use crate::system::SelectAll;

/// Android's key codes without a character.
mod code {
    pub(super) const HOME: u32 = 3;
    pub(super) const BACK: u32 = 4;
    pub(super) const UP: u32 = 19;
    pub(super) const DOWN: u32 = 20;
    pub(super) const LEFT: u32 = 21;
    pub(super) const RIGHT: u32 = 22;
    pub(super) const VOLUME_UP: u32 = 24;
    pub(super) const VOLUME_DOWN: u32 = 25;
    pub(super) const POWER: u32 = 26;
    pub(super) const A: u32 = 29;
    pub(super) const C: u32 = 31;
    pub(super) const V: u32 = 50;
    pub(super) const X: u32 = 52;
    pub(super) const TAB: u32 = 61;
    pub(super) const ENTER: u32 = 66;
    pub(super) const DELETE: u32 = 67;
    pub(super) const MENU: u32 = 82;
    pub(super) const ESCAPE: u32 = 111;
    pub(super) const FORWARD_DELETE: u32 = 112;
    pub(super) const CTRL: [u32; 2] = [113, 114];
    pub(super) const SHIFT: [u32; 2] = [59, 60];
    pub(super) const MOVE_HOME: u32 = 122;
    pub(super) const MOVE_END: u32 = 123;
    pub(super) const NUMPAD_ENTER: u32 = 160;
    pub(super) const VOLUME_MUTE: u32 = 164;
    pub(super) const RECENTS: u32 = 187;
    pub(super) const SLEEP: u32 = 223;
    pub(super) const WAKE: u32 = 224;
    pub(super) const SOFT_SLEEP: u32 = 276;
    pub(super) const CUT: u32 = 277;
    pub(super) const COPY: u32 = 278;
    pub(super) const PASTE: u32 = 279;
}

/// The character a key types.
fn typed(key: u32) -> Option<char> {
    let offset =
        |from: u32, first: u8| u8::try_from(key - from).ok().map(|n| char::from(first + n));
    match key {
        7..=16 => offset(7, b'0'),
        29..=54 => offset(29, b'a'),
        55 => Some(','),
        56 => Some('.'),
        62 => Some(' '),
        17 => Some('*'),
        18 => Some('#'),
        68 => Some('`'),
        69 => Some('-'),
        70 => Some('='),
        71 => Some('['),
        72 => Some(']'),
        73 => Some('\\'),
        74 => Some(';'),
        75 => Some('\''),
        76 => Some('/'),
        77 => Some('@'),
        81 => Some('+'),
        _ => None,
    }
}

impl Os {
    pub(crate) fn key(&mut self, key: u32, long: bool) {
        self.counts.keys += 1;
        let gesture = Gesture::Key { code: key, long };
        let done = self.press(key);
        if !done {
            self.counts.unknown_keys += 1;
        }
        self.log(
            gesture,
            if done { InputOutcome::Done } else { InputOutcome::Nothing },
            String::new(),
        );
    }

    pub(crate) fn key_combination(&mut self, keys: &[u32]) {
        self.counts.keys += 1;
        let gesture = Gesture::Keys { codes: keys.iter().copied().take(8).collect() };
        let held = |group: &[u32]| keys.iter().any(|k| group.contains(k));
        let ctrl = held(&code::CTRL);
        let shift = held(&code::SHIFT);
        let plain = |k: &&u32| !code::CTRL.contains(*k) && !code::SHIFT.contains(*k);
        let rest: Vec<u32> = keys.iter().filter(plain).copied().collect();
        let done = match (ctrl, shift, rest.as_slice()) {
            (true, false, [code::A]) => match self.quirks.select_all {
                SelectAll::Works => self.select_all(),
                SelectAll::Swallowed => true,
                SelectAll::TypesA => self.press(code::A),
            },
            (true, false, [code::C]) => self.press(code::COPY),
            (true, false, [code::V]) => self.press(code::PASTE),
            (true, false, [code::X]) => self.press(code::CUT),
            (true, false, [edge @ (code::MOVE_HOME | code::MOVE_END)]) => {
                match self.quirks.select_all {
                    SelectAll::Works => self.go_to_edge_of_text(*edge == code::MOVE_END),
                    SelectAll::Swallowed => true,
                    SelectAll::TypesA => self.press(*edge),
                }
            }
            (false, true, [key]) => match typed(*key) {
                Some(c) if self.focus.is_some() && self.takes_text() => {
                    self.insert(&c.to_ascii_uppercase().to_string())
                }
                _ => self.press(*key),
            },
            (false, false, [key]) => self.press(*key),
            _ => false,
        };
        if !done {
            self.counts.unknown_keys += 1;
        }
        self.log(
            gesture,
            if done { InputOutcome::Done } else { InputOutcome::Nothing },
            String::new(),
        );
    }

    /// Handles a key; `false` when nothing reacts to it.
    fn press(&mut self, key: u32) -> bool {
        match key {
            code::WAKE => {
                self.wake();
                return true;
            }
            code::SLEEP | code::SOFT_SLEEP => {
                self.sleep();
                return true;
            }
            code::POWER => {
                self.press_power();
                return true;
            }
            code::VOLUME_UP | code::VOLUME_DOWN | code::VOLUME_MUTE => return true,
            // Alone they do nothing.
            held if code::CTRL.contains(&held) || code::SHIFT.contains(&held) => return true,
            _ => {}
        }
        if !self.awake {
            self.counts.input_while_off += 1;
            return true;
        }
        if self.locked {
            return self.press_locked(key);
        }
        match key {
            code::HOME | code::BACK | code::ESCAPE if self.shade => {
                self.open_shade(false);
                if key == code::HOME {
                    self.home_key();
                }
            }
            code::HOME => self.home_key(),
            code::BACK | code::ESCAPE => self.back(),
            code::RECENTS => self.show_recents(),
            code::MENU => return false,
            _ => return self.press_in_field(key),
        }
        true
    }

    fn home_key(&mut self) {
        if !self.dialogs.is_empty() {
            self.answer_dialog(None);
        }
        self.home();
    }

    fn press_locked(&mut self, key: u32) -> bool {
        match key {
            code::MENU if !self.bouncer => self.dismiss_keyguard(),
            code::BACK if self.bouncer => self.leave_bouncer(),
            code::ENTER | code::NUMPAD_ENTER if self.bouncer => self.pin_enter(),
            code::DELETE if self.bouncer => self.pin_delete(),
            7..=16 if self.bouncer => {
                if let Some(c) = typed(key) {
                    self.pin_digit(c);
                }
            }
            _ => {
                self.counts.input_while_off += 1;
            }
        }
        true
    }

    fn press_in_field(&mut self, key: u32) -> bool {
        if !self.takes_text() {
            return false;
        }
        let Some(name) = self.focus else { return false };
        match key {
            code::ENTER | code::NUMPAD_ENTER if !self.composing.is_empty() => {
                // The keyboard takes the letters as they are.
                let letters = std::mem::take(&mut self.composing);
                return self.insert(&letters);
            }
            code::DELETE if !self.composing.is_empty() => {
                self.composing.pop();
            }
            code::ENTER | code::NUMPAD_ENTER => self.enter(),
            code::TAB => self.next_field(),
            code::COPY | code::CUT => {
                if self.all_selected {
                    self.system.clipboard = Some(self.field(name).text.clone());
                    if key == code::CUT {
                        self.edit(Field::backspace);
                    }
                }
            }
            code::PASTE => {
                if let Some(text) = self.system.clipboard.clone() {
                    self.insert(&text);
                }
            }
            code::DELETE => self.edit(Field::backspace),
            code::FORWARD_DELETE => self.edit(Field::delete_forward),
            code::LEFT => self.step(Field::left),
            code::RIGHT => self.step(Field::right),
            code::UP => self.step(|field| field.caret = 0),
            code::DOWN => self.step(|field| field.caret = field.text.len()),
            code::MOVE_HOME => self.go_to_edge_of_line(false),
            code::MOVE_END => self.go_to_edge_of_line(true),
            _ => match typed(key) {
                Some(c) => return self.insert_keys(&c.to_string()),
                None => return false,
            },
        }
        true
    }
}
