//! The history in a prompt: one selection for all families, and its wording.
mod earlier;

use std::fmt::Write as _;

use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{
    Action, Decision, Gesture, HistoryItem, HistoryStep, ParseError, QuestionKind, Reply,
    ScreenSize, StepInput,
};

use super::escape::{
    LONGEST_LINE, LONGEST_TEXT, plain_line, quote_untrusted, verbatim, without_role_tokens,
};

/// The most steps of a round in a prompt.
const MAX_STEPS: usize = 40;
/// Older steps are left out this many at a time, so that the beginning of a prompt changes seldom and
/// endpoints can cache it.
const OMITTED_AT_A_TIME: usize = 10;
/// How many of the last earlier requests, notes, replies and system notes a prompt holds, of each.
const MAX_REMINDERS: usize = 8;

/// The language of what a prompt says of a session in words of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Lang {
    #[default]
    English,
    Chinese,
}

impl Lang {
    /// One of two wordings.
    pub(super) fn pick<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }

    /// What the user said, on lines of its own.
    pub(super) fn user_says(self, text: &str) -> String {
        let says = self.pick("The user says: ", "用户说：");
        format!("{says}{}\n", verbatim(text, LONGEST_TEXT))
    }

    /// What the user said between a question and its answer, and not in answer to it.
    pub(super) fn user_says_unasked(self, text: &str) -> String {
        let says = self.pick(
            "The user says, and not in answer to that: ",
            "用户另外说（不是对这个问题的回答）：",
        );
        format!("{says}{}\n", verbatim(text, LONGEST_TEXT))
    }

    /// What the user replied, on lines of its own, with the question and whether it was asked in the model's words.
    fn answered(self, question: Option<(&str, bool)>, reply: &str) -> String {
        let Some((question, own)) = question else { return self.user_says(reply) };
        let asked = if own {
            self.pick("You asked the user: ", "你问过用户：")
        } else {
            self.pick("The user was asked: ", "用户被问到：")
        };
        let answered = self.pick(" The user answered: ", " 用户回答：");
        let question = quote_untrusted(question, LONGEST_TEXT);
        format!("{asked}{question}{answered}{}\n", verbatim(reply, LONGEST_TEXT))
    }

    fn noted(self, text: &str) -> String {
        let noted = self.pick("You noted: ", "你记下了：");
        format!("{noted}{}\n", quote_untrusted(text, LONGEST_TEXT))
    }

    /// What is said of an action whose effect could not be checked.
    pub(super) fn not_certain(self) -> &'static str {
        match self {
            Self::English => NOT_CERTAIN,
            Self::Chinese => "不确定是否生效",
        }
    }
}

/// The part of a session that goes into a prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct History<'a> {
    /// Before the present request; empty for a subtask.
    earlier: &'a [HistoryItem],
    /// Since the request, but too long ago.
    omitted: &'a [HistoryItem],
    /// Since then.
    recent: &'a [HistoryItem],
    /// Steps of the round that are not in `recent`.
    steps_before: usize,
    system_notes: &'a [String],
    pub(super) lang: Lang,
}

/// What a reply in a family's format decides on a picture of this size.
pub(super) type ReadReply<'a> = dyn Fn(&Reply, ScreenSize) -> Result<Decision, ParseError> + 'a;

/// A step of the present round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PastStep<'a> {
    /// Its number in the round, from 1.
    pub number: usize,
    /// What was decided and what came of it.
    pub step: &'a HistoryStep,
    /// Whether the user's reply follows it.
    pub answered: bool,
    /// That of the prompt.
    pub lang: Lang,
}

impl<'a> History<'a> {
    pub(super) fn of(input: &StepInput<'a>) -> Self {
        let all = input.history;
        let opens =
            |it: &HistoryItem| matches!(it, HistoryItem::Request(_) | HistoryItem::Subtask(_));
        let (earlier, round) = match all.iter().rposition(opens) {
            Some(at) if matches!(all[at], HistoryItem::Subtask(_)) => (&[][..], &all[at + 1..]),
            Some(at) => (&all[..at], &all[at + 1..]),
            None => (&[][..], all),
        };
        let steps = round.iter().filter(|it| matches!(it, HistoryItem::Step(_))).count();
        let omit = steps.saturating_sub(MAX_STEPS).div_ceil(OMITTED_AT_A_TIME) * OMITTED_AT_A_TIME;
        let mut history = Self {
            earlier,
            omitted: &[],
            recent: round,
            steps_before: 0,
            system_notes: input.system_notes,
            lang: Lang::English,
        };
        if 0 < omit {
            (history.omitted, history.recent) = round.split_at(history.position(omit));
            history.steps_before = omit;
        }
        history
    }

