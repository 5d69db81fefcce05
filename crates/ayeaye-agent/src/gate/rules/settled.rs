//! In an app for money, beside an amount: what a button does there that says nothing else. Banks call the button that
//! moves the money as they like, so it is told by what it is not.
use super::dialogs;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::payee::{identifies, is_label, names_payee};
use crate::gate::phrases;
use crate::gate::price::amount;
use crate::gate::request::{ControlFacts, GateRequest, ScreenFacts};
use crate::gate::text::{List, holds, is_spaced, normalized, words};

/// The longest name of a command, in words or in letters of a script without blanks.
const LONGEST: usize = 5;
const LONGEST_UNSPACED: usize = 10;
/// What is shorter in letters of Latin and the like is a period ("1Y"), a currency or a key.
const SHORTEST: usize = 4;
/// So many names of parts of the app on one screen lead through it: a page with a balance, and no step of an order.
const PARTS_OF_APP: usize = 2;
/// So many texts at the beginning of a page say what it is about.
const MOST_TEXTS: usize = 6;

/// What a button settles whose name is no command that the tables know.
pub(super) fn settled(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    let screen = request.screen;
    let is_button = is_button(control);
    if !kind.is_some_and(AppKind::has_money)
        || !control.reacts
        || control.switch
        || 2 < control.names.len()
        || !screen.texts.iter().any(|it| amount(it).is_some())
    {
        return None;
    }
    let name = control.names.first()?;
    let text = normalized(name);
    if is_button && sets_limit(&text, screen) {
        return Some((ActClass::Grant, format!("\"{name}\" beside a limit, in an app of money")));
    }
    let pays = pays_somebody(screen);
    let goes_on = pays && phrases::goes_on(&text) && screen.texts.iter().any(|it| names_payee(it));
    // Beside whom the money goes to, what is pressed need not be a button: many apps have none that phones know as such.
    let is_pressed = is_button
        || pays && is_pressed_like_one(control)
        || goes_on && control.kind.ends_with("ImageButton");
    if !is_pressed {
        return None;
    }
    let says_yes = phrases::says_yes(&text);
    let agrees_in_parts = phrases::agrees(&text).is_some() && !phrases::agrees_alone(&text);
    let settles = match dialogs::agrees(control) {
        _ if says_yes => true,
        // An "OK" with nothing beside it takes note.
        Some(_) if screen.can_decline || pays => true,
        Some(_) if !agrees_in_parts => false,
        // It may lead to a page where all is shown again, or be the last button before the money goes.
        None if goes_on => !is_overview(request),
        _ => is_command(&text) && !is_overview(request),
    };
    let is_own = amount(name).is_some() || request.words.address(name);
    (settles && !is_own && (goes_on || says_yes || !phrases::leads_through(&text)))
        .then(|| (ActClass::Transfer, format!("\"{name}\" beside an amount, in an app of money")))
}

fn is_button(control: &ControlFacts) -> bool {
    const OTHERS: [&str; 3] = ["RadioButton", "ToggleButton", "ImageButton"];
    control.kind.ends_with("Button") && !OTHERS.iter().any(|it| control.kind.ends_with(it))
}

/// Whether a control may be pressed like a button though its class does not say so: it has one name and nothing else.
fn is_pressed_like_one(control: &ControlFacts) -> bool {
    const PLAIN: [&str; 6] =
        ["View", "ViewGroup", "TextView", "CardView", "FrameLayout", "LinearLayout"];
    let class = control.kind.rsplit('.').next().unwrap_or_default();
    let mut names = control.names.iter();
    let first = names.next();
    PLAIN.contains(&class) && first.is_some() && names.all(|it| Some(it) == first)
}

/// Whether a screen says who gets money: a label for that, and an account.
fn pays_somebody(screen: &ScreenFacts) -> bool {
    screen.texts.iter().any(|it| is_label(it)) && screen.texts.iter().any(|it| identifies(it))
}

/// Whether a button with this name (normalized) changes how much may be spent.
fn sets_limit(name: &str, screen: &ScreenFacts) -> bool {
    #[rustfmt::skip]
    static LIMITS: List = List::new("limit|limits|spending limit|daily limit|tageslimit|verfügungsrahmen|límite|límites|plafond|limite|limites|limiti|limiet|limieten|limity|limiti artır|лимит|лимиты|ліміт|限额|限額|額度|额度|限度額|한도|الحد|सीमा|hạn mức|วงเงิน|gräns|grænse|grense|raja");
    #[rustfmt::skip]
    static SETS: List = List::new("save|apply|update|update limit|increase|increase limit|raise|raise limit|set|set limit|change limit|confirm|submit|done|speichern|übernehmen|anwenden|erhöhen|limit erhöhen|ändern|limit ändern|bestätigen|guardar|aplicar|aumentar|cambiar|confirmar|enregistrer|appliquer|augmenter|modifier|confirmer|salvar|salva|applica|aumenta|conferma|opslaan|toepassen|verhogen|bevestigen|zapisz|zastosuj|zwiększ|potwierdź|kaydet|uygula|artır|onayla|сохранить|применить|увеличить|изменить|подтвердить|зберегти|застосувати|збільшити|保存|应用|提高|修改|儲存|套用|適用|変更|引き上げ|저장|적용|변경|증액|حفظ|تطبيق|सहेजें|simpan|terapkan|lưu|áp dụng|บันทึก|spara|gem|lagre|tallenna");
    let tells = |it: &String| {
        let text = normalized(it);
        LIMITS.iter().any(|limit| holds(&text, limit))
    };
    SETS.contains(&name.to_owned()) && screen.texts.iter().any(tells)
}

