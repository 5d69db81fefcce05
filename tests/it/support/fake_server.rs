//! The server over a fake device and a fake model: nothing but memory and the journal's files, so that
//! a test can pause the clock.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye::mcp::Server;
use ayeaye::mcp::questions::StateCodec;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{FileJournal, SyncPolicy};
use ayeaye_agent::{
    Action, Agent, AgentDeps, Agreed, Decision, Device as _, DeviceId, DirectAction, Frame,
    Gesture, HistoryItem, Key, Limits, Message, Model, ModelError, ModelErrorKind, Models,
    ParseError, Picture, Point, Principal, PrivacySettings, Prompt, Question, QuestionKind, Reply,
    Role, ScreenSize, StepInput, Tokens,
};
use serde_json::Map;
use tempfile::TempDir;
use tokio::sync::{Notify, watch};

use super::DEFAULTS;
use super::fake_device::{FakeDevice, FakeSource};

/// The phone's serial.
pub const SERIAL: &str = "fake-1";

const SIZE: ScreenSize = ScreenSize { width: 60, height: 120 };

/// What the model decides, and when.
pub struct FakeDecision {
    after: Duration,
    gate: Option<Arc<Notify>>,
    action: Action,
}

impl FakeDecision {
    fn now(action: Action) -> Self {
        Self { after: Duration::from_millis(20), gate: None, action }
    }

    /// The same after so long a thought.
    pub fn after(self, after: Duration) -> Self {
        Self { after, ..self }
    }

    /// The same, but not before the gate is opened.
    pub fn held(self, gate: &Arc<Notify>) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }
}

pub fn taps(x: i64) -> FakeDecision {
    FakeDecision::now(Action::Gesture(Gesture::Click { point: Point::new(x, 500).unwrap() }))
}

pub fn completes(message: &str) -> FakeDecision {
    FakeDecision::now(Action::Complete { message: message.to_owned() })
}

/// How long its sessions are kept.
pub const MAX_AGE: Duration = Duration::from_hours(48);

pub fn asks(text: &str) -> FakeDecision {
    asks_for(QuestionKind::Info, text, &[])
}

pub fn asks_for(kind: QuestionKind, text: &str, options: &[&str]) -> FakeDecision {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    FakeDecision::now(Action::Info(Question { kind, text: text.to_owned(), options, app: None }))
}

/// See the module.
pub struct FakeServer {
    pub agent: Arc<Agent>,
    pub server: Server,
    pub model: Arc<FakeModel>,
    pub device: Arc<FakeDevice>,
    pub data: Arc<TempDir>,
}

impl FakeServer {
    pub fn new(decisions: impl IntoIterator<Item = FakeDecision>) -> Self {
        Self::on(Arc::new(TempDir::new().unwrap()), decisions)
    }

    /// Another process on the same data.
    pub fn restarted(&self, decisions: impl IntoIterator<Item = FakeDecision>) -> Self {
        Self::on(self.data.clone(), decisions)
    }

    fn on(data: Arc<TempDir>, decisions: impl IntoIterator<Item = FakeDecision>) -> Self {
        let decisions = Mutex::new(decisions.into_iter().collect());
        let model = Arc::new(FakeModel { decisions, ..FakeModel::default() });
        let device = Arc::new(FakeDevice::new(SERIAL, SIZE));
        let journal = FileJournal::new(data.path(), ayeaye::clock::system(), SyncPolicy::Never);
        let hour = Duration::from_hours(1);
        let agent = Arc::new(Agent::new(AgentDeps {
            secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
            policy: ayeaye_agent::gate::Policy::default(),
            sources: vec![Arc::new(FakeSource(device.clone()))],
            in_process_devices: vec![device.id().clone()],
            models: Models::one(model.clone()),
            journal: Arc::new(journal),
            coordinator: Arc::new(FileCoordinator::new(data.path(), "test", SyncPolicy::Never)),
            limits: Limits { run_time: hour, model_call: hour, ..Limits::USUAL },
            config: Map::new(),
            privacy: PrivacySettings::default(),
            judge: None,
        }));
        let state_codec = StateCodec::from_data_dir(data.path());
        let server =
            Server::new(agent.clone(), DEFAULTS).with_durable_state(state_codec, Some(MAX_AGE));
        Self { agent, server, model, device, data }
    }
}

