//! Buttons that only agree, and the dialogs that say to what.
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::confusables::readings;
use crate::gate::control_facts::LONGEST;
use crate::gate::phrases;
use crate::gate::price::{amount, has_cents, is_repeated};
use crate::gate::request::{ControlFacts, GateRequest, ScreenFacts};
use crate::gate::text::{List, cut, holds, normalized, words};

/// A dialog that cannot be declined has no more texts than this, and one that can no more than that; what has
/// more is a page.
const MOST_SAID: [usize; 2] = [6, 30];

/// What a control agrees to, by what is said around it, if all it says itself is that it agrees.
pub(super) fn agreed_to(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    let screen = request.screen;
    let agrees = agrees(control);
    if let Some(text) = let_in(control, request) {
        return Some((ActClass::Grant, format!("\"{text}\"")));
    }
    if let Some(text) = lowers_guard(control, screen) {
        return Some((ActClass::Grant, format!("\"{text}\"")));
    }
    if let Some(name) = agreed_amount(control) {
        let money = matches!(kind, Some(AppKind::Banking | AppKind::Wallet));
        let class = if money { ActClass::Transfer } else { ActClass::Pay };
        return Some((class, format!("\"{name}\"")));
    }
    let notes = agrees.is_none()
        && screen.can_decline
        && (takes_note(control) || is_only_choice(control, screen));
    if agrees.is_none() && !notes && !goes_on(control) {
        return None;
    }
    // Names are read to a greater length than texts.
    let names: Vec<String> = control.names.iter().map(|it| cut(it, LONGEST)).collect();
    let own = |text: &&String| !names.contains(text);
    let mut said: Vec<&String> = screen.said.iter().filter(own).collect();
    said.retain(|it| !is_title(it, request, kind));
    let to_cookies = said.iter().any(|it| speaks_of_cookies(it));
    if merely_agrees(control) && (to_cookies || is_other_choice(control, screen)) {
        said.retain(|it| !is_repeated(it));
    }
    let charged = said.iter().find(|it| is_repeated(it) || is_charged(it));
    if let Some(text) = charged.filter(|_| !notes) {
        return Some((ActClass::Pay, format!("\"{text}\"")));
    }
    let firmly = agrees.or(notes.then_some(false))?;
    if firmly && matches!(kind, Some(AppKind::Banking | AppKind::Wallet)) {
        return Some((ActClass::Transfer, "an app of money".to_owned()));
    }
    if firmly && kind == Some(AppKind::Secrets) {
        return Some((ActClass::Grant, "an app of secrets".to_owned()));
    }
    let priced = said.iter().find(|it| amount(it).is_some());
    if firmly && let Some(text) = priced {
        return Some((ActClass::Pay, format!("\"{text}\"")));
    }
    if MOST_SAID[usize::from(screen.can_decline)] < said.len() {
        return None;
    }
    let asked = said.iter().filter_map(|text| {
        let class = phrases::asked_by_dialog(&normalized(text))?;
        Some((class, format!("\"{text}\"")))
    });
    asked.min_by_key(|(class, _)| *class as usize)
}

/// Whether a text asks to be let keep what it knows of a reader. What a page around it sells is another matter.
fn speaks_of_cookies(text: &str) -> bool {
    static COOKIES: List = List::new(
        "cookie|cookies|we value your privacy|çerez|çerezler|çerezleri|куки|ciasteczka|evästeitä|クッキー|쿠키|ملفات تعريف الارتباط|कुकी",
    );
    let text = normalized(text);
    !is_repeated(&text) && COOKIES.iter().any(|it| holds(&text, it))
}

/// Whether a text says that whoever goes on pays.
fn is_charged(text: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: List = List::new("will be charged|be charged to|wird belastet|werden belastet|wird abgebucht|se te cobrará|se le cobrará|se cobrará|sera débité|sera débitée|serez débité|serás cobrado|será cobrado|será cobrada|verrà addebitato|ti verrà addebitato|\
        wordt afgeschreven|wordt belast|zostanie obciążona|zostanie pobrana|ücret alınacaktır|tahsil edilecektir|будет списана|будет списано|будут списаны|буде списано|将扣款|将被扣|將扣款|課金されます|請求されます|결제됩니다|청구됩니다|سيتم خصم|शुल्क लिया जाएगा|akan ditagih|akan dikenakan biaya|sẽ bị tính phí|จะถูกเรียกเก็บเงิน");
    let text = normalized(text);
    WORDS.iter().any(|it| holds(&text, it))
}

