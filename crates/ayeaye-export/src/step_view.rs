//! A step as every log sees it, put together from its events by rules that all logs share.
use ayeaye_agent::QuestionKind;
use ayeaye_agent::journal::{
    ActionRecord, AgentType, Answer, BlobRef, CallPurpose, Event, Fact, LlmResponse, Observe,
    QuestionAsked, RecordEntry, ResponseKind, StepStart, ToolCallRecord, ToolEnd, ToolStart,
};
use jiff::Timestamp;

use crate::text::reply_text;

/// How a call that was taken back is told in records made before `withdrawn` was written: the screen moved on while the
/// model looked at it, or could not be looked at. Nothing writes by these; they are never to be changed.
const WITHDRAWN_BEFORE: [&str; 2] =
    ["the screen still moved", "the screen could not be looked at: "];
const GIVEN_UP_BEFORE: &str = "given up: ";

/// Questions and answers of one step that are kept.
const MAX_DIALOGUE: usize = 64;

/// Assembles the open step of a session. It is to be given every event, from the first.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepAssembler {
    open: Option<StepView>,
    /// The step that was over last.
    ended: Option<u32>,
    /// A call that decides nothing: a caption, or an answer in the user's stead.
    aside: Option<u32>,
}

/// What is known of a step so far.
#[derive(Debug, Clone)]
pub(crate) struct StepView {
    /// From 0 through the session.
    pub(crate) number: u32,
    /// The agent's name, such as `AppAgent`.
    pub(crate) agent: String,
    pub(crate) start: StepStart,
    pub(crate) screen: ScreenView,
    /// The reply that was acted on.
    pub(crate) reply: Option<ReplyView>,
    /// Replies that could not be used, and calls that failed.
    pub(crate) unusable_replies: u32,
    /// What was done on the phone; the last one counts.
    pub(crate) tool: Option<(ToolStart, Option<ToolEnd>)>,
    pub(crate) dialogue: Vec<Dialogue>,
}

/// What the phone showed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScreenView {
    /// What the model was sent.
    pub(crate) picture: Option<BlobRef>,
    /// Width and height of the picture, in pixels; zeros when none was taken.
    pub(crate) picture_size: [u32; 2],
    /// Width and height of the screen, in pixels, as rectangles are; zeros when it was not seen.
    pub(crate) size: [u32; 2],
    pub(crate) ui_tree: Option<BlobRef>,
    pub(crate) package: String,
    pub(crate) activity: String,
    pub(crate) screen_on: bool,
    /// Whether it stood still.
    pub(crate) settled: bool,
    /// Places of the picture that were blacked out.
    pub(crate) blackened: u32,
}

/// A reply that decided what to do.
#[derive(Debug, Clone)]
pub(crate) struct ReplyView {
    /// Word for word; of a reply that only called tools, those calls as JSON.
    pub(crate) text: String,
    /// The tools it called, by the model's own names.
    pub(crate) tool_calls: Vec<ToolCallRecord>,
    /// The first thing that was done on the phone after it.
    pub(crate) tool_call_id: Option<u32>,
    pub(crate) latency_ms: f64,
    /// When it was there.
    pub(crate) at: Timestamp,
}

/// A question, or words that came in.
#[derive(Debug, Clone)]
pub(crate) enum Dialogue {
    Question(QuestionAsked),
    Answer(Answer),
}

