//! The table of verbs of every family: what is written by it is read by it.
use ayeaye_agent::{
    Action, Direction, Gesture, HistoryItem, HistoryStep, Part, Point, Reply, Role,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::super::history::{Lang, PastStep};
use super::super::parse::ParsedCall;
use super::super::{CoordContext, Profile};
use super::sample::{any_action, coords, decision, named, prompt};

fn profile_and_action() -> impl Strategy<Value = (Profile, Action)> {
    prop::sample::select(Profile::ALL.to_vec())
        .prop_flat_map(|profile| (Just(profile), any_action(coords(profile.family()))))
}

fn past(step: &HistoryStep) -> PastStep<'_> {
    PastStep { number: 1, step, answered: false, lang: Lang::English }
}

fn written(profile: Profile, action: &Action) -> Option<ParsedCall> {
    let step = HistoryStep {
        step: 0,
        decision: decision(action.clone(), ""),
        error: None,
        uncertain: None,
        asked: None,
        reply: None,
        app: None,
    };
    profile.family().verbs().write(past(&step), &coords(profile.family()))
}

fn ends(action: &Action) -> bool {
    completes(action) || matches!(action, Action::Abort { .. })
}

fn completes(action: &Action) -> bool {
    matches!(action, Action::Complete { .. })
}

/// Reads a call back that was written for an action.
fn read_back(profile: Profile, action: &Action, call: &ParsedCall) -> TestCaseResult {
    let family = profile.family();
    let (verbs, coords) = (family.verbs(), coords(family));
    let read = verbs.read(call, "", &coords);
    if matches!(action, Action::Complete { message } if message.is_empty()) && read.is_err() {
        return Ok(());
    }
    prop_assert!(read.is_ok(), "{}: {:?}: {:?}", profile, call, read);
    let read = read.unwrap();
    if verbs.is_exact(action) {
        prop_assert_eq!(&read, action, "{}: {:?}", profile, call);
    }
    prop_assert_eq!(completes(&read), completes(action), "{}: {:?}", profile, call);
    let again = written(profile, &read);
    prop_assert_eq!(again.as_ref(), Some(call), "{}: {:?}", profile, read);
    Ok(())
}