    /// The history with its headings and notes in this language.
    pub(super) fn in_language(self, lang: Lang) -> Self {
        Self { lang, ..self }
    }

    /// Splits the recent steps into those before and those from the first of the last steps that all have
    /// their screens.
    pub(super) fn split_at_images(self, input: &StepInput<'_>) -> (Self, Self) {
        let has_image =
            |it: &PastStep<'_>| input.history_images.iter().any(|image| image.step == it.step.step);
        let steps: Vec<PastStep<'_>> = self.steps().collect();
        let shown = steps.iter().rev().take_while(|it| has_image(it)).count();
        let first = steps.len() - shown;
        let (before, after) = self.recent.split_at(self.position(first));
        let after = Self {
            earlier: &[],
            omitted: &[],
            recent: after,
            steps_before: self.steps_before + first,
            ..self
        };
        (Self { recent: before, ..self }, after)
    }

    /// The position of the recent step of this index.
    fn position(&self, index: usize) -> usize {
        let steps =
            self.recent.iter().enumerate().filter(|(_, it)| matches!(it, HistoryItem::Step(_)));
        steps.map(|(at, _)| at).nth(index).unwrap_or(self.recent.len())
    }

    /// The recent items in order; [`Self::steps`] has the steps among them.
    pub(super) fn recent(&self) -> &'a [HistoryItem] {
        self.recent
    }

    /// The recent steps.
    pub(super) fn steps(self) -> impl Iterator<Item = PastStep<'a>> {
        let items = self.recent.iter().enumerate();
        let steps = items.filter_map(move |(at, it)| match it {
            HistoryItem::Step(step) => Some((step, answer_to(self.recent, at).is_some())),
            HistoryItem::Request(_)
            | HistoryItem::Subtask(_)
            | HistoryItem::UserReply(_)
            | HistoryItem::Advice(_) => None,
        });
        steps.enumerate().map(move |(at, (step, answered))| PastStep {
            number: self.steps_before + at + 1,
            step,
            answered,
            lang: self.lang,
        })
    }

    /// What was before this request, as it is told, and the history without it.
    pub(super) fn split_earlier(self) -> (String, Self) {
        (self.earlier(), Self { earlier: &[], ..self })
    }

    /// How many steps are left out; empty where none are.
    pub(super) fn omission(&self) -> String {
        let steps = self.omitted.iter().filter(|it| matches!(it, HistoryItem::Step(_))).count();
        if steps == 0 {
            return String::new();
        }
        match self.lang {
            Lang::English => format!("({steps} earlier steps are left out here.)\n"),
            Lang::Chinese => format!("（此处省略了更早的 {steps} 步。）\n"),
        }
    }

    /// How many steps are left out, and the notes and replies among them.
    pub(super) fn omitted(&self) -> String {
        self.omission() + &reminders(self.omitted, self.lang)
    }

    /// What was noted and what the user said in this round: an entry each, which ends its line.
    pub(super) fn reminders(&self) -> String {
        reminders(self.omitted.iter().chain(self.recent), self.lang)
    }

    /// The steps of the round, a line each: the label, the number from 1 and the description.
    pub(super) fn list(self, label: &str, describe: impl Fn(PastStep<'_>) -> String) -> String {
        self.list_from(1, label, describe)
    }

    /// The steps of the round as [`list`](Self::list) has them, with the first one's number.
    pub(super) fn list_from(
        self,
        first: usize,
        label: &str,
        describe: impl Fn(PastStep<'_>) -> String,
    ) -> String {
        let mut lines = self.omission();
        for step in self.steps() {
            let number = step.number - 1 + first;
            writeln!(lines, "{label}{number}: {}{}", describe(step).trim(), step.failure())
                .expect("it is a String");
        }
        lines
    }

    /// The system notes, a line each.
    pub(super) fn system_notes(&self) -> String {
        let label = self.lang.pick("System note: ", "系统提示：");
        let notes = self.system_notes.iter();
        let notes: Vec<String> =
            notes.map(|note| format!("{label}{}\n", quote_untrusted(note, LONGEST_TEXT))).collect();
        last(&notes).concat()
    }
}

impl PastStep<'_> {
    /// The reply word for word, if it is in the family's format and decides what was decided: another model's
    /// is not, nor is one of which the record has not every word. Tokens that would part speakers are
    /// none.
    pub(super) fn as_said(&self, read: Option<&ReadReply<'_>>, size: ScreenSize) -> Option<String> {
        let text = self.step.reply.clone()?;
        let reply = Reply { text, ..Reply::default() };
        let decided = read?(&reply, size).ok()?.action;
        let same = ActionRecord::from(&decided) == ActionRecord::from(&self.step.decision.action);
        same.then(|| without_role_tokens(reply.text.trim()))
    }

    /// The action in the model's words, on a line.
    pub(super) fn explanation(&self) -> String {
        plain_line(&self.step.decision.explain, LONGEST_LINE)
    }

    /// The model's reasons, on a line.
    pub(super) fn thought(&self) -> String {
        let decision = &self.step.decision;
        let all = [&decision.thought, &decision.explain];
        let text = all.into_iter().find(|text| !text.trim().is_empty());
        text.map(|text| plain_line(text, 1000)).unwrap_or_default()
    }

    /// The question that the user was asked before the act of this step, which was not done then; `None` of any other step.
    pub(super) fn asked_first(&self) -> Option<&str> {
        let action = &self.step.decision.action;
        action.gesture()?;
        match (&self.step.asked, action) {
            (Some(asked), _) => (asked.kind == QuestionKind::Confirm).then_some(&*asked.text),
            // It is not known how it was put.
            (None, Action::Confirm { question, .. }) => self.answered.then_some(&*question.text),
            (None, _) => None,
        }
    }

    /// That the act was not done, and how it will be, with the question that was asked; nothing of any other step.
    pub(super) fn not_done_yet(&self) -> Option<String> {
        let question = quote_untrusted(self.asked_first()?, LONGEST_TEXT);
        Some(match self.lang {
            Lang::English => format!(
                "Not done yet. The user was asked first: {question}. It is done only if the user says yes and you \
                 then decide on the same act again."
            ),
            Lang::Chinese => format!(
                "还没有执行。先问了用户：{question}。只有用户同意、并且你再次决定同样的动作，才会执行。"
            ),
        })
    }

    /// That an act has not been done since the user was asked first, where the question and its answer stand elsewhere.
    pub(super) fn not_done_since_asked(&self) -> Option<&'static str> {
        self.asked_first().filter(|_| self.answered)?;
        Some(self.lang.pick(
            "not done yet: the user was asked first; after a yes, decide on the same act again",
            "还没有执行：先问了用户；用户同意后，要再次决定同样的动作才会执行",
        ))
    }

    /// The error, with the question for the user that it led to.
    pub(super) fn error(&self) -> Option<String> {
        let error = self.step.error.as_ref()?;
        let told = quote_untrusted(error, LONGEST_TEXT);
        let asked = self.step.asked.as_ref().filter(|asked| !error.contains(&asked.text));
        Some(match asked {
            Some(asked) => {
                let was_asked = self.lang.pick("the user was asked", "问了用户");
                format!("{told}; {was_asked}: {}", quote_untrusted(&asked.text, LONGEST_TEXT))
            }
            None => told,
        })
    }

    /// The error or the doubt, to be appended to a line about the step; empty if there is none. A question that was
    /// answered stands with its answer.
    pub(super) fn failure(&self) -> String {
        if let Some(asked) = self.not_done_since_asked() {
            return format!(" ({asked})");
        }
        if let Some(asked) = self.not_done_yet() {
            return format!(" ({asked})");
        }
        if let Some(error) = self.error() {
            let failed = self.lang.pick("this failed", "没有成功");
            return format!(" ({failed}: {error})");
        }
        let doubt = |why| format!(" ({}: {why})", self.lang.not_certain());
        self.doubt().map(doubt).unwrap_or_default()
    }

    /// The outcome, as the result of a tool call.
    pub(super) fn outcome(&self) -> String {
        if let Some(asked) = self.not_done_yet() {
            return asked;
        }
        match (self.error(), self.doubt()) {
            (Some(error), _) => format!("It failed: {error}"),
            (None, Some(why)) => format!("Sent, but {NOT_CERTAIN}: {why}"),
            (None, None) => "Done.".to_owned(),
        }
    }

    /// Why it is not certain that the action had its effect, quoted.
    pub(super) fn doubt(&self) -> Option<String> {
        self.step.uncertain.as_ref().map(|why| quote_untrusted(why, LONGEST_TEXT))
    }

    /// The action in words, for a family whose format cannot express it.
    pub(super) fn in_words(&self) -> String {
        let quoted = |text: &str| quote_untrusted(text, LONGEST_LINE);
        match &self.step.decision.action {
            Action::Note { text } => format!("noted {}", quote_untrusted(text, LONGEST_TEXT)),
            Action::Gesture(Gesture::HotKey { key }) => format!("pressed the key {}", key.name()),
            Action::Gesture(Gesture::Awake { app }) => format!("opened {}", quoted(app)),
            Action::Gesture(Gesture::Command(command)) => {
                let arguments: Vec<String> =
                    command.arguments().into_iter().map(|(_, value)| quoted(value)).collect();
                format!("{} {}", command.name(), arguments.join(" "))
            }
            Action::Info(question) | Action::Confirm { question, .. } => {
                format!("asked the user {}", quoted(&question.text))
            }
            Action::Abort { reason } => format!("gave up: {}", quoted(reason)),
            other => format!("{} {}", other.name(), self.explanation()).trim_end().to_owned(),
        }
    }
}

