//! Where an act is done: the app, the part of the system, the address; and how much was done before.
use super::asked::is_asked;
use super::controls::is_decline;
use super::fields::asks_for_code;
use super::system_dialogs::part_of_dialog;
use super::{acts, is_key, only_moves, other_app, touches};
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::components::{self, SystemPart};
use crate::gate::findings::Findings;
use crate::gate::intent::UserWords;
use crate::gate::phrases;
use crate::gate::policy::{Treatment, lists_app};
use crate::gate::price::amount;
use crate::gate::question::covers_app;
use crate::gate::request::{ControlFacts, GateRequest, ScreenFacts};
use crate::gate::text::{CUT, List, holds, normalized};
use crate::gate::touch_words::TouchWords;
use crate::gate::verdict::Rule;
use crate::gate::window::TouchPlace;
use crate::{DeviceCommand, Gesture, Key};

/// How much was done before. Scrolling up or down is not counted, though it is judged as a slide.
pub(in crate::gate) fn budgets(findings: &mut Findings<'_>, proposed: &Gesture) {
    let (bounds, request) = (findings.policy.budgets, findings.request);
    if let Some(most) = bounds.taps_per_minute
        && touches(proposed)
        && most <= request.history.taps
    {
        findings.deny(ActClass::Change, Rule::TapBudget, &format!("{most} in a minute"));
    }
    if let (Some(most), Gesture::Type { text, .. }) = (bounds.typed_characters, request.gesture) {
        let letters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if most < request.history.typed.saturating_add(letters) {
            findings.deny(ActClass::Change, Rule::TypingBudget, &format!("{most} characters"));
        }
    }
}

/// Apps of lists: the one in front, and the one that is opened.
pub(in crate::gate) fn lists(findings: &mut Findings<'_>) {
    let (policy, request) = (findings.policy, findings.request);
    let mut check = |package: &str, always: bool| {
        if lists_app(&policy.deny_apps, package) {
            findings.deny(ActClass::Open, Rule::DeniedApp, package);
        } else if !always && package.is_empty() && !policy.deny_apps.is_empty() {
            // Where nobody knows which app that is, it may be one of them.
            findings.deny(ActClass::Open, Rule::DeniedApp, "an unknown app");
        }
        if !always && policy.allow_apps.iter().any(|list| !lists_app(list, package)) {
            findings.deny(ActClass::Open, Rule::AppNotListed, package);
        }
    };
    match request.gesture {
        Gesture::Awake { app }
        | Gesture::Command(DeviceCommand::StopApp { app } | DeviceCommand::Uninstall { app }) => {
            // A label says nothing about a package, so where lists bind it comes here by its package too. An
            // activity may stand behind that.
            let package = app.split('/').next().unwrap_or_default();
            check(package, !app.contains('.'));
        }
        Gesture::Command(
            DeviceCommand::FetchFile { from: path, .. } | DeviceCommand::SendFile { to: path, .. },
        ) => {
            if let Some(package) = package_of_path(path) {
                check(&package, false);
                if policy.is_private(&package) {
                    findings.deny(ActClass::Open, Rule::PrivateApp, &package);
                }
            }
        }
        // A package that nobody knows is in no list.
        Gesture::Command(DeviceCommand::Install { package, .. }) => {
            check(package.as_ref().map_or("", |it| &it.name), false);
        }
        Gesture::Command(DeviceCommand::OpenUrl { .. }) => {}
        Gesture::HotKey { key: Key::Recents } if !policy.private_apps.is_empty() => {
            // It is the home screen's, and has pictures of the apps.
            findings.deny(ActClass::Open, Rule::PrivateApp, "the overview of recent apps");
        }
        gesture if is_key(gesture) => {}
        _ => {
            let package = request.package;
            let is_system = |package: &str| {
                apps::kind_of(package) == Some(AppKind::Launcher)
                    || matches!(package, "com.android.systemui" | "android")
            };
            check(package, is_system(package));
            // In the shade lie notifications, whose buttons are the apps'; widgets and windows lie over other apps.
            let other = other_app(request);
            if let Some(other) = other {
                check(other, is_system(other));
            }
            if let Some(private) =
                [Some(package), other].into_iter().flatten().find(|it| policy.is_private(it))
            {
                findings.deny(ActClass::Open, Rule::PrivateApp, private);
            }
        }
    }
}

