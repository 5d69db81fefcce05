//! Sending a message to the person who is meant, once.
use super::super::context::{Question, StepContext};
use super::super::phrases;
use super::super::step::NextStep;

const PACKAGE: &str = "com.example.messages";
const WHICH: Question = ("Which one?", "是哪一位？");
const WHOM: Question = ("Whom do you mean?", "您指的是谁？");
const WHAT: Question = ("What should the message say?", "消息内容是什么？");
/// The step that sends, in a few words; its summary ends with them.
const SEND: &str = "Send the message";
/// How often the same question is asked: an automatic answer may never help.
const MOST_QUESTIONS: usize = 2;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageTask {
    /// As written, perhaps with words behind it that are part of the text.
    name: String,
    text: Option<String>,
    /// The text after the name, where nothing marks the message text.
    rest: String,
}

pub(super) fn parse(task: &str) -> Option<MessageTask> {
    let quote = phrases::quoted(task, true);
    let (name, end) = recipient(task, quote)?;
    let behind = &task[end..];
    let said = ["saying", "that says", "says", "说", "内容是", "内容为"];
    let text = match quote {
        // "Send “hi” to Anna".
        Some((start, stop)) if stop <= end => Some(task[start..stop].trim()),
        _ => phrases::payload(behind, &said),
    };
    let rest = if direct(task, end) { unplaced(behind).to_owned() } else { String::new() };
    Some(MessageTask { name, text: text.filter(|text| !text.is_empty()).map(str::to_owned), rest })
}

/// Verbs with the person right behind them, and behind that perhaps the text itself.
const DIRECT: [&str; 9] =
    ["tell", "text", "message", "ask", "inform", "notify", "let", "告诉", "转告"];

/// The person's name and where it ends.
fn recipient(task: &str, quote: Option<(usize, usize)>) -> Option<(String, usize)> {
    let outside = |at: usize| quote.is_none_or(|(start, end)| at < start || end <= at);
    let none = [
        "a", "an", "the", "me", "us", "to", "this", "that", "message", "messages", "text", "sms",
        "app", "say", "know", "saying", "is", "in", "with", "it",
    ];
    let after = |marks: &[&str]| {
        marks.iter().find_map(|mark| {
            let mut from = 0;
            while let Some((at, end)) = phrases::find_from(task, mark, from) {
                from = end;
                if let Some((name, end)) = name_at(task, end).filter(|_| outside(at))
                    && !none.contains(&name.to_ascii_lowercase().as_str())
                {
                    return Some((name, end));
                }
            }
            None
        })
    };
    after(&DIRECT)
        .or_else(|| after(&["to"]))
        .or_else(|| after(&["send", "write", "给", "跟", "对"]))
}

fn direct(task: &str, end: usize) -> bool {
    let verb = phrases::first(task, &DIRECT);
    verb.is_some_and(|(at, _)| at < end && !phrases::any(&task[..end], &["to"]))
}

/// A name at this place: words with capital letters, or one word, or Chinese up to a verb.
fn name_at(task: &str, from: usize) -> Option<(String, usize)> {
    let start = task.len() - task[from..].trim_start_matches([' ', '，']).len();
    let rest = &task[start..];
    let first = rest.chars().next()?;
    if phrases::is_han(first) {
        let end =
            rest.find(|c: char| !phrases::is_han(c) || "发说写".contains(c)).unwrap_or(rest.len());
        return Some((rest[..end].to_owned(), start + end)).filter(|(name, _)| !name.is_empty());
    }
    let capital = first.is_uppercase();
    let mut end = 0;
    for word in rest.split_inclusive(' ') {
        let bare: &str =
            word.split(|c: char| !c.is_alphanumeric() && c != '-' || phrases::is_han(c)).next()?;
        let own = ["I", "In", "On", "That", "Saying", "A", "The", "We"].contains(&bare);
        if bare.is_empty() || end != 0 && (!capital || own || !bare.starts_with(char::is_uppercase))
        {
            break;
        }
        let at = task[start..][end..].find(bare)? + end;
        end = at + bare.len();
        // Only a space continues the name.
        if word.trim_end() != bare {
            break;
        }
        end += word.len() - bare.len();
    }
    let name = rest[..end].trim_end();
    (!name.is_empty()).then(|| (name.to_owned(), start + name.len()))
}

