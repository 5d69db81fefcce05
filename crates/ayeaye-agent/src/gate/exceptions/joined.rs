//! What is excepted in scripts without blanks.
use super::{OCLOCK, Spared};
use crate::gate::fillers::says_something;
use crate::gate::kind_nouns::{is_kind, without_kinds};
use crate::gate::text::{is_spaced, words};

/// What excepts, before what is excepted.
#[rustfmt::skip]
const JOINED: &[&str] = &["除了", "除开", "除開", "不包括", "不含", "保留", "留下", "而不是", "，不是", "ยกเว้น", "นอกจาก"];
/// What excepts, behind what is excepted.
#[rustfmt::skip]
const JOINED_BEHIND: &[&str] = &[
    "以外", "之外", "を除", "を抜", "は除", "は残", "を残", "だけ残", "ではなく", "じゃなくて", "빼고", "빼놓고", "제외", "말고", "외에", "남기고",
];
/// Letters that make another word of 除: "删除".
const REMOVES: [char; 8] = ['删', '刪', '移', '清', '解', '免', '扫', '卸'];

/// Adds what a text (normalized) excepts whose script has no blanks.
pub(super) fn joined(text: &str, spared: &mut Spared) {
    const ENDS: [char; 10] = ['。', '，', '；', '！', '？', ',', '.', ';', '!', '?'];
    const STARTS: [&str; 9] = ["除了", "は", "を", "に", "が", "で", "の", "把", "将"];
    for part in text.split_inclusive(ENDS) {
        let part_end = part.trim_end_matches(ENDS);
        for marker in JOINED {
            // Behind a comma alone: "是不是" asks.
            let (bare, is_behind_comma) = match marker.strip_prefix('，') {
                Some(bare) => (bare, true),
                None => (*marker, false),
            };
            for (at, _) in part_end.match_indices(bare) {
                if !is_behind_comma || at == 0 {
                    things(until_end(&part_end[at + bare.len()..]), spared);
                }
            }
        }
        for (at, _) in part_end.match_indices('除') {
            let rest = &part_end[at + '除'.len_utf8()..];
            let is_other = part_end[..at].ends_with(REMOVES)
                || rest.starts_with(['了', '开', '開', 'い', 'く', 'か']);
            if let Some(end) = rest.find('外').filter(|_| !is_other) {
                things(rest[..end].trim_end_matches(['以', '之']), spared);
            }
        }
        for marker in JOINED_BEHIND {
            for (at, _) in part_end.match_indices(marker) {
                let before = part_end[..at].trim_end();
                let before = before.trim_end_matches(['은', '는', '을', '를', '만']);
                let starts =
                    STARTS.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len()));
                let blank = before.rfind(' ').map(|at| at + 1);
                let from = starts.chain(blank).max().unwrap_or_default();
                things(&before[from..], spared);
            }
        }
    }
}

/// A text without these names that it excepts, and without what excepts them.
pub(super) fn without_joined(mut text: String, names: &[String]) -> String {
    if names.is_empty() {
        return text;
    }
    for name in names {
        for particle in ["은", "는", "을", "를", "만", ""] {
            text = text.replace(&format!("除{name}"), "").replace(&format!("{name}{particle}"), "");
        }
    }
    let markers = JOINED.iter().chain(JOINED_BEHIND).map(|it| it.trim_start_matches('，'));
    for marker in markers.chain(["外の", "外"]) {
        text = text.replace(marker, "");
    }
    text
}

/// Up to what ends an exception in Chinese, or the blank that does in Thai.
fn until_end(rest: &str) -> &str {
    let ends = ["以外", "之外", "外", "的", "都", " "];
    let rest = rest.trim_start();
    let end = ends.iter().filter_map(|it| rest.find(it)).min().unwrap_or(rest.len());
    &rest[..end]
}

/// The names in a list, without kinds of things, and the numbers.
fn things(list: &str, spared: &mut Spared) {
    for part in list.split(['、', '和', '与', '與', '及', '跟', 'と', 'や']) {
        // "七点半" is no time that could be compared.
        let minutes = part.rsplit_once(OCLOCK).map_or("", |(_, behind)| behind.trim());
        spared.is_unnamed |= !minutes.is_empty() && !minutes.starts_with('の');
        let rest = without_kinds(part);
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.');
        let numbers = part.split(|c| !is_number(c)).map(|it| it.trim_matches([':', '.']));
        let says = |it: &&str| {
            it.chars().any(|c| c.is_alphabetic() && !is_spaced(c))
                || it.starts_with(char::is_alphabetic) && says_something(it) && !is_kind(it)
        };
        let names = words(&rest).filter(says);
        spared
            .except(names.chain(numbers.filter(|it| !it.is_empty())).map(str::to_owned).collect());
    }
}
