//! Fields: for searching, for passwords and codes, for what is dialed.
use std::sync::LazyLock;

use crate::elements::Elements;
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::findings::Findings;
use crate::gate::phrases;
use crate::gate::price::without_amount;
use crate::gate::request::{ControlFacts, GateHistory, GateRequest, ScreenFacts};
use crate::gate::text::{List, holds, normalized, normalized_all, words};
use crate::gate::verdict::Rule;
use crate::secret_text::{
    PHRASES, PROOFS, SecretKind, asks_for_tan, find_secrets, is_of_other_code, secret_asked_for,
};
use crate::{Element, Gesture};

/// Whether a field is for searching. What stands in it says so only before anything was typed in this session: on
/// older phones it is what an empty field asks for, and later it may be the first word of a message.
pub(super) fn is_search(field: &ControlFacts, history: &GateHistory) -> bool {
    let own = |name: &&String| history.typed == 0 || **name != field.content;
    says_search(field, field.names.iter().filter(own))
}

fn says_search<'a>(field: &'a ControlFacts, mut names: impl Iterator<Item = &'a String>) -> bool {
    // Beginnings of words that mean nothing else, wherever they stand.
    #[rustfmt::skip]
    static ANYWHERE: List = List::new("search|durchsuch|recherche|pesquis|zoeken|szukaj|wyszuk|поиск|искать|пошук|搜索|搜尋|検索|검색|بحث|खोज|telusuri|tìm kiếm|ค้นหา");
    // Words that are others as well, "Messages from Tim" and "Cari amici", count where they begin the text.
    #[rustfmt::skip]
    static IN_FRONT: List = List::new("find|filter|query|buscar|busca|busque|rechercher|suche|suchen|suchbegriff|cerca|zoek|ara|cari|tìm");
    let id = field.id_name().replace(['_', '-'], " ");
    let says = |text: &str| {
        let text = normalized(text);
        ANYWHERE.iter().any(|word| {
            words(&text).any(|said| said.starts_with(word))
                || !word.is_ascii() && text.contains(word)
        }) || words(&text).next().is_some_and(|first| IN_FRONT.iter().any(|word| first == word))
    };
    says(&field.hint) || says(&id) || names.any(|it| says(it))
}

/// Whether all that stands in a field is a command that costs or gives away something, as pages have buttons that say of
/// themselves that they are fields. What empty fields ask for, as older phones tell it here, is to write or to call.
pub(super) fn is_command_field(field: &ControlFacts, screen: &ScreenFacts) -> bool {
    let plain = without_amount(&field.content).unwrap_or_else(|| normalized(&field.content));
    let is_command = || {
        phrases::commands(&plain, phrases::NameOf::Other, false).iter().any(|it| {
            it.text == plain
                && !matches!(it.of, ActClass::Send | ActClass::Publish | ActClass::Call)
        })
    };
    let is_plain = !field.password && field.hint.is_empty() && field.reacts;
    is_plain && screen.focused.as_ref() != Some(field) && is_command()
}

/// Most letters of a text that asks for what a pad is for.
const LONGEST_REQUEST: usize = 60;

/// Whether a screen has a pad of digits, and asks for a code: what is typed there goes to the pad, where no field has the
/// focus.
pub(crate) fn is_secret_pad(elements: &Elements) -> bool {
    let asks = |it: &Element| {
        let name = it.name();
        !it.reacts() && name.chars().count() <= LONGEST_REQUEST && is_secret(name)
    };
    !elements.has_focused_field() && elements.has_digit_pad() && elements.iter().any(asks)
}

/// Where a text that goes into no field proves who one is: at the lock screen, or on a pad of digits.
fn takes_secret(screen: &ScreenFacts) -> Option<&'static str> {
    let asks = |text: &String| text.chars().count() <= LONGEST_REQUEST && is_secret(text);
    if screen.locked {
        Some("the lock screen")
    } else if screen.digit_pad && screen.dialed.is_empty() && screen.said.iter().any(asks) {
        Some("a pad of digits")
    } else {
        None
    }
}

/// Something goes into a field for a password or a code, or to the lock screen or another pad for these.
pub(in crate::gate) fn password_fields(findings: &mut Findings<'_>) {
    let request = findings.request;
    let screen = request.screen;
    let (text, at_place) = match request.gesture {
        Gesture::Type { text, point, .. } => (text.as_str(), point.is_some()),
        _ if screen.on_keyboard => ("", false),
        _ => return,
    };
    let fields: Vec<&ControlFacts> =
        if at_place { screen.aimed.iter().collect() } else { screen.focused.iter().collect() };
    let hidden = screen.hidden_input || fields.iter().any(|it| it.password);
    let asks = fields.iter().filter(|it| it.is_field()).find(|it| asks_for_code(it, request));
    let card = find_secrets(text).iter().any(|(kind, _)| *kind == SecretKind::Card);
    let pad = takes_secret(screen).filter(|_| !fields.iter().any(|it| it.is_field()));
    if !hidden && asks.is_none() && !card && pad.is_none() {
        return;
    }
    let history = request.history;
    let own = history.own_secret || !history.secrets.is_empty() || request.words.hold_text(text);
    let field = asks.or(fields.first()).map_or("a hidden field", |it| it.name());
    let field = pad.unwrap_or(field);
    findings.class(ActClass::Password, own, Rule::PasswordField, field);
}