/// The model.
#[derive(Default)]
pub struct FakeModel {
    decisions: Mutex<VecDeque<FakeDecision>>,
    decided: Mutex<Vec<Action>>,
    user_replies: Mutex<Vec<String>>,
    calls: watch::Sender<usize>,
}

impl FakeModel {
    /// What people have said, as the model was told last.
    pub fn user_replies(&self) -> Vec<String> {
        self.user_replies.lock().unwrap().clone()
    }

    /// Calls so far.
    pub fn calls(&self) -> usize {
        *self.calls.borrow()
    }

    /// Waits until it has been called so often.
    pub async fn wait_for_calls(&self, times: usize) {
        self.calls.subscribe().wait_for(|calls| times <= *calls).await.unwrap();
    }

    /// More of the script.
    pub fn extend(&self, decisions: impl IntoIterator<Item = FakeDecision>) {
        self.decisions.lock().unwrap().extend(decisions);
    }
}

impl std::fmt::Debug for FakeModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

#[async_trait]
impl Model for FakeModel {
    #[expect(clippy::unnecessary_literal_bound, reason = "as the trait has it")]
    fn name(&self) -> &str {
        "fake"
    }

    #[expect(clippy::unnecessary_literal_bound, reason = "as the trait has it")]
    fn profile(&self) -> &str {
        "fake"
    }

    fn picture(&self, frame: &Frame) -> Picture {
        let bytes = frame.rgba().slice(..4);
        Picture { bytes, media_type: "image/x-pixel", size: frame.size() }
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        let said = view.history.iter().filter_map(|history| match history {
            HistoryItem::UserReply(text) | HistoryItem::Advice(text) => Some(text.clone()),
            HistoryItem::Step(_) | HistoryItem::Request(_) | HistoryItem::Subtask(_) => None,
        });
        *self.user_replies.lock().unwrap() = said.collect();
        Prompt::of(vec![Message::text(Role::User, view.request)])
    }

    async fn call(&self, _prompt: &Prompt, _limit: Duration) -> Result<Reply, ModelError> {
        self.calls.send_modify(|calls| *calls += 1);
        let decision = self.decisions.lock().unwrap().pop_front();
        let Some(decision) = decision else {
            let kind = ModelErrorKind::Rejected;
            return Err(ModelError::new(kind, "nothing more is to be decided", Duration::ZERO));
        };
        if let Some(gate) = decision.gate {
            gate.notified().await;
        }
        tokio::time::sleep(decision.after).await;
        let mut decided = self.decided.lock().unwrap();
        decided.push(decision.action);
        Ok(Reply {
            text: (decided.len() - 1).to_string(),
            finish_reason: Some("stop".to_owned()),
            model: "fake".to_owned(),
            tokens: Tokens::default(),
            latency: decision.after,
            ..Reply::default()
        })
    }

    fn read(&self, reply: &Reply, _sent: ScreenSize) -> Result<Decision, ParseError> {
        let number: usize = reply.text.parse().map_err(|_| ParseError::new("no number"))?;
        Ok(Decision {
            action: self.decided.lock().unwrap()[number].clone(),
            thought: String::new(),
            explain: String::new(),
            summary: String::new(),
            observation: String::new(),
        })
    }
}

/// A client's own act that nobody is asked about.
pub fn presses_home(principal: Principal) -> DirectAction {
    DirectAction {
        device_id: DeviceId::new(SERIAL),
        session_id: None,
        gesture: Gesture::HotKey { key: Key::Home },
        reason: String::new(),
        secret: false,
        agreed: Agreed::Nothing,
        by_hand: false,
        principal,
    }
}
