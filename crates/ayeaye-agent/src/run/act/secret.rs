//! Secrets that a gesture types: models know them by placeholders or by the names that the user keeps them under.
use crate::named_secret::names_secret;
use crate::privacy::placeholders;
use crate::run::Run;
use crate::run::outcome::{RunError, StepOutcome};
use crate::run::step::StepBuilder;
use crate::{Gesture, Question};

/// The error of a gesture whose secret this process does not know: the record has only its placeholder.
pub(in crate::run) const SECRET_FORGOTTEN: &str = "not carried out: it names a secret that was forgotten when the server \
    was restarted";
/// The error of a gesture with a placeholder that the model made up.
const SECRET_MADE_UP: &str = "not carried out: its text looks like the placeholder of a secret, but nobody has given such a \
    secret";
/// Hint for the model beside that error.
const ASK_WHAT_TO_TYPE: &str =
    "Nobody has given the secret that you wanted to type. Ask the user what to type.";
const NAMED_SECRET_GONE: &str = "The secret that is to be typed here is not kept on the server's machine any more. Keep it \
    again with `ayeaye secret set NAME --app PACKAGE`, then say that it is done.";
const SECRET_AGAIN: &str = "The secret that is to be typed here was kept nowhere, and the server \
    has been restarted since it was given. Please give it again.";

/// Whether a gesture types one of the user's named secrets.
pub(super) fn names_secret_of_user(gesture: &Gesture) -> bool {
    matches!(gesture, Gesture::Type { text, .. } if names_secret(text))
}

impl Run {
    /// Stops a gesture that has an unknown secret: asks the user for the secret, unless the model made it up.
    pub(super) async fn stop_for_unknown_secret(
        &mut self,
        gesture: &Gesture,
        app: Option<String>,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        if !self.was_given(gesture) {
            self.state.system_notes.push(ASK_WHAT_TO_TYPE.to_owned());
            step.error = Some(SECRET_MADE_UP.to_owned());
            return Ok(StepOutcome::Continue);
        }
        step.error = Some(SECRET_FORGOTTEN.to_owned());
        // Only the user knows it.
        let ask = if names_secret_of_user(gesture) { NAMED_SECRET_GONE } else { SECRET_AGAIN };
        self.stop_for_question(&Question { app, ..Question::info(ask) }).await
    }

    /// Remembers a text that was, or may have been, typed as a secret, if the field it went into is one for secrets.
    pub(super) fn learn_typed(
        &mut self,
        text: &str,
        app: Option<&str>,
        names_secret: bool,
        secret_field: Option<bool>,
    ) {
        if names_secret && secret_field != Some(true) {
            self.observer.named_secret_may_show();
        }
        if let Some(app) = app {
            self.recorder.secrets().note_typed(text, app);
        }
        match secret_field {
            Some(true) => {
                self.recorder.secrets().add_hidden_input(text);
            }
            Some(false) => self.recorder.secrets().take_back(text),
            None => {}
        }
    }

    /// The gesture with its secrets in place of their placeholders; `None` if one of them is not known any more.
    pub(in crate::run) fn restore_gesture(&self, gesture: &Gesture) -> Option<Gesture> {
        let Gesture::Type { text, point, clear, submit } = gesture else {
            return Some(gesture.clone());
        };
        let text = self.recorder.secrets().restore(text).into_owned();
        let known = placeholders(&text).is_empty();
        known.then_some(Gesture::Type { text, point: *point, clear: *clear, submit: *submit })
    }

    /// Whether a person once gave the unknown secrets that a gesture names. If not, the model made them up, and the
    /// user must not be asked for them.
    fn was_given(&self, gesture: &Gesture) -> bool {
        let Gesture::Type { text, .. } = gesture else { return true };
        let given = &self.session().acts.given;
        let text = self.recorder.secrets().restore(text);
        placeholders(&text).iter().all(|found| given.contains(found))
    }

    /// Tells the model whether it typed into a secret field: on its pictures those are black, full or empty.
    pub(super) fn note_field(&mut self, secret_field: Option<bool>) {
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
}
