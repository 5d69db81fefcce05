//! The report on the answers: a row for each, a total, and whether the model can be trusted.
use ayeaye_agent::{Model as _, ModelError, Reply, ScreenSize, Tokens};
use ayeaye_model::RemoteModel;
use serde_json::{Value, json};

use super::judge::Grade;
use super::scenes::Scene;
use crate::terminal::Terminal;
use crate::text::{one_line, truncate};

/// How many have to be right. Two of ten may be misses that a run recovers from, since it sees the next screen and
/// tries again; more than that and it does not arrive.
const ENOUGH: usize = 8;
/// Characters of foreign text that are shown.
const MAX_QUOTED: usize = 80;

/// What came of one picture.
#[derive(Debug)]
pub(super) struct SceneResult {
    pub(super) number: usize,
    pub(super) name: &'static str,
    pub(super) task: &'static str,
    pub(super) expected: &'static str,
    pub(super) screen: ScreenSize,
    pub(super) grade: Grade,
    /// What it answered, or why there is no answer.
    pub(super) answer: String,
    /// What is worse than wrong about it.
    pub(super) harm: Option<&'static str>,
    pub(super) seconds: f64,
    pub(super) tokens: Tokens,
    /// US dollars, where the prices and the tokens are known.
    pub(super) cost: Option<f64>,
}

impl SceneResult {
    /// A reply that has not been judged yet.
    pub(super) fn of(number: usize, scene: &Scene, screen: ScreenSize, reply: &Reply) -> Self {
        Self {
            number,
            name: scene.name,
            task: scene.task,
            expected: scene.expected,
            screen,
            grade: Grade::Unreadable,
            answer: String::new(),
            harm: None,
            seconds: reply.latency.as_secs_f64(),
            tokens: reply.tokens,
            cost: None,
        }
    }

    /// A call that failed.
    pub(super) fn failed(
        number: usize,
        scene: &Scene,
        screen: ScreenSize,
        err: &ModelError,
    ) -> Self {
        let reply = Reply { latency: err.latency, ..Reply::default() };
        let answer = plain(&err.message);
        Self { grade: Grade::Failed, answer, ..Self::of(number, scene, screen, &reply) }
    }
}

/// Foreign text in quotes, short and on one line.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", truncate(&one_line(text.trim()), MAX_QUOTED))
}

/// A sentence of ours that may hold foreign words.
pub(super) fn plain(text: &str) -> String {
    truncate(&one_line(text), 3 * MAX_QUOTED)
}

pub(super) fn heading(model: &RemoteModel) -> String {
    format!(
        "{} at {}, treated as {}: ten screens of virtual phones, one call each. No real phone is touched.",
        one_line(&model.config().name),
        model.config().endpoint,
        model.profile_name()
    )
}

pub(super) fn row(it: &SceneResult) -> String {
    let line = format!(
        "{:>4}  {:<10}  {:<9}  {:<10}  {:>5.1} s  {}",
        it.number,
        it.name,
        it.screen.to_string(),
        it.grade.name(),
        it.seconds,
        it.answer
    );
    match it.grade {
        Grade::Right => line,
        _ => format!("{line}\n      right is {}", it.expected),
    }
}

/// All answers together.
#[derive(Debug)]
pub(super) struct Total<'a> {
    model: &'a RemoteModel,
    outcomes: Vec<SceneResult>,
}

impl<'a> Total<'a> {
    pub(super) fn of(model: &'a RemoteModel, outcomes: Vec<SceneResult>) -> Self {
        Self { model, outcomes }
    }

    fn count(&self, grade: Grade) -> usize {
        self.outcomes.iter().filter(|it| it.grade == grade).count()
    }

    /// Why the model should not be trusted; empty where it can be.
    fn doubts(&self) -> Vec<String> {
        let right = self.count(Grade::Right);
        let few = (right < ENOUGH).then(|| {
            format!("{right} of {} answers are right, {ENOUGH} are needed", self.outcomes.len())
        });
        let harms = self.outcomes.iter().filter_map(|it| Some((it, it.harm?)));
        few.into_iter().chain(harms.map(|(it, harm)| format!("{}: {harm}", it.name))).collect()
    }

    pub(super) fn is_trusted(&self) -> bool {
        self.doubts().is_empty()
    }

    fn seconds(&self) -> f64 {
        self.outcomes.iter().map(|it| it.seconds).sum()
    }

    /// Sent and received.
    fn tokens(&self) -> (u64, u64) {
        let all = || self.outcomes.iter().map(|it| it.tokens);
        (all().map(|it| it.prompt).sum(), all().map(|it| it.completion).sum())
    }

    /// US dollars, if the cost of every call is known.
    fn cost(&self) -> Option<f64> {
        self.outcomes.iter().map(|it| it.cost).sum()
    }

    pub(super) fn print(&self, terminal: Terminal) {
        let counts: Vec<String> =
            Grade::ALL.iter().map(|it| format!("{} {}", self.count(*it), it.name())).collect();
        let (sent, received) = self.tokens();
        let cost = match self.cost() {
            Some(cost) => format!("{cost:.4} USD"),
            None if self.model.prices().is_none() => {
                "cost not known (set model.input-price and model.output-price)".to_owned()
            }
            None => "cost not known".to_owned(),
        };
        terminal.line("");
        terminal.line(&format!(
            "{}; {:.1} s, {sent} tokens sent, {received} received, {cost}.",
            counts.join(", "),
            self.seconds()
        ));
        for doubt in self.doubts() {
            terminal.line(&format!("  -> {doubt}"));
        }
        let verdict = if self.is_trusted() {
            "It can be trusted with a phone, as far as ten pictures tell."
        } else if 2 <= self.count(Grade::Near) {
            "It should not be trusted with a phone yet: taps land beside their targets, and `ayeaye model \
             calibrate` finds out why."
        } else if 3 <= self.count(Grade::Unreadable) {
            "It should not be trusted with a phone yet: replies are not in the expected format. \
             `ayeaye model list` shows the profiles; model.profile chooses one."
        } else {
            "It should not be trusted with a phone: choose another model, or watch what it does."
        };
        terminal.line(verdict);
    }

    pub(super) fn as_json(&self) -> Value {
        let (sent, received) = self.tokens();
        let outcomes: Vec<Value> = self.outcomes.iter().map(outcome_json).collect();
        let mut document = json!({
            "model": self.model.config().name,
            "endpoint": self.model.config().endpoint.to_string(),
            "profile": self.model.profile_name(),
            "trusted": self.is_trusted(),
            "doubts": self.doubts(),
            "seconds": rounded(self.seconds()),
            "prompt_tokens": sent, "completion_tokens": received,
            "cost_usd": self.cost(), "pictures": outcomes,
        });
        for grade in Grade::ALL {
            document[grade.name()] = self.count(grade).into();
        }
        document
    }
}

fn outcome_json(it: &SceneResult) -> Value {
    json!({
        "number": it.number, "name": it.name, "task": it.task,
        "screen": { "width": it.screen.width, "height": it.screen.height },
        "grade": it.grade.name(), "answer": it.answer, "expected": it.expected, "harm": it.harm,
        "seconds": rounded(it.seconds), "prompt_tokens": it.tokens.prompt,
        "completion_tokens": it.tokens.completion, "cost_usd": it.cost,
    })
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
