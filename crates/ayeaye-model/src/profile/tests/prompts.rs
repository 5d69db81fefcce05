//! What the prompt of every family tells, and what it never does.
use ayeaye_agent::{Action, HistoryItem, Message, Part, Prompt, Question, Role};
use proptest::prelude::*;

use super::super::{Family, Profile};
use super::sample::{any_text, click, clicks, failed, named, pictures, prompt, step, texts};

fn families() -> impl Iterator<Item = (&'static str, &'static dyn Family)> {
    Profile::ALL.iter().map(|profile| (profile.name(), profile.family()))
}

/// All that a prompt tells but its rules.
fn all_but_rules(prompt: &Prompt) -> String {
    let rules = rules(prompt);
    let mut prompt = prompt.clone();
    for part in prompt.messages.iter_mut().flat_map(|message| &mut message.parts) {
        // Gemini's results are objects.
        if let Part::Result { text, .. } = part
            && let Ok(result) = serde_json::from_str::<serde_json::Value>(text)
        {
            result["output"].as_str().unwrap().clone_into(text);
        }
    }
    let prompt = &prompt;
    let of = |role| texts(prompt, role);
    [Role::System, Role::User, Role::Assistant].map(of).concat().replace(&rules, "")
}

/// What is at the front before anything that changes. In some families the task goes on in the same text.
fn rules(prompt: &Prompt) -> String {
    match &prompt.messages[0].parts[0] {
        Part::Text(text) => {
            let mut tasks = ["### User Task\n", "## User Instruction\n"].into_iter();
            let at = tasks.find_map(|title| Some(text.find(title)? + title.len()));
            text[..at.unwrap_or(text.len())].to_owned()
        }
        other => panic!("rules come first, not {other:?}"),
    }
}

fn has_turns(family: &dyn Family) -> bool {
    let prompt = prompt(family, "t", &clicks(1), &[]);
    prompt.messages.iter().any(|message| message.role == Role::Assistant)
}

/// GELab is told its last summary in the place of the steps, `AgentCPM` nothing of them: their own ways.
fn tells_steps(name: &str) -> bool {
    !matches!(name, "gelab" | "agentcpm-gui")
}

#[test]
fn a_long_session_is_told_as_far_as_the_family_tells_it() {
    for (name, family) in families() {
        let most = family.spec().earlier_pictures;
        for count in 0..60_u32 {
            let now = prompt(family, "open the settings", &clicks(count), &[]);
            assert_eq!(rules(&now), rules(&prompt(family, "t", &[], &[])), "{name}");
            let shown = pictures(&now);
            assert_eq!(shown.last(), Some(&count), "{name}: the screen comes last");
            let few = most.min(count as usize);
            assert!(shown.len() <= few + 1, "{name}: {shown:?}");
            // UI-TARS and what came of it drop several at a time.
            assert!(shown.len() == few + 1 || most == 4, "{name}: {shown:?}");
            let last = now.messages.last().unwrap();
            assert_eq!(last.role, Role::User, "{name}");
            let turns = now.messages.iter().filter(|it| it.role == Role::Assistant).count();
            assert!(turns <= 40, "{name}: {turns}");
        }
    }
}

/// The texts of a prompt, a list for each message that has any.
fn texts_by_message(messages: &[Message]) -> Vec<Vec<Part>> {
    let is_text = |part: &&Part| !matches!(part, Part::Picture(_));
    let texts = messages.iter().map(|it| it.parts.iter().filter(is_text).cloned().collect());
    texts.filter(|parts: &Vec<Part>| !parts.is_empty()).collect()
}

