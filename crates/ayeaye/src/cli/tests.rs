use ayeaye_agent::SessionId;

use super::*;

fn parse(words: &str) -> Result<Cli, clap::Error> {
    let words = std::iter::once("ayeaye").chain(words.split_whitespace());
    let matches = command_line(None).try_get_matches_from(words)?;
    Cli::from_arg_matches(&matches)
}

#[test]
fn clap_finds_no_contradictions() {
    command_line(None).debug_assert();
}

#[test]
fn the_promised_forms_are_taken() {
    let id = SessionId::new();
    for words in [
        "serve",
        "serve --http 127.0.0.1:8642 --virtual",
        "serve --http --virtual",
        "serve --http unix:/run/user/1000/ayeaye.sock",
        "serve --tools agent,device",
        "demo",
        "demo --yes",
        "run task --device emulator-5554 --max-steps 5 --reply-mode no_reply",
        "run --planner task --virtual",
        "serve --planner=off --virtual",
        "run task --virtual",
        "run task",
        "run task --json",
        "continue",
        "continue last --max-steps 3",
        "continue --virtual",
        &format!("continue {id} yes"),
        "devices",
        "devices --json",
        "doctor --model-name other --json",
        "--log debug config",
        "config --json",
        "connect 192.168.1.20",
        "pair",
        "pair 192.168.1.20:37123",
        "pair 192.168.1.20:37123 482913",
        "disconnect",
        "disconnect 192.168.1.20:5555",
        "completions bash",
        "man",
        "man --out x",
        "model list --json",
        "model calibrate --probes 40 --seed 2 --write",
        "model try",
        "model try --pictures x --json --model-name other",
        "model prompt import --from gelab-zero",
        "model prompt import --from x --family mai-ui --variant ask-user --use",
        "model prompt list --json",
        "model prompt show gelab",
        "model prompt rm mai-ui-ask-user",
        "sessions list",
        "sessions list --json --limit 3",
        "sessions du",
        &format!("sessions du --json {id}"),
        "sessions show last --json",
        "sessions show 0192f3a1",
        &format!("sessions show {id}"),
        &format!("sessions answer {id} yes"),
        &format!("sessions export {id} --format pycatan --out x"),
        &format!("sessions rm {id}"),
        &format!("sessions rm {id} {id}"),
        "phone",
        "phone --port 5556 --control 127.0.0.1:9000",
        "phone --like coloros --fault no-keyboard --fault capture_delay_ms=300",
        "run task --virtual --like miui --fault settings_refused",
        "serve --virtual --fault black=next",
        "phone --profile usb2 --like oneui",
        "bench",
        "bench --profile wifi --rounds 3 --json",
        "run task --virtual --profile wifi",
        "install",
        "install claude-code",
        "install codex --name phone --scope project --virtual --yes",
        "install cursor --http",
        "install cursor --http http://10.0.0.5:8642/mcp --token-in-file --dry-run --json",
        "uninstall cursor --yes",
        "setup",
        "setup emulator-5554 --model none --client none --yes --no-task",
        "setup --virtual --client zed",
        "setup R58M12ABCDE --keyboard fetch",
        "setup --keyboard ADBKeyboard.apk --yes",
        "setup --virtual --fault no-keyboard --keyboard remove",
    ] {
        if words.contains("unix:") && !cfg!(unix) {
            continue;
        }
        parse(words).unwrap_or_else(|err| panic!("{words}: {err}"));
    }
}

#[test]
fn what_is_wrong_ends_with_2() {
    for words in [
        "",
        "frobnicate",
        "run --device x",
        "run task --device x --virtual",
        "continue nonsense",
        "setup --virtual --keyboard htp://example.org/x.apk",
        "completions cmd",
        "sessions list --limit 0",
        "run task --virtual --reply-mode ask",
        "serve --http nowhere",
        "serve --http unix:here.sock",
        "sessions show ../../etc/passwd",
        "model",
        "model calibrate --probes 3",
        "model try 3",
        "model prompt import",
        "model prompt rm",
        "sessions rm",
        "sessions export --format xml",
        "config --model-api-key sk-1",
        "serve --http-token t",
        "install emacs",
        "install cursor --token-in-file",
        "install cursor --name ../x",
        "install cursor --yes --dry-run",
        "uninstall",
        "connect",
        "connect a b",
        "setup X --virtual",
        "phone --like nokia",
        "phone --fault blak",
        "phone --profile usb4",
        "bench --device x",
        "bench --rounds 0",
        "bench --act fly",
        "bench --device x --act home --profile wifi",
        "run task --profile usb2",
        "phone --fault capture_delay_ms=soon",
        "run task --like miui",
        "serve --fault black",
        "setup --keyboard fetch --client zed",
        "setup --keyboard http://",
    ] {
        let err = parse(words).expect_err(words);
        assert_eq!(err.exit_code(), 2, "{words}");
    }
}

