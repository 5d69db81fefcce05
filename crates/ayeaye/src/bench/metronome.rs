//! A model that knows its acts beforehand.
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{
    Action, Decision, Frame, Gesture, HistoryItem, HistoryStep, Key, Model, ModelError, ParseError,
    Picture, Point, Prompt, Reply, ScreenSize, StepInput, Tokens,
};
use ayeaye_model::RemoteModel;

use super::{Cost, Counter};
use crate::config::Config;
use crate::wiring::model_config;

/// It decides at once, or after a set time. It makes the pictures and prompts that the configured model would be sent, and sends nothing.
pub struct Metronome {
    configured: RemoteModel,
    acts: Vec<Gesture>,
    /// How many of them are to be done in all.
    wanted: usize,
    think: Duration,
    count: Counter,
    state: Mutex<BenchProgress>,
}

/// How far it is, by what the loop tells of earlier steps: a reply that the loop throws away changes nothing.
#[derive(Debug, Default)]
struct BenchProgress {
    /// Acts that were done.
    done: usize,
    /// The number of the last step that was told of.
    step: Option<u32>,
    /// How often in a row the next act was not done, and what the loop said of it last.
    failures: u32,
    why: String,
    /// Costs at the first decision and at the last.
    first: Option<Cost>,
    last: Option<Cost>,
}

/// So often an act is tried; it is put off where the screen changes just before it.
const ATTEMPTS: u32 = 3;

impl BenchProgress {
    fn learn(&mut self, step: &HistoryStep) {
        if self.step.replace(step.step) == Some(step.step) {
            return;
        }
        if let Some(error) = &step.error {
            self.failures += 1;
            self.why.clone_from(error);
        } else {
            self.failures = 0;
            self.done += 1;
        }
    }
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
        let wanted = acts.len().saturating_mul(rounds as usize);
        Ok(Self {
            configured,
            acts,
            wanted,
            think: Duration::ZERO,
            count: Arc::new(|| Cost::now(0, None)),
            state: Mutex::default(),
        })
    }

    /// A tap, home, a tap, home: so many taps.
    pub fn tapping(config: &Config, point: Point, taps: u32) -> anyhow::Result<Self> {
        let acts = vec![Gesture::Click { point }, Gesture::HotKey { key: Key::Home }];
        Self::new(config, acts, taps)
    }

    /// Takes so long for each reply.
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
        let state = self.state();
        Some([state.first?, state.last?])
    }

    fn state(&self) -> MutexGuard<'_, BenchProgress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn forget_pictures(&self) {
        self.configured.forget_pictures();
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        if let Some(HistoryItem::Step(step)) = view.history.last() {
            self.state().learn(step);
        }
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
        let mut state = self.state();
        let is_over = self.wanted <= state.done;
        if state.done == 0 {
            state.first = Some((self.count)());
        } else if is_over {
            state.last = Some((self.count)());
        }
        let action = if is_over {
            Action::Complete { message: "measured".to_owned() }
        } else {
            let act = &self.acts[state.done % self.acts.len()];
            if state.failures < ATTEMPTS {
                act.clone().into()
            } else {
                Action::Abort { reason: format!("{} was not done: {}", act.name(), state.why) }
            }
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::config::Environment;

    fn told(metronome: &Metronome, history: &[HistoryItem]) -> Action {
        let picture = Picture {
            bytes: Bytes::new(),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        };
        let sent = picture.size;
        metronome.prompt(&StepInput { history, ..StepInput::of("", &picture) });
        metronome.read(&Reply::default(), sent).unwrap().action
    }

    #[test]
    fn a_reply_that_is_thrown_away_uses_up_no_act() {
        let home = tempfile::tempdir().unwrap();
        let value = home.path().to_str().unwrap().to_owned();
        let folder = crate::config::Flag { key: "data-dir", name: "--data-dir", value };
        let config = Config::load(&[folder], None, &Environment::default()).unwrap();
        let metronome = Metronome::tapping(&config, Point::new(5, 5).unwrap(), 1).unwrap();
        let decision = |action: Action| Decision {
            action,
            thought: String::new(),
            explain: String::new(),
            summary: String::new(),
            observation: String::new(),
        };
        let step = |step, action: &Action, error: Option<&str>| {
            HistoryItem::Step(HistoryStep {
                step,
                decision: decision(action.clone()),
                error: error.map(str::to_owned),
                uncertain: None,
                asked: None,
                reply: None,
                app: None,
            })
        };
        let tap = told(&metronome, &[]);
        assert_eq!((tap.name(), told(&metronome, &[]).name()), ("CLICK", "CLICK"));
        let put_off = [step(0, &tap, Some("the screen has changed"))];
        assert_eq!(told(&metronome, &put_off).name(), "CLICK", "it was not done");
        let done = [step(1, &tap, None)];
        let key = told(&metronome, &done);
        assert_eq!((key.name(), told(&metronome, &done).name()), ("HOT_KEY", "HOT_KEY"));
        assert!(metronome.counted().is_none());
        assert_eq!(told(&metronome, &[step(2, &key, None)]).name(), "COMPLETE");
        assert!(metronome.counted().is_some());
    }
}
