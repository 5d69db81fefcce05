//! Carrying out decisions.
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::actor::NOT_SENT;
use super::decided_act::DecidedAct;
use super::observer::Observation;
use super::outcome::{RunError, StepOutcome};
use super::same_screen::{ScreenNow, depends_on_screen};
use super::step::StepBuilder;
use super::{Run, RunPhase, millis};
use crate::approval::is_yes;
use crate::gate::Rule;
use crate::journal::{AgentState, BlackboardSection, Fact, GateRecord, TargetRecord};
use crate::named_secret::names_secret;
use crate::privacy::placeholders;
use crate::prompt_text::quote_untrusted;
use crate::session::HOST_AGENT;
use crate::{DeviceError, Frame, Gesture, Key, Performed, Question, error_chain};

/// How often a screen is switched on for one gesture.
const MOST_WAKES: u32 = 2;
const WENT_DARK: &str = "the screen went off while this was being decided";

const SHOWS_OTHER: &str = "the screen went off while this was being decided, and shows something else now that it is on again";

/// Most bytes of a control's name in a note to the model.
const LONGEST_NAME: usize = 100;

/// The longest WAIT, whatever the model says.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// A screen that was on so shortly ago is on: the longest that a capture takes over USB, and a little more.
const FRESH: Duration = Duration::from_millis(350);

/// The error of a gesture whose secret is known only as a placeholder in the record.
pub(super) const SECRET_FORGOTTEN: &str = "not carried out: it names a secret that was forgotten when the server \
    was restarted";
/// The error of a gesture with a placeholder that a model has made up.
const SECRET_MADE_UP: &str = "not carried out: its text looks like the placeholder of a secret, but nobody has given such a \
    secret";
/// What is told beside it.
const ASK_WHAT_TO_TYPE: &str =
    "Nobody has given the secret that you wanted to type. Ask the user what to type.";
/// What is told beside the error of a gesture that may have reached the phone.
const MAY_HAVE_ACTED: &str =
    "Your last action may have been carried out all the same. Look before you repeat it.";
/// The error of a gesture for which the user's words spoke, until there were others.
const SAID_MORE: &str =
    "not carried out: the user has said something else since, and it is to be decided on again";
/// What is not known of a text that went to the lock screen or a pad of digits.
const TYPED_ON_PAD: &str = "it was typed where there is no text field but a pad; only the screen shows whether it was taken";
/// The error of a text for which the phone has no keyboard, in front of the question that was asked.
const NOT_TYPED: &str = "not carried out: the text was not typed; the user was asked first";
const NAMED_SECRET_GONE: &str = "The secret that is to be typed here is not kept on the server's machine any more. Keep it \
    again with `ayeaye secret set NAME --app PACKAGE`, then say that it is done.";
