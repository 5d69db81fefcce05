//! Names with a meaning of every day where they stand.
use super::settled::is_overview;
use crate::gate::amount::tells_of_money;
use crate::gate::apps::AppKind;
use crate::gate::components::is_settings;
use crate::gate::payee::names_payee;
use crate::gate::phrases::{Where, everyday};
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::text::{List, holds, normalized};

/// Whether a name (normalized) of this control has a meaning of every day here, and does nothing else.
pub(super) fn is_everyday(
    name: &str,
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> bool {
    match everyday(name) {
        None => false,
        // Those of calls belong to them as well.
        Some(Where::Settings) => {
            let package = request.package.to_ascii_lowercase();
            is_settings(&package) && !package.contains("phone")
        }
        Some(Where::Messenger) => kind == Some(AppKind::Messenger),
        Some(Where::Reading) => {
            let reads = matches!(
                kind,
                Some(AppKind::Messenger | AppKind::Social | AppKind::Browser | AppKind::Mail)
            );
            let translates = request.package.to_ascii_lowercase().contains("translat");
            (reads || translates) && is_free(request)
        }
        Some(Where::Browser) => kind == Some(AppKind::Browser) && is_free(request),
        Some(Where::Shop) => kind == Some(AppKind::Shop) && !control.kind.contains("Button"),
        Some(Where::MoneyHome) => opens_form(name, request, kind),
        Some(Where::GermanTab) => !control.kind.contains("Button") && is_german(request),
    }
}

/// Whether a name (normalized) opens the form of a transfer: on a page that leads through an app for money, where nothing
/// is filled in and nobody is named who gets any.
pub(super) fn opens_form(name: &str, request: &GateRequest<'_>, kind: Option<AppKind>) -> bool {
    everyday(name) == Some(Where::MoneyHome)
        && kind.is_some_and(AppKind::has_money)
        && is_overview(request)
        && !request.screen.written
        && !request.screen.texts.iter().any(|it| names_payee(it))
}

/// Whether nothing is filled in, as an amount is, and nothing tells of money.
fn is_free(request: &GateRequest<'_>) -> bool {
    !request.screen.written && !tells_of_money(request.screen)
}

/// Whether the texts of the screen are German, and none is Dutch, whose words look like them.
fn is_german(request: &GateRequest<'_>) -> bool {
    #[rustfmt::skip]
    static GERMAN: List = List::new("startseite|nachrichten|politik|wirtschaft|gesundheit|gesellschaft|wissenschaft|kultur|reise|mediathek|einstellungen|suche|und|für|mehr|meine");
    #[rustfmt::skip]
    static DUTCH: List = List::new("verwijderen|annuleren|gegevens|geschiedenis|instellingen|wachtwoord|opslaan|sluiten|alles|het|een|niet|voor|weet je");
    let says = |list: &List| {
        let mut texts = request.screen.texts.iter().map(|it| normalized(it));
        texts.any(|text| list.iter().any(|it| holds(&text, it)))
    };
    says(&GERMAN) && !says(&DUTCH)
}