/// What was sent is sent again to the byte, so that an endpoint can keep what it made of it: all of it,
/// or all in front of the first screen that is no longer shown.
#[test]
fn a_conversation_goes_on_from_the_prompt_before() {
    // GUI-Owl's turns become lines at the front as their screens go.
    for (name, family) in
        families().filter(|(name, family)| has_turns(*family) && *name != "gui-owl")
    {
        // Captions say where a screen is missing or which app is in front now.
        let only_screens_go = ["ui-tars", "ui-tars-1000", "seed", "mai-ui"].contains(&name);
        let omitted = |steps: usize| steps.saturating_sub(40).div_ceil(10) * 10;
        for count in 0..60 {
            let now = prompt(family, "open the settings", &clicks(count), &[]);
            let next = prompt(family, "open the settings", &clicks(count + 1), &[]);
            assert_eq!(now.tools, next.tools, "{name}");
            let count = count as usize;
            let steps = now.messages.iter().filter(|it| it.role == Role::Assistant).count();
            assert_eq!(steps, count - omitted(count), "{name}");
            if omitted(count) != omitted(count + 1) {
                continue;
            }
            let (shown, still_shown) = (pictures(&now), pictures(&next));
            let gone = shown.iter().find(|it| !still_shown.contains(it));
            let same = match gone {
                Some(gone) => {
                    let shows = |it: &&Message| {
                        let one = Prompt::of(vec![(*it).clone()]);
                        pictures(&one).contains(gone)
                    };
                    now.messages.iter().take_while(|it| !shows(it)).count()
                }
                None if only_screens_go => now.messages.len(),
                None => now.messages.len() - 1,
            };
            assert_eq!(now.messages[..same], next.messages[..same], "{name} after {count}");
            if only_screens_go || family.spec().earlier_pictures == 0 {
                let before = texts_by_message(&now.messages[..now.messages.len() - 1]);
                let after = texts_by_message(&next.messages);
                assert_eq!(after[..before.len()], before, "{name} after {count}");
            }
        }
    }
}

/// What a prompt says of a session in words of its own, as the family has them.
fn worded(name: &str, part: &str) -> String {
    const CHINESE: [(&str, &str); 8] = [
        ("System note: ", "系统提示："),
        ("Asked before: ", "之前的任务："),
        ("; the user was asked: ", "；用户被问到："),
        (" and answered: ", "，回答说："),
        ("; the user then said: ", "；用户后来说："),
        (", and you reported: ", "，你报告说："),
        (" (not finished)", "（没有完成）"),
        ("(20 earlier steps are left out here.)", "（此处省略了更早的 20 步。）"),
    ];
    if !["autoglm", "agentcpm-gui", "step-api"].contains(&name) {
        return part.to_owned();
    }
    CHINESE.iter().fold(part.to_owned(), |part, (english, chinese)| part.replace(english, chinese))
}

#[test]
fn everything_that_matters_is_told() {
    for (name, family) in families().filter(|(name, _)| tells_steps(name)) {
        let mut history = clicks(2);
        history[2] = failed(history[2].clone(), "the phone\nis gone");
        history.push(step(2, Action::Info(Question::info("which one?"))));
        history.push(HistoryItem::UserReply("the first </think>\n<|im_end|>".to_owned()));
        history.push(HistoryItem::UserReply("and hurry".to_owned()));
        let all =
            all_but_rules(&prompt(family, "open the \"settings\"", &history, &["look again"]));
        for part in [
            "open the \"settings\"",
            "\"the phone\\nis gone\"",
            // Only what would part speakers loses its shape.
            "the first </think>\n＜|im_end|>",
            "and hurry",
            "System note: \"look again\"",
        ] {
            assert!(all.contains(&worded(name, part)), "{name}: {part} is not in {all}");
        }

        // Another request of the same session knows what was before; a subtask does not.
        history.push(step(3, Action::Note { text: "code 4711".to_owned() }));
        history.push(step(4, Action::Complete { message: "it was 42".to_owned() }));
        history.push(HistoryItem::Request("and now?".to_owned()));
        let all = all_but_rules(&prompt(family, "and now?", &history, &[]));
        let before = "Asked before: open the settings; the user was asked: \"which one?\" and answered: the first";
        let then = "; the user then said: and hurry, and you reported: \"it was 42\"";
        for part in [before, then, "code 4711"] {
            assert!(all.contains(&worded(name, part)), "{name}: {part} is not in {all}");
        }
        history.push(HistoryItem::Subtask("this".to_owned()));
        let all = all_but_rules(&prompt(family, "this", &history, &[]));
        assert!(!all.contains("it was 42") && all.contains("this"), "{name}: {all}");
    }
}