/// The app whose own files on the shared storage this is one of: `Android/data`, `media` and `obb` have a folder for
/// each app. This storage does not tell capital letters from small ones, nor names with letters that nobody sees from
/// names without.
fn package_of_path(path: &str) -> Option<String> {
    let path = normalized(path);
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let is_of_apps =
        |pair: &[&str]| pair[0] == "android" && ["data", "media", "obb"].contains(&pair[1]);
    let at = parts.windows(2).position(is_of_apps)?;
    parts.get(at + 2).map(|package| (*package).to_owned())
}

/// A secret goes where it was given for, and where it is seen to go.
pub(in crate::gate) fn secrets(findings: &mut Findings<'_>) {
    let request = findings.request;
    if !matches!(request.gesture, Gesture::Type { .. }) {
        return;
    }
    if let Some(secret) = request.history.unnamed_secrets.first() {
        findings.class(ActClass::Password, false, Rule::UnnamedSecret, secret);
    }
    let elsewhere = |home: &&String| !home.is_empty() && **home != request.package;
    if !request.history.secrets.is_empty() && super::addresses::is_in_address_bar(request) {
        findings.deny(ActClass::Password, Rule::SecretElsewhere, "an address bar");
    }
    if let Some(home) = request.history.secrets.iter().find(elsewhere) {
        let evidence = format!("given for {home}");
        findings.deny(ActClass::Password, Rule::SecretElsewhere, &evidence);
    }
    if let Some(home) = request.history.secrets_of_others.first() {
        let evidence = format!("given for {home}");
        // One may sign in to an app in a browser, or in the window that Google has for that; and in the settings a
        // network may be called as an app is.
        // Nor may an app whose name the phone does not tell be another one than the user means.
        let signs_in = request.label.trim().is_empty()
            || apps::kind_of(request.package) == Some(AppKind::Browser)
            || request.package == "com.google.android.gms"
            || components::is_settings(request.package);
        if signs_in {
            findings.ask(ActClass::Password, Rule::SecretElsewhere, &evidence);
        } else {
            findings.deny(ActClass::Password, Rule::SecretElsewhere, &evidence);
        }
    }
    if request.history.secrets.is_empty() {
        return;
    }
    if goes_to_people(request) {
        findings.ask(ActClass::Send, Rule::SecretElsewhere, "a secret");
    }
    if let Some(other) = other_app(request) {
        let evidence = format!("the field is one of {other}");
        findings.deny(ActClass::Password, Rule::SecretElsewhere, &evidence);
    }
    // The tap may lead to another page, which then gets the text.
    if matches!(request.gesture, Gesture::Type { point: Some(_), .. }) && !request.screen.on_field {
        findings.deny(ActClass::Password, Rule::SecretOffField, "no field is known there");
    }
}

/// Whether a secret goes into what people read, though the words in which it was given do not send it to them.
fn goes_to_people(request: &GateRequest<'_>) -> bool {
    let (screen, history) = (request.screen, request.history);
    let writes = apps::kind_of(request.package).is_some_and(AppKind::reaches_people);
    let aimed = screen.aimed.iter().filter(|_| touches(request.gesture));
    let focused = screen.focused.iter().filter(|_| !touches(request.gesture));
    let mut fields = aimed.chain(focused).filter(|it| it.is_field()).peekable();
    let is_told = || {
        history.secret_sentences.iter().any(|sentence| {
            let words = UserWords::new([sentence.as_str()]);
            let request = GateRequest { words: &words, ..request.clone() };
            let field = screen.focused.clone().unwrap_or_default();
            is_asked(&request, ActClass::Send, &field)
        })
    };
    writes
        && !history.own_secret
        && !screen.hidden_input
        && !screen.locked
        && fields.peek().is_some()
        && !fields.any(|it| it.password || asks_for_code(it, request))
        && !is_told()
}