#[test]
fn an_error_says_how_a_text_is_told_and_where_a_virtual_phone_is() {
    let words = ["ayeaye", "continue", "Anna Berg"];
    let err = command_line(None).try_get_matches_from(words).unwrap_err().to_string();
    assert!(
        err.contains(&format!("continue last {}\n", crate::text::shell_word("Anna Berg"))),
        "{err}"
    );
    for words in ["devices --virtual", "doctor --virtual", "config --virtual"] {
        let err = tip::with_tip(parse(words).unwrap_err());
        assert_eq!(err.exit_code(), 2, "{words}");
        let text = err.to_string();
        for way_out in
            ["ayeaye run TASK --virtual", "ayeaye phone", "ayeaye connect 127.0.0.1:5555"]
        {
            assert!(text.contains(way_out), "{words}: {text}");
        }
    }
    let err = tip::with_tip(parse("devices --vurtial").unwrap_err()).to_string();
    assert!(!err.contains("ayeaye phone"), "{err}");
}

#[test]
fn a_text_without_quotes_and_a_task_without_a_command_have_a_way_out() {
    let told = |words: &[&str]| {
        let words = ["ayeaye"].iter().chain(words);
        tip::with_tip(command_line(None).try_get_matches_from(words).unwrap_err()).to_string()
    };
    for (words, way_out) in [
        (&["run", "Switch", "Wi-Fi", "off"][..], "TASK of several words stands in quotes"),
        (&["continue", "last", "Switch", "it"], "TEXT of several words stands in quotes"),
        (&["task", "save", "late", "Open", "it"], "TEXT of several words stands in quotes"),
        (
            &["Switch Wi-Fi off"],
            &*format!("ayeaye run {}\n", crate::text::shell_word("Switch Wi-Fi off")),
        ),
        (&["Zwitch", "it"], "in quotes after `run`: ayeaye run "),
        (&["sessions", "answer", "last", "Anna", "Berg"], "TEXT of several words"),
        (&["version"], "ayeaye --version"),
        (&["-v"], "ayeaye --version"),
    ] {
        let text = told(words);
        assert!(text.contains(way_out) && !text.contains("similar"), "{words:?}: {text}");
    }
    for words in [
        &["devices", "R58M12ABCDE"][..],
        &["run", "it", "--vitrual"],
        &["rum"],
        &["sessions", "x y"],
    ] {
        assert!(!told(words).contains("in quotes"), "{words:?}");
    }
}

#[test]
fn flags_become_settings() {
    let settings = |words: &str| -> Vec<(&'static str, String)> {
        parse(words).unwrap().flags().into_iter().map(|flag| (flag.key, flag.value)).collect()
    };
    assert_eq!(settings("serve"), []);
    assert_eq!(settings("serve --http"), []);
    assert_eq!(settings("serve --http 80"), [("http.listen", "80".to_owned())]);
    assert_eq!(
        settings("--model-name m run t --virtual --max-steps 3 --log debug"),
        [
            ("model.name", "m".to_owned()),
            ("log", "debug".to_owned()),
            ("run.max-steps", "3".to_owned())
        ]
    );
    assert_eq!(settings("serve --planner"), [("run.planner", "on".to_owned())]);
    assert_eq!(settings("run --planner=off t --virtual"), [("run.planner", "off".to_owned())]);
    let virtual_phone = parse("run t --virtual").unwrap();
    assert!(matches!(virtual_phone.command, Command::Run(Run { device: None, .. })));
}