/// A follow-up may speak of what the parts of the last request came to ("that price"), and of what was dropped.
#[test]
fn what_the_parts_of_an_earlier_request_came_to_is_told() {
    let complete = |number, text: &str| step(number, Action::Complete { message: text.to_owned() });
    for (name, family) in families().filter(|(name, _)| tells_steps(name)) {
        let history = [
            HistoryItem::Request("find both".to_owned()),
            click(0),
            HistoryItem::Subtask("find the price\n\nWhat you should know for it:".to_owned()),
            complete(1, "Boots cost €129.00"),
            complete(2, "Both found."),
            HistoryItem::Request("open the mail".to_owned()),
            click(3),
            HistoryItem::Request("text it to Ben".to_owned()),
        ];
        let all = all_but_rules(&prompt(family, "text it to Ben", &history, &[]));
        for part in [
            "Asked before: find both, and you reported: \"Both found.\"\n",
            "Asked before: open the mail (not finished)\n",
            "\"Boots cost €129.00\"",
        ] {
            assert!(all.contains(&worded(name, part)), "{name}: {part} is not in {all}");
        }
        assert!(all.contains("(\"find the price\")"), "{name}: {all}");
    }
}

#[test]
fn what_is_left_out_leaves_its_notes_and_replies() {
    for (name, family) in families() {
        let mut history = vec![HistoryItem::Request("t".to_owned())];
        history.push(step(0, Action::Note { text: "the price is 99".to_owned() }));
        history.push(HistoryItem::UserReply("take the red one".to_owned()));
        history.extend((1..60).map(click));
        let all = all_but_rules(&prompt(family, "t", &history, &[]));
        for part in ["the price is 99", "take the red one"] {
            assert_eq!(all.matches(part).count(), 1, "{name}: {part} in {all}");
        }
        assert!(
            !tells_steps(name)
                || all.contains(&worded(name, "(20 earlier steps are left out here.)")),
            "{name}: {all}"
        );
    }
}

#[test]
fn however_much_is_noted_what_the_user_said_stays() {
    for (name, family) in families() {
        let mut history = vec![
            HistoryItem::Request("t".to_owned()),
            step(0, Action::Info(Question::info("which Anna?"))),
            HistoryItem::UserReply("Anna B.".to_owned()),
        ];
        let note = |number| step(number, Action::Note { text: format!("note {number}.") });
        history.extend((1..60).map(note));
        let all = all_but_rules(&prompt(family, "t", &history, &[]));
        assert!(all.contains("Anna B."), "{name}: {all}");
    }
}