impl StepAssembler {
    /// Takes the next event into account. Returns the step that it ends.
    pub(crate) fn apply(&mut self, event: &Event) -> Option<StepView> {
        let entry = &event.entry;
        match &entry.fact {
            Fact::StepStart(start) => self.open = Some(StepView::new(entry, start.clone())),
            Fact::StepEnd(_) => {
                self.ended = entry.step;
                let open = self.open.take().filter(|open| Some(open.number) == entry.step);
                return Some(open.unwrap_or_else(|| StepView::without_start(entry)));
            }
            Fact::Observe(observe) => {
                if let Some(open) = self.step_of(entry) {
                    open.screen.apply(observe);
                }
            }
            Fact::LlmRequest(request) => {
                let decides = request.purpose.known().is_none_or(|purpose| {
                    !matches!(purpose, CallPurpose::AutoReply | CallPurpose::Caption)
                });
                self.aside = (!decides).then_some(request.call_id);
            }
            Fact::LlmResponse(response) if self.aside == Some(response.call_id) => {}
            Fact::LlmResponse(response) => {
                if let Some(open) = self.step_of(entry) {
                    open.on_response(response, event.ts);
                }
            }
            Fact::ToolStart(start) if start.device => {
                if let Some(open) = self.step_of(entry) {
                    open.tool = Some((start.clone(), None));
                    if let Some(reply) = &mut open.reply {
                        reply.tool_call_id.get_or_insert(start.tool_call_id);
                    }
                }
            }
            Fact::ToolEnd(end) => {
                let tool = self.step_of(entry).and_then(|open| open.tool.as_mut());
                if let Some((start, outcome)) = tool
                    && start.tool_call_id == end.tool_call_id
                {
                    *outcome = Some(end.clone());
                }
            }
            Fact::Question(asked) => self.add_dialogue(|| Dialogue::Question(asked.clone())),
            Fact::Answer(answer) => self.add_dialogue(|| Dialogue::Answer(answer.clone())),
            _ => {}
        }
        None
    }

    /// The step that is not over.
    pub(crate) fn open(&self) -> Option<&StepView> {
        self.open.as_ref()
    }

    /// The step of an event, if it is the open one.
    pub(crate) fn step(&self, number: Option<u32>) -> Option<&StepView> {
        self.open().filter(|open| Some(open.number) == number)
    }

    /// The step of an event. One whose beginning is not known begins with it.
    fn step_of(&mut self, entry: &RecordEntry) -> Option<&mut StepView> {
        let number = entry.step?;
        if self.open.is_none() && self.ended != Some(number) {
            self.open = Some(StepView::without_start(entry));
        }
        self.open.as_mut().filter(|open| open.number == number)
    }

    /// What is said while a step is open belongs to it, whoever says it.
    fn add_dialogue(&mut self, dialogue: impl FnOnce() -> Dialogue) {
        if let Some(open) = self.open.as_mut().filter(|open| open.dialogue.len() < MAX_DIALOGUE) {
            open.dialogue.push(dialogue());
        }
    }
}

impl StepView {
    /// The act of this step, if the model decided to ask for permission, had it already, and the act was done.
    pub(crate) fn permitted_act(&self, decided: &ActionRecord) -> Option<ActionRecord> {
        let (done, _) = self.tool.as_ref()?;
        permitted_act(decided, &done.name)
    }

    /// The decided action as people are shown it: the act, if permission for it had been given; else the question for
    /// permission, as the user was asked.
    pub(crate) fn action_to_show(&self, decided: &ActionRecord) -> ActionRecord {
        self.permitted_act(decided).unwrap_or_else(|| {
            let permission = self.asked().filter(|it| it.kind == QuestionKind::Confirm);
            decided.as_told(false, permission.map(|it| it.questions.join("\n")).as_deref())
        })
    }

    /// What the user was asked last in this step.
    pub(crate) fn asked(&self) -> Option<&QuestionAsked> {
        self.dialogue.iter().rev().find_map(|it| match it {
            Dialogue::Question(asked) => Some(asked),
            Dialogue::Answer(_) => None,
        })
    }

    /// Whether the act that was decided went to the phone, which refused it. What is asked about that is asked afterwards.
    pub(crate) fn was_refused(&self, decided: Option<&ActionRecord>) -> bool {
        let Some((start, Some(over))) = &self.tool else { return false };
        decided.is_some_and(|it| it.function == start.name) && !over.success && !over.unknown
    }

    fn new(entry: &RecordEntry, start: StepStart) -> Self {
        Self {
            number: entry.step.unwrap_or_default(),
            agent: entry.agent.clone().unwrap_or_else(|| start.agent_type.to_string()),
            start,
            screen: ScreenView::default(),
            reply: None,
            unusable_replies: 0,
            tool: None,
            dialogue: Vec::new(),
        }
    }

