//! Ways in which a phone's own software departs from Android's.
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What becomes of Ctrl+A, and of Ctrl with other keys that move or select, in a text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectAll {
    /// It selects all.
    #[default]
    Works,
    /// Nothing, as in apps that draw their fields themselves.
    Swallowed,
    /// It types an "a".
    TypesA,
}

/// What is particular about the phone's input and power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks {
    pub(crate) select_all: SelectAll,
    /// The phone's own keyboard takes letters that are injected for the beginning of a word of its
    /// language, and shows them in its own strip.
    pub(crate) composing: bool,
    /// The screen goes off when nobody has touched the phone for so long, unless a setting says
    /// otherwise; `None`: never.
    pub(crate) screen_off_after: Option<Duration>,
    /// No cable and no charger.
    pub(crate) unplugged: bool,
    /// A video plays in a small window.
    pub(crate) video: bool,
}
