//! A model that never decides the same thing twice, and knows what it has decided.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{
    Action, Decision, Frame, HistoryItem, Message, Model, ModelError, ModelErrorKind, ParseError,
    Part, Picture, Prompt, Reply, Role, ScreenSize, StepInput, Tokens,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::phone::shade;
use crate::planted::Planted;
use crate::schedule::{Fault, Site};
use crate::world::World;

/// What the model is told of an act that a crash kept from the phone.
const NOT_BEGUN: &str = "not carried out: the server stopped before the phone began it";

#[derive(Debug)]
pub struct Mind {
    world: Arc<World>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    decisions: u32,
    /// What it asked permission for.
    asked: Option<Value>,
    last: Option<String>,
    stuck: bool,
}

impl Mind {
    pub fn new(world: Arc<World>) -> Self {
        Self { world, state: Mutex::default() }
    }

    /// Somebody has told it to try something else.
    pub fn is_advised(&self) {
        self.state.lock().expect("nothing panics here").stuck = false;
    }

    /// A decision that no other is like.
    fn decide(&self) -> String {
        let (again, past, steps) =
            (self.world.random(10), self.world.random(20), self.world.steps());
        let mut state = self.state.lock().expect("nothing panics here");
        if let Some(last) = state.last.clone().filter(|_| state.stuck) {
            return last;
        }
        // A question that never reached the client, as in a process that was killed, was never asked.
        let answered = |act: &Value| {
            let act = describe(act);
            self.world.truth(|truth| truth.leave.get(&act).copied().flatten().is_some())
        };
        let asked = state.asked.take().filter(answered);
        let n = state.decisions;
        state.decisions += 1;
        let gesture = match n % 7 {
            3 => json!({ "function": "TYPE", "arguments":
                { "value": format!("word {n}"), "clear": false, "submit": false } }),
            5 => json!({ "function": "SLIDE", "arguments":
                { "point1": [100, 100 + n], "point2": [100, 900], "duration_ms": 300 } }),
            _ => json!({ "function": "CLICK", "arguments": { "point": [100 + n, 500] } }),
        };
        let said = match (asked, past) {
            // What it asked for, whatever was answered.
            (Some(asked), _) if again < 7 => asked,
            _ if steps <= n => {
                json!({ "function": "COMPLETE", "arguments": { "return": format!("done {n}") } })
            }
            (_, 0) => json!({ "function": "INFO", "arguments":
                { "question": { "kind": "info", "text": format!("Which {n}?"), "options": [] } } }),
            (_, 1) => json!({ "function": "INFO", "arguments": { "act": gesture,
                "question": { "kind": "confirm", "text": format!("May I {n}?"), "options": [] } } }),
            (_, 2) => json!({ "function": "NOTE", "arguments": { "text": format!("note {n}") } }),
            (_, 3) => json!({ "function": "WAIT", "arguments": { "seconds": 1 } }),
            (_, 4) if again == 0 => {
                json!({ "function": "ABORT", "arguments": { "reason": format!("no {n}") } })
            }
            _ => gesture,
        };
        said.to_string()
    }

    /// What was said is true from now on, and was decided in this app.
    fn remember(&self, text: &str, app: &str) {
        let Ok(said) = serde_json::from_str::<Value>(text) else { return };
        let act = &said["arguments"]["act"];
        let mut state = self.state.lock().expect("nothing panics here");
        state.last = Some(text.to_owned());
        state.asked = act.is_object().then(|| act.clone());
        drop(state);
        let text = |name: &str| said["arguments"][name].as_str().unwrap_or_default().to_owned();
        self.world.truth(|truth| match said["function"].as_str() {
            Some("COMPLETE") => {
                truth.completed.insert(text("return"));
            }
            Some("ABORT") => {
                truth.aborted.insert(text("reason"));
            }
            Some("INFO") if act.is_object() => {
                let question = said["arguments"]["question"]["text"].as_str().expect("our own");
                truth.asked.insert(question.to_owned(), describe(act));
                truth.asked_in.insert(describe(act), app.to_owned());
                truth.leave.entry(describe(act)).or_insert(None);
                *truth.decided.entry(describe(act)).or_default() += 1;
            }
            _ => {
                *truth.decided.entry(describe(&said)).or_default() += 1;
                truth.decided_in.insert(describe(&said), app.to_owned());
            }
        });
    }

    /// What the model is told of the past has to be true.
    fn check_history(&self, view: &StepInput<'_>) {
        for item in view.history {
            let HistoryItem::Step(step) = item else { continue };
            let Action::Gesture(gesture) = &step.decision.action else { continue };
            let what = ActionRecord::from(&Action::Gesture(gesture.clone())).describe();
            if step.error.as_ref().is_some_and(|error| error.starts_with(NOT_BEGUN)) {
                let done = self.world.truth(|truth| {
                    truth.decided.get(&what) == Some(&1)
                        && truth.arrived.contains(&(what.clone(), true))
                });
                self.world.check(!done, || format!("the model is told that {what} was not done"));
            }
            if step.error.is_some() || step.uncertain.is_some() {
                continue;
            }
            let done = self.world.truth(|truth| truth.arrived.contains(&(what.clone(), true)));
            self.world.check(done, || format!("the model is told that {what} was done"));
        }
    }

