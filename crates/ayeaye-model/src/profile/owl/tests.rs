use ayeaye_agent::{Action, HistoryItem, Part, Question, Reply, Role};

use super::super::Profile;
use super::super::mobile_use::testing::{
    NOW, check, click, picture, pictures, prompt as of, step, words,
};
use super::*;
use crate::Endpoint;

#[test]
fn prompts_keep_what_every_prompt_has_to() {
    check(&Owl);
    check(&OwlOne);
}

#[test]
fn the_versions_are_told_by_their_names() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for (name, profile) in [
        ("mPLUG/GUI-Owl-7B", Profile::GUI_OWL_1),
        ("mPLUG/GUI-Owl-32B", Profile::GUI_OWL_1),
        ("mradermacher/GUI-Owl-7B-GGUF", Profile::GUI_OWL_1),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", Profile::GUI_OWL),
        ("GUI-Owl-1.5-32B-Thinking", Profile::GUI_OWL),
        ("gui_owl_1.5_4b", Profile::GUI_OWL),
    ] {
        assert_eq!(Profile::for_model(name, &endpoint), profile, "{name}");
    }
}

#[test]
fn the_last_steps_are_turns_and_those_before_are_lines() {
    let mut history = vec![HistoryItem::Request("t".to_owned())];
    history.extend((1..=3).map(|it| step(it, click(), &format!("Tap {it}."))));
    history.push(HistoryItem::UserReply("hurry".to_owned()));
    history.extend((4..=6).map(|it| step(it, click(), &format!("Tap {it}."))));
    let prompt = of(&Owl, "t", &history, &[]);
    assert_eq!(pictures(&prompt), [3, 4, 5, 6, NOW]);
    let Part::Text(lead) = &prompt.messages[1].parts[0] else { panic!("words") };
    assert!(
        lead.contains("Instruction: \"t\"\n\nPrevious actions:\nStep1: Tap 1.\nStep2: Tap 2.\n")
    );
    assert!(!lead.contains("Tap 3") && !lead.contains("hurry"), "{lead}");
    let Part::Text(said) = &prompt.messages[2].parts[0] else { panic!("words") };
    assert!(
        said.starts_with("Action: \"Tap 3.\"\n<tool_call>\n{\"name\": \"mobile_use\""),
        "{said}"
    );
    // What the user said stands with the screen that came after it.
    let Part::Text(words) = &prompt.messages[3].parts[0] else { panic!("words") };
    assert_eq!(words, "The user says: \"hurry\"\n");
}

#[test]
fn without_screens_of_earlier_steps_all_are_lines() {
    let history = [HistoryItem::Request("t".to_owned()), step(1, click(), "Tap 1.")];
    let (now, system_notes) = (picture(NOW), []);
    let view = StepInput {
        request: "t",
        history: &history,
        system_notes: &system_notes,
        picture: &now,
        history_images: &[],
        app: None,
    };
    let prompt =
        Owl.prompt(&view, &CoordContext { system: CoordSystem::THOUSANDTHS, image: now.size });
    assert_eq!(prompt.messages.len(), 2);
    assert!(words(&prompt, Role::User).contains("Step1: Tap 1.\n"));
}

#[test]
fn what_it_is_told_it_said_it_would_say() {
    let asked = Action::Info(Question::info("Which \"Ann\"?"));
    for action in [click().into(), asked] {
        let text =
            words(&of(&Owl, "t", &[step(1, action.clone(), "Do it.")], &[]), Role::Assistant);
        let coords = CoordContext { system: CoordSystem::THOUSANDTHS, image: picture(0).size };
        let read = Owl.read(&Reply { text, ..Reply::default() }, &coords).unwrap();
        assert_eq!((read.action, read.explain.as_str()), (action, "Do it."));
    }
}

/// The first version is told its last steps with their outcomes.
#[test]
fn the_first_version_sees_outcomes() {
    let mut history = vec![HistoryItem::Request("t".to_owned())];
    history.extend((1..=7).map(|it| step(it, click(), &format!("Tap {it}."))));
    if let Some(HistoryItem::Step(step)) = history.last_mut() {
        step.error = Some("locked".to_owned());
    }
    let prompt = of(&OwlOne, "t", &history, &[]);
    let text = words(&prompt, Role::User);
    assert!(text.contains("### Historical Operations ###\n1. Tap 1.\n2. Tap 2.\n\n"), "{text}");
    assert!(
        text.contains(
            "Action: {\"action\": \"click\", \"coordinate\": [336, 742]} | Description: Tap 7. | \
             Outcome: Failed | Feedback: \"locked\"\n"
        ),
        "{text}"
    );
    assert_eq!(text.matches("Outcome: Successful").count(), 4);
    assert!(text.contains("The screen is 672x1484"), "{text}");
    assert_eq!((prompt.messages.len(), pictures(&prompt)), (1, vec![NOW]));
}

/// Its examples are actions that are read.
#[test]
fn the_examples_of_the_first_version_are_read() {
    let text = words(&of(&OwlOne, "t", &[], &[]), Role::User);
    let coords = CoordContext { system: OwlOne.spec().coords, image: picture(0).size };
    let examples: Vec<&str> = text.split("Example: ").skip(1).collect();
    assert_eq!(examples.len(), 11);
    for example in examples {
        let (object, _) = example.split_once('\n').unwrap();
        let object =
            object.replace("x1, y1", "1, 2").replace("x2, y2", "3, 4").replace("x, y", "5, 6");
        let text =
            format!("### Thought ###\nt\n\n### Action ###\n{object}\n\n### Description ###\nd");
        let read = OwlOne.read(&Reply { text, ..Reply::default() }, &coords);
        assert!(read.is_ok(), "{object}: {read:?}");
    }
}
