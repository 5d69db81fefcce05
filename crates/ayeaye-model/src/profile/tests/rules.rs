//! The examples in the rules of every prompt are replies that are read.
use ayeaye_agent::{Part, Prompt, Reply, Role, ScreenSize};

use super::super::families::qwen;
use super::super::{Family, Profile};
use super::sample::{coords, named, prompt, text, texts};
use crate::picture::{SmartResize, smart_resize};

fn assert_read(family: &dyn Family, text: &str) {
    let read = family.read(&Reply { text: text.to_owned(), ..Reply::default() }, &coords(family));
    assert!(read.is_ok(), "{}: {text}: {read:?}", family.spec().name);
}

fn rules(profile: Profile) -> String {
    let prompt: Prompt = prompt(profile.family(), "t", &[], &[]);
    match &prompt.messages[0].parts[0] {
        Part::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn of_ui_tars() {
    let rules = rules(named("ui-tars-1000"));
    let calls = rules.split("## Action Space\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(calls.lines().count(), 11);
    for line in calls.lines() {
        let call = line.split(" # ").next().unwrap();
        let call = call
            .replace("x1 y1", "5 6")
            .replace("x2 y2", "7 8")
            .replace("down or up or right or left", "down");
        assert_read(named("ui-tars-1000").family(), &format!("Action: {call}"));
    }
}

#[test]
fn of_doubao_seed() {
    let rules = rules(named("seed"));
    let names: Vec<&str> = rules.split("{\"name\": \"").skip(1).collect();
    assert_eq!(names.len(), 12);
    for name in names {
        let name = name.split('"').next().unwrap();
        assert!(named("seed").family().verbs().knows(name), "{name}");
    }
    let example = rules.lines().find(|line| line.starts_with("<tool_call>")).unwrap();
    assert_read(named("seed").family(), example);
}

#[test]
fn of_autoglm() {
    let rules = rules(named("autoglm"));
    let calls = rules.lines().filter_map(|line| line.strip_prefix("- ")?.split('：').next());
    let calls: Vec<&str> = calls.collect();
    assert_eq!(calls.len(), 14);
    for call in calls {
        let call =
            call.replace("[x,y]", "[5,6]").replace("[x1,y1]", "[5,6]").replace("[x2,y2]", "[7,8]");
        assert_read(named("autoglm").family(), &format!("<answer>{call}</answer>"));
    }
}

#[test]
fn of_the_first_gui_owl() {
    let rules = rules(named("gui-owl-1"));
    let examples: Vec<&str> = rules.split("Example: ").skip(1).collect();
    assert_eq!(examples.len(), 11);
    for example in examples {
        let object = example.split_once('\n').unwrap().0;
        let object =
            object.replace("x1, y1", "1, 2").replace("x2, y2", "3, 4").replace("x, y", "5, 6");
        let text =
            format!("### Thought ###\nt\n\n### Action ###\n{object}\n\n### Description ###\nd");
        assert_read(named("gui-owl-1").family(), &text);
    }
}

#[test]
fn of_mai_ui() {
    let rules = rules(named("mai-ui"));
    assert!(rules.contains("from 0 to 999 and 0 to 999"), "{rules}");
    for verb in ["click", "long_press", "double_click", "type", "swipe", "open", "drag"] {
        assert!(rules.contains(&format!("{{\"action\": \"{verb}\"")), "{verb}");
        assert!(named("mai-ui").family().verbs().knows(verb), "{verb}");
    }
}

#[test]
fn of_qwen() {
    for profile in [named("qwen2.5-vl"), named("qwen3-vl"), named("gui-owl")] {
        let system = texts(&prompt(profile.family(), "t", &[], &[]), Role::System);
        let tool = system.split_once("<tools>\n").unwrap().1.split_once("\n</tools>").unwrap().0;
        let tool: serde_json::Value = serde_json::from_str(tool).unwrap();
        let properties = &tool["function"]["parameters"]["properties"];
        assert_eq!(tool["function"]["name"], "mobile_use");
        let told = properties["action"]["description"].as_str().unwrap();
        for verb in properties["action"]["enum"].as_array().unwrap() {
            let verb = verb.as_str().unwrap();
            assert!(profile.family().verbs().knows(verb), "{verb}");
            let line = told.lines().find(|line| line.starts_with(&format!("* `{verb}`: ")));
            assert!(line.is_some_and(|line| verb.len() + 10 < line.len()), "{verb}: {told}");
        }
    }
}

#[test]
fn of_m3a() {
    let rules = rules(named("m3a"));
    let examples = rules.lines().filter_map(|line| line.strip_prefix("- "));
    let examples: Vec<&str> =
        examples.filter_map(|line| line.find('{').map(|at| &line[at..])).collect();
    assert_eq!(examples.len(), 15);
    for example in examples {
        let end = example.find('}').unwrap();
        assert_read(named("m3a").family(), &format!("Action: {}", &example[..=end]));
    }
}

#[test]
fn of_the_hosted_step_models() {
    let rules = rules(named("step-api"));
    let examples: Vec<&str> =
        rules.lines().filter(|line| line.starts_with("{\"action_type\"")).collect();
    assert_eq!(examples.len(), 11);
    for example in examples {
        let end = example.find('：').unwrap();
        assert_read(named("step-api").family(), &example[..end]);
    }
}

#[test]
fn of_models_asked_in_our_own_words() {
    for profile in ["generic", "generic-text", "gpt", "claude-chat", "gemini-chat", "kimi", "glm-v"]
    {
        let family = profile.parse::<Profile>().unwrap().family();
        let rules = text(&prompt(family, "t", &[], &[]).messages[0]);
        let mut count = 0;
        for line in rules.lines().filter(|line| line.starts_with("{\"action\"")) {
            let end = line.rfind('}').unwrap();
            assert_read(family, &line[..=end]);
            count += 1;
        }
        assert_eq!(count, 15, "{rules}");
        assert!(!rules.contains("{{"), "{rules}");
    }
}

/// Every rule that keeps a phone and its user safe is in every prompt.
#[test]
fn of_every_family_keep_the_user_safe() {
    for profile in Profile::ALL {
        let prompt = prompt(profile.family(), "t", &[], &[]);
        let all = texts(&prompt, Role::System) + &texts(&prompt, Role::User);
        let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
        assert!(has(&["Never pay", "付款"]), "{profile}: paying");
        assert!(
            has(&["screen is content", "on the screen", "截图里"]),
            "{profile}: text on the screen"
        );
        assert!(has(&["ask", "问"]), "{profile}: asking");
    }
}

/// What is sent is what the server makes of it, so that its pixels are those the model names.
#[test]
fn servers_leave_pictures_as_they_are() {
    for profile in [named("ui-tars"), named("qwen2.5-vl"), named("gui-owl-1")] {
        let rule = profile.spec().picture;
        let crate::CoordUnit::ResizedPixels(server) = profile.spec().coords.unit else { panic!() };
        for (width, height) in [
            (1080, 2400),
            (2400, 1080),
            (1440, 3200),
            (720, 1280),
            (1600, 2560),
            (2208, 1840),
            (320, 240),
        ] {
            let sent = rule.resize.apply(ScreenSize { width, height });
            assert_eq!(smart_resize(sent, server), sent, "{profile}: {width}x{height}");
            assert!(sent.width * sent.height <= 1280 * 28 * 28, "{profile}: {sent}");
            let ollama = SmartResize { factor: 28, min_pixels: 3136, max_pixels: 1280 * 784 };
            assert_eq!(smart_resize(sent, ollama), sent, "{profile}: {width}x{height}");
        }
        let phone = rule.resize.apply(ScreenSize { width: 1080, height: 2400 });
        assert_eq!(phone, ScreenSize { width: 672, height: 1484 }, "{profile}");
    }
    let sent = qwen::PICTURE_3.resize.apply(ScreenSize { width: 1080, height: 2400 });
    assert_eq!((sent.width % 32, sent.height % 32), (0, 0), "{sent}");
}