/// Whether a field asks for a password or a code, as its hint, its description or its id has it; where it has no words
/// of its own, as what stands beside and above it does.
pub(super) fn asks_for_code(field: &ControlFacts, request: &GateRequest<'_>) -> bool {
    /// Most letters of a text that says what a field is for.
    const LONGEST_LABEL: usize = 100;
    /// Whole names that mean something else in others.
    const NAMES: [&str; 4] = ["token", "enter token", "masukkan kode", "kode"];
    let id = field.id_name().replace(['_', '-'], " ");
    let names = field.names.iter().filter(|it| it.chars().count() <= 40).map(String::as_str);
    // In a conversation anybody may have written of a code.
    let writes = apps::kind_of(request.package).is_some_and(AppKind::reaches_people);
    let labels = field.beside.iter().filter(|_| !writes && field.is_unlabelled());
    let labels = labels.filter(|it| it.chars().count() <= LONGEST_LABEL).map(String::as_str);
    // The id of a field is no sentence of Spanish.
    let of_tan = holds(&normalized(&id), "tan");
    of_tan
        || names.chain([field.hint.as_str(), id.as_str()]).chain(labels).any(|written| {
            let text = normalized(written);
            !text.is_empty()
                && !is_postal(&text, request)
                && (NAMES.contains(&text.as_str())
                    || is_secret(written)
                    || secret_asked_for(&text) == Some(SecretKind::Password)
                    || is_code(&text))
        })
}

/// Whether a text asks for what proves who one is, or pays.
fn is_secret(written: &str) -> bool {
    static WORDS: LazyLock<Vec<String>> =
        LazyLock::new(|| normalized_all(&[PROOFS, PHRASES, phrases::BESIDE_SECRETS].concat()));
    let text = normalized(written);
    WORDS.iter().any(|it| holds(&text, it)) || asks_for_tan(written)
}

/// Whether a text (normalized) that asks for a PIN code means that of an address in India: beside other parts of one,
/// and not where there is money.
fn is_postal(text: &str, request: &GateRequest<'_>) -> bool {
    static PARTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(phrases::ADDRESS_PARTS));
    let Some(rest) = ["pin code", "pincode", "pin-code"]
        .iter()
        .find(|it| holds(text, it))
        .map(|it| text.replace(it, " "))
    else {
        return false;
    };
    let money = matches!(
        apps::kind_of(request.package),
        Some(AppKind::Banking | AppKind::Wallet | AppKind::Secrets)
    );
    // "UPI PIN code" is none.
    let beside = |it: &str| {
        matches!(it, "area" | "postal" | "zip" | "delivery" | "your" | "enter" | "the" | "of")
    };
    if money || is_secret(&rest) || !words(&rest).all(beside) {
        return false;
    }
    // "State Bank of India" is no part of an address.
    let screen = request.screen;
    let labels = screen.texts.iter().chain(&screen.hints).map(|it| normalized(it));
    let labels: Vec<String> = labels.filter(|it| words(it).count() <= 3).collect();
    let named = |part: &&String| labels.iter().any(|it| holds(it, part));
    2 <= PARTS.iter().filter(named).count()
}

/// A key of a pad on which a secret is entered: digits, where the screen asks for one. Those that the user has said
/// are their own.
pub(in crate::gate) fn key_pads(findings: &mut Findings<'_>) {
    let request = findings.request;
    let screen = request.screen;
    if !matches!(
        request.gesture,
        Gesture::Click { .. } | Gesture::DoubleClick { .. } | Gesture::LongPress { .. }
    ) {
        return;
    }
    let digit = |name: &String| {
        let mut letters = name.chars();
        let first = letters.next().filter(|c| c.is_numeric());
        first.filter(|_| letters.next().is_none())
    };
    let keys = screen.aimed.iter().filter(|it| it.reacts);
    let Some(key) = keys.flat_map(|it| &it.names).find_map(digit) else { return };
    let asks = |text: &&String| text.chars().count() <= LONGEST_REQUEST && is_secret(text);
    if let Some(text) = screen.said.iter().find(asks) {
        let own = request.words.hold_digit(key);
        findings.class(ActClass::Password, own, Rule::PasswordField, text);
    }
}

/// Whether a text asks for a code that proves who one is, and for none of another kind.
fn is_code(text: &str) -> bool {
    let all: Vec<&str> = words(text).collect();
    let asks =
        |word: &&str| matches!(*word, "digit" | "digits" | "enter" | "sms" | "received" | "sent");
    all.contains(&"code")
        && !all.iter().any(|it| is_of_other_code(it))
        && (all.len() <= 3 || all.len() <= 10 && all.iter().any(asks))
}

/// Codes that a phone carries out as they are dialed: call forwarding, erasing, locks. Also in pieces: with what
/// stands there already, and with the key that ends them.
pub(in crate::gate) fn dialed_codes(findings: &mut Findings<'_>) {
    let request = findings.request;
    let screen = request.screen;
    let added = match request.gesture {
        Gesture::Type { text, .. } => text.as_str(),
        Gesture::Click { .. } | Gesture::LongPress { .. } | Gesture::DoubleClick { .. } => {
            let mut keys = screen.aimed.iter().filter(|_| !screen.dialed.is_empty());
            if !keys.any(is_hash_key) {
                return;
            }
            "#"
        }
        _ => return,
    };
    for text in [added.to_owned(), format!("{}{added}", screen.dialed)] {
        let code = normalized(&text).replace([' ', '-'], "");
        let dialed = |c: char| c.is_ascii_digit() || matches!(c, '*' | '#' | '+');
        if 3 < code.len() && code.starts_with(['*', '#']) && code.chars().all(dialed) {
            let asked = request.words.hold_text(&text);
            findings.class(ActClass::Call, asked, Rule::Control, text.trim());
        }
    }
}

fn is_hash_key(key: &ControlFacts) -> bool {
    let id = key.id_name();
    key.names.iter().any(|it| it.contains(['#', '＃'])) || matches!(id, "pound" | "hash")
}
