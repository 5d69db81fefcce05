//! Text fields: their text and caret.
use std::collections::BTreeMap;

/// Most characters of a field.
const MAX: usize = 10_000;

#[derive(Debug, Default, Clone)]
pub(crate) struct Field {
    pub(crate) text: String,
    /// A byte offset on a character boundary.
    pub(crate) caret: usize,
}

impl Field {
    pub(crate) fn set(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.caret = self.text.len();
    }

    /// `false` when the text does not fit; nothing is inserted then.
    pub(crate) fn insert(&mut self, text: &str) -> bool {
        if self.text.chars().count() + text.chars().count() > MAX {
            return false;
        }
        self.text.insert_str(self.caret, text);
        self.caret += text.len();
        true
    }

    pub(crate) fn backspace(&mut self) {
        if let Some(c) = self.text[..self.caret].chars().next_back() {
            self.caret -= c.len_utf8();
            self.text.remove(self.caret);
        }
    }

    pub(crate) fn delete_forward(&mut self) {
        if self.caret < self.text.len() {
            self.text.remove(self.caret);
        }
    }

    pub(crate) fn left(&mut self) {
        self.caret -= self.text[..self.caret].chars().next_back().map_or(0, char::len_utf8);
    }

    pub(crate) fn right(&mut self) {
        self.caret += self.text[self.caret..].chars().next().map_or(0, char::len_utf8);
    }
}

/// The fields of an app by resource id, without the package.
#[derive(Debug, Default)]
pub(crate) struct Fields(BTreeMap<&'static str, Field>);

impl Fields {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |field| &field.text)
    }

    pub(crate) fn caret(&self, name: &str) -> usize {
        self.0.get(name).map_or(0, |field| field.caret)
    }

    pub(crate) fn get(&mut self, name: &'static str) -> &mut Field {
        self.0.entry(name).or_default()
    }

    pub(crate) fn set(&mut self, name: &'static str, text: &str) {
        self.get(name).set(text);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_editing_keeps_the_caret_on_a_boundary(
            text in "\\PC{0,12}",
            moves in proptest::collection::vec(0u8..6, 0..40),
        ) {
            let mut field = Field::default();
            for step in moves {
                match step {
                    0 => { field.insert(&text); }
                    1 => field.backspace(),
                    2 => field.delete_forward(),
                    3 => field.left(),
                    4 => field.right(),
                    _ => field.set("\u{4f60}\u{1F600}a"),
                }
                prop_assert!(field.text.is_char_boundary(field.caret));
            }
        }
    }
}