/// Parts of the system that give power over the phone, or ask for money.
pub(in crate::gate) fn system_parts(findings: &mut Findings<'_>) {
    let request = findings.request;
    if !acts(request) {
        return;
    }
    let Some(part) = part_in_front(request) else { return };
    let aimed = &request.screen.aimed;
    let mut reacting = aimed.iter().filter(|it| it.reacts && !it.names.is_empty()).peekable();
    let leaves =
        |it: &ControlFacts| is_decline(it) && !(part == SystemPart::ScreenLock && is_none(it));
    if reacting.peek().is_some() && reacting.all(leaves) {
        return;
    }
    let words = request.words;
    let mut class = part.class();
    let named = match part {
        SystemPart::PackageInstaller => {
            if request.activity.to_ascii_lowercase().contains("uninstall") {
                class = ActClass::Delete;
            }
            words.wants(class)
        }
        SystemPart::PermissionDialog => {
            words.wants(ActClass::Grant) || words.need_permission(&request.screen.texts)
        }
        SystemPart::PurchaseSheet => words.wants(ActClass::Order) || words.wants(ActClass::Pay),
        SystemPart::UnknownSources => words.wants(ActClass::Install) || words.name_part(part),
        SystemPart::Accessibility
        | SystemPart::DeveloperOptions
        | SystemPart::DeviceAdmin
        | SystemPart::Vpn
        | SystemPart::FactoryReset
        | SystemPart::Calls
        | SystemPart::ScreenLock
        | SystemPart::Sim
        | SystemPart::Keyboards
        | SystemPart::DefaultApps
        | SystemPart::AppVerifier
        | SystemPart::SpecialAccess => words.name_part(part),
    };
    // A client has no task in whose words a person could name it: they are asked.
    let answered = request.history.by_client
        && words.is_empty()
        && matches!(
            part,
            SystemPart::PackageInstaller | SystemPart::PermissionDialog | SystemPart::PurchaseSheet
        );
    if !named && !answered && findings.policy.system_parts == Treatment::Deny {
        findings.deny(class, Rule::SystemPart, part.words());
    } else if named && components::is_settings(request.package) && only_leads_on(aimed) {
        findings.pass(Rule::AskedFor, part.words());
    } else {
        findings.ask(class, Rule::SystemPart, part.words());
    }
}

/// Whether a choice is called "no", as the one for no lock at all is in some languages.
fn is_none(control: &ControlFacts) -> bool {
    const NONE: [&str; 8] = ["no", "нет", "ні", "non", "nie", "ne", "nein", "nee"];
    control.names.iter().any(|it| NONE.contains(&normalized(it).as_str()))
}

/// Whether a touch only leads to another screen: a row without a switch.
fn only_leads_on(aimed: &[ControlFacts]) -> bool {
    !aimed.is_empty()
        && !aimed
            .iter()
            .any(|it| it.switch || it.is_field() || it.reacts && it.kind.contains("Button"))
}

/// What dialogs say before a service may read the screen and act.
#[rustfmt::skip]
static FULL_CONTROL: List = List::new("full control of your device|view and control screen|view and perform actions|control total|contrôler intégralement|contrôle total|volle kontrolle|uneingeschränkte kontrolle|\
        controle total|pieno controllo|controllo completo|volledige controle|pełną kontrolę|tam denetim|tam kontrol|полный контроль|повний контроль|完全控制|完全控制您的设备|フル コントロール|フルコントロール|완전히 제어|모든 권한|\
        التحكم الكامل|पूरा कंट्रोल|पूरी तरह कंट्रोल|kontrol penuh|toàn quyền kiểm soát|ควบคุมอุปกรณ์โดยสมบูรณ์");

/// What dialogs say before a keyboard may see all that is typed.
#[rustfmt::skip]
static SEES_ALL: List = List::new("collect all the text you type|all the text you type|recopilar todo el texto|tout le texte que vous saisissez|den gesamten text, den sie eingeben|alle texte, die du eingibst|coletar todo o texto|tutto il testo che digiti|\
        alle tekst verzamelen|gromadzić cały wpisywany tekst|yazdığınız tüm metni|весь вводимый текст|увесь текст|收集您输入的所有文字|收集你输入的所有文本|收集您輸入的所有文字|入力したテキスト全体|입력한 모든 텍스트|كل النص الذي تكتبه|लिखे जाने वाले सभी टेक्स्ट|mengumpulkan semua teks|thu thập tất cả văn bản|รวบรวมข้อความทั้งหมด");

