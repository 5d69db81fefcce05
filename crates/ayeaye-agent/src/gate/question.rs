//! The question whether an act may be done: what it tells the user, all of it from the screen.
use super::amount;
use super::apps::{self, AppKind};
use super::class::ActClass;
use super::earlier_touches;
use super::phrases;
use super::request::{ControlFacts, GateRequest, ScreenFacts};
use super::telling::{BETWEEN, quoted, quoted_of_money};
use super::text::{List, cut, holds, normalized};
use super::verdict::{Ask, Rule};
use crate::{Gesture, is_unseen};

/// Longest evidence, and longest name of a thing in a question, in characters.
const LONGEST: usize = 120;

/// Longest text that a screen tells about a thing, in characters.
const LONGEST_TOLD: usize = 300;

/// Longest name of an app, in characters: whoever makes an app names it.
const LONGEST_LABEL: usize = 60;

/// Most texts of a row that are quoted.
const MOST_OF_ROW: usize = 5;

/// What is asked about where a client types what the user keeps, in words.
const TYPE_SECRET: &str = "type a secret that you keep, and that your words do not name,";

/// What signs out, and deletes nothing that one could see.
#[rustfmt::skip]
static SIGNS_OUT: List = List::new("log out|logout|sign out|signout|abmelden|ausloggen|se déconnecter|déconnexion|cerrar sesión|sair da conta|terminar sessão|esci dall'account|disconnetti account|uitloggen|afmelden|wyloguj|wyloguj się|oturumu kapat|выйти из аккаунта|выйти из учётной записи|вийти з акаунта|退出登录|登出|ログアウト|サインアウト|로그아웃|تسجيل الخروج|साइन आउट करें|लॉग आउट करें|logout dari akun|đăng xuất|ออกจากระบบ|logga ut|log ud|logg ut|kirjaudu ulos|odhlásit se|odhlásiť sa|kijelentkezés|deconectare|αποσύνδεση");

/// What hands in whatever a form is for: only where it is a post or a review it is published.
#[rustfmt::skip]
static SUBMITS: List = List::new("submit|submit form|submit application|submit answers|submit request|सबमिट करें");

/// An act that the user is to be asked about, and the finding that caused it.
#[derive(Debug)]
pub(super) struct AskedAct<'a> {
    pub(super) request: &'a GateRequest<'a>,
    pub(super) class: ActClass,
    pub(super) rule: Rule,
    pub(super) evidence: &'a str,
}

impl AskedAct<'_> {
    /// The facts for the user's question: the app, the thing, the amount, and whatever else tells the act from others.
    pub(super) fn question(&self) -> Ask {
        let request = self.request;
        let name = self.name_of_thing();
        let title = self.title_beside(&name);
        let thing = self.with_title(&name, title);
        let amount = self.is_about_money().then(|| amount::on_screen(request.screen)).flatten();
        let content = self.content(&thing);
        let about = if content.is_none() || self.moves_money() {
            self.about(title, amount.as_deref())
        } else {
            None
        };
        Ask {
            class: self.class,
            verb: self.verb(&name),
            app: name_of_app(request),
            thing: shown(&thing),
            amount,
            content,
            about,
            touched: self.touched_before(&name),
            whole_app: self.class == ActClass::Unreadable && covers_app(request.package),
            by_client: request.history.by_client,
        }
    }

    /// What the act is aimed at or about, by its name alone.
    fn name_of_thing(&self) -> String {
        let Self { request, class, rule, evidence } = *self;
        let aimed = &request.screen.aimed;
        match class {
            _ if rule == Rule::UnnamedSecret => evidence.to_owned(),
            // What is opened is named by the evidence, and what is marked by the model's own question.
            ActClass::Open | ActClass::Install if aimed.is_empty() => evidence.to_owned(),
            // The app is named already.
            ActClass::Unreadable if aimed.is_empty() => {
                let rest = evidence.strip_prefix(request.package);
                rest.and_then(|it| it.strip_prefix(", ")).unwrap_or(evidence).to_owned()
            }
            _ => {
                let reacting = aimed.iter().filter(|it| it.reacts);
                let named = reacting.chain(aimed).map(ControlFacts::name).find(|it| !it.is_empty());
                named.unwrap_or_else(|| for_people(evidence)).to_owned()
            }
        }
    }

    /// The title of the screen or dialog, which says what its buttons are about. An app is opened from wherever one is.
    fn title_beside(&self, name: &str) -> Option<&String> {
        let GateRequest { screen, gesture, .. } = self.request;
        let opens = matches!(gesture, Gesture::Awake { .. } | Gesture::Command(_));
        if self.rule == Rule::UnnamedSecret || opens {
            return None;
        }
        let mut titles = screen.header.iter().chain(&screen.titles).chain(screen.seen());
        titles.find(|it| 2 < it.chars().count() && **it != name)
    }

    fn with_title(&self, name: &str, title: Option<&String>) -> String {
        match title {
            Some(title) if !name.is_empty() => format!("{name} – {title}"),
            // A title alone tells whom an enter sends something to.
            Some(title) if !self.evidence.is_empty() => title.clone(),
            _ => name.to_owned(),
        }
    }

    /// What is done, as the question says it.
    fn verb(&self, name: &str) -> &'static str {
        if self.rule == Rule::UnnamedSecret {
            TYPE_SECRET
        } else if self.signs_out(name) {
            "sign out"
        } else if self.submits_form(name) {
            "submit a form"
        } else {
            self.class.verb()
        }
    }

    fn signs_out(&self, name: &str) -> bool {
        let name = normalized(name);
        self.class == ActClass::Delete && SIGNS_OUT.iter().any(|it| holds(&name, it))
    }

    fn submits_form(&self, name: &str) -> bool {
        let GateRequest { screen, package, .. } = self.request;
        let publishes = |it: &String| phrases::tells_of_publishing(&normalized(it));
        self.class == ActClass::Publish
            && SUBMITS.contains(&normalized(name))
            && apps::kind_of(package) != Some(AppKind::Social)
            && !screen.header.iter().chain(&screen.titles).any(publishes)
    }

    fn moves_money(&self) -> bool {
        matches!(self.class, ActClass::Pay | ActClass::Order | ActClass::Transfer)
    }

    fn is_about_money(&self) -> bool {
        self.moves_money() || self.class == ActClass::Install
    }

    /// Whether the act is about the row in which its button stands.
    fn is_of_row(&self) -> bool {
        let has_row = !self.request.screen.line.is_empty();
        matches!(self.class, ActClass::Delete | ActClass::Call) && has_row
    }

    /// The text that would be sent, published or deleted.
    fn content(&self, thing: &str) -> Option<String> {
        let GateRequest { screen, package, .. } = self.request;
        match self.class {
            ActClass::Send | ActClass::Publish => text_to_send(self.request),
            _ if self.moves_money() && people_write_in(package) => text_to_send(self.request),
            ActClass::Delete if !self.is_of_row() => {
                Some(screen.filled.clone()).filter(|it| !it.is_empty() && *it != thing)
            }
            _ => None,
        }
    }

    /// What the screen says of the thing beside its name, title and amount.
    fn about(&self, title: Option<&String>, amount: Option<&str>) -> Option<String> {
        let is_told = self.is_about_money()
            || matches!(
                self.class,
                ActClass::Delete
                    | ActClass::Grant
                    | ActClass::Call
                    | ActClass::Send
                    | ActClass::Publish
            );
        if !is_told {
            return None;
        }
        let screen = self.request.screen;
        let named = [title.map_or("", String::as_str), amount.unwrap_or_default()];
        let tells = tells_more(screen, &named);
        let texts: Vec<String> = if self.is_of_row() {
            screen.line.iter().filter(|it| tells(it)).take(MOST_OF_ROW).cloned().collect()
        } else if self.moves_money() {
            quoted_of_money(&screen.telling, tells)
        } else {
            quoted(&screen.telling, tells).into_iter().map(str::to_owned).collect()
        };
        (!texts.is_empty()).then(|| texts.join(BETWEEN))
    }

    /// What was touched on the way to a deletion: a dialog, or the bar of what is selected, often does not say what will
    /// be gone.
    fn touched_before(&self, name: &str) -> Option<String> {
        if self.class != ActClass::Delete || self.is_of_row() || self.signs_out(name) {
            return None;
        }
        earlier_touches::things(&self.request.history.path).find(|it| !it.is_empty()).map(shown)
    }
}

