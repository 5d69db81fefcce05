//! Acts that are not carried out because the screen is not the one that they were decided on: the model looks again, and
//! what still cannot be done is done in the end, or is the user's.
use super::Run;
use super::decided_act::DecidedAct;
use super::outcome::{RunError, StepOutcome};
use super::step::StepBuilder;
use crate::Gesture;
use crate::approval::is_same_gesture;
use crate::gate::Rule;
use crate::prompt_text::truncated;

/// How often in a row an act is put off because the screen moves where it is aimed at, and how often a strict one, or
/// a question about one, for whatever reason.
const LOOKS_AGAIN: u32 = 2;
/// How often in a row acts are put off of which each is another one, as those are that follow something that moves.
const LOOKS_AGAIN_IN_ALL: u32 = 5;
pub(super) const WENT_DARK: &str = "the screen went off while this was being decided";
const SWITCHED_OFF: &str =
    "the screen was off because you pressed POWER; it is switched on for the next look";
/// Most of a text that is shown to who is to type it, in bytes.
const MOST_SHOWN: usize = 200;

/// The acts put off in a row: not carried out, as the screen had changed.
#[derive(Debug, Default)]
pub(super) struct PutOffs {
    /// The last one, and how often in a row it was put off.
    last: Option<(Gesture, u32)>,
    in_all: u32,
}

impl PutOffs {
    /// Whether this act was put off often enough, or so many others that this one counts too.
    pub(super) fn are_enough_for(&self, gesture: &Gesture) -> bool {
        LOOKS_AGAIN <= self.times_of(gesture) || LOOKS_AGAIN_IN_ALL <= self.in_all
    }

    pub(super) fn add(&mut self, gesture: &Gesture) {
        self.last = Some((gesture.clone(), self.times_of(gesture) + 1));
        self.in_all += 1;
    }

    fn times_of(&self, gesture: &Gesture) -> u32 {
        let last = self.last.as_ref().filter(|(it, _)| is_same_gesture(it, gesture));
        last.map_or(0, |(_, times)| *times)
    }
}

/// The outcome if an allowed act cannot be done since its screen never rests: it is left to the user.
pub(super) fn never_rests(why: &str, app: Option<String>) -> RunError {
    let text = format!(
        "What you allowed has not been done, although it was tried several times: {why}. Your yes only covers what you \
         were asked about. Please do it by hand if you still want it, then say that it is done."
    );
    RunError::NeedsTakeover { text, app }
}

impl Run {
    /// Puts off an act because the screen has changed. The step's error tells the model.
    pub(super) fn put_off(&mut self, gesture: &Gesture, why: String, step: &mut StepBuilder) {
        tracing::debug!(session = %self.session().id, "{} is put off: {}", gesture.name(), self.recorder.redact(&why));
        step.error = Some(why);
        self.observer.may_have_changed();
    }

    /// Puts off an act on a screen that the model itself switched off, as nobody has seen what it would hit. The next
    /// look switches the screen on.
    pub(super) fn put_off_until_lit(&mut self, gesture: &Gesture, step: &mut StepBuilder) {
        self.put_off(gesture, SWITCHED_OFF.to_owned(), step);
        self.observer.may_wake_again();
    }

    /// Whether an act that needs the user's permission, or is theirs in the end, may be put off once more; counts it if so.
    pub(super) fn may_put_off_again(&mut self, gesture: &Gesture) -> bool {
        let put_off = &mut self.state.put_off_strictly;
        if put_off.are_enough_for(gesture) {
            *put_off = PutOffs::default();
            return false;
        }
        put_off.add(gesture);
        true
    }

    /// Whether an act is the user's where it cannot be done: a strict one, a text, what they have asked for. Of others
    /// the model is told each time.
    fn is_handed_over(&self, act: &DecidedAct<'_>) -> bool {
        let is_wanted = matches!(act.gesture, Gesture::Type { .. }) || act.rests_on(Rule::AskedFor);
        !self.is_direct && (is_wanted || self.is_strict(act))
    }

    /// Puts off an act because the screen has changed. After it was put off often enough, hands it to the user.
    pub(super) fn put_off_or_hand_over(
        &mut self,
        act: &DecidedAct<'_>,
        why: String,
        app: Option<String>,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        if !self.is_handed_over(act) || self.may_put_off_again(act.gesture) {
            self.put_off(act.gesture, why, step);
            return Ok(StepOutcome::Continue);
        }
        let for_user = if act.rests_on(Rule::Approved) {
            never_rests(&why, app)
        } else {
            let what = self.in_words(act);
            let text = format!(
                "{what} has not been done, although it was tried several times: {why}. It must only go to the \
                 screen it is meant for; everything before it has been done. Please do it by \
                 hand, then say that it is done."
            );
            RunError::NeedsTakeover { text, app }
        };
        step.error = Some(why);
        Err(for_user)
    }

    /// What is handed over.
    fn in_words(&self, act: &DecidedAct<'_>) -> String {
        match act.gesture {
            Gesture::Type { .. } if act.holds_secret => "Typing the secret".to_owned(),
            Gesture::Type { text, submit, .. } => {
                let text = self.recorder.redact(text);
                let enter = if *submit { " and pressing enter" } else { "" };
                format!("Typing \u{201c}{}\u{201d}{enter}", truncated(&text, MOST_SHOWN))
            }
            Gesture::HotKey { key } => format!("Pressing {}", key.name()),
            _ => {
                let what = self.recorder.redact(&act.gate.evidence);
                format!("The last act (\u{201c}{}\u{201d})", truncated(&what, MOST_SHOWN))
            }
        }
    }
}