#[test]
fn line_breaks_of_every_system_are_typed_as_those_of_phones() {
    let text = "one\r\ntwo\rthree\nfour".to_owned();
    let typed = Gesture::Type { text, point: None, clear: false, submit: false }.into();
    let mut types = 0;
    for &profile in Profile::ALL {
        let Some(call) = written(profile, &typed) else { continue };
        let family = profile.family();
        let read = family.verbs().read(&call, "", &coords(family));
        let Ok(Action::Gesture(Gesture::Type { text, .. })) = read else { continue };
        assert_eq!(text, "one\ntwo\nthree\nfour", "{profile}");
        types += 1;
    }
    assert!(10 < types, "{types}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// Exactly, where the family can say all of it; else as what comes closest, and never as an end.
    #[test]
    fn what_is_written_is_read_back((profile, action) in profile_and_action()) {
        if let Some(call) = written(profile, &action) {
            read_back(profile, &action, &call)?;
        }
    }

    /// Also as the text or the tool call of an earlier reply.
    #[test]
    fn earlier_replies_are_replies_that_are_read(
        (profile, action) in profile_and_action(),
        thought in "([a-z ：:'(\n<>]|Action: |</think>|<answer>|finish\\(message=\"x\"\\)|<function=finished></function>|\\{\"action\": \"complete\"\\}){0,8}",
    ) {
        let family = profile.family();
        let step = HistoryStep { step: 0, decision: decision(action.clone(), &thought), error: None, uncertain: None, asked: None, reply: None, app: None };
        let call = family.verbs().write(past(&step), &coords(family));
        let history = [HistoryItem::Request("t".to_owned()), HistoryItem::Step(step)];
        let prompt = prompt(family, "t", &history, &[]);
        let Some(said) = prompt.messages.iter().find(|message| message.role == Role::Assistant) else {
            return Ok(());
        };
        let mut reply = Reply::default();
        for part in &said.parts {
            match part {
                Part::Text(text) => reply.text += text,
                Part::Call(call) => reply.calls.push(call.clone()),
                Part::Picture(_) | Part::Result { .. } => {}
            }
        }
        let Some(call) = call else { panic!("{profile}: {said:?}") };
        // XML has no escapes, so that a tag in a text loses its shape.
        prop_assume!(!reply.text.contains('＜') || profile != named("seed"));
        let read = family.read(&reply, &coords(family)).map(|it| it.action);
        // Gemini's API has a way of its own to say it.
        prop_assume!(!matches!(action, Action::Confirm { .. }) || profile != named("gemini"));
        let reason = thought.trim();
        let expected = family.verbs().read(&call, reason, &coords(family));
        match (&read, &expected) {
            (Ok(read), Ok(expected)) => prop_assert_eq!(read, expected, "{}: {:?}", profile, reply),
            // A thought may cast doubt on an end, and never makes one.
            (Err(_), Ok(expected)) => prop_assert!(ends(expected), "{}: {:?}: {:?}", profile, reply, read),
            (_, Err(_)) => prop_assert!(read.is_err() && completes(&action), "{}: {:?}", profile, reply),
        }
    }
}

/// A direction is where the content lies, whatever the family's own means.
#[test]
fn directions_mean_what_they_do() {
    for profile in Profile::ALL {
        let coords = coords(profile.family());
        for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right] {
            let at = Some(Point::new(500, 500).unwrap());
            let call = written(*profile, &Gesture::Scroll { direction, at }.into()).unwrap();
            match profile.family().verbs().read(&call, "", &coords).unwrap() {
                Action::Gesture(Gesture::Scroll { direction: read, .. }) => {
                    assert_eq!(read, direction);
                }
                // A finger draws the content the other way.
                Action::Gesture(Gesture::Slide { from, to, .. }) => {
                    let ((x1, y1), (x2, y2)) = (from.fractions(), to.fractions());
                    let shows = match direction {
                        Direction::Up => y1 < y2,
                        Direction::Down => y2 < y1,
                        Direction::Left => x1 < x2,
                        Direction::Right => x2 < x1,
                    };
                    assert!(shows, "{profile}: {direction}: {from:?} {to:?}");
                }
                other => panic!("{profile}: {other:?}"),
            }
        }
    }
}

/// What models of a family say can be told them again in full: a table writes all that it reads.
#[test]
fn what_replies_say_is_written_in_full() {
    for profile in Profile::ALL {
        for (action, image) in super::corpus::actions(*profile) {
            let coords = CoordContext { system: profile.spec().coords, image };
            let verbs = profile.family().verbs();
            let Some(call) = verbs.write_action(&action, &coords) else {
                panic!("{profile}: no verb for {action:?}")
            };
            let read = verbs.read(&call, "", &coords).unwrap();
            let same = match (&action, &read) {
                // As exact as the family's numbers.
                (
                    Action::Gesture(Gesture::Click { point }),
                    Action::Gesture(Gesture::Click { point: read }),
                ) => {
                    let numbers = |point: &Point| coords.system.numbers(*point, image);
                    numbers(point) == numbers(read)
                }
                // A scroll that needs a place has the middle of the screen.
                (
                    Action::Gesture(Gesture::Scroll { direction, at: None }),
                    Action::Gesture(Gesture::Scroll { direction: read, at: Some(at) }),
                ) => direction == read && at.fractions() == (0.5, 0.5),
                // UI-TARS and Seed ask and hand over by one verb: without words it is a hand-over.
                (Action::Info(question), Action::Info(read))
                    if ["ui-tars", "ui-tars-1000", "seed"].contains(&profile.name()) =>
                {
                    question.text == read.text
                }
                // A format without a word for giving up has it told as what it is for the user.
                (Action::Abort { reason }, Action::Info(read))
                    if ["ui-tars", "ui-tars-1000", "autoglm", "ui-venus"]
                        .contains(&profile.name()) =>
                {
                    *reason == read.text
                }
                // A safety decision of the API is no argument of a verb.
                (Action::Confirm { gesture, .. }, Action::Gesture(read)) => {
                    gesture == read && ["gemini", "gpt-computer"].contains(&profile.name())
                }
                (action, read) => action == read,
            };
            assert!(same, "{profile}: {action:?}: {call:?}: {read:?}");
        }
    }
}