/// What a screen says of somebody who signs in, or of a device that is linked, where this control lets them: a bank's
/// "Approve" moves no money then.
pub(super) fn approves_login(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    #[rustfmt::skip]
    static LOGINS: List = List::new("confirm your login|confirm login|confirm your sign-in|new device|new login|new sign-in|login attempt|sign-in attempt|login request|link new device|link a new device|link to your account|trying to log in|trying to sign in|trying to link|neues gerät|login bestätigen|anmeldung bestätigen|anmeldeversuch|gerät verknüpfen|nuevo dispositivo|confirma tu inicio de sesión|intento de inicio de sesión|nouvel appareil|confirmez votre connexion|tentative de connexion|novo dispositivo|confirme seu login|tentativa de login|nuovo dispositivo|conferma l'accesso|tentativo di accesso|nieuw apparaat|inlogpoging|nowe urządzenie|próba logowania|yeni cihaz|giriş denemesi|новое устройство|попытка входа|подтвердите вход|новий пристрій|спроба входу|新设备|新裝置|登录请求|確認登录|新しい端末|新しいデバイス|ログインの確認|새 기기|새로운 기기|로그인 시도|جهاز جديد|नया डिवाइस|perangkat baru|thiết bị mới|อุปกรณ์ใหม่|ny enhet|ny enhed|uusi laite|nové zařízení|új eszköz|dispozitiv nou|νέα συσκευή|ново устройство|novi uređaj");
    #[rustfmt::skip]
    static LETS: List = List::new("approve|allow|pair|link|trust|that was me|it was me|this was me|yes|confirm|authorize|authorise|accept|genehmigen|freigeben|zulassen|koppeln|verknüpfen|vertrauen|das war ich|bestätigen|aprobar|permitir|vincular|confirmar|fui yo|approuver|autoriser|associer|confirmer|c'était moi|aprovar|autorizar|fui eu|approva|consenti|collega|conferma|ero io|goedkeuren|toestaan|koppelen|zatwierdź|zezwól|połącz|to ja|onayla|izin ver|eşle|bendim|одобрить|разрешить|привязать|подтвердить|это я|схвалити|дозволити|це я|批准|允许|允許|绑定|綁定|确认|確認|是我|承認|許可|私です|승인|허용|연결|본인입니다|موافقة|السماح|ربط|कनेक्ट|अनुमति|setujui|izinkan|tautkan|chấp nhận|cho phép|อนุญาต|godkänn|tillåt|godkend|tillad|godkjenn|hyväksy");
    let money = kind.is_some_and(AppKind::has_money);
    if !money && !matches!(kind, Some(AppKind::Secrets | AppKind::Messenger | AppKind::Social)) {
        return None;
    }
    let screen = request.screen;
    let name = normalized(control.names.first()?);
    let lets = LETS.iter().any(|it| holds(&name, it)) && words(&name).count() <= LONGEST;
    let has_amount = || screen.texts.iter().any(|it| amount(it).is_some());
    if !control.reacts
        || control.switch
        || control.is_field()
        || !lets
        || phrases::declines(&name)
        || phrases::keeps_out(&name)
        || money && has_amount()
    {
        return None;
    }
    // In a conversation anybody may have written of one: a page about it begins with that.
    let texts = screen.header.iter().chain(&screen.titles).chain(&screen.said);
    let says = |it: &&String| {
        let text = normalized(it);
        LOGINS.iter().any(|login| holds(&text, login)) || phrases::says_of_access(&text)
    };
    let text = texts.take(MOST_TEXTS).find(says)?;
    Some((ActClass::Grant, format!("\"{text}\"")))
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
pub(super) fn is_overview(request: &GateRequest<'_>) -> bool {
    let texts = &request.screen.texts;
    let mut parts: Vec<String> =
        texts.iter().map(|it| normalized(it)).filter(|it| phrases::is_part_of_app(it)).collect();
    parts.sort_unstable();
    parts.dedup();
    PARTS_OF_APP <= parts.len()
}
