//! What the resource ids of controls stand for.
use crate::gate::class::ActClass::{
    self, Call, Delete, Grant, Install, Order, Pay, Publish, Send, Transfer,
};
use crate::gate::phrases;
use crate::gate::request::ControlFacts;

/// Words of resource ids and what they stand for.
#[rustfmt::skip]
const IDS: &[(&str, ActClass)] = &[
    ("pay", Pay), ("payment", Pay), ("paynow", Pay), ("donate", Pay), ("buy", Order), ("buynow", Order), ("purchase", Order), ("order", Order),
    ("transfer", Transfer), ("delete", Delete), ("remove", Delete), ("uninstall", Delete), ("erase", Delete), ("install", Install), ("allow", Grant), ("grant", Grant),
    ("call", Call), ("dial", Call), ("publish", Publish), ("post", Publish), ("tweet", Publish), ("send", Send), ("remit", Transfer), ("withdraw", Transfer),
    ("topup", Pay), ("bid", Order), ("preorder", Order), ("trash", Delete), ("wipe", Delete), ("sendmoney", Transfer), ("sendmessage", Send), ("deleteall", Delete),
    ("placeorder", Order), ("redial", Call), ("zhifu", Pay), ("fukuan", Pay), ("chongzhi", Pay), ("goumai", Order), ("xiadan", Order), ("zhuanzhang", Transfer), ("tixian", Transfer),
    ("loeschen", Delete), ("udalit", Delete), ("oplatit", Pay), ("zaplatit", Pay), ("kupit", Order), ("zakazat", Order), ("perevesti", Transfer), ("ueberweisen", Transfer), ("otpravit", Send), ("pozvonit", Call), ("bin", Delete),
    ("shanchu", Delete), ("fasong", Send), ("fabu", Publish), ("anzhuang", Install), ("bohao", Call), ("shouquan", Grant),
];
/// Whole ids that do not say what they do.
const WHOLE: &[(&str, ActClass)] = &[
    ("dialpad_floating_action_button", Call),
    ("conversation_entry_action_button", Send),
    ("block_user", Delete),
    ("block_contact", Delete),
    ("format_sd", Delete),
    ("format_sdcard", Delete),
];
/// Words of such ids that say nothing more.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "account", "action", "all", "always", "app", "audio", "bar", "big", "bottom", "bt", "btn", "button",
    "chat", "checkout", "click", "compose", "confirm", "confirmation", "contacts", "container", "control", "controls", "conversation", "cta",
    "data", "dialog", "direct", "do", "email", "everyone", "fab", "fast", "final", "floating", "footer", "foreground",
    "forever", "form", "fragment", "ic", "icon", "id", "image", "imagebutton", "imageview", "img", "item", "iv",
    "large", "layout", "mail", "main", "menu", "message", "mms", "money", "msg", "new", "next", "note",
    "now", "ok", "one", "only", "permission", "place", "positive", "primary", "quick", "round", "row", "screen",
    "selected", "sheet", "small", "sms", "start", "step", "submit", "tap", "text", "textview", "the", "time",
    "tv", "user", "video", "view", "voice", "widget", "wrapper",
];
/// Words that make something else of it, as history does.
#[rustfmt::skip]
const OTHERWISE: &[&str] = &[
    "history", "list", "tab", "tabs", "status", "count", "counter", "method", "methods", "option", "options", "info",
    "filter", "sort", "cancel", "undo", "deny", "dont", "not", "log", "logs", "header", "title", "label",
    "settings", "setting", "detail", "details", "failed", "address", "date", "time", "days", "after", "before", "type",
    "mode", "progress", "summary", "number", "code", "recent", "received", "by", "id", "screen", "name", "report",
    "help", "offer", "offers", "banner", "promo",
];
/// What is written to the words of an id without a sign between them: `btnsend`.
const JOINED: &[&str] = &["button", "btn", "fab", "icon", "img", "action", "image", "view"];

/// What the resource id of a control stands for: a word for a class, and none that says more. Of a control
/// without any name the id is all there is, and other words in it do not matter.
pub(super) fn class_of_id(control: &ControlFacts) -> Option<ActClass> {
    if !control.reacts {
        return None;
    }
    let nameless = control.names.is_empty() && control.hint.is_empty();
    let id = control.id_name();
    if let Some((_, class)) = WHOLE.iter().find(|(it, _)| nameless && *it == id) {
        return Some(*class);
    }
    let mut class = None;
    for part in words_of(id) {
        match IDS.iter().find(|(word, _)| *word == part) {
            Some((_, found)) => class = class.or(Some(*found)),
            None if PLAIN.contains(&part.as_str()) => {}
            None if nameless && !OTHERWISE.contains(&part.as_str()) => {}
            None => return None,
        }
    }
    class.or_else(|| if nameless { by_its_words(control) } else { None })
}

/// What the words of an id are on a button: `btn_bezahlen`, `invite_friends`.
fn by_its_words(control: &ControlFacts) -> Option<ActClass> {
    let name = plain_words(control);
    // Shorter ones are other words in other languages, as "ring" is.
    let long =
        |it: &&phrases::Phrase<ActClass>| 5 <= it.text.len() && it.text == name && name != "submit";
    phrases::commands(&name, phrases::NameOf::Other, true).into_iter().find(long).map(|it| it.of)
}

/// The words of the id of a control without those that say nothing.
pub(super) fn plain_words(control: &ControlFacts) -> String {
    let id = control.id_name();
    let said =
        |it: &String| !PLAIN.contains(&it.as_str()) || matches!(it.as_str(), "checkout" | "submit");
    let words = words_of(id).into_iter().filter(said);
    words.collect::<Vec<_>>().join(" ")
}

/// The words of an id: of `btnPayNow2` pay and now.
pub(super) fn words_of(id: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in id.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        for c in part.chars() {
            if c.is_uppercase() && word.chars().last().is_some_and(char::is_lowercase) {
                words.push(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase());
        }
        words.push(word);
    }
    let bare = |word: String| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let cut = |it: &str| word.strip_prefix(it).or_else(|| word.strip_suffix(it));
        JOINED.iter().find_map(|it| cut(it)).unwrap_or(word).to_owned()
    };
    words.into_iter().map(bare).filter(|it| !it.is_empty()).collect()
}
