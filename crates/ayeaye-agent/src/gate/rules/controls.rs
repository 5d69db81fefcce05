//! What a control says that it does, and acts that are no touch.
use super::asked::is_asked;
use super::at_once::done_at_once;
use super::dialogs;
use super::everyday::{is_everyday, opens_form};
use super::fields::{is_command_field, is_search};
use super::ids::class_of_id;
use super::only_moves;
use super::settled::{approves_login, settled};
use super::slides;
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::confusables::{closed_up, readings};
use crate::gate::fillers::says_all;
use crate::gate::findings::Findings;
use crate::gate::phrases;
use crate::gate::price::{amount, in_figures, is_price};
use crate::gate::request::{ControlFacts, GateRequest, is_dialed, presses_enter, tabs_on};
use crate::gate::text::{List, holds, is_spaced, normalized, words};
use crate::gate::verdict::Rule;
use crate::{DeviceCommand, Gesture, Key};

/// More texts in one control are content: the first is its name, and of the others only what is a command and
/// nothing else counts.
const CONTENT: usize = 6;

/// What the act is aimed at says what it does.
pub(in crate::gate) fn controls(findings: &mut Findings<'_>) {
    let request = findings.request;
    if matches!(request.gesture, Gesture::Awake { .. }) {
        return;
    }
    let kind = apps::kind_of(request.package);
    let screen = request.screen;
    let aimed = screen.aimed.iter();
    // A field is tapped to type into it, whatever is written in it.
    let mut aimed: Vec<_> =
        aimed.filter(|it| !it.is_field() || is_command_field(it, screen)).collect();
    if only_moves(request) {
        // Also on its way up or down, what moves aside slides what is slid.
        let across = match request.gesture {
            Gesture::Slide { from, to, .. } => 0.1 <= (from.fractions().0 - to.fractions().0).abs(),
            _ => false,
        };
        let slid = |it: &ControlFacts| slides::is_swiped(it) || across && slides::is_slid(it);
        aimed.retain(|it| slid(it));
        if aimed.is_empty() {
            return;
        }
    }
    if let Some(name) = declined(request, kind).filter(|_| !screen.on_keyboard) {
        findings.pass(Rule::Declines, name);
        return;
    }
    for control in &aimed {
        if let Some((class, evidence)) = approves_login(control, request, kind) {
            add(findings, class, control, Rule::Dialog, &evidence);
        } else if let Some((class, evidence)) = command(control, request, kind) {
            add(findings, class, control, Rule::Control, &evidence);
        } else if !super::bare::bare(findings, control, kind, Rule::Control) {
            if let Some((class, evidence)) = dialogs::agreed_to(control, request, kind) {
                add(findings, class, control, Rule::Dialog, &evidence);
            } else if let Some((class, evidence)) = slides::slid_or_held(control, request, kind) {
                add(findings, class, control, Rule::Control, &evidence);
            } else if let Some((class, evidence)) =
                done_at_once(control, request, kind).or_else(|| settled(control, request, kind))
            {
                add(findings, class, control, Rule::Control, &evidence);
            }
        }
    }
    if presses_enter(request.gesture) || presses_focused(request) || screen.on_keyboard {
        enter_key(findings, kind);
    }
}

/// The name of the control that declines, where nothing else may be meant.
fn declined<'a>(request: &GateRequest<'a>, kind: Option<AppKind>) -> Option<&'a str> {
    let reacting: Vec<_> = request.screen.aimed.iter().filter(|it| it.reacts).collect();
    let leaves = |it: &ControlFacts| is_decline(it) && !dialogs::is_guard_off(it, request.screen);
    let first = reacting.first().filter(|it| leaves(it))?;
    // Something else there may be what gets the touch.
    let other = |it: &&ControlFacts| {
        !is_decline(it) && (command(it, request, kind).is_some() || dialogs::agrees(it).is_some())
    };
    (!reacting.iter().any(other)).then(|| first.name())
}

/// A blank that is typed where no field has the focus presses the control that has it.
fn presses_focused(request: &GateRequest<'_>) -> bool {
    let Gesture::Type { text, .. } = request.gesture else { return false };
    let focused = request.screen.focused.as_ref();
    text.contains(char::is_whitespace) && focused.is_some_and(|it| !it.is_field())
}

