//! What a control says that it does, fields for secrets, and acts that are no touch.
use super::only_moves;
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::components::SystemPart;
use crate::gate::findings::Findings;
use crate::gate::intent::says_all;
use crate::gate::phrases;
use crate::gate::request::{ControlFacts, GateRequest, presses_enter};
use crate::gate::text::{holds, normalized, words};
use crate::gate::verdict::Rule;
use crate::secret_text::{SecretKind, find_secrets, secret_asked_for};
use crate::{DeviceCommand, Gesture};

/// More texts in one control are content, and only the first is its name.
const CONTENT: usize = 6;

/// What the act is aimed at says what it does.
pub(in crate::gate) fn controls(findings: &mut Findings<'_>) {
    let request = findings.request;
    if only_moves(request.gesture) || matches!(request.gesture, Gesture::Awake { .. }) {
        return;
    }
    let kind = apps::kind_of(request.package);
    let aimed = request.screen.aimed.iter();
    // A field is tapped to type into it, whatever stands in it.
    let aimed: Vec<_> = aimed.filter(|it| !it.is_field()).collect();
    if aimed.iter().any(|it| it.reacts && is_decline(it)) {
        findings.pass(Rule::Declines, aimed.first().map_or("", |it| it.name()));
        return;
    }
    for control in &aimed {
        if let Some((class, evidence)) = command(control, kind) {
            add(findings, class, control, Rule::Control, &evidence);
        }
    }
    if presses_enter(request.gesture) {
        enter_key(findings, kind);
    }
}

/// Enter does what the control does that has the focus, or in a field what the control beside it does.
fn enter_key(findings: &mut Findings<'_>, kind: Option<AppKind>) {
    let screen = findings.request.screen;
    let field = screen.aimed.iter().find(|it| it.is_field()).or(screen.focused.as_ref());
    if let Some(focused) = field.filter(|it| !it.is_field()) {
        if let Some((class, evidence)) = command(focused, kind) {
            add(findings, class, focused, Rule::EnterKey, &evidence);
        }
        return;
    }
    if field.is_some_and(is_search) {
        return;
    }
    for control in &screen.controls {
        let Some((class, evidence)) = command(control, kind) else { continue };
        // A note may be deleted and a person called on the same screen; enter does neither.
        if !matches!(class, ActClass::Delete | ActClass::Call) {
            add(findings, class, control, Rule::EnterKey, &evidence);
        }
    }
}

fn add(
    findings: &mut Findings<'_>,
    class: ActClass,
    control: &ControlFacts,
    rule: Rule,
    evidence: &str,
) {
    let asked = is_asked(findings.request, class, control);
    findings.class(class, asked, rule, evidence);
}

/// Whether the user's words ask for what this control does, and for all it does.
fn is_asked(request: &GateRequest<'_>, class: ActClass, control: &ControlFacts) -> bool {
    let GateRequest { words, screen, history, .. } = request;
    if !words.asks_for(class) {
        return false;
    }
    let names: Vec<String> = control.names.iter().map(|it| normalized(it)).collect();
    if names.iter().any(|it| says_all(it)) && !words.say_all() {
        return false;
    }
    match class {
        ActClass::Send => {
            let places = &screen.recipients;
            let labels =
                ["to", "cc", "bcc", "an", "para", "a", "à", "naar", "do", "кому", "收件人", "宛先"];
            let is_label = |it: &String| labels.contains(&normalized(it).trim_end_matches(':'));
            let mut places = places.iter().filter(|it| !is_label(it)).peekable();
            if places.peek().is_some() {
                places.all(|it| words.name(it))
            } else {
                screen.header.iter().any(|it| words.name(it))
            }
        }
        ActClass::Call => {
            let shown = screen.header.iter().chain(&screen.titles).chain(&screen.texts);
            shown.into_iter().any(|it| words.name(it))
        }
        ActClass::Delete => {
            let erases = |it: &String| {
                phrases::area_titled(it).is_some_and(|it| it.of == SystemPart::FactoryReset)
            };
            let shown = screen.texts.iter().chain(&history.touched).map(String::as_str);
            (!names.iter().any(erases) || words.name_part(SystemPart::FactoryReset))
                && words.relate_to(shown)
        }
        _ => true,
    }
}