/// What is said of somebody else who asks to be let in, where this control does so.
fn let_in<'a>(control: &ControlFacts, request: &GateRequest<'a>) -> Option<&'a String> {
    // "Yes, it's me" is said in many ways: its first word agrees.
    let lets_in = |it: &String| {
        let text = normalized(it);
        let yes = words(&text).next().is_some_and(|it| phrases::agrees(it).is_some());
        phrases::lets_in(&text) || yes && !phrases::keeps_out(&text)
    };
    let lets = || control.names.iter().any(lets_in);
    if !control.reacts
        || agrees(control).is_none() && !lets() && !answers_prompt(control, request.package)
    {
        return None;
    }
    let screen = request.screen;
    let mut texts = screen.said.iter().chain(&screen.titles);
    texts.clone().find(|it| phrases::says_of_access(&normalized(it))).or_else(|| {
        // Nobody knows all their questions; such an answer is given to no other.
        if !answers_prompt(control, request.package) {
            return None;
        }
        let name = control.names.first().map(|it| normalized(it))?;
        if phrases::is_me(&name) {
            return texts.next();
        }
        let is_number = name.len() == 2 && name.bytes().all(|it| it.is_ascii_digit());
        texts.find(|it| is_number && wants_proof(&normalized(it)))
    })
}

/// Whether a text asks who somebody is, or for the number that the other device shows.
fn wants_proof(text: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: List = List::new("verify it's you|verify that it's you|confirm it's you|confirm that it's you|check your other device|number shown|number you see|dass du es bist|dass sie es sind|anderen gerät|que eres tú|tu otro dispositivo|que c'est bien vous|qu'il s'agit bien de vous|che sei tu|la tua identità|que é você|sua identidade|dat jij het bent|że to ty|это вы|это действительно вы|це ви|\
        是您本人|是你本人|您的身份|本人確認|ご本人|본인 확인|본인인지|هويتك|आप ही हैं|bahwa ini anda|chính là bạn|ว่าเป็นคุณ");
    WORDS.iter().any(|it| holds(text, it))
}

/// Whether a control answers what an app asks that lets people in, with anything but a no: with the number that the
/// other device shows, too.
fn answers_prompt(control: &ControlFacts, package: &str) -> bool {
    const PROMPTERS: [&str; 4] = [
        "com.google.android.gms",
        "com.azure.authenticator",
        "com.duosecurity.duomobile",
        "com.okta.android.auth",
    ];
    PROMPTERS.contains(&package)
        && !control.is_field()
        && control.names.first().is_some_and(|it| {
            let text = normalized(it);
            !phrases::keeps_out(&text) && !phrases::leads_through(&text)
        })
}

/// What tells that a control takes away what keeps others out: second factors, and what finds or locks a phone.
fn lowers_guard<'a>(control: &'a ControlFacts, screen: &'a ScreenFacts) -> Option<&'a String> {
    if !control.reacts || control.is_field() {
        return None;
    }
    let protects = |it: &&String| phrases::protects(&normalized(it));
    let beside = control.beside.iter().filter(|_| control.switch);
    let own = control.names.iter().chain(beside).find(|it| {
        // A row that tells whether it is on leads to it.
        let is_button = || control.kind.ends_with("Button");
        let off = || is_button() && phrases::turns_off(&normalized(it), false);
        protects(it) && (control.switch || off())
    });
    own.or_else(|| {
        if !turns_off(control) {
            return None;
        }
        screen.said.iter().chain(&screen.titles).find(protects)
    })
}

/// Whether all that a button says is that it turns something off. Of icons the words are those that close.
fn turns_off(control: &ControlFacts) -> bool {
    !control.kind.contains("Image")
        && control.names.iter().any(|it| phrases::turns_off(&normalized(it), true))
}

/// Whether a control that closes elsewhere takes away what keeps others out.
pub(super) fn is_guard_off(control: &ControlFacts, screen: &ScreenFacts) -> bool {
    lowers_guard(control, screen).is_some()
}

/// Whether a text is the title of a thing that the user names: "Buy milk" of "Delete the note Buy milk". Where there is
/// money nothing is.
pub(super) fn is_title(text: &str, request: &GateRequest<'_>, kind: Option<AppKind>) -> bool {
    let money =
        matches!(kind, Some(AppKind::Banking | AppKind::Wallet | AppKind::Shop | AppKind::Store));
    !money && request.words.name_title(text)
}

/// Whether a control agrees, and neither confirms nor goes on: "OK", "Accept".
fn merely_agrees(control: &ControlFacts) -> bool {
    let mut names = control.names.iter().map(|it| normalized(it)).peekable();
    names.peek().is_some() && names.all(|it| phrases::merely_agrees(&it))
}