/// Enter does what the control does that has the focus, or in a field what the control beside it does.
fn enter_key(findings: &mut Findings<'_>, kind: Option<AppKind>) {
    let request = findings.request;
    let GateRequest { screen, history, .. } = *request;
    let field = screen.aimed.iter().find(|it| it.is_field()).or(screen.focused.as_ref());
    let tabs = tabs_on(request.gesture);
    // Of a page only its outermost part may say that it has the focus.
    let is_control = |it: &&ControlFacts| !it.is_field() && !it.kind.ends_with("WebView");
    if let Some(focused) = field.filter(|it| !tabs && is_control(it)) {
        let said =
            command(focused, request, kind).or_else(|| dialogs::agreed_to(focused, request, kind));
        if let Some((class, evidence)) = said {
            add(findings, class, focused, Rule::EnterKey, &evidence);
        } else {
            super::bare::bare(findings, focused, kind, Rule::EnterKey);
        }
        return;
    }
    if field.is_some_and(|it| !tabs && is_search(it, history)) {
        return;
    }
    let before = findings.len();
    // What people have written, and the rest of a page, is no button, whatever it says.
    for control in screen.controls.iter().filter(|it| tabs || !is_sentence(it)) {
        if let Some((class, evidence)) = dialogs::agreed_to(control, request, kind) {
            add(findings, class, control, Rule::EnterKey, &evidence);
            continue;
        }
        let Some((class, evidence)) = command(control, request, kind) else { continue };
        // A note may be deleted and a person called on the same screen; enter does neither.
        if tabs || !matches!(class, ActClass::Delete | ActClass::Call) {
            add(findings, class, control, Rule::EnterKey, &evidence);
        }
    }
    // Where nothing sends, the key on the keyboard does.
    if let Some(field) = field.filter(|_| findings.len() == before) {
        if is_dialed(&field.resource_id) {
            add(findings, ActClass::Call, field, Rule::EnterKey, field.name());
            return;
        }
        let id = field.resource_id.rsplit('/').next().unwrap_or_default().replace(['_', '-'], " ");
        let names = field.names.iter().map(String::as_str);
        let mut hints = [field.hint.as_str(), &id].into_iter().chain(names).map(normalized);
        if let Some(class) = hints.find_map(|it| phrases::written_into(&it)) {
            add(findings, class, field, Rule::EnterKey, field.name());
        }
    }
}

/// Whether a control that is no button is called by a whole sentence, as a message is in which somebody asks for money.
fn is_sentence(control: &ControlFacts) -> bool {
    !control.kind.contains("Button")
        && !control.is_field()
        && control.names.iter().any(|it| is_long(it))
}

