//! The words for actions, and those that models use in their place.
use ayeaye_agent::Key;

use super::super::parse::values::fold_name;

/// What the field `action` may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Click,
    DoubleClick,
    LongPress,
    Type,
    Swipe,
    Scroll,
    Drag,
    OpenApp,
    /// A key that a further field names.
    Key,
    /// A key that is itself the action.
    Press(Key),
    Wait,
    Note,
    Ask,
    TakeOver,
    Complete,
    Abort,
}

impl Word {
    /// The action of this name. Case, blanks, dashes and underscores do not matter; anything else
    /// makes it unknown.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match fold_name(name).as_str() {
            "click" | "tap" | "press" | "touch" | "singletap" | "leftclick" => Self::Click,
            "doubleclick" | "doubletap" | "leftdouble" => Self::DoubleClick,
            "longpress" | "longclick" | "longtap" | "hold" | "pressandhold" | "taphold" => {
                Self::LongPress
            }
            "type" | "typetext" | "input" | "inputtext" | "entertext" | "settext" | "write" => {
                Self::Type
            }
            "swipe" | "slide" => Self::Swipe,
            "scroll" => Self::Scroll,
            "drag" | "draganddrop" => Self::Drag,
            "openapp" | "open" | "launch" | "launchapp" | "startapp" | "awake" => Self::OpenApp,
            "presskey" | "key" | "keyevent" | "systembutton" | "hotkey" | "pressbutton" => {
                Self::Key
            }
            "back" | "pressback" | "goback" | "navigateback" => Self::Press(Key::Back),
            "home" | "presshome" | "gohome" | "navigatehome" => Self::Press(Key::Home),
            "enter" | "pressenter" | "keyboardenter" => Self::Press(Key::Enter),
            "recents" | "pressrecents" | "pressrecent" | "appswitch" => Self::Press(Key::Recents),
            "wait" | "sleep" => Self::Wait,
            "note" | "takenote" | "remember" | "memorize" => Self::Note,
            "askuser" | "ask" | "askquestion" | "info" | "clarify" => Self::Ask,
            "takeover" | "calluser" | "humantakeover" | "interact" => Self::TakeOver,
            "complete" | "completed" | "finish" | "finished" | "done" | "terminate" => {
                Self::Complete
            }
            "abort" | "fail" | "failed" | "giveup" | "infeasible" | "impossible" => Self::Abort,
            _ => return None,
        })
    }
}
