//! Saving a note, exact to the letter.
use super::super::context::{Question, StepContext};
use super::super::phrases;
use super::super::step::NextStep;

const PACKAGE: &str = "com.example.notes";
const ASKED: Question = ("What should the note say?", "笔记里要写什么内容？");

#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoteTask {
    title: Option<String>,
    body: Option<String>,
}

pub(super) fn parse(task: &str) -> NoteTask {
    let titled = ["titled", "called", "named", "title", "标题"];
    let mut rest = task.to_owned();
    let mut title = None;
    if let Some((at, end)) = phrases::first(task, &titled)
        && phrases::quoted(task, false).is_none_or(|(quote, _)| at < quote)
    {
        let behind = &task[end..];
        let lead =
            behind.len() - behind.trim_start_matches([' ', ':', '：', '=', '为', '是', '叫']).len();
        let (start, stop) = match phrases::quoted(behind, false) {
            Some((start, stop)) if start <= lead + 3 => (start, stop),
            // Without quotes it goes up to what begins the text.
            _ => {
                let begins = [" with", " saying", " that says", ":", "：", "，", ",", "内容"];
                let ends = begins.iter().filter_map(|word| behind[lead..].find(word));
                (lead, ends.min().map_or(behind.len(), |length| lead + length))
            }
        };
        title = Some(phrases::trimmed(&behind[start..stop]).to_owned());
        rest = behind[stop..].trim_start_matches(['"', '”', '」', '“', '』']).to_owned();
    }
    let leads = ["saying", "that says", "内容为", "内容是", "内容", "写着"];
    NoteTask { title, body: phrases::payload(&rest, &leads).map(str::to_owned) }
}

pub(super) fn next(s: &StepContext<'_>, task: &NoteTask) -> NextStep {
    let title = task.title.as_deref().unwrap_or_default();
    let answered = || s.answer_to(ASKED);
    let Some(body) = task.body.as_deref().or_else(answered) else {
        return s.ask(ASKED);
    };
    let is_it = |note: &&ayeaye_phone::Note| {
        note.body == body && (task.title.is_none() || note.title == title)
    };
    if s.phone.notes.iter().any(|note| is_it(&note)) {
        let named = if title.is_empty() { String::new() } else { format!(" “{title}”") };
        return s.complete(
            format!("The note{named} is saved: {body}"),
            format!("笔记{named}已保存：{body}"),
        );
    }
    if !s.is_in(PACKAGE) {
        return s.open(PACKAGE);
    }
    let (Some(title_field), Some(body_field)) = (s.find("title"), s.find("body")) else {
        return match s.find("new_note") {
            Some(button) => s.tap(button, "Here are the notes; mine is not there.", "Start a note"),
            None => s.back("This is not where notes are written."),
        };
    };
    let (title_now, body_now) =
        (s.field_text(title_field, "Title"), s.field_text(body_field, "Note"));
    if s.title() != "New note" {
        return s.back("This note is another one.");
    }
    // Half of our own text may be there, from a step that was cut off.
    if !title.starts_with(title_now) || !body.starts_with(body_now) {
        return match s.find("save") {
            Some(save) => s.tap(save, "Somebody has begun a note; it is kept.", "Save that note"),
            None => s.back("Somebody has begun a note."),
        };
    }
    if title_now != title {
        return s.fill(title_field, title_now, title, "title");
    }
    if body_now != body {
        return s.fill(body_field, body_now, body, "text of the note");
    }
    match s.find("save") {
        Some(save) => s.tap(save, "Title and text are as wanted.", "Save the note"),
        None => s.back("The button to save is not to be seen."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_and_text() {
        for (task, title, body) in [
            (
                "Save a note titled \"Trip\" with the text \"A \"big\" one: 5%\"",
                "Trip",
                "A \"big\" one: 5%",
            ),
            ("Save a note titled Trip with the text: pack 东京 🗼", "Trip", "pack 东京 🗼"),
            ("Save a note titled Trip with the text: Leave at 6:40", "Trip", "Leave at 6:40"),
            ("Write a note saying call me at 10:30.", "", "call me at 10:30."),
            ("Note: buy milk", "", "buy milk"),
            ("Note: read \"Kim\" again", "", "read \"Kim\" again"),
            ("新建一个标题为“购物”的笔记，内容是“牛奶”", "购物", "牛奶"),
            ("Save a note titled \"Trip\" with exactly the text that was agreed on.", "Trip", ""),
        ] {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            assert_eq!(parse(task), NoteTask { title: some(title), body: some(body) }, "{task}");
        }
    }
}