/// What is said of an action whose effect could not be checked.
pub(super) const NOT_CERTAIN: &str = "it is not certain that this worked";

/// The answer to what was asked in the step at this index, if there is one.
fn answer_to(items: &[HistoryItem], at: usize) -> Option<&str> {
    let behind = items.get(at + 1..)?.iter();
    match behind.into_iter().find(|it| !matches!(it, HistoryItem::Advice(_))) {
        Some(HistoryItem::UserReply(text)) => Some(text),
        _ => None,
    }
}

/// What the user was asked in a step, and whether in the model's own words.
pub(super) fn question_of(step: &HistoryStep) -> Option<(&str, bool)> {
    let own = match &step.decision.action {
        Action::Info(asked) | Action::Confirm { question: asked, .. } => Some(&*asked.text),
        _ => None,
    };
    let put = step.asked.as_ref().map(|asked| &*asked.text).or(own)?;
    Some((put, own == Some(put)))
}

/// The last notes and the last replies in their order, each reply with the question it answers. However much a model
/// notes, what the user said stays.
fn reminders<'a>(items: impl IntoIterator<Item = &'a HistoryItem>, lang: Lang) -> String {
    let (mut notes, mut said) = (Vec::new(), Vec::new());
    let mut question = None;
    for (at, item) in items.into_iter().enumerate() {
        match item {
            HistoryItem::Step(step) => {
                question = question_of(step).or(question);
                if let Action::Note { text } = &step.decision.action {
                    notes.push((at, lang.noted(text)));
                }
            }
            HistoryItem::Advice(advice) => said.push((at, lang.user_says(advice))),
            HistoryItem::UserReply(reply) => {
                said.push((at, lang.answered(question.take(), reply)));
            }
            HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
        }
    }
    let mut kept = [last(&notes), last(&said)].concat();
    kept.sort_by_key(|(at, _)| *at);
    kept.into_iter().map(|(_, line)| line).collect()
}

/// The last of a list, as many as a prompt holds.
pub(super) fn last<T>(all: &[T]) -> &[T] {
    &all[all.len().saturating_sub(MAX_REMINDERS)..]
}
