//! A move, written as GELab-Zero writes it: reasoning, then `key:value` fields between tabs.

/// A place in thousandths of the screen.
pub(super) type Place = (u16, u16);

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    Click(Place),
    Type {
        text: String,
        at: Place,
        /// The field holds something else.
        clear: bool,
    },
    Slide(Place, Place),
    Awake(String),
    /// A key by its name, such as `ENTER`.
    Press(&'static str),
    Wait,
    Ask(String),
    Complete(String),
    Abort(String),
}

/// An act with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) act: Act,
    thought: String,
    explain: String,
    summary: String,
}

impl Move {
    /// An act, what made it the right one, and what it is in a few words.
    pub(super) fn new(act: Act, thought: impl Into<String>, explain: impl Into<String>) -> Self {
        let explain = explain.into();
        Self { act, thought: thought.into(), summary: format!("Last step: {explain}"), explain }
    }

    /// With what the next step is to be told.
    #[must_use]
    pub(super) fn summed_up(self, summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..self }
    }

    /// The reply.
    pub(super) fn written(&self) -> String {
        let point = |(x, y): &Place| format!("{x},{y}");
        let (name, fields) = match &self.act {
            Act::Click(at) => ("CLICK", vec![("point", point(at))]),
            Act::Type { text, at, clear } => {
                let mut fields = vec![("value", one_line(text)), ("point", point(at))];
                if *clear {
                    fields.push(("clear", "true".to_owned()));
                }
                ("TYPE", fields)
            }
            Act::Slide(from, to) => ("SLIDE", vec![("point1", point(from)), ("point2", point(to))]),
            Act::Awake(app) => ("AWAKE", vec![("value", one_line(app))]),
            Act::Press(key) => ("HOT_KEY", vec![("value", (*key).to_owned())]),
            Act::Wait => ("WAIT", vec![("value", "1".to_owned())]),
            Act::Ask(question) => ("INFO", vec![("value", one_line(question))]),
            Act::Complete(message) => ("COMPLETE", vec![("return", one_line(message))]),
            Act::Abort(reason) => ("ABORT", vec![("value", one_line(reason))]),
        };
        // A tag among the reasons would end them.
        let thought = one_line(&self.thought).replace('<', "‹");
        let explain = one_line(&self.explain);
        let mut all = vec![format!("explain:{explain}"), format!("action:{name}")];
        all.extend(fields.iter().map(|(key, value)| format!("{key}:{value}")));
        all.push(format!("summary:{}", one_line(&self.summary)));
        format!("<THINK> {thought} </THINK>\n{}", all.join("\t"))
    }
}

/// Tabs, line ends and runs of blanks separate fields, so that each becomes one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