/// Whether a name is as long as a sentence.
fn is_long(name: &str) -> bool {
    const LONGEST: usize = 5;
    const LONGEST_UNSPACED: usize = 12;
    let text = normalized(name);
    let unspaced = text.chars().filter(|it| it.is_alphabetic() && !is_spaced(*it)).count();
    LONGEST < words(&text).count() || LONGEST_UNSPACED < unspaced
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

/// The class of what a control does, and what says so.
fn command(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    app: Option<AppKind>,
) -> Option<(ActClass, String)> {
    // The name under an icon is an app's. What no home screen shows itself is no icon.
    let is_icon =
        app == Some(AppKind::Launcher) && control.package.eq_ignore_ascii_case(request.package);
    let on_home =
        |class: ActClass| !is_icon || matches!(class, ActClass::Delete | ActClass::Install);
    let is_content = CONTENT < control.names.len();
    let own = control.names.iter().chain((!control.hint.is_empty()).then_some(&control.hint));
    let kind = control.kind.rsplit('.').next().unwrap_or_default();
    let is_button = kind.contains("Button");
    let mut found: Vec<(ActClass, String)> = Vec::new();
    // Nothing that closes has another name.
    let closes = 1 < control.names.len()
        && control.names.iter().take(CONTENT).any(|it| phrases::declines(&normalized(it)));
    let in_store = app == Some(AppKind::Store);
    if (is_button || in_store) && !control.switch && control.reacts && control.names.len() <= 2 {
        let price = control.names.first().filter(|it| is_price(it));
        let price =
            price.or(control.names.first().filter(|_| is_button && pays(control, request, app)));
        let price = price.or(control.names.first().filter(|_| goes_on_for_money(control)));
        found.extend(price.map(|it| (ActClass::Order, format!("\"{it}\""))));
    }
    for (at, name) in own.enumerate() {
        let texts = readings(name);
        if texts.iter().any(|it| phrases::declines(it))
            || is_everyday(&texts[0], control, request, app)
            || (!is_button || control.switch) && dialogs::is_title(name, request, app)
        {
            continue;
        }
        if is_content && 0 < at || app == Some(AppKind::Mail) && is_of_letter(name, request) {
            let bare = phrases::commands(&texts[0], false, in_store)
                .into_iter()
                .find(|it| it.text == texts[0]);
            let said = bare.filter(|it| on_home(it.of));
            found.extend(said.map(|it| (it.of, format!("\"{name}\" in it"))));
            continue;
        }
        found.extend(texts.iter().find_map(|it| phrases::sign(it)).map(|it| (it, name.clone())));
        if let Some(joined) = closed_up(&texts[0]) {
            let said = phrases::commands_joined(&joined).into_iter().filter(|it| on_home(it.of));
            found.extend(said.map(|it| (it.of, format!("\"{name}\""))));
        }
        for text in &texts {
            // A choice may be a sentence, and so may a text with a price that is no button.
            let long = is_button && !control.switch || at == 0 && in_figures(name).is_some();
            for phrase in phrases::commands(text, long, in_store) {
                // Further texts of a row are content; what is a command there stands alone.
                let alone = closes
                    || says_all(text)
                    || *text == phrase.text
                    || words(text).count() <= words(&phrase.text).count() + 1;
                if (at == 0 || is_button || alone) && on_home(phrase.of) {
                    let said = format!("\"{name}\" ({}, {})", phrase.written, phrase.language);
                    found.push((phrase.of, said));
                }
            }
        }
    }
    // A name in pieces, a letter or two each.
    if 2 <= control.names.len() && control.names.iter().all(|it| it.chars().count() <= 3) {
        let whole = normalized(&control.names.concat());
        let said = phrases::commands_joined(&whole).into_iter().filter(|it| on_home(it.of));
        found.extend(said.map(|it| (it.of, format!("\"{whole}\""))));
    }
    // A text beside a control without a name is its name if it is nothing but a command.
    for name in &control.beside {
        let text = normalized(name);
        let bare = |it: &&phrases::Phrase<ActClass>| {
            it.text == text || amount(name).is_some() || control.switch && it.of == ActClass::Grant
        };
        let said = phrases::commands(&text, false, in_store)
            .into_iter()
            .filter(bare)
            .filter(|it| on_home(it.of));
        found.extend(said.map(|it| (it.of, format!("\"{name}\" beside it"))));
    }
    // It is called by what its form does.
    let opens = control.names.first().is_some_and(|it| opens_form(&normalized(it), request, app));
    if let Some(class) = class_of_id(control).filter(|class| on_home(*class) && !opens) {
        found.push((class, control.resource_id.clone()));
    }
    if corrects(control, request) {
        found.retain(|(class, _)| *class != ActClass::Delete);
    }
    // What is sent with an amount, or by an app of money, is money.
    let money = || {
        matches!(app, Some(AppKind::Banking | AppKind::Wallet))
            || control.names.iter().take(CONTENT).any(|it| amount(it).is_some())
    };
    for (class, _) in found.iter_mut().filter(|(class, _)| *class == ActClass::Send && money()) {
        *class = ActClass::Transfer;
    }
    // Of several the one that weighs most, and of its phrases the longest: "Send money" is a transfer.
    found.sort_by_key(|(class, evidence)| (*class as usize, std::cmp::Reverse(evidence.len())));
    found.into_iter().next()
}

/// Whether this is what a message in a list of mail says: its subject or how it begins, behind who wrote it.
fn is_of_letter(name: &String, request: &GateRequest<'_>) -> bool {
    let is_row = |it: &&ControlFacts| it.reacts && !it.switch && !it.kind.contains("Button");
    // Of some apps a row is one text that is read out: "Amazon, Please pay now, Hello, 10:30".
    let is_read_out = |it: &ControlFacts| {
        it.names.len() == 1 && is_sentence(it) && name.contains([',', '，', '、', '،'])
    };
    // Others have the subject first.
    let is_letter = |it: &ControlFacts| {
        3 <= it.names.len()
            && (it.names[0] != *name || it.names[1..].contains(name) || is_long(name))
    };
    let mut rows = request.screen.aimed.iter().filter(is_row);
    rows.any(|it| it.names.contains(name) && (is_letter(it) || is_read_out(it)))
}

/// Whether a button whose name tells no command is what pays the amount in it: in an app of money, where something is
/// filled in or can be declined. Elsewhere it may be an account or a thing that is put into a cart.
fn pays(control: &ControlFacts, request: &GateRequest<'_>, app: Option<AppKind>) -> bool {
    let screen = request.screen;
    let money =
        matches!(app, Some(AppKind::Banking | AppKind::Wallet | AppKind::Shop | AppKind::Store));
    let name = control.name();
    money
        && (screen.written || screen.can_decline)
        && words(name).count() <= 6
        && amount(name).is_some()
}

/// Whether a control goes on, or opens what is closed, for an amount that it names: "Unlock for $4.99".
fn goes_on_for_money(control: &ControlFacts) -> bool {
    #[rustfmt::skip]
    static GOES_ON: List = List::new("continue|unlock|upgrade|tip|weiter|fortfahren|freischalten|entsperren|continuer|débloquer|continuar|desbloquear|continua|sblocca|doorgaan|ontgrendelen|kontynuuj|odblokuj|devam et|kilidini aç|\
        продолжить|разблокировать|продовжити|розблокувати|解锁|解鎖|继续|繼續|ロック解除|続ける|잠금해제|잠금 해제|계속|متابعة|फिर से शुरू|अनलॉक|जारी रखें|lanjutkan|buka kunci|tiếp tục|mở khóa|ปลดล็อก|ดำเนินการต่อ|fortsätt|lås upp|fortsæt|lås op|fortsett|jatka|avaa|pokračovat|odemknout|folytatás|feloldás|continuă|deblochează|συνέχεια|ξεκλείδωμα|продължи|отключи|nastavi|otključaj|המשך");
    #[rustfmt::skip]
    static SAVES: List = List::new("off|save|free|cashback|bonus|coupon|sparen|rabatt|gratis|remise|descuento|desconto|sconto|korting|rabat|indirim|скидка|скидку|优惠|優惠|割引|할인");
    control.names.first().is_some_and(|name| {
        let text = normalized(name);
        let has = |list: &List| list.iter().any(|it| holds(&text, it));
        words(&text).count() <= 6 && amount(name).is_some() && has(&GOES_ON) && !has(&SAVES)
    })
}

/// By their whole names: safes for photos call themselves calculators too.
const CALCULATORS: [&str; 8] = [
    "com.google.android.calculator",
    "com.android.calculator2",
    "com.sec.android.app.popupcalculator",
    "com.miui.calculator",
    "com.coloros.calculator",
    "com.oneplus.calculator",
    "com.huawei.calculator",
    "com.hihonor.calculator",
];

/// Whether a control takes back what was typed last: a key of a calculator, or beside a number that is dialed or what is
/// searched for. What it says it deletes is of one word.
fn corrects(control: &ControlFacts, request: &GateRequest<'_>) -> bool {
    let id = control.resource_id.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_short = control.names.iter().all(|it| it.split_whitespace().count() == 1);
    let is_told = !control.names.is_empty();
    let beside = |it: &ControlFacts| {
        is_dialed(&it.resource_id)
            || is_told && !it.content.is_empty() && is_search(it, request.history)
    };
    let field = request.screen.line_field.as_ref();
    is_short
        && (id == "timer_setup_delete"
            || id.ends_with("backspace")
            || CALCULATORS.contains(&request.package)
            || field.is_some_and(beside))
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

/// A command that changes the apps or files of the phone.
pub(in crate::gate) fn commands(findings: &mut Findings<'_>) {
    let Gesture::Command(command) = findings.request.gesture else { return };
    match command {
        DeviceCommand::Install { file, package } => {
            let what = package.as_ref().map_or(file, |it| &it.name);
            findings.class(ActClass::Install, false, Rule::Command, what);
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

/// Whether a control says that it changes something, such as "Save".
fn changes_something(control: &ControlFacts) -> bool {
    let id = control.resource_id.rsplit('/').next().unwrap_or_default();
    let is_field = control.is_field();
    let is_row = control.names.len() > 2;
    let named = control.names.iter().any(|it| phrases::changes(&normalized(it), ""));
    !is_field && (named || !is_row && phrases::changes("", id))
}

/// Something is changed, which a policy for reading refuses.
pub(in crate::gate) fn changes(findings: &mut Findings<'_>) {
    let request = findings.request;
    let screen = request.screen;
    let what = match request.gesture {
        gesture if matches!(gesture, Gesture::Type { .. }) || screen.on_keyboard => {
            let field = if let Gesture::Type { point: Some(_), .. } = gesture {
                screen.aimed.iter().find(|it| it.is_field())
            } else {
                screen.focused.as_ref()
            };
            if field.is_some_and(|it| is_search(it, request.history)) {
                return;
            }
            "text"
        }
        Gesture::Drag { .. } => "something is moved",
        Gesture::HotKey { key: Key::Delete } => "a text",
        gesture if super::touches(gesture) && !only_moves(request) => {
            let changing = screen.aimed.iter().find(|it| it.reacts && changes_something(it));
            match changing {
                _ if screen.aimed.iter().any(|it| it.switch) => "a switch",
                Some(control) => control.name(),
                None => return,
            }
        }
        _ => return,
    };
    if findings.policy.treatment(ActClass::Change) != crate::gate::policy::Treatment::Allow {
        findings.class(ActClass::Change, true, Rule::ReadOnly, what);
    }
}