/// The part of the system in front: by its component; in the settings also by the title of the screen, by
/// what was touched on the way there, and by what its dialogs say.
fn part_in_front(request: &GateRequest<'_>) -> Option<SystemPart> {
    if let Some(part) = components::part_of(request.package, request.activity) {
        return Some(part);
    }
    let screen = request.screen;
    if request.package == "com.android.systemui" {
        // A tile of the quick settings is called as the part that it switches.
        let names = screen.aimed.iter().flat_map(|it| &it.names);
        let parts = names.flat_map(|it| it.split([',', '，', '、', '\n'])).map(normalized);
        return parts.into_iter().find_map(|it| phrases::area_titled(&it)).map(|it| it.of);
    }
    if !components::is_settings(request.package) {
        return part_of_dialog(request);
    }
    let titles = screen.titles.iter().chain(&screen.header);
    let titled = titles.into_iter().find_map(|it| phrases::area_titled(&normalized(it)));
    if let Some(phrase) = titled {
        return Some(phrase.of);
    }
    let says = |text: &String| {
        let text = normalized(text);
        FULL_CONTROL.iter().any(|it| holds(&text, it))
    };
    if screen.texts.iter().any(says) {
        return Some(SystemPart::Accessibility);
    }
    let sees_all = |text: &String| {
        let text = normalized(text);
        SEES_ALL.iter().any(|it| holds(&text, it))
    };
    if screen.texts.iter().any(sees_all) {
        return Some(SystemPart::Keyboards);
    }
    // A page behind the title of one: it is called as the app or service that it is about.
    let touched: Vec<String> = request.history.touched.iter().map(|it| normalized(it)).collect();
    let titled = |(at, it): (usize, &String)| phrases::area_titled(it).map(|it| (at, it.of));
    let (at, part) = touched.iter().enumerate().rev().take(3).find_map(titled)?;
    (!has_left(request, &touched, at)).then_some(part)
}

/// What the outermost page of the settings is called.
#[rustfmt::skip]
static SETTINGS: List = List::new("settings|einstellungen|ajustes|configuración|configuraciones|réglages|paramètres|configurações|definições|impostazioni|instellingen|ustawienia|ayarlar|настройки|налаштування|设置|設定|설정|الإعدادات|الاعدادات|सेटिंग|सेटिंग्स|setelan|pengaturan|\
        cài đặt|การตั้งค่า|inställningar|indstillinger|innstillinger|asetukset|nastavení|beállítások|setări|ρυθμίσεις|postavke|הגדרות");

/// What the arrow at the top of a page is called.
#[rustfmt::skip]
static BACK: List = List::new("navigate up|back|go back|nach oben|zurück|nach oben navigieren|desplazarse hacia arriba|navegar hacia arriba|atrás|volver|revenir en haut de la page|revenir en arrière|retour|navegar para cima|voltar|torna indietro|indietro|vai in alto|omhoog navigeren|terug|przejdź wyżej|wstecz|wróć|yukarı git|geri|\
        перейти вверх|назад|перейти вгору|返回|向上导航|轉到上一層級|转到上一层级|戻る|前に戻る|上へ移動|뒤로|위로 이동|رجوع|التنقل إلى أعلى|वापस जाएं|ऊपर जाएं|kembali|navigasi naik|quay lại|di chuyển lên|กลับ|นำทางขึ้น");

/// Whether a control with this name and class is the arrow at the top of a page, which leads back. A row may be called
/// so too, as an app is.
pub(in crate::gate) fn is_back_arrow(name: &str, class: &str) -> bool {
    class.ends_with("ImageButton") && BACK.contains(&normalized(name))
}

