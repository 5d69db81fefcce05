//! What may be done on a phone, decided outside the model.
//!
//! [`judge`] is a pure function: from a [`Policy`], the user's own words, the app and the screen in front and
//! the act that is proposed it makes a [`Verdict`]. What a model says, and what stands on the screen, can
//! make it stricter only. It is total: whatever it is told, it decides.
mod about;
mod addressee;
mod amount;
mod answers;
mod apps;
mod changing_text;
mod chosen_person;
mod class;
mod clock;
mod components;
mod confusables;
mod control_facts;
mod countdown;
mod earlier_touches;
mod everything;
mod exceptions;
mod fillers;
mod findings;
mod full_names;
mod group_titles;
pub(crate) mod header;
mod inflected_names;
mod intent;
mod kept_secrets;
mod kind_nouns;
mod named_people;
mod names;
mod payee;
mod phrases;
mod policy;
mod price;
mod question;
mod quoted;
mod request;
mod rules;
mod sent_codes;
mod site_names;
mod subject;
mod telling;
mod text;
mod touch_words;
mod touched;
mod verdict;
mod window;

#[cfg(test)]
mod tests;

pub(crate) use self::about::ActOn;
pub(crate) use self::answers::is_plain_answer;
pub use self::answers::{is_no, is_yes};
pub(crate) use self::chosen_person::chosen_person;
pub use self::class::ActClass;
pub use self::components::SystemPart;
pub use self::control_facts::ControlFacts;
pub(crate) use self::countdown::{have_counted_down, is_same_later, seconds, take_countdowns};
pub use self::intent::UserWords;
pub(crate) use self::kept_secrets::named_secrets;
pub use self::policy::{Policy, PolicyBudgets, PolicyProfile, Treatment, lists_app};
pub use self::request::{GateHistory, GateRequest, ScreenFacts};
pub(crate) use self::request::{as_slide, presses_enter};
pub(crate) use self::rules::{is_secret_pad, needs_elements};
pub(crate) use self::site_names::{is_given_for, is_page_of};
pub use self::subject::SubjectFacts;
pub use self::telling::TellingText;
pub(crate) use self::text::normalized;
pub use self::touch_words::TouchWords;
pub use self::verdict::{Ask, GateDecision, Rule, Verdict};
pub use self::window::TouchPlace;

use self::findings::Findings;

/// Whether an app is a home screen.
pub(crate) fn is_home(package: &str) -> bool {
    apps::kind_of(package) == Some(apps::AppKind::Launcher)
}

/// Whether an app is a bank or a wallet.
pub(crate) fn has_money(package: &str) -> bool {
    apps::kind_of(package).is_some_and(apps::AppKind::has_money)
}

/// Whether a control with this name and class is the arrow at the top of a page, which leads back.
pub(crate) fn is_back_arrow(name: &str, class: &str) -> bool {
    rules::is_back_arrow(name, class)
}

/// Whether this is the title of the settings of a part of the system that gives power over the phone.
pub(crate) fn is_part_title(text: &str) -> bool {
    phrases::area_titled(&text::normalized(text)).is_some()
}

/// The classes of acts that a question names, whatever else it says.
pub(crate) fn mentioned_classes(text: &str) -> Vec<ActClass> {
    phrases::mentioned(&text::normalized(text))
}

/// Decides whether an act is done. The strictest rule that fits decides; the verdict names it.
pub fn judge(policy: &Policy, request: &GateRequest<'_>) -> Verdict {
    let proposed = request.gesture;
    let slide = request::as_slide(proposed);
    let request = &GateRequest { gesture: slide.as_ref().unwrap_or(proposed), ..request.clone() };
    let request = &rules::in_its_app(request);
    let mut findings = Findings::new(policy, request);
    rules::budgets(&mut findings, proposed);
    rules::lists(&mut findings);
    rules::secrets(&mut findings);
    rules::copied_secrets(&mut findings);
    rules::system_parts(&mut findings);
    rules::commands(&mut findings);
    rules::controls(&mut findings);
    rules::password_fields(&mut findings);
    rules::key_pads(&mut findings);
    rules::dialed_codes(&mut findings);
    rules::addresses(&mut findings);
    rules::unnamed_apps(&mut findings);
    rules::unreadable_screens(&mut findings);
    rules::marked(&mut findings);
    rules::changes(&mut findings);
    findings.verdict()
}
