//! The input of a skill: the progress of the task, and the current state of the phone.
use ayeaye_agent::{Key, Point};
use ayeaye_phone::{NodeState, PhoneState};

use super::phrases;
use super::progress::TaskProgress;
use super::step::{NextAction, NextStep};

/// A question to the user in English and in Chinese. It is recognized by its text when it comes back
/// with an answer.
pub(super) type Question = (&'static str, &'static str);

/// The input of a skill.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepContext<'a> {
    pub(super) progress: &'a TaskProgress,
    pub(super) phone: &'a PhoneState,
    pub(super) apps: &'a [LauncherApp],
}

/// An app that can be opened.
#[derive(Debug, Clone)]
pub(super) struct LauncherApp {
    pub(super) label: String,
    pub(super) package: String,
}

/// Finding things.
impl<'a> StepContext<'a> {
    /// The first node with this resource id, written without its package.
    pub(super) fn find(&self, id: &str) -> Option<&'a NodeState> {
        self.all(id).next()
    }

    pub(super) fn all(&self, id: &str) -> impl Iterator<Item = &'a NodeState> {
        self.phone.nodes.iter().filter(move |node| has_id(node, id))
    }

    pub(super) fn find_with_text(&self, id: &str, text: &str) -> Option<&'a NodeState> {
        self.all(id).find(|node| plain_hyphens(&node.text) == text)
    }

    pub(super) fn title(&self) -> &'a str {
        self.find("toolbar_title").map_or("", |node| &node.text)
    }

    /// Whether the app is in front and nothing covers it.
    pub(super) fn is_in(&self, package: &str) -> bool {
        self.phone.foreground.package == package
            && self.phone.nodes.first().is_none_or(|node| node.package == package)
    }

    /// The text of a field. An empty one without the focus shows its hint.
    pub(super) fn field_text(&self, field: &'a NodeState, hint: &str) -> &'a str {
        match &self.phone.focused_field {
            Some(focused) if field.focused && focused.resource_id == field.id => &focused.text,
            _ if field.text == hint => "",
            _ => &field.text,
        }
    }

    fn point(&self, (x, y): (f32, f32)) -> Point {
        let (width, height) = self.phone.size;
        let fraction =
            |at: f32, length: u32| (f64::from(at) / f64::from(length.max(1))).clamp(0.0, 1.0);
        Point::from_fractions(fraction(x, width), fraction(y, height)).expect("0 to 1")
    }

    /// The last answer to a question.
    pub(super) fn answer_to(&self, question: Question) -> Option<&'a str> {
        self.answers_to(question).last()
    }

    pub(super) fn answers_to(&self, (english, chinese): Question) -> impl Iterator<Item = &'a str> {
        let replies = self.progress.replies.iter();
        let answers = replies.filter(move |reply| {
            reply.question.contains(english) || reply.question.contains(chinese)
        });
        answers.map(|reply| reply.text.as_str())
    }

    /// The text in the language of the task.
    fn in_task_language(&self, english: String, chinese: String) -> String {
        if phrases::is_chinese(&self.progress.task) { chinese } else { english }
    }
}

/// Steps.
impl StepContext<'_> {
    /// Opens the app of this package.
    pub(super) fn open(&self, package: &str) -> NextStep {
        let app = self.apps.iter().find(|app| app.package == package);
        let label = app.map_or(package, |app| &app.label);
        let thought = format!("{label} is not in front of me, so I open it.");
        NextStep::new(NextAction::OpenApp(label.to_owned()), thought, format!("Open {label}"))
    }

    pub(super) fn tap(&self, node: &NodeState, thought: &str, explain: &str) -> NextStep {
        if let Some(away) = self.push_notification_away(node) {
            return away;
        }
        NextStep::new(NextAction::Click(self.point(node.center())), thought, explain)
    }

    /// Types into a field that holds `now`.
    pub(super) fn fill(&self, field: &NodeState, now: &str, text: &str, what: &str) -> NextStep {
        if let Some(away) = self.push_notification_away(field) {
            return away;
        }
        let at = self.point(field.center());
        let action = NextAction::Type { text: text.to_owned(), at, clear: !now.is_empty() };
        let thought = format!("The field for the {what} is here.");
        NextStep::new(action, thought, format!("Write the {what}"))
    }

    /// Swipes away a notification that covers the node.
    fn push_notification_away(&self, node: &NodeState) -> Option<NextStep> {
        let (x, y) = node.center();
        let notification = self.phone.system_nodes.iter().find(|node| {
            has_id(node, "expandableNotificationRow") && {
                let [left, top, right, bottom] = node.bounds.map(f64::from);
                let (x, y) = (f64::from(x), f64::from(y));
                left <= x && x < right && top <= y && y < bottom
            }
        })?;
        let (x, y) = notification.center();
        let action = NextAction::Slide { from: self.point((x, y)), to: self.point((x, 0.0)) };
        let thought = "A notification covers what I need.";
        Some(NextStep::new(action, thought, "Push the notification away"))
    }

    /// Leaves a screen that is of no use.
    pub(super) fn back(&self, thought: &str) -> NextStep {
        if self.phone.keyboard_shown {
            let thought = "What I need is not here; perhaps the keyboard covers it.";
            return NextStep::new(NextAction::Press(Key::Back), thought, "Put the keyboard away");
        }
        match self.phone.nodes.iter().find(|node| node.desc == "Navigate up") {
            Some(arrow) => self.tap(arrow, thought, "Go back"),
            None => NextStep::new(NextAction::Press(Key::Back), thought, "Go back"),
        }
    }

    /// Scrolls a list by dragging from one of its nodes to another.
    pub(super) fn drag_list(&self, from: &NodeState, to: &NodeState, thought: &str) -> NextStep {
        let (from, to) = (self.point(from.center()), self.point(to.center()));
        NextStep::new(NextAction::Slide { from, to }, thought, "Look at what else the list has")
    }

    pub(super) fn wait(&self, thought: &str) -> NextStep {
        let wait = NextStep::new(NextAction::Wait, thought, "Wait a moment");
        // The outcome of the step before has not been seen yet, so that its summary still counts.
        let before = &self.progress.last_summary;
        if before.is_empty() { wait } else { wait.with_summary(before) }
    }

    pub(super) fn ask(&self, (english, chinese): Question) -> NextStep {
        self.ask_with(english.to_owned(), chinese.to_owned())
    }

    pub(super) fn ask_with(&self, english: String, chinese: String) -> NextStep {
        let question = self.in_task_language(english, chinese);
        let summary = format!("Asked the user: {question}");
        let thought = "The task does not say, and I must not decide it for the user.";
        NextStep::new(NextAction::Ask(question), thought, "Ask the user").with_summary(summary)
    }

    pub(super) fn complete(&self, english: String, chinese: String) -> NextStep {
        let message = self.in_task_language(english, chinese);
        let thought = "The phone's state shows what was wanted.";
        NextStep::new(NextAction::Complete(message), thought, "Report that it is done")
    }

    pub(super) fn abort(&self, english: String, chinese: String) -> NextStep {
        let reason = self.in_task_language(english, chinese);
        let thought = "There is no way on for me.";
        NextStep::new(NextAction::Abort(reason), thought, "Give up and say why")
    }
}

fn has_id(node: &NodeState, id: &str) -> bool {
    node.id.strip_suffix(id).is_some_and(|rest| rest.ends_with('/'))
}

/// The phone writes "Wi-Fi" with a non-breaking hyphen.
fn plain_hyphens(text: &str) -> String {
    text.replace('\u{2011}', "-")
}
