//! A model that knows its acts beforehand.
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{
    Action, Decision, Frame, Gesture, Key, Model, ModelError, ParseError, Picture, Point, Prompt,
    Reply, ScreenSize, StepInput, Tokens,
};
use ayeaye_model::RemoteModel;

use super::{Cost, Counter};
use crate::config::Config;
use crate::wiring::model_config;

/// It decides at once, or after a set time. It makes the pictures and prompts that the configured model would be sent, and sends nothing.
pub struct Metronome {
    configured: RemoteModel,
    acts: Vec<Gesture>,
    left: AtomicU32,
    think: Duration,
    count: Counter,
    /// At the first decision and at the last.
    counted: Mutex<Vec<Cost>>,
}

impl fmt::Debug for Metronome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metronome").field("acts", &self.acts).finish_non_exhaustive()
    }
}

impl Metronome {
    /// All acts so often, in their order.
    pub fn new(config: &Config, acts: Vec<Gesture>, rounds: u32) -> anyhow::Result<Self> {
        let configured = RemoteModel::new(model_config(config)?)?;
        let steps = u32::try_from(acts.len()).unwrap_or(u32::MAX).saturating_mul(rounds);
        Ok(Self {
            configured,
            acts,
            left: AtomicU32::new(steps),
            think: Duration::ZERO,
            count: Arc::new(|| Cost::now(0, None)),
            counted: Mutex::default(),
        })
    }

    /// A tap, home, a tap, home: so many taps.
    pub fn tapping(config: &Config, point: Point, taps: u32) -> anyhow::Result<Self> {
        let acts = vec![Gesture::Click { point }, Gesture::HotKey { key: Key::Home }];
        Self::new(config, acts, taps)
    }

    /// The same, taking so long for each reply.
    #[must_use]
    pub fn thinking(self, think: Duration) -> Self {
        Self { think, ..self }
    }

    /// Reads these counters before the first act and after the last step.
    pub(super) fn counting(self, count: Counter) -> Self {
        Self { count, ..self }
    }

    /// What was counted before the first act and after the last step; `None` before the end.
    pub(super) fn counted(&self) -> Option<[Cost; 2]> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)[..].try_into().ok()
    }
}

#[async_trait]
impl Model for Metronome {
    fn name(&self) -> &'static str {
        "metronome"
    }

    fn profile(&self) -> &str {
        self.configured.profile()
    }

    /// As with an endpoint of one's own.
    fn abandoned_calls_are_free(&self) -> bool {
        true
    }

    fn picture(&self, frame: &Frame) -> Picture {
        self.configured.picture(frame)
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        self.configured.prompt(view)
    }

    async fn call(&self, _prompt: &Prompt, _limit: Duration) -> Result<Reply, ModelError> {
        if !self.think.is_zero() {
            tokio::time::sleep(self.think).await;
        }
        Ok(Reply {
            text: String::new(),
            finish_reason: None,
            model: self.name().to_owned(),
            tokens: Tokens::default(),
            latency: self.think,
            ..Reply::default()
        })
    }

    fn read(&self, _reply: &Reply, _sent: ScreenSize) -> Result<Decision, ParseError> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.is_empty() || left == 0 {
            counted.push((self.count)());
        }
        let count = self.acts.len();
        let next = (count - left as usize % count.max(1)) % count.max(1);
        let action = match self.acts.get(next) {
            Some(gesture) if left != 0 => gesture.clone().into(),
            _ => Action::Complete { message: "measured".to_owned() },
        };
        let empty = String::new;
        Ok(Decision {
            action,
            thought: empty(),
            explain: empty(),
            summary: empty(),
            observation: empty(),
        })
    }
}
