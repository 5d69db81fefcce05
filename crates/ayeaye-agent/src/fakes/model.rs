//! A model that says what is written down, and checks what it is shown.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::journal::ActionRecord;
use crate::{
    Action, Decision, FailedAttempts, Frame, HistoryItem, Message, Model, ModelError,
    ModelErrorKind, ParseError, Part, Picture, Prices, Prompt, Reply, Retry, Role, ScreenSize,
    StepInput, Tokens,
};

/// How an endpoint says that a reply is not whole.
const CUT: &str = "length";
/// How it says that it may not be.
const HALF: &str = "perhaps";

/// What one call comes to.
#[derive(Debug, Clone)]
pub(crate) enum ScriptedReply {
    /// These words, after the usual time.
    Says(String),
    /// These words, which the endpoint has cut off.
    Cut(String),
    /// These words, which may be half of what the model said.
    Half(String),
    /// These words, after this time.
    Late(Duration, String),
    /// The endpoint fails, with this cause.
    Fails(String),
    /// The endpoint refuses the request, and says this.
    Refuses(String),
    /// Nothing, for ever.
    Hangs,
    /// Nothing, for ever, once this attempt has failed.
    HangsAfter(Retry),
    /// A mistake of ours.
    Panics,
}

pub(crate) fn say(function: &str, arguments: &Value) -> ScriptedReply {
    ScriptedReply::Says(json!({ "function": function, "arguments": arguments }).to_string())
}

pub(crate) fn click(x: u32) -> ScriptedReply {
    say("CLICK", &json!({ "point": [x, 500] }))
}

pub(crate) fn wait(seconds: u32) -> ScriptedReply {
    say("WAIT", &json!({ "seconds": seconds }))
}

pub(crate) fn note(text: &str) -> ScriptedReply {
    say("NOTE", &json!({ "text": text }))
}

pub(crate) fn types(text: &str, at: Option<[u32; 2]>) -> ScriptedReply {
    let mut arguments = json!({ "value": text, "clear": false, "submit": false });
    if let Some(point) = at {
        arguments["point"] = json!(point);
    }
    say("TYPE", &arguments)
}

pub(crate) fn confirm(text: &str) -> ScriptedReply {
    say("INFO", &json!({ "question": { "kind": "confirm", "text": text, "options": [] } }))
}

/// A click that needs permission.
pub(crate) fn sensitive(x: u32, text: &str) -> ScriptedReply {
    let question = json!({ "kind": "confirm", "text": text, "options": [] });
    let act = json!({ "function": "CLICK", "arguments": { "point": [x, 500] } });
    say("INFO", &json!({ "question": question, "act": act }))
}

pub(crate) fn info(text: &str) -> ScriptedReply {
    say("INFO", &json!({ "question": { "kind": "info", "text": text, "options": [] } }))
}

pub(crate) fn complete(message: &str) -> ScriptedReply {
    say("COMPLETE", &json!({ "return": message }))
}

pub(crate) fn abort(reason: &str) -> ScriptedReply {
    say("ABORT", &json!({ "reason": reason }))
}

/// What a step showed the model.
#[derive(Debug, Clone)]
pub(crate) struct ShownToModel {
    pub(crate) request: String,
    pub(crate) history: Vec<HistoryItem>,
    pub(crate) system_notes: Vec<String>,
    pub(crate) picture: Picture,
    pub(crate) installed_apps: Vec<String>,
    /// Steps whose pictures are shown again.
    pub(crate) history_images: Vec<u32>,
}

impl ShownToModel {
    /// The past in short words: `?` a request, `!` what was said, else an action and how it failed.
    pub(crate) fn past_in_words(&self) -> Vec<String> {
        let words = |history: &HistoryItem| match history {
            HistoryItem::Request(text) | HistoryItem::Subtask(text) => format!("? {text}"),
            HistoryItem::UserReply(text) | HistoryItem::Advice(text) => format!("! {text}"),
            HistoryItem::Step(step) => {
                let action = ActionRecord::from(&step.decision.action).describe();
                match &step.error {
                    None => action,
                    Some(error) => format!("{action} ({error})"),
                }
            }
        };
        self.history.iter().map(words).collect()
    }
}

