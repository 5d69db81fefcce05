//! What speaks against a model's word that all is done, in its last act.
use crate::Action;
use crate::event::{ActionRecord, StepEnd, ToolEnd};

/// The reason to doubt that the last act of a round was done and had its effect.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    /// The act in words.
    act: String,
    /// All of it, as a sentence without its full stop.
    pub(super) sentence: String,
}

impl Doubt {
    /// The doubt about the act of a step with this end, if there is reason for one.
    pub(super) fn about(
        action: &ActionRecord,
        end: &StepEnd,
        outcome: Option<&ToolEnd>,
    ) -> Option<Self> {
        let act = action.describe();
        let not_known = |why: &str| {
            // One that was never sent was not done, and neither was one that the phone has refused. Of any other nobody
            // knows whether a lost link came before or behind it.
            let is_not_done = outcome.is_none_or(|it| !it.success && !it.unknown);
            let what = if is_not_done { "was not done" } else { "is not known to be done" };
            Some(format!("its last act before this ({act}) {what}: {why}"))
        };
        let asks = matches!(Action::try_from(action), Ok(Action::Confirm { .. }));
        let sentence = match (&end.error, &end.uncertain) {
            (Some(error), _) => not_known(error),
            (None, Some(why)) => return Some(Self::of_effect(action, why)),
            (None, None) if asks && outcome.is_none() => not_known("the user was asked first"),
            (None, None) => None,
        }?;
        Some(Self { act, sentence })
    }

    /// The doubt whether an act that was sent had its effect.
    pub(super) fn of_effect(action: &ActionRecord, why: &str) -> Self {
        let act = action.describe();
        let sentence = format!("its last act before this ({act}) may have had no effect: {why}");
        Self { act, sentence }
    }

    /// Of an act that the user has agreed to: whatever speaks of it as only asked about is over.
    pub(super) fn after_yes(self) -> Self {
        let Self { act, .. } = self;
        let sentence = format!(
            "the user said yes to its last act before this ({act}), and it was not done after that"
        );
        Self { act, sentence }
    }
}

/// Whether an action does something on the phone, even if the user is asked first. An action that this version cannot
/// read may be one.
pub(super) fn is_act(action: &ActionRecord) -> bool {
    Action::try_from(action).map_or(true, |action| action.gesture().is_some())
}