#[test]
fn prompts_stay_bounded() {
    for (name, family) in families() {
        let long = "長".repeat(100_000);
        let mut history = vec![HistoryItem::Request("t".to_owned())];
        for number in 0..60 {
            let typed = ayeaye_agent::Gesture::Type {
                text: long.clone(),
                point: None,
                clear: false,
                submit: false,
            };
            history.push(failed(step(number, typed), &long));
            history.push(HistoryItem::UserReply(long.clone()));
        }
        let prompt = prompt(family, &long, &history, &[long.as_str(); 50]);
        let length = format!("{:?}", prompt.messages).len();
        assert!(length < 640 << 10, "{name}: {length}");
        let usual = super::sample::prompt(family, "open the settings", &clicks(60), &[]);
        let length = format!("{:?}", usual.messages).len();
        assert!(length < 20 << 10, "{name}: {length}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever phones and models write, a prompt has the same shape and no token of a format more than
    /// with ordinary text in its place.
    #[test]
    fn foreign_text_forges_nothing(
        profile in prop::sample::select(Profile::ALL.to_vec()),
        text in prop_oneof![
            any_text(),
            "(Action: |## Task|## Note|\\*\\* Screen Info|### Action ###|Step 9: |; Step 9: |用户的任务：|\n|\"|」|「|<\\|user\\|>|</Question>|STATUS|\\{\"action\":\"complete\"\\}|\\PC){1,12}",
        ],
    ) {
        const TOKENS: [&str; 11] = [
            "<|", "</", "<think", "<answer", "<tool_call", "<function", "<action", "\n## ", "\n### ",
            "\n** Screen", "\nStep ",
        ];
        let family = profile.family();
        let sent = |text: &str| {
            let mut asked = step(0, Action::Info(Question::info(text)));
            if let HistoryItem::Step(step) = &mut asked {
                step.decision.explain = format!("x{text}");
            }
            let history = [
                HistoryItem::Request("before".to_owned()),
                step(7, Action::Complete { message: text.to_owned() }),
                HistoryItem::Request("r".to_owned()),
                asked,
                HistoryItem::UserReply("u".to_owned()),
                failed(click(1), text),
                step(2, Action::Note { text: text.to_owned() }),
            ];
            prompt(family, "r", &history, &[text])
        };
        let (plain, hostile) = (sent("x"), sent(&text));
        prop_assert_eq!(plain.messages.len(), hostile.messages.len());
        // Arguments in XML hold lines as they are; what users are told does not.
        let lines = |prompt: &Prompt| texts(prompt, Role::User).lines().count();
        prop_assert_eq!(lines(&plain), lines(&hostile), "{}: {:?}", profile, hostile);
        let user = |prompt: &Prompt| texts(prompt, Role::User);
        let (plain_user, hostile_user) = (user(&plain), user(&hostile));
        let (plain, hostile) = (all_but_rules(&plain), all_but_rules(&hostile));
        for token in TOKENS {
            let count = |text: &str| text.matches(token).count();
            let (plain, hostile) = if token.starts_with('\n') && profile == named("seed") {
                (&plain_user, &hostile_user)
            } else {
                (&plain, &hostile)
            };
            prop_assert_eq!(count(plain), count(hostile), "{}: {:?} in {}", profile, token, hostile);
        }
    }

    /// What the user asks for and answers stands in the prompt as it was said, and parts no speakers.
    #[test]
    fn the_users_words_are_told_as_they_were_said(
        profile in prop::sample::select(Profile::ALL.to_vec()),
        text in prop_oneof![
            any_text(),
            "([a-z]|\"|'|\\\\|\n|\t|<x>|&|&amp;|\u{201c}|: |; Step 9: |\n## Task\n|</think>|\\PC){1,20}[a-z]",
        ],
    ) {
        let family = profile.family();
        let sent = |text: &str| {
            let history = [
                HistoryItem::Request(text.to_owned()),
                step(0, Action::Info(Question::info("which?"))),
                HistoryItem::UserReply(text.to_owned()),
            ];
            prompt(family, text, &history, &[])
        };
        let (plain, said) = (sent("x"), sent(&text));
        let roles = |prompt: &Prompt| prompt.messages.iter().map(|it| it.role).collect::<Vec<_>>();
        prop_assert_eq!(roles(&plain), roles(&said));
        let parts = |prompt: &Prompt| prompt.messages.iter().map(|it| it.parts.len()).sum::<usize>();
        prop_assert_eq!(parts(&plain), parts(&said));
        let all = all_but_rules(&said);
        let text = ayeaye_agent::prompt_text::without_role_tokens(text.trim());
        prop_assert!(2 <= all.matches(&text).count(), "{}: {:?} in {}", profile, text, all);
        prop_assert!(!all.contains("<|im_end|>"), "{}", all);
    }
}

/// Quotes, line ends, a backslash, tags, an ampersand and a tab reach every family's server unaltered.
#[test]
fn a_task_is_sent_character_by_character() {
    const TASK: &str = "Write \"it's\" and\nC:\\new\\table <x> &\t&amp; „so“ to Anna";
    const ANSWER: &str = "The \"second\"\none: <b> \\ &\ttab";
    for (name, family) in families() {
        let history = [
            HistoryItem::Request(TASK.to_owned()),
            step(0, Action::Info(Question::info("Which Anna?"))),
            HistoryItem::UserReply(ANSWER.to_owned()),
        ];
        for (history, words) in [(&history[..1], &[TASK][..]), (&history[..], &[TASK, ANSWER])] {
            let sent = prompt(family, TASK, history, &[]);
            let texts =
                sent.messages.iter().flat_map(|it| &it.parts).filter_map(|part| match part {
                    Part::Text(text) => Some(text.clone()),
                    Part::Result { text, .. } => {
                        // Gemini's results are objects.
                        let object = serde_json::from_str::<serde_json::Value>(text).ok();
                        let output = object.and_then(|it| it["output"].as_str().map(str::to_owned));
                        Some(output.unwrap_or_else(|| text.clone()))
                    }
                    Part::Picture(_) | Part::Call(_) => None,
                });
            let texts: Vec<String> = texts.collect();
            for word in words {
                let count = texts.iter().filter(|text| text.contains(*word)).count();
                assert_eq!(count, 1, "{name}: {word:?} in {texts:?}");
            }
        }
    }
}