/// Whether another control than this one is what begins something that is paid again and again: in front of a page
/// one pays or agrees to be tracked.
fn is_other_choice(control: &ControlFacts, screen: &ScreenFacts) -> bool {
    // What leads to a subscription that is there already, or back to it, is no choice either.
    #[rustfmt::skip]
    static ABOUT_IT: List = List::new("already|have|sign in|log in|login|newsletter|subscriber|subscribers|subscriptions|bereits|schon|anmelden|einloggen|abonnent|abonnenten|déjà|connecter|connectez|abonné|ya|iniciar|suscriptor|già|accedi|já|entrar|уже|войти|已|登录|登入|ログイン|로그인|manage|settings|details|terms|restore|cancel|my|verwalten|einstellungen|kündigen|wiederherstellen|bedingungen|mein|gérer|résilier|restaurer|conditions|gestionar|administrar|cancelar|condiciones|gerenciar|gestisci|annulla|beheren|zarządzaj|yönet|управлять|управление|管理|관리");
    // "Subscribe for $4.99 a month?": a yes to it is one.
    if screen.said.iter().any(|it| is_repeated(it) && it.trim_end().ends_with(['?', '？', '؟'])) {
        return false;
    }
    // A button alone is one: a link, or a plan with its price on it, begins nothing.
    let is_button = |it: &&ControlFacts| {
        it.reacts && !it.switch && it.kind.ends_with("Button") && !it.kind.ends_with("RadioButton")
    };
    let mut others =
        screen.controls.iter().filter(is_button).filter(|it| it.names != control.names);
    others.any(|it| {
        it.names.iter().any(|name| {
            let name = normalized(name);
            let pays = phrases::bare(&name).iter().any(|it| it.class == ActClass::Pay);
            let about_it = ABOUT_IT.iter().any(|it| holds(&name, it));
            pays || phrases::subscribes(&name) && !about_it
        })
    })
}

/// Whether what is said around a control is paid again and again, and the control goes on with it.
fn goes_on(control: &ControlFacts) -> bool {
    control.reacts
        && !control.switch
        && control.names.iter().take(2).any(|it| phrases::begins(&normalized(it)))
}

/// Whether a control with any name is what is left where the others decline.
fn is_only_choice(control: &ControlFacts, screen: &ScreenFacts) -> bool {
    let declines = |it: &String| readings(it).iter().any(|it| phrases::declines(it));
    screen.is_only_choice
        && control.reacts
        && !control.switch
        && !control.is_field()
        && !control.names.iter().any(declines)
}

/// Whether a control takes note: "Got it".
fn takes_note(control: &ControlFacts) -> bool {
    let says = |it: &String| readings(it).iter().any(|it| phrases::takes_note(it));
    control.reacts && !control.switch && control.names.iter().any(says)
}

/// The amount, with what stands beside it, to which a control agrees by its own name: "Confirm €24.90". A button may have
/// both in two texts.
fn agreed_amount(control: &ControlFacts) -> Option<&String> {
    /// More texts are content.
    const MOST: usize = 3;
    let names = &control.names;
    if !control.reacts || control.switch || control.is_field() || MOST < names.len() {
        return None;
    }
    let is_button = control.kind.contains("Button") && !control.kind.ends_with("RadioButton");
    let agrees = |name: &String| {
        let mut read = readings(name);
        read.insert(0, name.clone());
        read.iter().any(|it| phrases::agrees_to_amount(it, is_button))
    };
    let is_priced = |name: &String| amount(name).is_some() || has_cents(name);
    let priced = names.iter().find(|it| is_priced(it))?;
    let has_both = |name: &String| is_priced(name) && agrees(name);
    (names.iter().any(has_both) || is_button && names.iter().any(agrees)).then_some(priced)
}

/// Whether a control agrees to something without saying to what; true where it is how people agree to what
/// costs money.
pub(super) fn agrees(control: &ControlFacts) -> Option<bool> {
    if !control.reacts || control.switch {
        return None;
    }
    let named = control.names.iter().flat_map(|it| readings(it));
    let said = named.filter_map(|it| phrases::agrees(&it)).max();
    let said = said.max(agreed_amount(control).map(|_| true));
    // The positive button of the system's dialogs, whatever stands on it.
    let positive = control.resource_id == "android:id/button1"
        && !control.names.iter().any(|it| phrases::declines(&normalized(it)));
    said.or(positive.then_some(false))
}

/// The person whom the name of a control names: "Call Mallory".
pub(super) fn person_in(name: &str) -> Option<&str> {
    #[rustfmt::skip]
    const PLAIN: &[&str] = &[
        "call", "video", "voice", "audio", "phone", "mobile", "home", "work", "now", "back", "again", "sim", "number", "contact", "whatsapp", "telegram", "signal", "start", "make", "a",
    ];
    let mut words = name.split_whitespace();
    let first = words.next()?;
    let rest = name[name.find(first)? + first.len()..].trim();
    let names = rest.split_whitespace().filter(|word| {
        let plain = normalized(word);
        word.chars().next().is_some_and(char::is_uppercase) && !PLAIN.contains(&plain.as_str())
    });
    (0 < names.count()).then_some(rest)
}
