//! The rules, each of which adds what it finds.
mod addresses;
mod asked;
mod at_once;
mod bare;
mod command;
mod controls;
mod copying;
mod dialogs;
mod everyday;
mod fields;
mod ids;
mod places;
mod settled;
mod slides;
mod system_dialogs;

pub(super) use self::addresses::addresses;
pub(super) use self::controls::{changes, commands, controls, marked};
pub(super) use self::copying::copied_secrets;
pub(crate) use self::fields::is_secret_pad;
pub(super) use self::fields::{dialed_codes, key_pads, password_fields};
pub(super) use self::places::{
    budgets, is_back_arrow, lists, secrets, system_parts, unnamed_apps, unreadable_screens,
};

use super::is_home;
use super::request::{GateRequest, as_slide, may_press, up_or_down};
use crate::{Direction, Gesture, Key};

/// What is shorter, in parts of the height, a control takes for a touch.
const SHORTEST_SLIDE: f64 = 0.05;

/// Whether what is done only leaves or moves, wherever that is.
fn only_moves(request: &GateRequest<'_>) -> bool {
    match request.gesture {
        Gesture::HotKey { key } => *key != Key::Enter,
        // Up and down; to the side it may send, pay or delete. A scroll comes here as the slide that it is.
        slide @ Gesture::Slide { .. } => {
            SHORTEST_SLIDE <= up_or_down(slide) && !request.screen.is_pressed
        }
        _ => false,
    }
}

/// Whether what a gesture does is told by what is on the screen, so that it is worth waiting for that.
pub(crate) fn needs_elements(gesture: &Gesture) -> bool {
    match as_slide(gesture).as_ref().unwrap_or(gesture) {
        Gesture::HotKey { key } => *key == Key::Enter,
        Gesture::Awake { .. } | Gesture::Command(_) => false,
        slide @ Gesture::Slide { .. } => may_press(slide),
        _ => true,
    }
}

/// Whether a gesture is a key that leaves where it is done.
fn is_key(gesture: &Gesture) -> bool {
    matches!(gesture, Gesture::HotKey { key } if *key != Key::Enter)
}

/// Whether a gesture touches the screen.
fn touches(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Click { .. }
        | Gesture::DoubleClick { .. }
        | Gesture::LongPress { .. }
        | Gesture::Slide { .. }
        | Gesture::Drag { .. } => true,
        Gesture::Type { point, .. } => point.is_some(),
        Gesture::Scroll { direction, .. } => {
            matches!(direction, Direction::Left | Direction::Right)
        }
        Gesture::Awake { .. } | Gesture::HotKey { .. } | Gesture::Command(_) => false,
    }
}

/// Whether a gesture does something in the app in front.
fn acts(request: &GateRequest<'_>) -> bool {
    match request.gesture {
        Gesture::Type { .. } | Gesture::HotKey { key: Key::Enter } => true,
        gesture => touches(gesture) && !only_moves(request),
    }
}

/// The app that shows what an act is for, where another one is in front.
fn other_app<'a>(request: &GateRequest<'a>) -> Option<&'a str> {
    if !acts(request) {
        return None;
    }
    let screen = request.screen;
    let focused = screen.focused.iter().filter(|_| !touches(request.gesture));
    let mut packages = screen.aimed.iter().chain(focused).map(|it| it.package.as_str());
    packages.find(|it| !it.is_empty() && !it.eq_ignore_ascii_case(request.package))
}

/// The same act in the app that it is for. A phone says that its home screen is in front while a window of any app lies
/// over it, and widgets on it are other apps' too.
pub(super) fn in_its_app<'a>(request: &GateRequest<'a>) -> GateRequest<'a> {
    match other_app(request).filter(|_| is_home(request.package)) {
        Some(package) => GateRequest { package, activity: "", label: "", ..request.clone() },
        None => request.clone(),
    }
}
