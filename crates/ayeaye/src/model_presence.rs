//! Whether there is a model that tasks can be handed to. Where there is none, the client's own model
//! drives the phone.
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_model::{Reach, RemoteModel};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a look at the endpoint may take, once a connection is there. A client waits for it before it is told what
/// the server offers. A connection that is refused is known in a millisecond, on Windows in two seconds.
const LOOK: Duration = Duration::from_millis(150);
/// How long it is not looked for again while a model is there.
const KEEP: Duration = Duration::from_secs(30);
/// How long it is not looked for again while there is none: short, so that a model that was just started counts. Where
/// a look takes two seconds, most calls should do without one.
const KEEP_ABSENT: Duration = Duration::from_secs(if cfg!(windows) { 10 } else { 1 });

/// Whether tasks can be handed to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelState {
    /// A model is there, or was configured and does not refuse.
    Ready,
    /// The scripted model, which knows the virtual phone only.
    StandIn,
    /// Nobody configured a model, and none answers at the default endpoint.
    NotConfigured,
    /// A model was configured, and its endpoint refuses connections, or has a name that no machine has.
    Refused,
}

impl ModelState {
    /// Whether tasks can be handed over now.
    pub fn takes_tasks(self) -> bool {
        match self {
            Self::Ready | Self::StandIn => true,
            Self::NotConfigured | Self::Refused => false,
        }
    }
}

/// Looks whether the model is there, and remembers it for a while.
pub struct ModelPresence {
    found: PresenceSource,
}

enum PresenceSource {
    /// Known without a look.
    Always(ModelState),
    ByLooking {
        model: Arc<RemoteModel>,
        configured: bool,
        /// Another one that goes on where this one fails.
        has_fallback: bool,
        last: Mutex<Option<(Instant, ModelState)>>,
    },
}

impl ModelPresence {
    /// A model whose presence is not in question.
    pub fn always(state: ModelState) -> Self {
        Self { found: PresenceSource::Always(state) }
    }

    /// `configured`: whether somebody chose this model or its endpoint.
    pub fn of(model: Arc<RemoteModel>, configured: bool) -> Self {
        let (has_fallback, last) = (false, Mutex::default());
        Self { found: PresenceSource::ByLooking { model, configured, has_fallback, last } }
    }

    /// Notes that another model takes over tasks in which this one fails.
    #[must_use]
    pub fn with_fallback(mut self) -> Self {
        if let PresenceSource::ByLooking { has_fallback, .. } = &mut self.found {
            *has_fallback = true;
        }
        self
    }

    /// Whether the model is there, known within 150 ms; on Windows in two seconds where nobody listens. Callers at the same
    /// time share one look.
    pub async fn state(&self) -> ModelState {
        let PresenceSource::ByLooking { model, configured, last, .. } = &self.found else {
            return self.look().await;
        };
        if model.has_answered() && *configured {
            return ModelState::Ready;
        }
        let mut last = last.lock().await;
        if let Some((at, state)) = *last
            && at.elapsed() < if state.takes_tasks() { KEEP } else { KEEP_ABSENT }
        {
            return state;
        }
        let state = self.look().await;
        *last = Some((Instant::now(), state));
        state
    }

    /// Looks whether the model is there, whatever is remembered: where a model that had answered has failed.
    pub async fn look(&self) -> ModelState {
        match &self.found {
            PresenceSource::Always(state) => *state,
            PresenceSource::ByLooking { model, configured, has_fallback, .. } => {
                // Boxed: it would be a part of every future around it.
                let found = Box::pin(model.reach(LOOK)).await;
                judge(found, Chosen { configured: *configured, has_fallback: *has_fallback })
            }
        }
    }

    /// Who drives, in a sentence for people.
    pub fn describe(&self, state: ModelState) -> String {
        let endpoint = self.endpoint();
        match state {
            ModelState::Ready => format!("tasks are handed to the model at {endpoint}"),
            ModelState::StandIn => {
                "no model is configured: a stand-in decides, which only knows the virtual phone"
                    .to_owned()
            }
            ModelState::NotConfigured => format!(
                "no model is configured, and none answers at {endpoint}: the client's own model \
                 drives the phone"
            ),
            ModelState::Refused => format!(
                "the model's endpoint {endpoint} cannot be reached: until it is running, the client's own \
                 model drives the phone"
            ),
        }
    }

    /// Where the model is asked.
    pub fn endpoint(&self) -> String {
        match &self.found {
            PresenceSource::Always(_) => "its endpoint".to_owned(),
            PresenceSource::ByLooking { model, .. } => model.config().endpoint.to_string(),
        }
    }
}

/// What somebody has chosen of the model.
#[derive(Debug, Clone, Copy)]
struct Chosen {
    configured: bool,
    /// Another one goes on where it fails.
    has_fallback: bool,
}

/// Nobody chose what runs at the default endpoint: it counts only if it offers the very model. What
/// was configured counts unless nothing runs there: it may be slow, or not list its models.
fn judge(found: Reach, Chosen { configured, has_fallback }: Chosen) -> ModelState {
    match (configured, found) {
        (true, Reach::Refused) if !has_fallback => ModelState::Refused,
        (true, _) | (false, Reach::Offered) => ModelState::Ready,
        (false, Reach::NotOffered | Reach::Answers | Reach::Refused | Reach::Unknown) => {
            ModelState::NotConfigured
        }
    }
}

impl fmt::Debug for ModelPresence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelPresence").field("endpoint", &self.endpoint()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_model::{Endpoint, ModelConfig};
    use tokio::net::TcpListener;

    use super::*;

    async fn presence(configured: bool) -> (ModelPresence, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = Endpoint::parse(&format!("http://{address}/v1")).unwrap();
        let model = RemoteModel::new(ModelConfig::new(endpoint, "m")).unwrap();
        (ModelPresence::of(Arc::new(model), configured), listener)
    }

    #[test]
    fn only_what_somebody_chose_gets_the_benefit_of_the_doubt() {
        let all =
            [Reach::Offered, Reach::NotOffered, Reach::Answers, Reach::Refused, Reach::Unknown];
        let ready = |configured| {
            all.into_iter().filter(move |found| {
                judge(*found, Chosen { configured, has_fallback: false }).takes_tasks()
            })
        };
        assert_eq!(ready(false).collect::<Vec<_>>(), [Reach::Offered]);
        assert_eq!(ready(true).count(), 4);
        assert_eq!(
            judge(Reach::Refused, Chosen { configured: true, has_fallback: false }),
            ModelState::Refused
        );
        assert_eq!(
            judge(Reach::Refused, Chosen { configured: true, has_fallback: true }),
            ModelState::Ready,
            "another one goes on"
        );
    }

    #[tokio::test]
    async fn one_that_is_silent_delays_nobody_for_long() {
        let (nobody_chose, _silent) = presence(false).await;
        let (chosen, _also_silent) = presence(true).await;
        let begun = std::time::Instant::now();
        assert_eq!(nobody_chose.state().await, ModelState::NotConfigured);
        assert_eq!(chosen.state().await, ModelState::Ready);
        assert!(begun.elapsed() < 10 * LOOK, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn one_that_is_gone_is_told_with_its_address() {
        let (chosen, listener) = presence(true).await;
        drop(listener);
        let state = chosen.state().await;
        assert_eq!(state, ModelState::Refused);
        assert!(chosen.describe(state).contains("http://127.0.0.1:"));
    }
}
