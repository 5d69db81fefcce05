//! In an app for money, beside an amount: what a button does there that says nothing else. Banks call the button that
//! moves the money as they like, so it is told by what it is not.
use super::dialogs;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::phrases;
use crate::gate::price::amount;
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::text::{is_spaced, normalized, words};

/// The longest name of a command, in words or in letters of a script without blanks.
const LONGEST: usize = 5;
const LONGEST_UNSPACED: usize = 10;
/// What is shorter in letters of Latin and the like is a period ("1Y"), a currency or a key.
const SHORTEST: usize = 4;
/// So many names of parts of the app on one screen lead through it: a page with a balance, and no step of an order.
const PARTS_OF_APP: usize = 2;

/// What a button settles whose name is no command that the tables know.
pub(super) fn settled(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    let screen = request.screen;
    let is_button = control.kind.ends_with("Button")
        && !["RadioButton", "ToggleButton", "ImageButton"]
            .iter()
            .any(|it| control.kind.ends_with(it));
    if !matches!(kind, Some(AppKind::Banking | AppKind::Wallet))
        || !is_button
        || !control.reacts
        || control.switch
        || 2 < control.names.len()
        || !screen.texts.iter().any(|it| amount(it).is_some())
    {
        return None;
    }
    let name = control.names.first()?;
    let text = normalized(name);
    let settles = match dialogs::agrees(control) {
        _ if phrases::says_yes(&text) => true,
        // An "OK" with nothing beside it takes note.
        Some(_) => screen.can_decline,
        None => is_command(&text) && !is_overview(request),
    };
    let is_own = amount(name).is_some() || request.words.address(name);
    (settles && !is_own && !phrases::leads_through(&text))
        .then(|| (ActClass::Transfer, format!("\"{name}\" beside an amount, in an app of money")))
}

/// Whether a name (normalized) is as long as one of a command.
fn is_command(text: &str) -> bool {
    let letters = text.chars().filter(|it| it.is_alphabetic()).count();
    if text.chars().any(|c| c.is_alphabetic() && !is_spaced(c)) {
        (2..=LONGEST_UNSPACED).contains(&letters)
    } else {
        SHORTEST <= letters && words(text).count() <= LONGEST
    }
}

/// Whether a screen leads through the app: it has a bar with the names of its parts.
fn is_overview(request: &GateRequest<'_>) -> bool {
    let texts = &request.screen.texts;
    let mut parts: Vec<String> =
        texts.iter().map(|it| normalized(it)).filter(|it| phrases::is_part_of_app(it)).collect();
    parts.sort();
    parts.dedup();
    PARTS_OF_APP <= parts.len()
}
