//! What calls or sends at one touch though no word on it says so: a number in the list of a phone app, a suggested
//! reply, a device that a file is offered to, an answer in the notification shade.
use crate::Gesture;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::phrases;
use crate::gate::request::{ControlFacts, GateRequest, is_dialed};
use crate::gate::text::{List, holds, normalized};

/// What a touch does there, and what says so.
pub(super) fn done_at_once(
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> Option<(ActClass, String)> {
    if !control.reacts || control.switch || control.is_field() {
        return None;
    }
    let class = if calls(control, request) {
        ActClass::Call
    } else if replies(control, kind)
        || sends_file(control, request)
        || tells_place(control, request)
    {
        ActClass::Send
    } else if grants_in_shade(control, request) {
        ActClass::Grant
    } else {
        return None;
    };
    Some((class, format!("\"{}\"", control.name())))
}

/// Whether one of the packages, of the app in front and of what shows the control, has one of these parts.
fn has_part(control: &ControlFacts, request: &GateRequest<'_>, parts: &[&str]) -> bool {
    [request.package, &control.package]
        .iter()
        .any(|package| package.to_ascii_lowercase().split('.').any(|it| parts.contains(&it)))
}

fn calls(control: &ControlFacts, request: &GateRequest<'_>) -> bool {
    if !has_part(control, request, &["dialer", "contacts", "incallui", "phone"]) {
        return false;
    }
    let names: Vec<String> = control.names.iter().map(|it| normalized(it)).collect();
    let first = names.first().map(String::as_str).unwrap_or_default();
    if matches!(request.gesture, Gesture::LongPress { .. }) {
        // The voicemail and the numbers that are kept on the keys; a row opens its menu.
        let key = first.split([',', ' ', '\n']).next().unwrap_or_default();
        return matches!(key.as_bytes(), [b'1'..=b'9']);
    }
    let id = control.id_name().to_ascii_lowercase();
    let is_tile = ["contact_tile", "favorite_tile", "speed_dial"].iter().any(|it| id.contains(it));
    // Lists of calls that dial at a touch, as those of Xiaomi, Huawei and Honor do.
    let is_call = || {
        let rest = names.iter().skip(1);
        rest.clone().any(|it| is_number(it)) && rest.clone().any(|it| is_time(it))
    };
    !is_dialed(&control.resource_id) && is_number(first) || is_tile || is_call()
}

/// Whether a text (normalized) is a phone number and nothing else.
fn is_number(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let sign = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+()-".contains(c);
    (3..=20).contains(&digits) && text.chars().all(sign)
}

/// Whether a text (normalized) tells a time of day.
fn is_time(text: &str) -> bool {
    text.split_once(':').is_some_and(|(hour, minute)| {
        hour.ends_with(|c: char| c.is_ascii_digit())
            && minute.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether a control is a reply that the phone or a messenger suggests, or a picture that one sends.
fn replies(control: &ControlFacts, kind: Option<AppKind>) -> bool {
    #[rustfmt::skip]
    static SUGGESTED: List = List::new("suggested reply|smart reply|antwortvorschlag|respuesta sugerida|réponse suggérée|resposta sugerida|risposta suggerita|voorgesteld antwoord|sugerowana odpowiedź|önerilen yanıt|предложенный ответ|建议回复|建议的回复|返信の候補|추천 답장");
    #[rustfmt::skip]
    static PICTURES: List = List::new("sticker|gif|стикер|наклейка|贴纸|貼圖|ステッカー|スタンプ|스티커|ملصق|naklejka|adesivo|figurinha");
    let id = control.id_name().to_ascii_lowercase();
    let messenger = matches!(kind, Some(AppKind::Messenger | AppKind::Social));
    let name = control.names.first().map(|it| normalized(it)).unwrap_or_default();
    id.contains("smart_reply")
        || messenger && id.contains("suggestion_chip")
        || control.names.iter().any(|it| {
            let text = normalized(it);
            SUGGESTED.iter().any(|it| text.starts_with(it.as_str()))
        })
        // The button that opens the list of them is called so too.
        || messenger && control.kind.ends_with(".ImageView") && PICTURES.contains(&name)
}

/// Whether a control is a device that a file goes to.
fn sends_file(control: &ControlFacts, request: &GateRequest<'_>) -> bool {
    let activity = request.activity.to_ascii_lowercase();
    let shows_devices = activity.contains("devicepicker")
        || ["nearby.sharing", "quickshare", "sharelive"].iter().any(|it| activity.contains(it))
            && !["settings", "setup"].iter().any(|it| activity.contains(it));
    shows_devices && is_told(control)
}

/// Whether a control tells somebody where the phone is, again and again.
fn tells_place(control: &ControlFacts, request: &GateRequest<'_>) -> bool {
    #[rustfmt::skip]
    static PLACE: List = List::new("share your real-time location|share real-time location|share your location|standort in echtzeit teilen|echtzeitstandort teilen|standort teilen|compartir tu ubicación en tiempo real|compartir ubicación|partager votre position en temps réel|partager la position|compartilhar sua localização em tempo real|compartilhar local|condividi la tua posizione in tempo reale|condividi posizione|je realtime locatie delen|отправка геоданных|分享实时位置|分享您的实时位置|現在地の共有|실시간 위치 공유");
    has_part(control, request, &["maps"])
        && (is_told(control) || shares(control))
        && request.screen.texts.iter().any(|it| {
            let text = normalized(it);
            !control.names.contains(it) && PLACE.iter().any(|it| holds(&text, it))
        })
}

/// Whether a control says that it shares.
fn shares(control: &ControlFacts) -> bool {
    let publishes = |name: &String| {
        phrases::bare(&normalized(name)).iter().any(|it| it.class == ActClass::Publish)
    };
    control.names.first().is_some_and(publishes)
}

/// Whether a control has a name that neither leaves nor leads elsewhere.
fn is_told(control: &ControlFacts) -> bool {
    let plain = |it: &String| {
        let text = normalized(it);
        !phrases::declines(&text) && !phrases::leads_through(&text)
    };
    control.names.first().is_some_and(plain)
}

/// Whether a control in the notification shade says yes to an app that asks there.
fn grants_in_shade(control: &ControlFacts, request: &GateRequest<'_>) -> bool {
    let id = control.id_name();
    has_part(control, request, &["systemui"])
        && id.starts_with("action")
        && control.names.first().is_some_and(|it| {
            let text = normalized(it);
            // A picture is shared, and nobody let in.
            phrases::agrees(&text) == Some(true)
                || phrases::lets_in(&text) && !matches!(text.as_str(), "share" | "teilen")
        })
}