const SECRET_AGAIN: &str = "The secret that is to be typed here was kept nowhere, and the server \
    has been restarted since it was given. Please give it again.";

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
    /// Carries out a gesture, at most once. Without a `target`, that is the element under its point.
    pub(super) async fn perform(
        &mut self,
        gesture: &Gesture,
        target: Option<TargetRecord>,
        gate: Option<GateRecord>,
        mut observation: Observation,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let names_secret_of_user =
            matches!(gesture, Gesture::Type { text, .. } if names_secret(text));
        let decided = gesture;
        let Some(gesture) = self.restore_gesture(gesture) else {
            if !self.was_given(gesture) {
                self.state.system_notes.push(ASK_WHAT_TO_TYPE.to_owned());
                step.error = Some(SECRET_MADE_UP.to_owned());
                return Ok(StepOutcome::Continue);
            }
            step.error = Some(SECRET_FORGOTTEN.to_owned());
            // Only the user knows it.
            let ask = if names_secret_of_user { NAMED_SECRET_GONE } else { SECRET_AGAIN };
            let question = Question { app: observation.app, ..Question::info(ask) };
            return self.stop_for_question(&question).await;
        };
        let holds_secret = names_secret_of_user || gesture != *decided;
        let target = target.or_else(|| observation.target(&gesture));
        let act = DecidedAct { gesture: &gesture, gate: gate.as_ref(), holds_secret };
        // As it was decided on, it is told from others without what is secret.
        let without_secret = DecidedAct { gesture: decided, ..act };
        let now = self.screen_now(&act, &observation).await?;
        if let ScreenNow::Changed(why) = now {
            return self.put_off_or_hand_over(&without_secret, why, observation.app, step);
        }
        // A client's own command may be carried out in the dark.
        let seen_dark = matches!(now, ScreenNow::Dark) || observation.is_off() && !self.is_direct;
        self.enter(RunPhase::Acting);
        self.observer.remember_elements(&gesture, &observation);
        match self.light_up(&act, &observation, seen_dark).await {
            Ok(None) => {}
            Ok(Some(why)) => {
                return self.put_off_or_hand_over(&without_secret, why, observation.app, step);
            }
            Err(err) => {
                step.error = Some(NOT_SENT.to_owned());
                return Err(err);
            }
        }
        (self.state.put_off, self.state.put_off_strictly) = Default::default();
        if self.user_has_said_more(gate.as_ref()).await? {
            step.error = Some(SAID_MORE.to_owned());
            return Ok(StepOutcome::Continue);
        }
        if let ScreenNow::Ticks(name) = now {
            self.state.system_notes.push(format!(
                "The digits of what your last action was aimed at had changed by then: {}.",
                quote_untrusted(&name, LONGEST_NAME)
            ));
        }
        let types = matches!(&gesture, Gesture::Type { point: None, .. });
        let to_pad = types && observation.takes_secret_without_field();
        observation.stop_reading_elements();
        let Observation { frame, app, watch, .. } = observation;
        // While it acts, nobody looks at the phone: a look would take its link.
        drop(watch);
        if let Some(target) = &target {
            self.state.progress.touched(decided, &target.name);
        }
        self.phone_taps.note(self.device.id(), self.session().id, gesture.name());
        let sent =
            self.actor.perform(&mut self.recorder, &gesture, target, gate, frame.size()).await;
        let sent = match sent {
            Err(err @ RunError::Cancelled(_)) => {
                step.error = Some(NOT_SENT.to_owned());
                return Err(err);
            }
            sent => sent?,
        };
        self.observer.gesture_ended(&gesture, frame, app.clone(), sent.ended);
        if sent.result.as_ref().is_err_and(|err| !err.may_have_acted()) {
            self.observer.power_was_not_pressed();
        }
        step.times.memory_update += sent.recording_ms;
        step.times.action_execution += sent.took_ms;
        if names_secret_of_user
            && !matches!(&sent.result, Ok(performed) if performed.secret_field == Some(true))
        {
            self.observer.named_secret_may_show();
        }
        if let (Gesture::Type { text, .. }, Some(app)) = (&gesture, &app) {
            self.recorder.secrets().note_typed(text, app);
        }
        if let (Gesture::Type { text, .. }, Ok(performed)) = (&gesture, &sent.result) {
            match performed.secret_field {
                Some(true) => {
                    self.recorder.secrets().add_hidden_input(text);
                }
                Some(false) => self.recorder.secrets().take_back(text),
                None => {}
            }
        }
        match sent.result {
            Ok(mut performed) => {
                // That there is no field is nothing to wonder about there.
                if to_pad && performed.uncertain.is_some() {
                    performed.uncertain = Some(TYPED_ON_PAD.to_owned());
                }
                if holds_secret || performed.secret_field == Some(true) {
                    self.note_field(performed.secret_field);
                }
                self.note_performed(gesture.name(), performed, step);
            }
            Err(DeviceError::NoKeyboard { why, .. }) if self.may_ask_for_keyboard() => {
                step.status = Some(AgentState::Pending);
                let question = Question { app, ..Question::needs_keyboard(&why) };
                step.error = Some(format!("{NOT_TYPED}: {}", question.text));
                return self.stop_for_question(&question).await;
            }
            Err(err) if err.ends_driving() => {
                step.error = Some(error_chain(&err));
                return Err(RunError::DeviceLost(err));
            }
            Err(err) => self.note_failed_gesture(gesture.name(), &err, step),
        }
        Ok(StepOutcome::Continue)
    }

    /// Whether a person is to be asked for a keyboard: once in a session, and not where nobody is there to
    /// install one. Otherwise the model is told, and looks for another way.
    fn may_ask_for_keyboard(&self) -> bool {
        // A client that acts itself is told by the act's own error.
        !self.is_direct
            && self.reply_mode.has_person()
            && self.session().counts.keyboard_questions == 0
    }

    /// Whether the user has said something, other than yes, since an act was judged that is done because of what
    /// they said before.
    async fn user_has_said_more(&mut self, gate: Option<&GateRecord>) -> Result<bool, RunError> {
        let rests_on_words = [Rule::Approved, Rule::AskedFor].map(Rule::name);
        if self.is_direct || !gate.is_some_and(|it| rests_on_words.contains(&it.rule.as_str())) {
            return Ok(false);
        }
        let said = self.read_inbox().await?;
        Ok(said.iter().any(|text| !is_yes(text)))
    }

    /// Makes sure that the screen is still on when a gesture that was long decided on is sent. One that has
    /// gone off, or was seen so, is switched on and looked at; why the gesture must not be sent then, if so.
    async fn light_up(
        &mut self,
        act: &DecidedAct<'_>,
        observation: &Observation,
        mut seen_dark: bool,
    ) -> Result<Option<String>, RunError> {
        let fresh = observation.is_of_last(FRESH) || self.observer.is_known_to_be_lit(observation);
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

    /// The gesture with its secrets restored; `None` if one of them is not known any more.
    pub(super) fn restore_gesture(&self, gesture: &Gesture) -> Option<Gesture> {
        let Gesture::Type { text, point, clear, submit } = gesture else {
            return Some(gesture.clone());
        };
        let text = self.recorder.secrets().restore(text).into_owned();
        let known = placeholders(&text).is_empty();
        known.then_some(Gesture::Type { text, point: *point, clear: *clear, submit: *submit })
    }

    /// Whether the secrets that a gesture names, and that are not known, were once given by a person. A
    /// model that makes one up must not have the server ask for it.
    fn was_given(&self, gesture: &Gesture) -> bool {
        let Gesture::Type { text, .. } = gesture else { return true };
        let given = &self.session().acts.given;
        let text = self.recorder.secrets().restore(text);
        placeholders(&text).iter().all(|found| given.contains(found))
    }

    /// Tells the model which kind of field it has typed into: it sees those of secrets as black, full or empty.
    fn note_field(&mut self, secret_field: Option<bool>) {
        let note = match secret_field {
            Some(true) => "What you have just typed went into a field for passwords.",
            Some(false) => {
                "The secret that you have just typed went into a field that is not one for passwords. Check that it \
                 is the right field."
            }
            None => return,
        };
        self.state.system_notes.push(note.to_owned());
    }

    /// Keeps what the model cannot take for granted. That it is not certain to have worked is told with the step, and
    /// what the phone has remarked on once, at the next.
    fn note_performed(&mut self, name: &str, performed: Performed, step: &mut StepBuilder) {
        let Performed { uncertain, note, .. } = performed;
        if let Some(why) = &uncertain {
            tracing::info!(session = %self.session().id, "{name}: not certain: {}", self.recorder.redact(why));
            if self.session().in_progress.agent == HOST_AGENT {
                self.state.system_notes.push(format!(
                    "Your last action ({name}) was sent, but it is not certain that it worked: {why}."
                ));
            }
        }
        if let Some(note) = &note {
            self.state.system_notes.push(format!("About your last action: {note}."));
        }
        step.uncertain = uncertain;
        step.result = note.clone().unwrap_or_else(|| "done".to_owned());
        step.note = note;
    }

    /// Keeps why a gesture failed, which is told with the step. That it may have been done all the same is told once, at
    /// the next.
    pub(super) fn note_failed_gesture(
        &mut self,
        name: &str,
        err: &DeviceError,
        step: &mut StepBuilder,
    ) {
        let text = error_chain(err);
        tracing::warn!(session = %self.session().id, "{name}: {}", self.recorder.redact(&text));
        if self.session().in_progress.agent == HOST_AGENT {
            // It is told of no steps.
            self.state.system_notes.push(if err.may_have_acted() {
                format!("Your last action ({name}) may or may not have been carried out: {text}. Look before you repeat it.")
            } else {
                format!("Your last action ({name}) was not carried out: {text}.")
            });
        } else if err.may_have_acted() {
            self.state.system_notes.push(MAY_HAVE_ACTED.to_owned());
        }
        step.error = Some(text);
    }

    pub(super) async fn wait(
        &mut self,
        time: Duration,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let time = time.min(LONGEST_WAIT);
        // No gesture follows that would sync the decision, which cost money.
        self.recorder.sync().await?;
        let begun = Instant::now();
        let waited = self.cancel.race(sleep(time)).await;
        step.times.action_execution += millis(begun.elapsed());
        waited?;
        self.observer.has_been_left_since(begun);
        step.result = format!("waited {} s", time.as_secs_f32());
        Ok(StepOutcome::Continue)
    }

    pub(super) async fn note(&mut self, text: String) -> Result<StepOutcome, RunError> {
        let item = Value::String(text);
        let fact = Fact::BlackboardAdd { section: BlackboardSection::Notes.into(), item };
        self.recorder.append(fact).await?;
        self.recorder.sync().await?;
        Ok(StepOutcome::Continue)
    }
}