/// The class of what a control does, and what says so.
fn command(control: &ControlFacts, app: Option<AppKind>) -> Option<(ActClass, String)> {
    let on_home = |class: ActClass| {
        // The name under an icon is an app's.
        app != Some(AppKind::Launcher) || matches!(class, ActClass::Delete | ActClass::Install)
    };
    let most = if CONTENT < control.names.len() { 1 } else { control.names.len() };
    let mut found: Vec<(ActClass, String)> = Vec::new();
    for (at, name) in control.names.iter().take(most).enumerate() {
        let text = normalized(name);
        if phrases::declines(&text) {
            continue;
        }
        let is_button = control.kind.contains("Button");
        for phrase in phrases::commands(&text) {
            // Further texts of a row are content; what is a command there stands alone.
            let alone =
                text == phrase.text || words(&text).count() <= words(&phrase.text).count() + 1;
            if (at == 0 || is_button || alone) && on_home(phrase.of) {
                found.push((
                    phrase.of,
                    format!("\"{name}\" ({}, {})", phrase.written, phrase.language),
                ));
            }
        }
    }
    if let Some(class) = class_of_id(control).filter(|class| on_home(*class)) {
        found.push((class, control.resource_id.clone()));
    }
    // Of several the one that weighs most, and of its phrases the longest: "Send money" is a transfer.
    found.sort_by_key(|(class, evidence)| (*class as usize, std::cmp::Reverse(evidence.len())));
    found.into_iter().next()
}

/// Words of resource ids and what they stand for; the other words of such an id say nothing.
const IDS: &[(&str, ActClass)] = &[
    ("pay", ActClass::Pay),
    ("payment", ActClass::Pay),
    ("paynow", ActClass::Pay),
    ("donate", ActClass::Pay),
    ("buy", ActClass::Order),
    ("buynow", ActClass::Order),
    ("purchase", ActClass::Order),
    ("order", ActClass::Order),
    ("transfer", ActClass::Transfer),
    ("delete", ActClass::Delete),
    ("remove", ActClass::Delete),
    ("uninstall", ActClass::Delete),
    ("erase", ActClass::Delete),
    ("install", ActClass::Install),
    ("allow", ActClass::Grant),
    ("grant", ActClass::Grant),
    ("call", ActClass::Call),
    ("dial", ActClass::Call),
    ("publish", ActClass::Publish),
    ("post", ActClass::Publish),
    ("tweet", ActClass::Publish),
    ("send", ActClass::Send),
];
const PLAIN_IDS: &[&str] = &[
    "button",
    "btn",
    "bt",
    "fab",
    "icon",
    "ic",
    "image",
    "img",
    "iv",
    "tv",
    "view",
    "action",
    "menu",
    "item",
    "confirm",
    "now",
    "ok",
    "submit",
    "id",
    "container",
    "layout",
    "wrapper",
    "place",
    "primary",
    "positive",
    "main",
    "bottom",
    "dialog",
    "message",
    "msg",
    "sms",
    "mms",
    "mail",
    "email",
    "chat",
    "app",
    "all",
    "permission",
    "foreground",
    "only",
    "one",
    "time",
    "always",
    "voice",
    "video",
    "audio",
    "start",
    "do",
    "the",
    "account",
    "note",
    "conversation",
    "text",
    "compose",
    "floating",
    "imagebutton",
    "textview",
    "imageview",
    "fragment",
    "screen",
    "bar",
    "cta",
];

/// What the resource id of a control stands for: a word for a class, and none that says more.
fn class_of_id(control: &ControlFacts) -> Option<ActClass> {
    if !control.reacts {
        return None;
    }
    let id = control.resource_id.rsplit('/').next().unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    for part in id.split(['_', '-', '.', ' ']) {
        let mut word = String::new();
        for c in part.chars() {
            if c.is_uppercase() && word.chars().last().is_some_and(char::is_lowercase) {
                parts.push(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase());
        }
        parts.push(word);
    }
    let mut class = None;
    for part in parts.iter().filter(|it| !it.is_empty()) {
        let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
        match IDS.iter().find(|(word, _)| *word == part) {
            Some((_, found)) => class = class.or(Some(*found)),
            None if part.is_empty() || PLAIN_IDS.contains(&part) => {}
            None => return None,
        }
    }
    class
}

/// Whether a control leaves or declines, and nothing else.
pub(super) fn is_decline(control: &ControlFacts) -> bool {
    let own = !control.names.is_empty()
        && control.names.iter().all(|it| phrases::declines(&normalized(it)));
    own && class_of_id(control).is_none_or(|class| class == ActClass::Grant && denies(control))
}

/// `permission_deny_button` and its like hold a word for the permission as well.
fn denies(control: &ControlFacts) -> bool {
    control.resource_id.contains("deny")
}

/// Whether a field is for searching.
pub(super) fn is_search(field: &ControlFacts) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "search", "query", "find", "filter", "buscar", "busca", "recherch", "such", "suche", "durchsuchen", "pesquis", "cerca", "zoek", "szukaj", "ara",
        "поиск", "искать", "пошук", "搜索", "搜尋", "検索", "검색", "بحث", "खोज", "cari", "telusuri", "tìm", "ค้นหา",
    ];
    let id = field.resource_id.rsplit('/').next().unwrap_or_default().replace(['_', '-'], " ");
    let texts = field.names.iter().map(String::as_str).chain([field.hint.as_str(), &id]);
    texts.into_iter().map(normalized).any(|text| {
        WORDS.iter().any(|it| {
            let word = normalized(it);
            words(&text).any(|said| said.starts_with(&word))
                || !word.is_ascii() && text.contains(&word)
        })
    })
}