/// The app as people call it, with its package.
fn name_of_app(request: &GateRequest<'_>) -> String {
    let label: String = request.label.chars().take(LONGEST_LABEL).collect();
    match (label.as_str(), request.package) {
        ("", package) => package.to_owned(),
        (label, "") => label.to_owned(),
        (label, package) if label == package => package.to_owned(),
        (label, package) => format!("{label} ({package})"),
    }
}

/// Whether people write to each other in an app: there what is sent is a text too, whatever it seems to do.
fn people_write_in(package: &str) -> bool {
    let kind = apps::kind_of(package);
    kind.is_some_and(AppKind::reaches_people)
}

/// Whether a yes to a touch on an unreadable screen holds for the whole app. It does not if the app is about money.
pub(super) fn covers_app(package: &str) -> bool {
    !apps::kind_of(package).is_some_and(AppKind::has_money)
}

/// Whether a text says something that the question does not name anyway.
fn tells_more<'a>(screen: &'a ScreenFacts, named: &'a [&str]) -> impl Fn(&String) -> bool + 'a {
    let own = screen.aimed.iter().filter(|it| it.reacts).flat_map(|it| &it.names);
    let own: Vec<String> = own.map(|it| cut(it, LONGEST_TOLD)).collect();
    move |it| {
        let says_more = it.chars().any(char::is_alphanumeric);
        // The amount is named, so that what stands beside it tells nothing.
        let is_label = amount::is_total(it) && !it.contains(char::is_numeric);
        says_more && !is_label && !named.contains(&it.as_str()) && !own.contains(it)
    }
}

/// The beginning and the end of a text of the screen, without what turns its direction or hides in it: in an error, a
/// question or a record the words around it would look otherwise than they are.
pub(super) fn shown(text: &str) -> String {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    cut(&seen, LONGEST)
}

/// What was found, for people: neither the name of a control in an app's code nor the phrase that was known in a name
/// tells them anything.
fn for_people(evidence: &str) -> &str {
    let Some(name) = evidence.strip_prefix('"') else {
        return if evidence.contains(":id/") { "" } else { evidence };
    };
    name.rfind('"').map_or(name, |end| &name[..end])
}

/// What would be sent: what is typed together with the enter that sends it, else what stands in a field. What is
/// typed into a hiding field is never told.
fn text_to_send(request: &GateRequest<'_>) -> Option<String> {
    let text = match request.gesture {
        Gesture::Type { .. } if request.screen.hidden_input => return None,
        // What stands before it may be the hint of an empty field: not every phone tells them apart.
        Gesture::Type { text, .. } => text.clone(),
        _ => request.screen.draft.clone(),
    };
    (!text.trim().is_empty()).then_some(text)
}
