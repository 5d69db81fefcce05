//! The next step, and how GELab-Zero writes one: reasoning, then `key:value` fields between tabs.
use ayeaye_agent::{Key, Point};

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "as the actions of a model")]
pub enum NextAction {
    Click(Point),
    Type {
        text: String,
        /// The field.
        at: Point,
        /// The field holds something else, which has to go.
        clear: bool,
    },
    Slide {
        from: Point,
        to: Point,
    },
    /// Opens an app by its label.
    OpenApp(String),
    Press(Key),
    Wait,
    Ask(String),
    Complete(String),
    Abort(String),
}

/// An action and the reasons for it.
#[derive(Debug, Clone, PartialEq)]
pub struct NextStep {
    /// What to do.
    pub action: NextAction,
    /// Why.
    pub thought: String,
    /// The action in a few words.
    pub explain: String,
    /// What the next step is to be told; see [`super::TaskProgress::last_summary`].
    pub summary: String,
    /// What a question lets the user choose from, as they are to answer.
    pub options: Vec<String>,
}

/// GELab-Zero has no options. This is a field of its format that its parser reads past, so that they do not become
/// a part of the question.
const OPTIONS: &str = "plan:";
/// Between two options in a reply.
const BETWEEN_OPTIONS: &str = " | ";

impl NextAction {
    /// A finger drawn up or down the middle of the screen, in thousandths of its height.
    pub(super) fn swipe(from: i64, to: i64) -> Self {
        let at = |y| Point::new(500, y).expect("on the screen");
        Self::Slide { from: at(from), to: at(to) }
    }
}

impl NextStep {
    pub(super) fn new(
        action: NextAction,
        thought: impl Into<String>,
        explain: impl Into<String>,
    ) -> Self {
        let explain = explain.into();
        let (thought, summary) = (thought.into(), format!("Last step: {explain}"));
        Self { action, thought, summary, explain, options: Vec::new() }
    }

    #[must_use]
    pub(super) fn with_summary(self, summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..self }
    }

    #[must_use]
    pub(super) fn with_options(self, options: &[String]) -> Self {
        Self { options: options.to_vec(), ..self }
    }
}

/// The options of the question in a reply.
pub(super) fn options_in(reply: &str) -> Vec<String> {
    let field = reply.split('\t').find_map(|field| field.strip_prefix(OPTIONS));
    field.map_or_else(Vec::new, |it| it.split(BETWEEN_OPTIONS).map(str::to_owned).collect())
}

/// The step as a reply of GELab-Zero.
pub(super) fn format_reply(step: &NextStep) -> String {
    let point = |point: &Point| format!("{},{}", point.x(), point.y());
    let (name, fields) = match &step.action {
        NextAction::Click(at) => ("CLICK", vec![("point", point(at))]),
        NextAction::Type { text, at, clear } => {
            // Line breaks belong to a value that a tab follows.
            let mut fields = vec![("value", text.clone()), ("point", point(at))];
            if *clear {
                fields.push(("clear", "true".to_owned()));
            }
            ("TYPE", fields)
        }
        NextAction::Slide { from, to } => {
            ("SLIDE", vec![("point1", point(from)), ("point2", point(to))])
        }
        NextAction::OpenApp(label) => ("AWAKE", vec![("value", one_line(label))]),
        NextAction::Press(key) => ("HOT_KEY", vec![("value", key.name().to_owned())]),
        NextAction::Wait => ("WAIT", vec![("value", "1".to_owned())]),
        NextAction::Ask(question) => ("INFO", vec![("value", one_line(question))]),
        NextAction::Complete(message) => ("COMPLETE", vec![("return", one_line(message))]),
        NextAction::Abort(reason) => ("ABORT", vec![("value", one_line(reason))]),
    };
    // A tag inside the reasoning would end it.
    let thought = one_line(&step.thought).replace('<', "‹");
    let mut all = vec![format!("explain:{}", one_line(&step.explain)), format!("action:{name}")];
    all.extend(fields.iter().map(|(key, value)| format!("{key}:{value}")));
    if !step.options.is_empty() {
        let options: Vec<String> = step.options.iter().map(|it| one_line(it)).collect();
        all.push(format!("{OPTIONS}{}", options.join(BETWEEN_OPTIONS)));
    }
    all.push(format!("summary:{}", one_line(&step.summary)));
    format!("<THINK> {thought} </THINK>\n{}", all.join("\t"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_of_a_question_are_read_back() {
        let asks = NextStep::new(NextAction::Ask("Which one?".to_owned()), "Two.", "Ask");
        assert_eq!(options_in(&format_reply(&asks)), Vec::<String>::new());
        let people = ["Anna Bauer".to_owned(), "Anna Berg".to_owned()];
        let asks = asks.with_options(&people);
        assert_eq!(options_in(&format_reply(&asks)), people);
    }
}