/// A text without the place it is to be written in.
fn unplaced(text: &str) -> &str {
    let text = phrases::trimmed(text).trim_start_matches([',', '，', ' ']);
    let text = text.strip_prefix("know ").unwrap_or(text);
    let text = text.strip_prefix("that ").unwrap_or(text);
    let places = ["in the messages app", "in messages", "on messages", "via messages", "by sms"];
    let place = places.iter().find_map(|place| {
        phrases::find(text, place).filter(|(_, end)| *end == text.len()).map(|(at, _)| at)
    });
    text[..place.unwrap_or(text.len())].trim()
}

impl MessageTask {
    /// The text for this person. What was not told apart from the name is what the person is not
    /// called.
    fn text_for(&self, to: &str) -> Option<String> {
        if let Some(text) = &self.text {
            return Some(text.clone());
        }
        let extra = self.name.split_whitespace().skip(1).skip_while(|word| matches(word, to));
        let text = [extra.collect::<Vec<_>>().join(" "), self.rest.clone()].join(" ");
        let text = text.trim();
        // "tell Anna to call" has no message text yet.
        let whole = !text.is_empty() && !text.starts_with("to ") && !text.starts_with("if ");
        whole.then(|| text.to_owned())
    }
}

/// Whether a word is one of a name's words, or begins one.
fn matches(word: &str, name: &str) -> bool {
    let word = word.to_lowercase();
    let name = name.to_lowercase();
    name.split_whitespace().any(|part| part.starts_with(&word))
        || word.chars().all(phrases::is_han) && name.contains(&word)
}

/// The people whose names match, in order.
fn fitting(name: &str, people: &[String]) -> Vec<String> {
    let all = |person: &&String| name.split_whitespace().all(|word| matches(word, person));
    people.iter().filter(all).cloned().collect()
}

/// The person picked by the latest answer that names one.
fn picked(s: &StepContext<'_>, people: &[String]) -> Option<String> {
    let shared = |word: &str| people.iter().all(|person| matches(word, person));
    s.progress.replies.iter().rev().find_map(|reply| {
        let said: Vec<_> = reply.text.split(|c: char| !c.is_alphanumeric()).collect();
        let hits = |person: &String| {
            let own = person.split_whitespace().filter(|part| !shared(part));
            own.filter(|part| said.iter().any(|word| word.eq_ignore_ascii_case(part))).count()
        };
        let mut named = people.iter().filter(|person| 0 < hits(person));
        if let Some(person) = named.next() {
            return named.next().is_none().then(|| person.clone());
        }
        if !reply.question.contains(WHICH.0) && !reply.question.contains(WHICH.1) {
            return None;
        }
        let places = [["first", "1", "第一"], ["second", "2", "第二"], ["third", "3", "第三"]];
        let place = places.iter().position(|words| phrases::any(&reply.text, words))?;
        people.get(place).cloned()
    })
}

pub(super) fn next(s: &StepContext<'_>, task: &MessageTask) -> NextStep {
    let corrected = s.answer_to(WHOM);
    let full = corrected.map_or(task.name.as_str(), phrases::trimmed);
    let short = full.split_whitespace().next().unwrap_or(full);
    // The address book can only be seen while looking somebody up.
    let listed: Vec<String> = s.all("contact_name").map(|node| node.text.clone()).collect();
    let mut people: Vec<String> =
        s.phone.conversations.iter().map(|talk| talk.with.clone()).collect();
    people.extend(listed.iter().cloned());
    if s.find("compose").is_some() {
        people.push(s.title().to_owned());
    }
    people.sort_unstable();
    people.dedup();
    let mut fits = fitting(full, &people);
    if fits.is_empty() {
        fits = fitting(short, &people);
    }
    let to = match &fits[..] {
        [one] => Some(one.clone()),
        several => picked(s, several),
    };
    let answered = || s.answer_to(WHAT).map(str::to_owned);
    let text = task.text_for(to.as_deref().unwrap_or(short)).or_else(answered);
    if let (Some(to), Some(text)) = (&to, &text)
        && s.phone.sent.iter().any(|sent| sent.to == *to && sent.text == *text)
    {
        return done(s, to, text);
    }
    if !s.is_in(PACKAGE) {
        return s.open(PACKAGE);
    }
    if let Some(field) = s.find("compose") {
        return match (to, text) {
            (Some(to), Some(text)) if s.title() == to => write(s, field, &text),
            (Some(to), None) if s.title() == to => s.ask(WHAT),
            _ => s.back("This conversation is with somebody else."),
        };
    }
    let Some(field) = s.find("recipient") else {
        return match s.find("start_chat") {
            Some(button) => s.tap(button, "The person has to be looked up.", "Start a chat"),
            None => s.back("This is not where chats begin."),
        };
    };
    let now = s.field_text(field, "Type a name or phone number");
    if now != full && now != short {
        return s.fill(field, now, full, "name");
    }
    let found = fitting(now, &listed);
    let chosen = if found.len() == 1 { found.first().cloned() } else { picked(s, &found) };
    if let Some(row) = chosen.and_then(|name| s.find_with_text("contact_name", &name)) {
        let name = &row.text;
        return s.tap(row, &format!("{name} is who is meant."), &format!("Choose {name}"));
    }
    if found.is_empty() && now != short {
        return s.fill(field, now, short, "first name");
    }
    let asked = |question| s.answers_to(question).count();
    if MOST_QUESTIONS <= asked(WHICH).max(asked(WHOM)) {
        return s.abort(
            format!("I could not find out which contact is meant by {full}."),
            format!("无法确定“{full}”是哪位联系人。"),
        );
    }
    if found.is_empty() {
        return s.ask_with(
            format!("There is no contact called {full}. {}", WHOM.0),
            format!("没有叫“{full}”的联系人。{}", WHOM.1),
        );
    }
    which(s, now, &found)
}

