//! The last moment before a gesture is sent: is the screen still the one, is it on, and has the user said nothing else?
use std::time::Duration;

use crate::approval::is_yes;
use crate::gate::Rule;
use crate::journal::GateRecord;
use crate::prompt_text::quote_untrusted;
use crate::run::actor::STOPPED_BEFORE_SENDING;
use crate::run::decided_act::DecidedAct;
use crate::run::observer::Observation;
use crate::run::outcome::{RunError, StepOutcome};
use crate::run::put_off::WENT_DARK;
use crate::run::same_screen::{ScreenNow, depends_on_screen};
use crate::run::step::StepBuilder;
use crate::run::{Run, RunPhase};
use crate::{Frame, Gesture, Key, error_chain};

/// How often a screen is switched on for one gesture.
const MOST_WAKES: u32 = 2;
const SHOWS_OTHER: &str = "the screen went off while this was being decided, and shows something else now that it is on again";

/// Most bytes of a control's name in a note to the model.
const LONGEST_NAME: usize = 100;

/// The age up to which a capture proves that the screen is on: a little more than the longest capture over USB takes.
const FRESH_CAPTURE: Duration = Duration::from_millis(350);

/// The error of a gesture that the user's words allowed, when the user has said something else since.
const SAID_MORE: &str =
    "not carried out: the user has said something else since, and it is to be decided on again";

/// Whether a gesture may be sent now.
#[derive(Debug)]
pub(super) enum Readiness {
    Ready,
    /// It must not be sent; the step has this outcome.
    NotSent(StepOutcome),
}

/// A screen that had gone off and was switched on again before an act.
#[derive(Debug)]
enum Relit {
    /// It looks as it did.
    Same,
    /// It looks different.
    Other,
    /// It cannot be switched on, or stays locked, as a clause.
    NotReady(String),
}

impl Run {
    /// Checks right before an act is sent that the screen is still the one it was decided on, is switched on, and that
    /// the user has not said otherwise. `decided` is the gesture with placeholders in place of its secrets.
    pub(super) async fn make_ready(
        &mut self,
        act: &DecidedAct<'_>,
        decided: &Gesture,
        observation: &Observation,
        step: &mut StepBuilder,
    ) -> Result<Readiness, RunError> {
        // Acts that are put off are told from one another without what is secret.
        let without_secret = DecidedAct { gesture: decided, ..*act };
        let app = || observation.app.clone();
        let now = step.looking(self.screen_now(act, observation)).await?;
        if let ScreenNow::Changed(why) = now {
            let outcome = self.put_off_or_hand_over(&without_secret, why, app(), step)?;
            return Ok(Readiness::NotSent(outcome));
        }
        // A client's own command may be carried out in the dark.
        let seen_dark = matches!(now, ScreenNow::Dark) || observation.is_off() && !self.is_direct;
        self.enter(RunPhase::Acting);
        self.observer.remember_elements(act.gesture, observation);
        let lit = step.looking(self.light_up(act, observation, seen_dark)).await;
        if let Some(why) =
            lit.inspect_err(|_| step.error = Some(STOPPED_BEFORE_SENDING.to_owned()))?
        {
            let outcome = self.put_off_or_hand_over(&without_secret, why, app(), step)?;
            return Ok(Readiness::NotSent(outcome));
        }
        (self.state.put_off, self.state.put_off_strictly) = Default::default();
        if self.user_has_said_more(act.gate).await? {
            step.error = Some(SAID_MORE.to_owned());
            return Ok(Readiness::NotSent(StepOutcome::Continue));
        }
        if let ScreenNow::Ticks(name) = now {
            self.state.system_notes.push(format!(
                "The digits of what your last action was aimed at had changed by then: {}.",
                quote_untrusted(&name, LONGEST_NAME)
            ));
        }
        Ok(Readiness::Ready)
    }

    /// Whether the user has said anything but yes since the gate allowed an act because of their words.
    async fn user_has_said_more(&mut self, gate: &GateRecord) -> Result<bool, RunError> {
        let rests_on_words = [Rule::Approved, Rule::AskedFor].map(Rule::name);
        if self.is_direct || !rests_on_words.contains(&gate.rule.as_str()) {
            return Ok(false);
        }
        let said = self.read_inbox().await?;
        Ok(said.iter().any(|text| !is_yes(text)))
    }

    /// Makes sure that the screen is on before a gesture is sent. A screen that is off is switched on and looked at.
    /// Returns why the gesture must not be sent then, if it must not.
    async fn light_up(
        &mut self,
        act: &DecidedAct<'_>,
        observation: &Observation,
        mut seen_dark: bool,
    ) -> Result<Option<String>, RunError> {
        let fresh =
            observation.is_of_last(FRESH_CAPTURE) || self.observer.is_known_to_be_lit(observation);
        if !seen_dark && fresh || matches!(act.gesture, Gesture::HotKey { key: Key::Power }) {
            return Ok(None);
        }
        for _ in 0..MOST_WAKES {
            // Somebody may have switched it on since, and nothing on it has been compared yet.
            let dark = std::mem::take(&mut seen_dark);
            // A phone that does not tell is asked for the gesture itself.
            if !dark && self.device.is_awake().await.unwrap_or(true) {
                return Ok(None);
            }
            match self.light_again(act, &observation.frame).await? {
                Relit::Same => {}
                // What counts down has changed, and is the same all the same.
                Relit::Other if self.is_still_there(act, observation).await? => {}
                Relit::Other => return Ok(Some(SHOWS_OTHER.to_owned())),
                Relit::NotReady(why) => return Ok(Some(why)),
            }
        }
        Ok(None)
    }

    async fn light_again(
        &mut self,
        act: &DecidedAct<'_>,
        frame: &Frame,
    ) -> Result<Relit, RunError> {
        if let Err(err) = self.actor.wake(&mut self.recorder).await?.result {
            let why = format!("{WENT_DARK}, and cannot be made ready: {}", error_chain(&err));
            return Ok(Relit::NotReady(why));
        }
        // What is aimed at nothing on the screen needs no second look. An enter is, at what has the focus, and so is
        // each key that the user has allowed where it was.
        let is_key = matches!(act.gesture, Gesture::HotKey { .. });
        if !depends_on_screen(act.gesture) || is_key && !self.is_strict(act) {
            return Ok(Relit::Same);
        }
        let same = self.observer.still_shows(frame).await?;
        Ok(if same { Relit::Same } else { Relit::Other })
    }
}
