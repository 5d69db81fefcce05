//! What the gate makes of a direct action, given what a person has agreed to.
use super::DirectRequest;
use crate::approval::is_same_act_later;
use crate::event::GateRecord;
use crate::gate::{ActClass, GateDecision, Rule};
use crate::run::Run;
use crate::run::gate::{DecidedBy, is_agreed_act, refusal};
use crate::run::observer::Observation;
use crate::run::outcome::RunError;
use crate::{Agreed, ApprovalRequest, Gesture};

/// The gate's verdict on a direct action.
pub(super) enum Gated {
    /// Whether it is what a person has agreed to, whatever the gate says of it now.
    Passes {
        record: GateRecord,
        was_agreed: bool,
    },
    Refused(Rule, String),
    /// Nobody need be asked: there is nothing that would take the text.
    InVain,
    /// The screen says nothing of itself because it has gone off.
    InTheDark,
    Asks(ApprovalRequest),
}

impl Run {
    /// Asks the gate about an action that the client decided on itself.
    pub(super) async fn ask_gate(
        &mut self,
        request: &DirectRequest,
        gesture: &Gesture,
        observation: &Observation,
    ) -> Result<Gated, RunError> {
        let by = DecidedBy::Client { secret: request.secret, by_hand: request.by_hand };
        let mut judged = self.verdict_on(gesture, None, observation, by);
        if self.is_silent_in_the_dark(&judged).await? {
            return Ok(Gated::InTheDark);
        }
        let is_that_act = match &request.agreed {
            Agreed::Nothing => false,
            Agreed::Command => matches!(request.gesture, Gesture::Command(_)),
            Agreed::Act(asked) => {
                asked.act.as_ref().is_some_and(|asked| match &judged.record.act {
                    Some(act) => is_same_act_later(asked, act),
                    // Nobody need be asked about it by now.
                    None => is_agreed_act(asked, &judged.act, gesture),
                })
            }
        };
        let question = match &judged.verdict.decision {
            GateDecision::Allow => {
                return Ok(Gated::Passes { record: judged.record, was_agreed: is_that_act });
            }
            GateDecision::Deny(_) => {
                let why = refusal(&judged.verdict);
                self.note_verdict(&judged, &why).await?;
                return Ok(Gated::Refused(judged.verdict.rule, why));
            }
            // Nobody is asked about what would do nothing.
            GateDecision::Confirm(_)
                if matches!(gesture, Gesture::Type { point: None, .. })
                    && observation.has_no_field() =>
            {
                return Ok(Gated::InVain);
            }
            GateDecision::Confirm(ask) => self.question_text_of(ask),
        };
        let agreed = is_that_act
            && match &request.agreed {
                Agreed::Act(asked) => asked.class == judged.record.class,
                Agreed::Nothing | Agreed::Command => true,
            };
        if agreed {
            let mut record = judged.record;
            GateDecision::Allow.name().clone_into(&mut record.verdict);
            Rule::Approved.name().clone_into(&mut record.rule);
            // Of an app that cannot be read, which one it is: a yes to an act in it is one to all.
            if record.class.as_deref() != Some(ActClass::Unreadable.name()) {
                record.act = None;
            }
            return Ok(Gated::Passes { record, was_agreed: true });
        }
        self.note_verdict(&judged, &question).await?;
        judged.record.evidence = self.recorder.redact(&judged.record.evidence).into_owned();
        Ok(Gated::Asks(ApprovalRequest { question, act: judged.record }))
    }
}