#[derive(Debug)]
pub(crate) struct ScriptedModel {
    name: &'static str,
    /// The bytes of its pictures are the frame's first pixel and these.
    mark: &'static [u8],
    history_images: AtomicUsize,
    /// Calls that are given up cost nothing.
    own: AtomicBool,
    lines: Mutex<VecDeque<ScriptedReply>>,
    seen: Mutex<Vec<ShownToModel>>,
    prompts: Mutex<Vec<Prompt>>,
    complaints: Mutex<Vec<String>>,
    prices: Mutex<Option<Prices>>,
    calls: watch::Sender<u32>,
}

/// How long an answer takes, in paused time.
const LATENCY: Duration = Duration::from_millis(800);

impl ScriptedModel {
    pub(crate) fn new(lines: impl IntoIterator<Item = ScriptedReply>) -> Self {
        Self::named("script", b"", lines)
    }

    /// Another model, with pictures of its own.
    pub(crate) fn named(
        name: &'static str,
        mark: &'static [u8],
        lines: impl IntoIterator<Item = ScriptedReply>,
    ) -> Self {
        Self {
            name,
            mark,
            history_images: AtomicUsize::new(0),
            own: AtomicBool::new(false),
            lines: Mutex::new(lines.into_iter().collect()),
            seen: Mutex::default(),
            prompts: Mutex::default(),
            complaints: Mutex::default(),
            prices: Mutex::default(),
            calls: watch::Sender::new(0),
        }
    }

    /// Lines for later.
    pub(crate) fn adds(&self, lines: impl IntoIterator<Item = ScriptedReply>) {
        lock(&self.lines).extend(lines);
    }

    /// From now on its prompts show so many earlier screens.
    pub(crate) fn shows_earlier(&self, most: usize) {
        self.history_images.store(most, Ordering::Relaxed);
    }

    /// From now on it is an endpoint of one's own.
    pub(crate) fn is_ones_own(&self) {
        self.own.store(true, Ordering::Relaxed);
    }

    /// From now on its calls have a price.
    pub(crate) fn cost(&self, prices: Prices) {
        *lock(&self.prices) = Some(prices);
    }

    /// What the steps showed, in order.
    pub(crate) fn seen(&self) -> Vec<ShownToModel> {
        lock(&self.seen).clone()
    }

    /// What the last step showed.
    pub(crate) fn last(&self) -> ShownToModel {
        self.seen().pop().expect("the model was asked")
    }

    /// Every prompt that was sent.
    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        lock(&self.prompts).clone()
    }

    /// Waits until the nth call has arrived.
    pub(crate) async fn is_asked(&self, nth: u32) {
        let mut calls = self.calls.subscribe();
        let arrived = calls.wait_for(|calls| nth <= *calls);
        super::within(arrived).await.expect("the model is there");
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        lock(&self.complaints).clone()
    }

    fn complain(&self, what: impl Into<String>) {
        lock(&self.complaints).push(what.into());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds this")
}

#[async_trait]
impl Model for ScriptedModel {
    fn name(&self) -> &str {
        self.name
    }

    #[expect(clippy::unnecessary_literal_bound, reason = "as the trait has it")]
    fn profile(&self) -> &str {
        "facts"
    }

    fn prices(&self) -> Option<Prices> {
        *lock(&self.prices)
    }

    fn abandoned_calls_are_free(&self) -> bool {
        self.own.load(Ordering::Relaxed)
    }

