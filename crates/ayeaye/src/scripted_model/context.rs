//! What there is to go by: the prompt, and the phone as it is at this moment.
use ayeaye_phone::{NodeState, State};

use super::hear::Heard;
use super::phrases;
use super::reply::{Act, Move, Place};

/// Everything a skill may look at.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepContext<'a> {
    pub(super) heard: &'a Heard,
    pub(super) state: &'a State,
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
    /// The first thing of this resource id, its package left out.
    pub(super) fn find(&self, id: &str) -> Option<&'a NodeState> {
        self.all(id).next()
    }

    pub(super) fn all(&self, id: &str) -> impl Iterator<Item = &'a NodeState> {
        self.state.nodes.iter().filter(move |node| is(node, id))
    }

    /// The thing of this id that says this.
    pub(super) fn labelled(&self, id: &str, text: &str) -> Option<&'a NodeState> {
        self.all(id).find(|node| plain(&node.text) == text)
    }

    pub(super) fn title(&self) -> &'a str {
        self.find("toolbar_title").map_or("", |node| &node.text)
    }

    /// Whether the app is in front and nothing lies over it.
    pub(super) fn is_in(&self, package: &str) -> bool {
        self.state.foreground.package == package
            && self.state.nodes.first().is_none_or(|node| node.package == package)
    }

    /// What a field holds. From outside an empty one says its hint.
    pub(super) fn content(&self, field: &'a NodeState, hint: &str) -> &'a str {
        match &self.state.focused_field {
            Some(focused) if field.focused && focused.resource_id == field.id => &focused.text,
            _ if field.text == hint => "",
            _ => &field.text,
        }
    }

    fn place(&self, (x, y): (f32, f32)) -> Place {
        let (width, height) = self.state.size;
        let along = |at: f32, length: u32| {
            let share = f64::from(at) * 1000.0 / f64::from(length.max(1));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 1000"
            )]
            let thousandths = share.round().clamp(0.0, 1000.0) as u16;
            thousandths
        };
        (along(x, width), along(y, height))
    }

    /// The words of the last answer to a question that said `mark`.
    pub(super) fn answer(&self, mark: &str) -> Option<&'a str> {
        self.answers(mark).last()
    }

    pub(super) fn answers(&self, mark: &str) -> impl Iterator<Item = &'a str> {
        let told = self.heard.replies.iter().filter(move |reply| reply.asked.contains(mark));
        told.map(|reply| reply.said.as_str())
    }

    /// Whichever of the two the task was written in.
    pub(super) fn reply(&self, english: String, chinese: String) -> String {
        if phrases::is_chinese(&self.heard.task) { chinese } else { english }
    }
}

/// Moves.
impl StepContext<'_> {
    /// Opens the app of this package.
    pub(super) fn open(&self, package: &str) -> Move {
        let label = self.apps.iter().find(|app| app.package == package);
        let label = label.map_or(package, |app| &app.label);
        let thought = format!("{label} is not in front of me, so I open it.");
        Move::new(Act::Awake(label.to_owned()), thought, format!("Open {label}"))
    }

    pub(super) fn tap(&self, node: &NodeState, thought: &str, explain: &str) -> Move {
        if let Some(away) = self.push_notice_away(node) {
            return away;
        }
        Move::new(Act::Click(self.place(node.center())), thought, explain)
    }

    /// Types into a field that holds `now`.
    pub(super) fn fill(&self, field: &NodeState, now: &str, text: &str, what: &str) -> Move {
        if let Some(away) = self.push_notice_away(field) {
            return away;
        }
        let at = self.place(field.center());
        let act = Act::Type { text: text.to_owned(), at, clear: !now.is_empty() };
        Move::new(act, format!("The field for the {what} is here."), format!("Write the {what}"))
    }

    /// A notification that slid in over the thing wanted.
    fn push_notice_away(&self, node: &NodeState) -> Option<Move> {
        let (x, y) = node.center();
        let notice = self.state.system_nodes.iter().find(|notice| {
            is(notice, "expandableNotificationRow") && {
                let [left, top, right, bottom] = notice.bounds.map(f64::from);
                let (x, y) = (f64::from(x), f64::from(y));
                left <= x && x < right && top <= y && y < bottom
            }
        })?;
        let from = self.place(notice.center());
        let thought = "A notification covers what I need.";
        Some(Move::new(Act::Slide(from, (from.0, 5)), thought, "Push the notification away"))
    }

    /// Away from a screen that is of no use.
    pub(super) fn back(&self, thought: &str) -> Move {
        if self.state.keyboard_shown {
            let thought = "What I need is not here; perhaps the keyboard covers it.";
            return Move::new(Act::Press("BACK"), thought, "Put the keyboard away");
        }
        match self.state.nodes.iter().find(|node| node.desc == "Navigate up") {
            Some(arrow) => self.tap(arrow, thought, "Go back"),
            None => Move::new(Act::Press("BACK"), thought, "Go back"),
        }
    }

    /// The finger goes from one node to another, both moved with their list.
    pub(super) fn drag_list(&self, from: &NodeState, to: &NodeState, thought: &str) -> Move {
        let act = Act::Slide(self.place(from.center()), self.place(to.center()));
        Move::new(act, thought, "Look at what else the list has")
    }

    pub(super) fn wait(&self, thought: &str) -> Move {
        let wait = Move::new(Act::Wait, thought, "Wait a moment");
        // What was done last has not been seen yet: it stays the last thing told.
        if self.heard.history.is_empty() { wait } else { wait.summed_up(&self.heard.history) }
    }

    pub(super) fn ask(&self, english: String, chinese: String) -> Move {
        let question = self.reply(english, chinese);
        let summary = format!("Asked the user: {question}");
        let thought = "The task does not say, and I must not decide it for the user.";
        Move::new(Act::Ask(question), thought, "Ask the user").summed_up(summary)
    }

    pub(super) fn done(&self, english: String, chinese: String) -> Move {
        let thought = "The phone's state shows what was wanted.";
        Move::new(Act::Complete(self.reply(english, chinese)), thought, "Report that it is done")
    }

    pub(super) fn give_up(&self, english: String, chinese: String) -> Move {
        let reason = self.reply(english, chinese);
        Move::new(Act::Abort(reason), "There is no way on for me.", "Give up and say why")
    }
}

fn is(node: &NodeState, id: &str) -> bool {
    node.id.strip_suffix(id).is_some_and(|rest| rest.ends_with('/'))
}

/// Words as people write them: the phone sets "Wi-Fi" with a hyphen that does not break.
fn plain(text: &str) -> String {
    text.replace('\u{2011}', "-")
}