fn which(s: &StepContext<'_>, name: &str, found: &[String]) -> NextStep {
    let (last, others) = found.split_last().expect("there are several");
    let listed = format!("{} and {last}", others.join(", "));
    let first = found[0].split_whitespace().next().unwrap_or(name);
    let count = match found.len() {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        more => more.to_string(),
    };
    let called = if first.eq_ignore_ascii_case(name) && !first.ends_with('s') {
        format!("{count} {first}s")
    } else {
        format!("{count} contacts for “{name}”")
    };
    s.ask_with(
        format!("There are {called}: {listed}. {}", WHICH.0),
        format!("有 {} 位“{name}”：{}。{}", found.len(), found.join("、"), WHICH.1),
    )
    .with_options(found)
}

fn write(s: &StepContext<'_>, field: &ayeaye_phone::NodeState, text: &str) -> NextStep {
    let now = s.field_text(field, "Text message");
    if now != text {
        return s.fill(field, now, text, "message");
    }
    match s.find("send_button") {
        Some(button) => s.tap(button, "The message is written as wanted.", SEND),
        None => s.back("The button to send is not to be seen."),
    }
}

fn done(s: &StepContext<'_>, to: &str, text: &str) -> NextStep {
    // Sent before our step that sends: not by us, or not now. It is not sent again either way.
    if !s.progress.last_summary.ends_with(SEND) {
        return s.complete(
            format!(
                "{to} has already been sent “{text}”, before this task; I did not send it twice."
            ),
            format!("在此之前已经给 {to} 发过“{text}”，没有重复发送。"),
        );
    }
    s.complete(format!("Sent to {to}: “{text}”"), format!("已发给 {to}：“{text}”"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_told_what() {
        for (task, name, text) in [
            ("In Messages, tell Anna: I am ten minutes late", "Anna", "I am ten minutes late"),
            ("Tell Anna in the Messages app: \"late, 10:30 it's\"", "Anna", "late, 10:30 it's"),
            ("Tell Anna that I am late", "Anna", "I am late"),
            ("Tell Anna: he said \"yes\" to Ben", "Anna", "he said \"yes\" to Ben"),
            ("Let Ben Carter know that I am late.", "Ben Carter", "I am late"),
            ("Text mum I'll be home at 10:30", "mum", "I'll be home at 10:30"),
            ("Send a message to Anna Berg saying see you", "Anna Berg", "see you"),
            ("Send \"hi\" to Anna", "Anna", "hi"),
            ("Send Anna a message: hi", "Anna", "hi"),
            ("Send a text message to Ben: come to Paris", "Ben", "come to Paris"),
            ("告诉Anna：我晚到十分钟", "Anna", "我晚到十分钟"),
            ("给李伟发消息说明天见", "李伟", "明天见"),
            ("Tell Anna to call me", "Anna", ""),
        ] {
            let parsed = parse(task).unwrap_or_else(|| panic!("{task}"));
            assert_eq!(parsed.name, name, "{task}");
            let text = Some(text.to_owned()).filter(|text| !text.is_empty());
            assert_eq!(
                parsed.text_for(&parsed.name).map(|text| text.trim().to_owned()),
                text,
                "{task}"
            );
        }
        assert_eq!(parse("Tell me the time"), None);
        assert_eq!(parse("Send it"), None);
    }
}
