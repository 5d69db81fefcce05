//! What a film tells, folded from events.
use std::collections::VecDeque;

use ayeaye_agent::Action;
use ayeaye_agent::journal::{Answer, BlobRef, Event, Fact, SessionStart, StepEnd};
use jiff::Timestamp;

use crate::draw::TouchMark;
use crate::labels::{self, ActionText, StopLabel};
use crate::step_view::{StepAssembler, StepView};
use crate::text::excerpt;

/// Scenes from the beginning that are shown; of what comes after them the latest are.
pub(super) const FIRST_SCENES: usize = 16;
/// Scenes from the end that are shown. With those from the beginning a film has at most 3 minutes.
pub(super) const LAST_SCENES: usize = 32;
/// Characters of any text that is kept: more than a card holds.
const MAX_TEXT: usize = 600;

/// The session as it is to be shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Story {
    pub(super) title: Option<Title>,
    first: Vec<Scene>,
    last: VecDeque<Scene>,
    /// Steps between those two that are not shown.
    left_out: u32,
    /// Steps there were.
    pub(super) steps: u32,
    rounds: u32,
    pub(super) ending: Option<Ending>,
    /// Whether the record cannot be read to its end.
    pub(super) cut_short: bool,
    assembler: StepAssembler,
}

/// What was asked for, and on which phone.
#[derive(Debug, Clone)]
pub(super) struct Title {
    pub(super) task: String,
    pub(super) phone: String,
    pub(super) at: Timestamp,
}

/// How it ended.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    pub(super) label: StopLabel,
    pub(super) message: String,
    pub(super) at: Timestamp,
}

/// One thing after another.
#[derive(Debug, Clone)]
pub(super) enum Scene {
    /// Something else is asked for.
    Request(String),
    Step(Box<StepScene>),
    /// Somebody said something: who, and what.
    Answer {
        who: &'static str,
        text: String,
    },
    /// So many steps are not shown.
    LeftOut(u32),
}

/// A step: the screen, and what was done on it.
#[derive(Debug, Clone)]
pub(super) struct StepScene {
    /// Counted from 1.
    pub(super) number: u32,
    pub(super) picture: Option<BlobRef>,
    /// Width and height of the picture in pixels.
    pub(super) size: [u32; 2],
    /// Such as "Tap “Send”".
    pub(super) act: String,
    /// Why, in the model's words; or what went wrong.
    pub(super) thought: String,
    pub(super) outcome: ActOutcome,
    pub(super) mark: Option<TouchMark>,
    /// The element that was meant, in thousandths of the screen: left, top, right, bottom.
    pub(super) target: Option<[u16; 4]>,
}

/// What came of a step's act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ActOutcome {
    /// It was done, or nothing was to be done.
    Fine,
    /// The phone may have done it, or has accepted it and shows no effect.
    Uncertain,
    Failed,
}

impl Story {
    /// Takes the next event into account.
    pub(super) fn apply(&mut self, event: &Event) {
        let over = self.assembler.apply(event);
        match &event.entry.fact {
            Fact::SessionStart(start) => self.title = Some(Title::new(start, event.ts)),
            Fact::SessionResume(_) => self.ending = None,
            Fact::SessionEnd(end) => {
                self.ending = Some(Ending {
                    label: labels::stop_label(Some(&end.stop_reason)),
                    message: excerpt(&end.message, MAX_TEXT),
                    at: event.ts,
                });
            }
            Fact::RoundStart { request } => {
                self.rounds += 1;
                // The first is on the title.
                if 1 < self.rounds {
                    self.push(Scene::Request(excerpt(request, MAX_TEXT)));
                }
            }
            Fact::StepEnd(end) => {
                self.steps += 1;
                if let Some(view) = over {
                    self.push(Scene::Step(Box::new(StepScene::new(&view, end))));
                }
            }
            Fact::Answer(answer) => self.push(answer_scene(answer)),
            _ => {}
        }
    }

    /// Everything between the title and the ending, in order.
    pub(super) fn scenes(&self) -> Vec<Scene> {
        let gap = (0 < self.left_out).then_some(Scene::LeftOut(self.left_out));
        self.first.iter().cloned().chain(gap).chain(self.last.iter().cloned()).collect()
    }

