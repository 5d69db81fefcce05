use ayeaye_agent::{Action, Direction, Gesture, HistoryItem, Part, Question, Reply, Role};

use super::super::Profile;
use super::super::mobile_use::testing::{NOW, check, click, pictures, prompt as of, step, words};
use super::*;
use crate::Endpoint;

#[test]
fn its_prompt_keeps_what_every_prompt_has_to() {
    check(&Mai);
}

#[test]
fn its_models_are_told_by_their_names() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for name in ["Tongyi-MAI/MAI-UI-8B", "MAI-UI-2B", "mai_ui_32b", "mradermacher/MAI-UI-8B-GGUF"] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::MAI_UI, "{name}");
    }
}

/// The order of the published client: the task alone, screens of the last steps, all that was said.
#[test]
fn steps_are_turns_and_the_last_have_their_screens() {
    let mut history = vec![HistoryItem::Request("t".to_owned())];
    history.extend((1..=4).map(|it| step(it, click(), "")));
    history.push(step(5, Action::Info(Question::info("Which?")), ""));
    history.push(HistoryItem::UserReply("the first".to_owned()));
    let prompt = of(&Mai, "t", &history, &[]);
    let turns: Vec<(Role, usize)> =
        prompt.messages.iter().map(|message| (message.role, message.parts.len())).collect();
    let (user, assistant) = ((Role::User, 1), (Role::Assistant, 1));
    assert_eq!(
        turns,
        [
            (Role::System, 1),
            user,
            assistant,
            assistant,
            assistant,
            user,
            assistant,
            user,
            assistant,
            (Role::User, 2),
        ]
    );
    assert_eq!(pictures(&prompt), [4, 5, NOW]);
    let Part::Text(said) = &prompt.messages[2].parts[0] else { panic!("words") };
    assert_eq!(
        said,
        "<thinking>\nthought 1\n</thinking>\n<tool_call>\n{\"name\": \"mobile_use\", \"arguments\": \
         {\"action\": \"click\", \"coordinate\": [500, 500]}}\n</tool_call>"
    );
    let Part::Text(answer) = &prompt.messages[9].parts[0] else { panic!("words") };
    assert_eq!(answer, "You asked the user: \"Which?\" The user answered: \"the first\"\n");
}

#[test]
fn what_it_is_told_it_said_it_would_say() {
    let scroll = Gesture::Scroll { direction: Direction::Down, at: None };
    let prompt = of(&Mai, "t", &[step(1, scroll.clone(), "")], &[]);
    let text = words(&prompt, Role::Assistant);
    assert!(text.contains("\"direction\": \"up\""), "{text}");
    let coords = CoordContext {
        system: CoordSystem::UP_TO_999,
        image: super::super::mobile_use::testing::picture(0).size,
    };
    let read = Mai.read(&Reply { text, ..Reply::default() }, &coords).unwrap();
    assert_eq!((read.action, read.thought.as_str()), (scroll.into(), "thought 1"));
}

#[test]
fn every_action_it_is_offered_is_one_it_can_be_read_by() {
    let system = words(&of(&Mai, "t", &[], &[]), Role::System);
    assert!(system.contains("from 0 to 999 and 0 to 999"), "{system}");
    for action in DIALECT.actions {
        assert!(system.contains(&format!("{{\"action\": \"{action}\"")), "{action}");
    }
}
