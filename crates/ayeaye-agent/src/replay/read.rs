//! The steps of a session, from its record.
use super::matching::{aimed_at, fingerprint, focused, goes_to_focus, in_thousandths};
use super::{MAX_STEPS, Replay, ReplayElement, ReplayError, ReplayStep};
use crate::elements::Elements;
use crate::event::{BlobRef, Event, Fact, StepEnd, TargetRecord};
use crate::{Action, Journal, ScreenSize, SessionId, StopReason};

/// A step as the events tell it.
#[derive(Debug, Default)]
struct RecordedStep {
    app: String,
    size: [u32; 2],
    ui_tree: Option<BlobRef>,
    target: Option<TargetRecord>,
    /// Something was sent to the phone, besides what wakes it.
    acted: bool,
    end: Option<StepEnd>,
}

/// What is gathered of a record.
#[derive(Debug, Default)]
struct RecordedSession {
    /// No more than one too many.
    steps: Vec<RecordedStep>,
    /// How many there are in all.
    count: usize,
    rounds: u32,
    runs: u32,
    planned: bool,
    stop_reason: Option<StopReason>,
}

impl Replay {
    /// What a session did, if it carried out its task in one run.
    pub async fn read(journal: &dyn Journal, id: SessionId) -> Result<Self, ReplayError> {
        let mut recorded = RecordedSession { runs: 1, ..RecordedSession::default() };
        journal.visit_compact(&id, &mut |event| recorded.apply(event)).await?;
        let completed = recorded.stop_reason == Some(StopReason::TaskCompletedSuccessfully);
        if !completed || recorded.rounds != 1 || recorded.runs != 1 {
            return Err(ReplayError::NotCompleted(id));
        }
        if recorded.planned {
            return Err(ReplayError::Planned(id));
        }
        if MAX_STEPS < recorded.count {
            return Err(ReplayError::TooLong { id, steps: recorded.count });
        }
        let mut steps = Vec::new();
        for step in recorded.steps {
            if step.is_wanted() {
                steps.extend(step.into_replay(journal, &id).await);
            }
        }
        Ok(Self { session: id, steps })
    }
}

impl RecordedSession {
    fn apply(&mut self, event: Event) {
        match event.entry.fact {
            Fact::SessionStart(start) => self.planned = start.run.planner,
            Fact::SessionResume(_) => self.runs += 1,
            Fact::SessionEnd(end) => self.stop_reason = end.stop_reason.known(),
            Fact::RoundStart { .. } => self.rounds += 1,
            Fact::StepStart(_) => {
                self.count += 1;
                // What follows belongs to none of those that will be read.
                if self.steps.len() <= MAX_STEPS {
                    self.steps.push(RecordedStep::default());
                }
            }
            Fact::Observe(observe) => {
                let Some(step) = self.steps.last_mut() else { return };
                step.app = observe.package;
                step.size = observe.screen_size;
                step.ui_tree = observe.ui_tree.or(step.ui_tree.take());
            }
            Fact::ToolStart(start) if start.device => {
                if let Some(step) = self.steps.last_mut() {
                    step.acted |= start.is_act();
                    step.target = start.target;
                }
            }
            Fact::StepEnd(end) => {
                if let Some(step) = self.steps.last_mut() {
                    step.end = Some(end);
                }
            }
            _ => {}
        }
    }
}

impl RecordedStep {
    /// Whether it is done again. What was decided and not carried out is not; but where the model asked for permission itself,
    /// so does whoever does it again.
    fn is_wanted(&self) -> bool {
        let Some(end) = &self.end else { return false };
        let asks = || {
            matches!(end.action.as_ref().map(Action::try_from), Some(Ok(Action::Confirm { .. })))
        };
        end.error.is_none() || end.is_only_asked() && asks()
    }

    /// What to do again; `None` where nothing was decided.
    async fn into_replay(self, journal: &dyn Journal, id: &SessionId) -> Option<ReplayStep> {
        let end = self.end?;
        let record = end.action?;
        let action = Action::try_from(&record).ok();
        // It was put off, or refused: a later step did it, if any did.
        if matches!(action, Some(Action::Gesture(_))) && !self.acted {
            return None;
        }
        let [width, height] = self.size;
        let size = ScreenSize { width, height };
        let elements = match &self.ui_tree {
            // A dump that is not kept, or not whole, leaves what the act itself has recorded.
            Some(blob) => match journal.blob(id, blob).await {
                Ok(bytes) => {
                    Elements::read_on_blocking_thread(String::from_utf8_lossy(&bytes).into_owned())
                        .await
                }
                Err(_) => None,
            },
            None => None,
        };
        let aimed = action.as_ref().and_then(aimed_at);
        let to_focus = matches!(&action, Some(Action::Gesture(gesture)) if goes_to_focus(gesture));
        let seen = elements.as_ref().and_then(|elements| {
            let element = match aimed {
                Some(point) => elements.at(point.to_pixel(size))?,
                None => focused(elements).filter(|_| to_focus)?,
            };
            Some(ReplayElement::of(elements, element, size))
        });
        let target = self.target.filter(|_| aimed.is_some()).map(|target| ReplayElement {
            id: String::new(),
            name: target.name,
            class: target.kind,
            bounds: in_thousandths(target.rect, size),
            checked: None,
        });
        let ends = matches!(action, Some(Action::Complete { .. }));
        Some(ReplayStep {
            app: self.app,
            action: record,
            explain: end.response.comment,
            element: seen.or(target),
            screen: elements.filter(|_| ends).map(|elements| fingerprint(&elements)),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::{FORMAT, RecordEntry};

    #[test]
    fn all_steps_are_counted_however_few_are_read() {
        let mut recorded = RecordedSession::default();
        let start = json!({ "type": "step.start", "data": {
            "agent_type": "AppAgent", "round_step": 0, "agent_step": 0, "subtask": "", "subtask_index": 0,
            "request_number": 1,
        }});
        for seq in 0..350 {
            let fact = serde_json::from_value(start.clone()).unwrap();
            let entry = RecordEntry { round: Some(0), step: Some(0), agent: None, fact };
            recorded.apply(Event { v: FORMAT, seq, ts: jiff::Timestamp::UNIX_EPOCH, entry });
        }
        assert_eq!((recorded.count, recorded.steps.len()), (350, MAX_STEPS + 1));
    }
}