    fn push(&mut self, scene: Scene) {
        if self.first.len() < FIRST_SCENES {
            self.first.push(scene);
            return;
        }
        if self.last.len() == LAST_SCENES
            && let Some(Scene::Step(_)) = self.last.pop_front()
        {
            self.left_out += 1;
        }
        self.last.push_back(scene);
    }
}

impl Title {
    fn new(start: &SessionStart, at: Timestamp) -> Self {
        let device = &start.device;
        let name = if device.model.is_empty() { &device.device_id } else { &device.model };
        let mut phone = excerpt(name, 60);
        if !device.android_version.is_empty() {
            phone = format!("{phone} \u{b7} Android {}", excerpt(&device.android_version, 20));
        }
        Self { task: excerpt(&start.request, MAX_TEXT), phone, at }
    }
}

impl StepScene {
    fn new(view: &StepView, end: &StepEnd) -> Self {
        let decided = end.action.as_ref().filter(|facts| !facts.function.is_empty());
        let told = decided.map(|decided| view.action_to_show(decided));
        let action = told.as_ref();
        let gesture = match action.map(Action::try_from) {
            Some(Ok(Action::Gesture(gesture))) => Some(gesture),
            _ => None,
        };
        let tool = view
            .tool
            .as_ref()
            .filter(|(start, _)| action.is_some_and(|action| action.function == start.name));
        let target = tool.and_then(|(start, _)| start.target.as_ref());
        let is_unknown = tool.is_some_and(|(_, tool)| tool.as_ref().is_none_or(|it| it.unknown));
        let trouble = end.error.as_ref().or(end.uncertain.as_ref());
        let error = trouble.map(String::as_str).filter(|error| !error.is_empty());
        let thought = [&end.response.thought, &end.response.comment, &end.response.summary]
            .into_iter()
            .find(|text| !text.trim().is_empty());
        let thought = error.or(thought.map(String::as_str)).unwrap_or_default();
        let target_name = target.map_or("", |target| target.name.as_str());
        let (act, thought) = match action.map(|it| labels::describe_action(it, MAX_TEXT)) {
            // What is asked or reported is worth more room than a line has, and more than why.
            Some(text) if gesture.is_none() && error.is_none() && !text.object.is_empty() => {
                (text.verb, text.object)
            }
            Some(text) => (act_in_words(text, target_name), thought.to_owned()),
            None => ("Nothing was decided".to_owned(), thought.to_owned()),
        };
        Self {
            number: view.number.saturating_add(1),
            picture: view.screen.picture.clone(),
            size: view.screen.picture_size,
            act: excerpt(&act, MAX_TEXT),
            thought: excerpt(thought.trim(), MAX_TEXT),
            outcome: match error {
                None => ActOutcome::Fine,
                Some(_) if labels::asks(&end.status) && !view.was_refused(action) => {
                    ActOutcome::Fine
                }
                Some(_) if is_unknown || end.error.is_none() => ActOutcome::Uncertain,
                Some(_) => ActOutcome::Failed,
            },
            // Where nothing was sent to the phone, nothing was touched.
            mark: tool.and(gesture.as_ref()).and_then(TouchMark::of),
            target: target.and_then(|target| in_thousandths(target.rect, view.screen.size)),
        }
    }
}

/// The element's own name says more than where it is.
fn act_in_words(text: ActionText, target: &str) -> String {
    let ActionText { verb, object, how } = text;
    match (object.trim(), target.trim()) {
        ("", "") => format!("{verb} {how}").trim().to_owned(),
        ("", target) => format!("{verb} \u{201c}{target}\u{201d}"),
        (object, _) => format!("{verb} \u{201c}{object}\u{201d}"),
    }
}

fn answer_scene(answer: &Answer) -> Scene {
    let text = excerpt(&answer.answers.join(" "), MAX_TEXT);
    Scene::Answer { who: labels::speaker(&answer.source), text }
}

/// Sides of a rectangle on the screen; none when it is empty or the screen has no size.
fn in_thousandths(
    [left, top, right, bottom]: [i32; 4],
    [width, height]: [u32; 2],
) -> Option<[u16; 4]> {
    let along = |at: i32, side: u32| {
        let side = i64::from(side);
        let at = (0 < side).then(|| i64::from(at).clamp(0, side) * 1000 / side)?;
        u16::try_from(at).ok()
    };
    let sides =
        [along(left, width)?, along(top, height)?, along(right, width)?, along(bottom, height)?];
    (sides[0] < sides[2] && sides[1] < sides[3]).then_some(sides)
}
