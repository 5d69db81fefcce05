//! The same in scripts that put no blanks between words: what is known is taken out, and nothing may be left.
use std::sync::LazyLock;

use crate::gate::class::ActClass;
use crate::gate::fillers::ALL_WORDS;
use crate::gate::kind_nouns::joined_kinds;
use crate::gate::phrases;
use crate::gate::text::{List, is_spaced, normalized};

/// What says nothing of what is meant.
#[rustfmt::skip]
static PLAIN: List = List::new("请|請|把|将|將|帮我|幫我|我的|我们的|我們的|我|的|掉|了|吧|都|一下|谢谢|謝謝|手机上|手機上|手机里|手機裡|手机|手機|应用里|应用中|應用裡|\
        してください|して下さい|してほしい|してくれ|して|してね|お願いします|お願い|ください|下さい|私の|僕の|の|を|は|今すぐ|アプリ内|アプリ|\
        해 주세요|해주세요|해 줘|해줘|하세요|해|줘|주세요|를|을|내|나의|제|좀|지금|다|\
        ของฉัน|ของผม|ให้|หน่อย|ครับ|ค่ะ|คะ|โปรด|กรุณา|ช่วย|ออก|ในแอป|ในโทรศัพท์|เลย|ตอนนี้");
/// What says that something is in a place, behind its name.
#[rustfmt::skip]
static INSIDE: List = List::new("应用里的|应用中的|应用里|应用中|里面的|里的|裡的|中的|内的|上的|里面|里|裡|中|内|上|アプリ内の|アプリの|アプリから|内の|の中の|から|に있는|앱에 있는|앱의|앱에서|에 있는|에서|의|앱");
/// What goes on with a list.
#[rustfmt::skip]
static AND: List = List::new("和|与|與|及|以及|还有|還有|跟|と|や|及び|하고|와|과|및|그리고|และ|กับ|、|，|,|·|。|.|;|；|!|！|?|？|:|：");
/// Of the kinds those that mean one, or some: "the newest".
static NOT_ALL: List =
    List::new("这条|这个|这张|那条|那个|最新|最近|一条|一个|최신|確認|确定|取消|是否");
/// Two kinds that are one.
#[rustfmt::skip]
static PAIRS: List = List::new("聊天记录|聊天記錄|聊天消息|短信消息|문자메시지|문자 메시지|รูปภาพ");

/// What stands for a kind, a verb and what joins them once they were taken out.
const KIND: char = '\u{1}';
const VERB: char = '\u{2}';
const OTHER: char = '\u{3}';

/// What is taken out, the longest first, and what stands for it then; `None` for nothing.
static KNOWN: LazyLock<Vec<(String, Option<char>)>> = LazyLock::new(|| {
    let kinds = joined_kinds().map(normalized).filter(|it| !NOT_ALL.contains(it));
    let kinds = kinds.chain(PAIRS.iter().cloned()).map(|it| (it, Some(KIND)));
    let verbs = phrases::intents(ActClass::Delete).map(|it| (it.text.clone(), Some(VERB)));
    let more = ["删除", "刪除", "删掉", "刪掉", "삭제해"].map(|it| (it.to_owned(), Some(VERB)));
    let others = ALL_WORDS.iter().chain(AND.iter()).map(|it| (it.clone(), Some(OTHER)));
    let mut known: Vec<_> = kinds
        .chain(verbs)
        .chain(more)
        .chain(others)
        .chain(PLAIN.iter().map(|it| (it.clone(), None)))
        .filter(|(it, _)| !it.chars().all(|c| is_spaced(c) || c == ' '))
        .collect();
    known.sort_by_key(|(it, _)| std::cmp::Reverse(it.len()));
    known
});

/// Whether a letter is of a script without blanks between words.
pub(super) fn is_joined(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Whether such words mean all things of a kind: nothing is left of them, no kind stands at another, as in "photos of
/// notes", and there is one verb.
pub(super) fn means_everything_in_joined(text: &str, place: &[String]) -> bool {
    text.split(['\n', '。', '.', '！', '!']).all(|sentence| {
        let mut rest = sentence.to_owned();
        for name in place.iter().filter(|it| sentence.contains(it.as_str())) {
            for inside in INSIDE.iter() {
                for between in ["", " "] {
                    rest = rest.replace(&format!("{name}{between}{inside}"), "");
                }
            }
            // A kind may also be what the app is called.
            if !joined_kinds().any(|it| normalized(it) == *name) {
                rest = rest.replace(name, "");
            }
        }
        for (known, sign) in KNOWN.iter() {
            if rest.contains(known.as_str()) {
                rest = rest.replace(known, &sign.map(String::from).unwrap_or_default());
            }
        }
        rest.retain(|c| c != ' ');
        let is_known = |c: char| matches!(c, KIND | VERB | OTHER) || !c.is_alphanumeric();
        rest.chars().all(is_known)
            && !rest.contains(&String::from_iter([KIND, KIND]))
            && rest.matches(VERB).count() <= 1
    })
}