/// Something goes into a field for a password or a code.
pub(in crate::gate) fn password_fields(findings: &mut Findings<'_>) {
    let request = findings.request;
    let Gesture::Type { text, point, .. } = request.gesture else { return };
    let screen = request.screen;
    let fields: Vec<&ControlFacts> = if point.is_some() {
        screen.aimed.iter().collect()
    } else {
        screen.focused.iter().collect()
    };
    let hidden = screen.hidden_input || fields.iter().any(|it| it.password);
    let asks = fields.iter().filter(|it| it.is_field()).find(|it| asks_for_code(it));
    let card = find_secrets(text).iter().any(|(kind, _)| *kind == SecretKind::Card);
    if !hidden && asks.is_none() && !card {
        return;
    }
    let history = request.history;
    let own = history.own_secret || !history.secrets.is_empty() || request.words.hold_text(text);
    let field = asks.or(fields.first()).map_or("a hidden field", |it| it.name());
    findings.class(ActClass::Password, own, Rule::PasswordField, field);
}

/// Whether a field asks for a password or a code, as its hint, its description or its id has it.
fn asks_for_code(field: &ControlFacts) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "password", "passcode", "passphrase", "pin", "otp", "cvv", "cvc", "security code", "verification code", "one-time code", "card number", "2fa",
        "contraseña", "código de verificación", "código de seguridad", "mot de passe", "code de vérification", "code confidentiel", "passwort", "kennwort", "bestätigungscode", "sicherheitscode", "prüfcode", "kartennummer",
        "senha", "código de segurança", "codice di verifica", "wachtwoord", "verificatiecode", "pincode", "hasło", "kod weryfikacyjny", "şifre", "parola", "doğrulama kodu", "güvenlik kodu",
        "пароль", "код подтверждения", "код из смс", "код підтвердження", "密码", "密碼", "验证码", "驗證碼", "安全码", "パスワード", "暗証番号", "認証コード", "確認コード",
        "비밀번호", "인증번호", "인증 코드", "كلمة المرور", "رمز التحقق", "पासवर्ड", "ओटीपी", "सत्यापन कोड", "kata sandi", "kode verifikasi", "mật khẩu", "mã xác minh", "mã otp", "รหัสผ่าน", "รหัสยืนยัน",
    ];
    let id = field.resource_id.rsplit('/').next().unwrap_or_default().replace(['_', '-'], " ");
    let names = field.names.iter().filter(|it| it.chars().count() <= 40).map(String::as_str);
    names.chain([field.hint.as_str(), id.as_str()]).any(|text| {
        let text = normalized(text);
        !text.is_empty()
            && (WORDS.iter().any(|it| holds(&text, &normalized(it)))
                || secret_asked_for(&text) == Some(SecretKind::Password)
                || words(&text).any(|word| word == "code") && words(&text).count() <= 3)
    })
}

/// A command that changes the apps or files of the phone.
pub(in crate::gate) fn commands(findings: &mut Findings<'_>) {
    let Gesture::Command(command) = findings.request.gesture else { return };
    match command {
        DeviceCommand::Install { file } => {
            findings.class(ActClass::Install, false, Rule::Command, file);
        }
        DeviceCommand::Uninstall { app } => {
            let words = findings.request.words;
            let asked = words.asks_for(ActClass::Delete) && words.name_app(app, app, None);
            findings.class(ActClass::Delete, asked, Rule::Command, app);
        }
        DeviceCommand::SendFile { file: name, .. } | DeviceCommand::StopApp { app: name } => {
            findings.class(ActClass::Change, true, Rule::Command, name);
        }
        DeviceCommand::OpenUrl { .. } | DeviceCommand::FetchFile { .. } => {}
    }
}

/// The model itself has asked.
pub(in crate::gate) fn marked(findings: &mut Findings<'_>) {
    if findings.request.marked {
        findings.ask(ActClass::Marked, Rule::Marked, "");
    }
}

/// Something is changed, which a policy for reading refuses.
pub(in crate::gate) fn changes(findings: &mut Findings<'_>) {
    let request = findings.request;
    let screen = request.screen;
    let what = match request.gesture {
        Gesture::Type { point, .. } => {
            let field = if point.is_some() {
                screen.aimed.iter().find(|it| it.is_field())
            } else {
                screen.focused.as_ref()
            };
            if field.is_some_and(is_search) {
                return;
            }
            "text"
        }
        Gesture::Drag { .. } => "something is moved",
        gesture if super::touches(gesture) && !only_moves(gesture) => {
            if !screen.aimed.iter().any(|it| it.switch) {
                return;
            }
            "a switch"
        }
        _ => return,
    };
    if findings.policy.treatment(ActClass::Change) != crate::gate::policy::Treatment::Allow {
        findings.class(ActClass::Change, true, Rule::ReadOnly, what);
    }
}
