//! The words for actions.
use ayeaye_agent::Key;

/// What the field `action` may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Click,
    DoubleClick,
    LongPress,
    Type,
    Slide,
    Scroll,
    Drag,
    Awake,
    /// A key that a further field names.
    HotKey,
    /// A key that is itself the action.
    Press(Key),
    Wait,
    Note,
    Info,
    Takeover,
    Complete,
    Abort,
}

impl Word {
    /// The action of this name, as GELab writes it or as other models would. Case, blanks and
    /// dashes do not matter; anything else makes it unknown.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_uppercase().replace([' ', '-', '_'], "");
        let word = match name.as_str() {
            "CLICK" | "TAP" | "TOUCH" => Self::Click,
            "DOUBLECLICK" | "DOUBLETAP" | "LEFTDOUBLE" => Self::DoubleClick,
            "LONGPRESS" | "LONGCLICK" | "LONGTAP" | "HOLD" => Self::LongPress,
            "TYPE" | "TYPETEXT" | "INPUT" | "INPUTTEXT" | "ENTERTEXT" => Self::Type,
            "SLIDE" | "SWIPE" => Self::Slide,
            "SCROLL" => Self::Scroll,
            "DRAG" | "DRAGANDDROP" => Self::Drag,
            "AWAKE" | "OPEN" | "OPENAPP" | "LAUNCH" | "LAUNCHAPP" | "STARTAPP" => Self::Awake,
            "HOTKEY" | "KEY" | "KEYEVENT" | "PRESSKEY" | "SYSTEMBUTTON" => Self::HotKey,
            "BACK" | "PRESSBACK" | "GOBACK" | "NAVIGATEBACK" => Self::Press(Key::Back),
            "HOME" | "PRESSHOME" | "GOHOME" | "NAVIGATEHOME" => Self::Press(Key::Home),
            "ENTER" | "PRESSENTER" => Self::Press(Key::Enter),
            "RECENTS" | "PRESSRECENTS" => Self::Press(Key::Recents),
            "WAIT" | "SLEEP" => Self::Wait,
            "NOTE" | "TAKENOTE" => Self::Note,
            "INFO" | "POP" | "ASK" | "ASKUSER" => Self::Info,
            "CALLUSER" | "TAKEOVER" => Self::Takeover,
            "COMPLETE" | "COMPLETED" | "FINISH" | "FINISHED" => Self::Complete,
            "ABORT" | "GIVEUP" => Self::Abort,
            _ => return None,
        };
        Some(word)
    }

    /// The action a text begins with, whatever follows.
    pub(super) fn leading(text: &str) -> Option<Self> {
        Self::named(head(text).0)
    }

    /// Whether it is done at one place.
    pub(super) fn is_at_a_point(self) -> bool {
        matches!(self, Self::Click | Self::DoubleClick | Self::LongPress)
    }
}

/// The first word of a text, and the rest.
pub(super) fn head(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}