/// Whether the screen is none behind the part of the settings whose title was touched there, of all that was touched
/// (normalized): it is the outermost page, or one that was on the way to that part, to which somebody went back by a
/// gesture. What was touched last names the page behind it, whatever an app or service there is called.
fn has_left(request: &GateRequest<'_>, touched: &[String], at: usize) -> bool {
    let Some(title) = request.screen.header.first().map(|it| normalized(it)) else { return false };
    let names = |it: &String| !title.is_empty() && it.starts_with(&title);
    let is_outermost = normalized(request.label) == title || SETTINGS.contains(&title);
    !touched[at..].iter().any(names) && (is_outermost || touched[..at].contains(&title))
}

/// An app for money or secrets that the user has not named.
pub(in crate::gate) fn unnamed_apps(findings: &mut Findings<'_>) {
    let request = findings.request;
    let (package, label) = match request.gesture {
        Gesture::Awake { app } if app.contains('.') => (app.as_str(), ""),
        Gesture::Awake { app } => ("", app.as_str()),
        _ if acts(request) => (request.package, request.label),
        _ => return,
    };
    let kind = apps::kind_of(package).or_else(|| {
        // A label has blanks where a package has dots.
        package.is_empty().then(|| apps::kind_of(&label.replace(' ', "."))).flatten()
    });
    let kind =
        kind.filter(|it| matches!(it, AppKind::Banking | AppKind::Wallet | AppKind::Secrets));
    let Some(kind) = kind else { return };
    let name = if package.is_empty() { label } else { package };
    if request
        .history
        .approved_apps
        .iter()
        .any(|(class, app)| *class == ActClass::Open && app == name)
    {
        return;
    }
    let named = request.history.by_client || request.words.name_app(package, label, Some(kind));
    if !named {
        findings.class(ActClass::Open, false, Rule::UnnamedApp, name);
    }
}

/// A touch in an app for money, mail or messages, or in the settings, whose screen does not say what is touched.
pub(in crate::gate) fn unreadable_screens(findings: &mut Findings<'_>) {
    let request = findings.request;
    let (screen, package) = (request.screen, request.package);
    let kind = apps::kind_of(package);
    let outside = touches(request.gesture) && !screen.on_keyboard;
    let place = if outside { screen.place } else { TouchPlace::Listed };
    let is_endless = screen.aimed.iter().any(is_endless);
    let told =
        screen.readable && place == TouchPlace::Listed && !is_opaque(screen, kind) && !is_endless;
    if told || !acts(request) || only_moves(request) {
        return;
    }
    if place == TouchPlace::OtherHalf {
        findings.class(
            ActClass::Unreadable,
            false,
            Rule::NoElements,
            "the other half of the screen",
        );
        return;
    }
    let kind = kind.filter(|it| {
        matches!(
            it,
            AppKind::Banking
                | AppKind::Wallet
                | AppKind::Secrets
                | AppKind::Shop
                | AppKind::Store
                | AppKind::Social
                | AppKind::Mail
                | AppKind::Messenger
                | AppKind::Browser
        )
    });
    let kind = match kind {
        Some(kind) => format!("{kind:?}"),
        None if is_endless => "a name without an end".to_owned(),
        None if screen.unusable_list => "a list that cannot be used".to_owned(),
        None if components::is_settings(package) => "Settings".to_owned(),
        None => return,
    };
    let approved = &request.history.approved_apps;
    if covers_app(package)
        && approved.iter().any(|(class, app)| *class == ActClass::Unreadable && app == package)
    {
        return;
    }
    findings.class(ActClass::Unreadable, false, Rule::NoElements, &format!("{package}, {kind}"));
}

/// Whether a button is called by so much text that not all of it is read: what it does may stand in the middle.
fn is_endless(control: &ControlFacts) -> bool {
    control.reacts
        && control.kind.contains("Button")
        && control.names.iter().any(|it| it.contains(CUT))
}

/// Whether a screen has elements, but of what is touched they say nothing. Where there is money, a price or something that may
/// be sent, each control without a word may be the one that does it.
fn is_opaque(screen: &ScreenFacts, kind: Option<AppKind>) -> bool {
    let is_priced = || screen.texts.iter().any(|it| amount(it).is_some());
    let heavy = screen.written || kind.is_some_and(AppKind::has_money) || is_priced();
    match screen.words_there {
        TouchWords::Named | TouchWords::Id => false,
        TouchWords::Bare => heavy,
        TouchWords::Nothing => true,
    }
}
