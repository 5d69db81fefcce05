//! A step in a few words for people: what was done, and not where in numbers.
use serde_json::Value;

use super::StepSummary;
use crate::event::ActionRecord;

/// Longest text out of an action or an explanation, in characters.
const MAX_TEXT: usize = 160;

impl StepSummary {
    /// The step in a few words, such as `Tap \u{2013} Start a chat`. Where no explanation was given, a touch is
    /// told with its place.
    pub fn in_words(&self) -> String {
        let explained = !self.explain.trim().is_empty();
        let mut line =
            act(&self.action, if explained { TouchPlace::Unsaid } else { TouchPlace::Point });
        if explained {
            let why = cut(self.explain.trim());
            // "Tap the button" says it already.
            let said = why.get(..line.len()).is_some_and(|it| it.eq_ignore_ascii_case(&line));
            line = if said { why } else { format!("{line} \u{2013} {why}") };
        }
        if self.is_only_asked() {
            line.push_str(&self.asked_first());
        } else if let Some(error) = &self.error {
            line.push_str(" (failed: ");
            line.push_str(&cut(error));
            line.push(')');
        }
        if let Some(why) = &self.uncertain {
            line.push_str(" (not certain: ");
            line.push_str(&cut(why));
            line.push(')');
        }
        line
    }
}

impl StepSummary {
    /// What is told of an act that waits for the user's word: what they were asked, where the action does not say it.
    pub(super) fn asked_first(&self) -> String {
        let asked = self.asked.as_deref().filter(|_| self.action.function != "INFO");
        let asked = asked.map(|it| format!(": {}", cut(it))).unwrap_or_default();
        format!(" (asked first, not done yet{asked})")
    }
}

impl ActionRecord {
    /// The action in a few words, such as `Tap on Save`, with the name of what a touch is aimed at where that
    /// is known, else with its place.
    pub fn in_words(&self, target: Option<&str>) -> String {
        act(self, target.map_or(TouchPlace::Point, TouchPlace::On))
    }
}

/// How the place of a touch is told.
#[derive(Clone, Copy)]
enum TouchPlace<'a> {
    Unsaid,
    Point,
    On(&'a str),
}

fn act(action: &ActionRecord, at: TouchPlace<'_>) -> String {
    let text = |name: &str| -> String {
        let value = action.arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        cut(value)
    };
    let place = |verb: &str| match (at, action.arguments.get("point")) {
        (TouchPlace::On(target), _) => {
            format!("{verb} on {}", cut(target))
        }
        (TouchPlace::Point, Some(Value::Array(point))) => {
            let point: Vec<String> = point.iter().map(ToString::to_string).collect();
            format!("{verb} at {}", point.join(","))
        }
        (TouchPlace::Unsaid | TouchPlace::Point, _) => verb.to_owned(),
    };
    match action.function.as_str() {
        "CLICK" => place("Tap"),
        "DOUBLE_CLICK" => place("Tap twice"),
        "LONGPRESS" => place("Press long"),
        "TYPE" => format!("Type \u{201c}{}\u{201d}", text("value")),
        "SLIDE" => "Swipe".to_owned(),
        "DRAG" => "Drag".to_owned(),
        "SCROLL" => format!("Scroll {}", text("direction")),
        "AWAKE" => format!("Open {}", text("app")),
        "HOT_KEY" => format!("Press {}", text("key")),
        "WAIT" => match action.arguments.get("seconds") {
            Some(seconds) => format!("Wait {seconds} s"),
            None => "Wait".to_owned(),
        },
        "NOTE" => format!("Note: {}", text("text")),
        "INFO" => {
            let question = action.arguments.get("question");
            let text = question.and_then(|it| it.get("text")).and_then(Value::as_str);
            format!("Ask: {}", cut(text.unwrap_or_default()))
        }
        "COMPLETE" => format!("Done: {}", text("return")),
        "ABORT" => format!("Give up: {}", text("reason")),
        _ => action.describe(),
    }
}

/// A text that says by its end where it was cut.
fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(function: &str, arguments: Value, explain: &str, error: Option<&str>) -> String {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let action = ActionRecord { function: function.to_owned(), arguments };
        let (explain, error) = (explain.to_owned(), error.map(str::to_owned));
        StepSummary {
            step: 0,
            action,
            explain,
            thought: String::new(),
            error,
            uncertain: None,
            asked: None,
            caption: None,
        }
        .in_words()
    }

    #[test]
    fn a_step_is_told_as_a_person_would() {
        let point = || json!({ "point": [778, 895] });
        for (told, expected) in [
            (words("CLICK", point(), "Start a chat", None), "Tap \u{2013} Start a chat"),
            (words("CLICK", point(), "tap the button", None), "tap the button"),
            (words("CLICK", point(), "", None), "Tap at 778,895"),
            (words("LONGPRESS", point(), " ", None), "Press long at 778,895"),
            (
                words("TYPE", json!({ "value": "hi", "clear": true }), "", None),
                "Type \u{201c}hi\u{201d}",
            ),
            (words("SCROLL", json!({ "direction": "down" }), "", None), "Scroll down"),
            (words("AWAKE", json!({ "app": "Settings" }), "", None), "Open Settings"),
            (
                words("HOT_KEY", json!({ "key": "BACK" }), "go back", Some("link lost")),
                "Press BACK \u{2013} go back (failed: link lost)",
            ),
            (
                words("CLICK", point(), "Pay", Some(crate::event::ASKED_FIRST)),
                "Tap \u{2013} Pay (asked first, not done yet)",
            ),
            (words("WAIT", json!({ "seconds": 2 }), "", None), "Wait 2 s"),
            (
                words("INFO", json!({ "question": { "text": "Which Anna?" } }), "", None),
                "Ask: Which Anna?",
            ),
            (words("COMPLETE", json!({ "return": "Sent." }), "", None), "Done: Sent."),
            (words("NEW", json!({ "x": "y" }), "", None), "NEW y"),
        ] {
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn what_is_cut_says_so() {
        let long = "because ".repeat(40);
        for told in [
            words("CLICK", json!({}), &long, None),
            words("HOT_KEY", json!({ "key": "BACK" }), "", Some(&long)),
            words("ABORT", json!({ "reason": long }), "", None),
        ] {
            assert!(told.trim_end_matches(')').ends_with('\u{2026}'), "{told}");
        }
    }

    #[test]
    fn a_touch_is_told_with_what_it_is_aimed_at() {
        let arguments = json!({ "point": [778, 895] });
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let action = ActionRecord { function: "CLICK".to_owned(), arguments };
        assert_eq!(action.in_words(Some("Save")), "Tap on Save");
        assert_eq!(action.in_words(None), "Tap at 778,895");
    }
}