    fn incomplete(&self, reply: &Reply) -> Option<&'static str> {
        (reply.finish_reason.as_deref() == Some(CUT)).then_some("it was cut off")
    }

    fn may_be_cut(&self, reply: &Reply) -> Option<ParseError> {
        let is_half = reply.finish_reason.as_deref() == Some(HALF);
        is_half.then(|| ParseError::new("it may be half of one; say it whole"))
    }

    fn earlier_pictures(&self) -> usize {
        self.history_images.load(Ordering::Relaxed)
    }

    fn picture(&self, frame: &Frame) -> Picture {
        // All pixels are alike: the first tells the frame.
        let bytes = [&frame.rgba()[..4], self.mark].concat().into();
        Picture { bytes, media_type: "image/png", size: frame.size() }
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        let asked = view.history.iter().rev().find_map(|history| match history {
            HistoryItem::Request(request) | HistoryItem::Subtask(request) => Some(request.as_str()),
            HistoryItem::Step(_) | HistoryItem::UserReply(_) | HistoryItem::Advice(_) => None,
        });
        if asked != Some(view.request) {
            self.complain(format!("the request is {:?}, the past has {asked:?}", view.request));
        }
        if view.app.is_none() {
            self.complain("nobody said which app is in front");
        }
        lock(&self.seen).push(ShownToModel {
            request: view.request.to_owned(),
            history: view.history.to_vec(),
            system_notes: view.system_notes.to_vec(),
            picture: view.picture.clone(),
            installed_apps: view.installed_apps.to_vec(),
            history_images: view.history_images.iter().map(|it| it.step).collect(),
        });
        let last = view.history.iter().rev().find_map(|history| match history {
            HistoryItem::Step(step) => Some(step),
            _ => None,
        });
        let trouble = last.and_then(|step| step.error.clone().or(step.uncertain.clone()));
        let told: Vec<String> = trouble.into_iter().chain(view.system_notes.to_vec()).collect();
        let mut parts = vec![Part::Text(told.join("\n"))];
        parts.extend(view.history_images.iter().map(|it| Part::Picture(it.picture.clone())));
        parts.push(Part::Picture(view.picture.clone()));
        // Long enough to be kept as a blob.
        let rules = "Reply with one action. ".repeat(60);
        Prompt::of(vec![Message::text(Role::System, rules), Message { role: Role::User, parts }])
    }

    async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
        let begun = Instant::now();
        lock(&self.prompts).push(prompt.clone());
        self.calls.send_modify(|calls| *calls += 1);
        let fails =
            |message: String| ModelError::new(ModelErrorKind::Rejected, message, begun.elapsed());
        let line = lock(&self.lines).pop_front();
        let finish_reason = match &line {
            Some(ScriptedReply::Cut(_)) => CUT,
            Some(ScriptedReply::Half(_)) => HALF,
            _ => "stop",
        };
        let (latency, text) = match line {
            None => {
                self.complain("more calls than lines");
                return Err(fails("the script is over".to_owned()));
            }
            Some(
                ScriptedReply::Says(text) | ScriptedReply::Cut(text) | ScriptedReply::Half(text),
            ) => (LATENCY, text),
            Some(ScriptedReply::Late(latency, text)) => (latency, text),
            Some(ScriptedReply::Fails(cause)) => {
                sleep(LATENCY).await;
                return Err(fails(cause));
            }
            Some(ScriptedReply::Refuses(said)) => {
                sleep(LATENCY).await;
                let quoting = |message: &str| (format!("{message} (“{said}”)"), message.to_owned());
                let (error, unquoted) = quoting("the attempt was refused");
                let (waited, taken) = (Duration::ZERO, false);
                let retries = vec![Retry { error, unquoted: Some(unquoted), waited, taken }];
                let (message, unquoted) = quoting("the endpoint refuses it");
                let refused = ModelError::new(ModelErrorKind::Rejected, message, begun.elapsed());
                return Err(ModelError { unquoted: Some(unquoted), retries, ..refused });
            }
            Some(ScriptedReply::Panics) => panic!("this is a test"),
            Some(ScriptedReply::Hangs | ScriptedReply::HangsAfter(_)) => {
                (Duration::MAX, String::new())
            }
        };
        if limit < latency {
            sleep(limit).await;
            let message = format!("no answer within {limit:?}");
            return Err(ModelError::new(ModelErrorKind::TimedOut, message, begun.elapsed()));
        }
        sleep(latency).await;
        Ok(Reply {
            text,
            finish_reason: Some(finish_reason.to_owned()),
            model: "script-1".to_owned(),
            tokens: Tokens { prompt: 100, completion: 10, thinking: 0, cached: 0 },
            latency: begun.elapsed(),
            ..Reply::default()
        })
    }

    async fn call_counted(
        &self,
        prompt: &Prompt,
        limit: Duration,
        failed: &FailedAttempts,
    ) -> Result<Reply, ModelError> {
        if let Some(ScriptedReply::HangsAfter(attempt)) = lock(&self.lines).front() {
            failed.push(attempt.clone());
        }
        self.call(prompt, limit).await
    }

    fn read(&self, reply: &Reply, _sent: ScreenSize) -> Result<Decision, ParseError> {
        let facts: ActionRecord = serde_json::from_str(&reply.text)
            .map_err(|err| ParseError::new(format!("not the format: {err}")))?;
        let action = Action::try_from(&facts).map_err(|err| ParseError::new(err.to_string()))?;
        Ok(Decision {
            action,
            thought: "because".to_owned(),
            explain: String::new(),
            summary: String::new(),
            observation: String::new(),
        })
    }
}