    /// Of a step whose beginning is not known: no record of ours has one.
    fn without_start(entry: &RecordEntry) -> Self {
        let host = entry.agent.as_deref() == Some(AgentType::HostAgent.name());
        let start = StepStart {
            agent_type: if host { AgentType::HostAgent } else { AgentType::AppAgent }.into(),
            round_step: 0,
            agent_step: 0,
            subtask: String::new(),
            subtask_index: 0,
            request_number: 0,
        };
        Self::new(entry, start)
    }

    fn on_response(&mut self, response: &LlmResponse, at: Timestamp) {
        if is_withdrawn(response) {
            // Nothing was wrong with it: the model was asked before the screen had settled.
        } else if !response.success {
            self.unusable_replies = self.unusable_replies.saturating_add(1);
        } else if response.kind == ResponseKind::Final && response.parsed.is_some() {
            // An answer that a model gave in the user's stead is not parsed: it decides nothing.
            let text = reply_text(response).unwrap_or_default();
            let (tool_calls, latency_ms) = (response.tool_calls.clone(), response.latency_ms);
            self.reply = Some(ReplyView { text, tool_calls, tool_call_id: None, latency_ms, at });
        }
    }
}

/// The act inside a question for permission, if `done` is its name. A model that asks permission for an act decides on the
/// question, even in the step in which it has permission and the phone carries the act out; people are shown the act.
pub(crate) fn permitted_act(decided: &ActionRecord, done: &str) -> Option<ActionRecord> {
    let act = decided.as_told(true, None);
    (act.function == done && act.function != decided.function).then_some(act)
}

/// Whether a call was taken back because its screen was not the settled one: it is neither a failure nor a reply.
pub(crate) fn is_withdrawn(response: &LlmResponse) -> bool {
    response.withdrawn || was_withdrawn_before(response)
}

/// Whether a call was taken back, in a record made before `withdrawn` was written.
fn was_withdrawn_before(response: &LlmResponse) -> bool {
    let error = response.error.as_deref().filter(|_| !response.success);
    let why = error.map(|error| error.strip_prefix(GIVEN_UP_BEFORE).unwrap_or(error));
    why.is_some_and(|why| WITHDRAWN_BEFORE.iter().any(|withdrawn| why.starts_with(withdrawn)))
}

impl ScreenView {
    /// A second look of the same step may bring only what the first one lacked.
    fn apply(&mut self, observe: &Observe) {
        if observe.screenshot.is_some() || self.picture.is_none() {
            self.picture.clone_from(&observe.screenshot);
            self.screen_on = observe.screen_on;
            self.settled = observe.settled;
            self.blackened = observe.blackened;
        }
        if observe.screenshot.is_some() {
            self.picture_size = observe.screenshot_size.unwrap_or(observe.screen_size);
        }
        if observe.screen_size.iter().all(|side| 0 < *side) {
            self.size = observe.screen_size;
        }
        if let Some(ui_tree) = &observe.ui_tree {
            self.ui_tree = Some(ui_tree.clone());
        }
        if !observe.package.is_empty() {
            self.package.clone_from(&observe.package);
            self.activity.clone_from(&observe.activity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{EventBuilder, click};

    fn steps(events: &[Event]) -> Vec<StepView> {
        let mut assembler = StepAssembler::default();
        events.iter().filter_map(|event| assembler.apply(event)).collect()
    }

    #[test]
    fn only_calls_that_decide_have_replies_of_a_step() {
        let mut record = EventBuilder::new();
        record.begin_step(0, 1).ask(1, 1, "act").garbage(1, 1).ask(1, 2, "repair");
        record.failed(1, 2, WITHDRAWN_BEFORE[0]).ask(1, 3, "repair").reply(1, 3, |_| {});
        record.ask(2, 1, "caption").failed(2, 1, "given up: the step did not end the run");
        record.ask(3, 1, "auto_reply").failed(3, 1, "no answer");
        record.end_step(Some(click()), None);
        let [step] = &steps(&record.events)[..] else { panic!("one step") };
        assert_eq!(step.unusable_replies, 1);
        assert!(step.reply.is_some());
    }
}