    async fn think(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
        let begun = Instant::now();
        let fault = self.world.arrive(Site::ModelCall).await;
        let error = |kind, message: &str| ModelError::new(kind, message, begun.elapsed());
        let mut latency = Duration::from_millis(u64::from(200 + self.world.random(1800)));
        let mut finish_reason = "stop";
        let text = match fault {
            Some(Fault::ModelFails) => {
                sleep(latency).await;
                if self.world.has(Planted::FailureIsDone) {
                    return Ok(done_by_itself(begun));
                }
                return Err(error(ModelErrorKind::ServerFault, "status 503"));
            }
            Some(Fault::ModelSilent) => {
                sleep(limit).await;
                return Err(error(ModelErrorKind::TimedOut, "no answer"));
            }
            Some(Fault::ModelSlow(time)) => {
                latency = time;
                self.decide()
            }
            Some(Fault::Unreadable) => "I think I would rather tap somewhere.".to_owned(),
            Some(Fault::Empty) => String::new(),
            Some(Fault::OffScreen) => {
                json!({ "function": "CLICK", "arguments": { "point": [500, 4000] } }).to_string()
            }
            Some(Fault::CutShort) => {
                finish_reason = "length";
                let last = self.state.lock().expect("nothing panics here").last.clone();
                match last.filter(|_| self.world.has(Planted::CutShortRepeats)) {
                    Some(last) => last,
                    None => self.decide().chars().take(20).collect(),
                }
            }
            Some(Fault::Stuck) => {
                self.state.lock().expect("nothing panics here").stuck = true;
                self.decide()
            }
            Some(Fault::AppSwitched) => {
                sleep(Duration::from_millis(u64::from(self.world.random(4000)))).await;
                self.world.switch_app();
                latency *= 3;
                self.decide()
            }
            Some(Fault::Touched) => {
                self.world.truth(|truth| truth.page += 1);
                self.decide()
            }
            _ => self.decide(),
        };
        if limit < latency {
            sleep(limit).await;
            return Err(error(ModelErrorKind::TimedOut, "no answer"));
        }
        sleep(latency).await;
        self.world.note(format!("model: {text}"));
        if finish_reason == "stop" {
            self.remember(&text, &app_of(prompt));
        }
        Ok(Reply {
            text,
            finish_reason: Some(finish_reason.to_owned()),
            model: "simulated".to_owned(),
            tokens: Tokens { prompt: 100, completion: 10, thinking: 0, cached: 0 },
            latency: begun.elapsed(),
            ..Reply::default()
        })
    }
}

#[async_trait]
impl Model for Mind {
    #[expect(clippy::unnecessary_literal_bound, reason = "as the trait has it")]
    fn name(&self) -> &str {
        "simulated"
    }

    #[expect(clippy::unnecessary_literal_bound, reason = "as the trait has it")]
    fn profile(&self) -> &str {
        "facts"
    }

    fn picture(&self, frame: &Frame) -> Picture {
        let bytes = frame.rgba().slice(..4);
        Picture { bytes, media_type: "image/png", size: frame.size() }
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        let (first, last) = self.world.truth(|truth| (truth.page_of_gesture, truth.page));
        let seen = view.picture.bytes[0];
        // Pages come and go without us, but a screen of before the last gesture is never shown.
        let fresh = (first..=last).any(|page| shade(page) == seen) || seen == 0;
        self.world.check(fresh, || {
            format!("shade {seen} is shown to the model, not of pages {first} to {last}")
        });
        self.check_history(view);
        let app = view.app.unwrap_or_default().to_owned();
        let parts = vec![Part::Text(app), Part::Picture(view.picture.clone())];
        Prompt::of(vec![Message { role: Role::User, parts }])
    }

    async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
        self.world.truth(|truth| truth.thinking = true);
        let reply = self.think(prompt, limit).await;
        self.world.truth(|truth| truth.thinking = false);
        reply
    }

    fn read(&self, reply: &Reply, _sent: ScreenSize) -> Result<Decision, ParseError> {
        let action = serde_json::from_str::<ActionRecord>(&reply.text)
            .map_err(|err| ParseError::new(err.to_string()))
            .and_then(|facts| {
                Action::try_from(&facts).map_err(|err| ParseError::new(err.to_string()))
            });
        let action = match action {
            Err(_) if self.world.has(Planted::UnreadableIsDone) => {
                Action::Complete { message: reply.text.clone() }
            }
            Ok(Action::Confirm { gesture, .. }) if self.world.has(Planted::QuestionIsLeave) => {
                Action::Gesture(gesture)
            }
            action => action?,
        };
        Ok(Decision {
            action,
            thought: String::new(),
            explain: String::new(),
            summary: String::new(),
            observation: String::new(),
        })
    }
}

/// The app that a prompt names.
fn app_of(prompt: &Prompt) -> String {
    match prompt.messages.first().and_then(|message| message.parts.first()) {
        Some(Part::Text(app)) => app.clone(),
        _ => String::new(),
    }
}

fn done_by_itself(begun: Instant) -> Reply {
    let text = json!({ "function": "COMPLETE", "arguments": { "return": "all done" } }).to_string();
    Reply { text, latency: begun.elapsed(), ..Reply::default() }
}

fn describe(act: &Value) -> String {
    serde_json::from_value::<ActionRecord>(act.clone()).expect("our own").describe()
}
