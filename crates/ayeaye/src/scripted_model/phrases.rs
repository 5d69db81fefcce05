//! Plain words in a task: finding phrases, quotes and numbers in English and Chinese.

/// Opening and closing quotes; an apostrophe does not count.
const QUOTES: [(char, char); 6] =
    [('"', '"'), ('“', '”'), ('「', '」'), ('『', '』'), ('«', '»'), ('„', '“')];

/// Start and end of a lower-case phrase as whole words, after `from`.
pub(super) fn find_from(text: &str, phrase: &str, from: usize) -> Option<(usize, usize)> {
    // Only ASCII changes its case, so that offsets stay the same.
    let lower = text.to_ascii_lowercase();
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let bounded = |at: usize, end: usize| {
        let inner = |edge: Option<char>, outer: Option<char>| letter(edge) && letter(outer);
        !inner(phrase.chars().next(), lower[..at].chars().next_back())
            && !inner(phrase.chars().next_back(), lower[end..].chars().next())
    };
    let rest = lower.get(from..)?;
    let mut hits = rest.match_indices(phrase).map(|(at, hit)| (from + at, from + at + hit.len()));
    hits.find(|(at, end)| bounded(*at, *end))
}

pub(super) fn find(text: &str, phrase: &str) -> Option<(usize, usize)> {
    find_from(text, phrase, 0)
}

/// The phrase that comes first in the text.
pub(super) fn first(text: &str, phrases: &[&str]) -> Option<(usize, usize)> {
    // At the same offset the longer one wins.
    let hits = phrases.iter().filter_map(|phrase| find(text, phrase));
    hits.min_by_key(|(at, end)| (*at, usize::MAX - end))
}

pub(super) fn any(text: &str, phrases: &[&str]) -> bool {
    first(text, phrases).is_some()
}

/// The first quoted piece: start and end of what is inside, to the last closing quote if `whole`.
pub(super) fn quoted(text: &str, whole: bool) -> Option<(usize, usize)> {
    let (at, open) = text.char_indices().find(|(_, c)| QUOTES.iter().any(|(open, _)| c == open))?;
    let start = at + open.len_utf8();
    let ends = QUOTES.iter().filter(|(o, _)| *o == open).filter_map(|(_, close)| {
        let rest = &text[start..];
        if whole { rest.rfind(*close) } else { rest.find(*close) }
    });
    ends.max().map(|length| (start, start + length))
}

/// The text after the first colon that ends a clause (not the one in 10:30).
pub(super) fn after_colon(text: &str) -> Option<usize> {
    text.char_indices().find_map(|(at, c)| {
        let end = at + c.len_utf8();
        let blank = text[end..].starts_with(char::is_whitespace);
        (c == '：' || c == ':' && (blank || text[end..].starts_with('"'))).then_some(end)
    })
}

/// The text that a task hands over: quoted, or all that follows a colon or one of these words.
/// Quotes in the midst of such a text are part of it.
pub(super) fn payload<'a>(task: &'a str, leads: &[&str]) -> Option<&'a str> {
    let mut lead = [after_colon(task), first(task, leads).map(|(_, end)| end)];
    lead.sort_unstable();
    let lead = lead
        .into_iter()
        .flatten()
        .next()
        .map(|end| task.len() - task[end..].trim_start_matches([' ', ':', '：', '，']).len());
    let text = match (quoted(task, true), lead) {
        // After the lead nothing but the opening quote, one character.
        (Some((start, end)), Some(lead)) if start <= lead + 3 => &task[start..end],
        (Some((start, end)), None) => &task[start..end],
        (_, Some(lead)) => &task[lead..],
        (None, None) => return None,
    };
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// The task without the texts it hands over: what is quoted, and what follows a colon.
pub(super) fn instruction(task: &str) -> String {
    let mut order = String::new();
    let mut rest = task;
    while let Some((start, end)) = quoted(rest, false) {
        order.push_str(&rest[..start]);
        rest = &rest[end..];
        rest = rest.strip_prefix(|_: char| true).unwrap_or(rest);
    }
    order.push_str(rest);
    let cut = [after_colon(&order), first(&order, &["saying", "says", "说"]).map(|(at, _)| at)];
    order.truncate(cut.into_iter().flatten().min().unwrap_or(order.len()));
    order
}

pub(super) fn is_chinese(task: &str) -> bool {
    let order = instruction(task);
    let (mut chinese, mut latin) = (0, 0);
    for c in order.chars() {
        chinese += usize::from(is_han(c));
        latin += usize::from(c.is_ascii_alphabetic());
    }
    // A name in Latin letters does not make a Chinese sentence English.
    latin < chinese * 4
}

pub(super) fn is_han(c: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&c)
}

/// The first number in a text, with its decimals.
pub(super) fn number(text: &str) -> Option<f64> {
    let at = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[at..];
    let end =
        rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
    rest[..end].trim_end_matches(['.', ',']).replace(',', ".").parse().ok()
}

/// A value such as a password at the start of a text: quoted, or up to the next blank. What leads up
/// to it ("is", a colon) and a full stop behind it are no part of it.
pub(super) fn value(text: &str) -> Option<&str> {
    let mut text = text.trim_start_matches([' ', ':', '：', '=']);
    for lead in ["is ", "name ", "user ", "username ", "为", "是", "名", "the ", "user name "] {
        text = text.strip_prefix(lead).unwrap_or(text).trim_start_matches([' ', ':', '：', '=']);
    }
    if let Some((start, end)) = quoted(text, false)
        && start <= 3
    {
        return text.get(start..end).filter(|value| !value.is_empty());
    }
    let latin = text.chars().next().is_some_and(|c| c.is_ascii());
    let ends = |c: char| c.is_whitespace() || "，。；、".contains(c) || latin && is_han(c);
    let end = text.find(ends).unwrap_or(text.len());
    Some(text[..end].trim_end_matches([',', '.', ';'])).filter(|value| !value.is_empty())
}

/// Without what only makes a request polite, and without the full stop.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim().trim_end_matches(['.', '!', '。', '！', ' '])
}
