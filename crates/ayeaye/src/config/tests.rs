//! Tests of how the layers combine.
use std::collections::BTreeSet;

use ayeaye_agent::KeepImages;
use ayeaye_export::{Format, Images};

use std::time::Duration;

use ayeaye_agent::journal::{Retention, SyncPolicy};
use ayeaye_agent::{Prices, PrivacySettings, ReplyMode};

use super::*;

fn flag(key: &'static str, value: &str) -> Flag {
    Flag { key, name: "--a-flag", value: value.to_owned() }
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// An environment whose home is `home`, with these variables too.
fn environment(home: &tempfile::TempDir, more: &[(&str, &str)]) -> Environment {
    let home = home.path().to_str().expect("UTF-8");
    let base = ["HOME", "APPDATA", "LOCALAPPDATA"].map(|name| (name, home));
    Environment::of(base.into_iter().chain(more.iter().copied()))
}

#[test]
fn the_defaults_are_the_promised_ones() {
    let config = Config::isolated(Path::new("/data"));
    assert_eq!(config.model.base_url.as_str(), "http://127.0.0.1:11434/v1");
    assert_eq!(config.model.name, "gelab-zero-4b-preview");
    assert_eq!(config.model.profile, None);
    assert_eq!(config.run.max_steps, 20);
    assert_eq!(config.run.session_max_steps, 200);
    assert_eq!(config.run.reply_mode, ReplyMode::PassToClient);
    assert_eq!(config.run.wait, Duration::from_secs(45));
    assert_eq!(config.run.wait_with_progress, Duration::from_mins(4));
    assert_eq!(config.run.first_look, Duration::from_millis(80));
    assert_eq!(config.run.settle_limit, Duration::from_secs(3));
    assert_eq!(config.run.device_wait, Duration::from_mins(1));
    assert_eq!(config.http.body_limit, 1 << 20);
    assert_eq!(config.http.listen.to_string(), "127.0.0.1:8642");
    assert_eq!((config.http.rate_limit, config.http.wrong_tokens), (6000, 60));
    assert!(config.http.issuer.is_none() && config.http.public_url.is_none());
    assert_eq!(config.adb.server, "tcp:127.0.0.1:5037");
    assert_eq!(config.run.evaluate, Evaluate::Off);
    assert_eq!(config.model.prices, None);
    assert_eq!(config.journal.privacy, PrivacySettings::default());
    assert_eq!(config.journal.sync, SyncPolicy::Step);
    assert_eq!(config.journal.min_free, 200 << 20);
    let retention = config.journal.retention;
    assert_eq!(retention.max_age, Some(Duration::from_hours(90 * 24)));
    assert_eq!(retention.max_total_bytes, Some(1 << 30));
    assert_eq!(retention.max_sessions, None);
    assert_eq!(config.logs, LogSettings::default());
    assert!(config.notes.is_empty());
}

#[test]
fn the_embedded_file_speaks_of_every_setting_and_no_other() {
    let text = include_str!("../../default-config.toml");
    // Optional settings are shown commented out.
    let all: String = text
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with([' ', '!']) => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let layer = layer::from_file(&all, Path::new("default-config.toml"), Config::known()).unwrap();
    let shown: BTreeSet<&str> = layer.keys().map(String::as_str).collect();
    let known: BTreeSet<&str> =
        Config::known().iter().map(|setting| setting.key.as_str()).collect();
    assert_eq!(shown, known);
    for secret in Config::known().iter().filter(|setting| setting.secret) {
        assert!(!layer::defaults().contains_key(&secret.key));
    }
}

#[test]
fn the_document_speaks_of_every_setting() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let text = std::fs::read_to_string(path).unwrap();
    for setting in Config::known() {
        // Those of the parts are one row together.
        let part = ["plan", "reply", "caption", "judge", "fallback"]
            .iter()
            .find(|part| setting.key.starts_with(&format!("model.{part}-")));
        let said = match part {
            Some(part) => text.contains(&format!("{part}-*`")),
            None => text.contains(&format!("`{}`", setting.key)),
        };
        assert!(said, "docs/configuration.md does not speak of {}", setting.key);
    }
}

#[test]
fn flags_win_over_environment_over_file_over_defaults() {
    let home = home();
    let file = home.path().join("mine.toml");
    std::fs::write(
        &file,
        "[model]\nname = 'from-file'\nprofile = 'gui-owl'\n[run]\nmax-steps = 5\n",
    )
    .unwrap();
    let environment = environment(
        &home,
        &[("AYEAYE_MODEL_NAME", "from-env"), ("AYEAYE_CONFIG", file.to_str().unwrap())],
    );
    let load = |flags: &[Flag]| Config::load(flags, None, &environment).unwrap();
    assert_eq!(load(&[]).model.name, "from-env");
    assert_eq!(load(&[flag("model.name", "from-flag")]).model.name, "from-flag");
    assert_eq!(load(&[]).model.profile.map(ayeaye_model::Profile::name), Some("gui-owl"));
    assert_eq!(load(&[]).run.max_steps, 5);
    assert_eq!(load(&[]).run.session_max_steps, 200);
    assert_eq!(load(&[]).file.as_deref(), Some(file.as_path()));
}

#[test]
fn a_named_file_must_be_there_the_usual_one_need_not() {
    let home = home();
    let plain = environment(&home, &[]);
    let config = Config::load(&[], None, &plain).unwrap();
    assert_eq!(config.file, None);
    let usual = config.default_file.unwrap();
    assert!(usual.starts_with(home.path()), "{}", usual.display());

    let absent = home.path().join("absent.toml");
    let err = Config::load(&[], Some(&absent), &plain).unwrap_err();
    assert!(matches!(&err, ConfigError::File { path, .. } if *path == absent));
    let named = environment(&home, &[("AYEAYE_CONFIG", absent.to_str().unwrap())]);
    assert!(matches!(Config::load(&[], None, &named), Err(ConfigError::File { .. })));

    std::fs::create_dir_all(usual.parent().unwrap()).unwrap();
    std::fs::write(&usual, "data-dir = 'near'").unwrap();
    let config = Config::load(&[], None, &plain).unwrap();
    // A path in a file starts at the file.
    assert_eq!(config.data_dir, usual.with_file_name("near"));
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let home = home();
    let file = home.path().join("large.toml");
    std::fs::write(&file, "#".repeat(2 << 20)).unwrap();
    let err = Config::load(&[], Some(&file), &environment(&home, &[])).unwrap_err();
    assert!(matches!(err, ConfigError::File { .. }));
}

#[test]
fn bad_values_name_the_setting_and_where_it_was_said() {
    let home = home();
    let error = |flags: &[Flag], more: &[(&str, &str)]| {
        Config::load(flags, None, &environment(&home, more)).unwrap_err().to_string()
    };
    assert_eq!(
        error(&[], &[("AYEAYE_RUN_MAX_STEPS", "many")]),
        "`run.max-steps` from environment AYEAYE_RUN_MAX_STEPS: it must be a whole number from 1 \
         to 500"
    );
    assert!(error(&[flag("model.base-url", "nowhere")], &[]).contains("from flag --a-flag"));
    let short = error(&[], &[("AYEAYE_HTTP_TOKEN", "hunter2")]);
    assert!(short.contains("at least 16") && !short.contains("hunter2"), "{short}");
    assert!(
        error(&[], &[("AYEAYE_HTTP_ALLOWED_HOSTS", "ok.example,http://x")]).contains("http://x")
    );
    let log = error(&[], &[("AYEAYE_LOG", "info,warning")]);
    assert!(
        log.starts_with("`log` from environment AYEAYE_LOG: it must be a filter")
            && log.contains("\"warning\""),
        "{log}"
    );
    // Either would end every run before its first step.
    for nothing in [("AYEAYE_RUN_COST_BUDGET", "0"), ("AYEAYE_JOURNAL_MAX_SESSION_SIZE", "0MiB")] {
        assert!(error(&[], &[nothing]).contains("more than 0"), "{nothing:?}");
    }
}

#[test]
fn logs_and_what_is_kept_are_chosen_by_words() {
    let home = home();
    let load = |more: &[(&str, &str)]| Config::load(&[], None, &environment(&home, more));
    let config = load(&[
        ("AYEAYE_LOGS_FORMATS", "html, ufo,html"),
        ("AYEAYE_LOGS_IMAGES", "all"),
        ("AYEAYE_JOURNAL_IMAGES", "none"),
        ("AYEAYE_JOURNAL_UI_TREE", "never"),
        ("AYEAYE_JOURNAL_MAX_AGE", "30d"),
        ("AYEAYE_JOURNAL_MAX_SIZE", "5GiB"),
        ("AYEAYE_RUN_EVALUATE", "both"),
        ("AYEAYE_MODEL_INPUT_PRICE", "0.25"),
        ("AYEAYE_MODEL_OUTPUT_PRICE", "1"),
    ])
    .unwrap();
    assert_eq!(config.logs.formats, [Format::Ufo, Format::Html]);
    assert_eq!(config.logs.images, Images::All);
    let shown = config.explain_json();
    let formats = shown["settings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["key"] == "logs.formats")
        .unwrap();
    assert_eq!(
        formats["value"],
        serde_json::json!(["html", "ufo", "html"]),
        "a list is shown as one"
    );
    assert_eq!(config.journal.privacy.images, KeepImages::None);
    assert_eq!(config.journal.retention.max_age, Some(Duration::from_hours(720)));
    assert_eq!(config.journal.retention.max_total_bytes, Some(5 << 30));
    assert!(config.run.evaluate.rounds() && config.run.evaluate.sessions());
    assert_eq!(config.model.prices, Some(Prices { input: 0.25, output: 1.0, cached: None }));
    let lifted = [("AYEAYE_JOURNAL_MAX_AGE", "none"), ("AYEAYE_JOURNAL_MAX_SIZE", "none")];
    assert_eq!(load(&lifted).unwrap().journal.retention, Retention::default());
    let unbounded =
        load(&[("AYEAYE_RUN_TOKEN_BUDGET", "none"), ("AYEAYE_RUN_COST_BUDGET", "none")]);
    assert_eq!(
        unbounded.map(|it| (it.run.token_budget, it.run.cost_budget)).unwrap(),
        (None, None)
    );
    let unbounded = load(&[
        ("AYEAYE_POLICY_TAPS_PER_MINUTE", "none"),
        ("AYEAYE_POLICY_TYPED_CHARACTERS", "none"),
    ]);
    assert_eq!(unbounded.unwrap().policy.budgets, ayeaye_agent::gate::PolicyBudgets::default());
    let error = |more: &[(&str, &str)]| load(more).unwrap_err().to_string();
    let formats = error(&[("AYEAYE_LOGS_FORMATS", "ufo,xml")]);
    let names = "`xml` is none of the formats, which are ufo, pycatan, gelab, html, film";
    assert!(formats.ends_with(names), "{formats}");
    let half = error(&[("AYEAYE_MODEL_INPUT_PRICE", "0.25")]);
    assert!(half.contains("model.output-price"), "{half}");
}

#[test]
fn no_logs_at_all_can_be_chosen() {
    let config = Config::from_layers(
        &[flag("data-dir", "/d")],
        Some(Path::new("a.toml")),
        "[logs]\nformats = []",
        &Environment::default(),
    );
    assert_eq!(config.unwrap().logs.formats, []);
}

#[test]
fn no_home_is_said_plainly() {
    assert!(matches!(
        Config::load(&[], None, &Environment::default()),
        Err(ConfigError::NoDataDir)
    ));
}

#[test]
fn the_explanation_shows_origins_and_hides_secrets() {
    let home = home();
    let environment = environment(
        &home,
        &[
            ("AYEAYE_MODEL_API_KEY", "sk-very-secret"),
            ("AYEAYE_HTTP_TOKEN", "0123456789abcdef"),
            ("AYEAYE_MODEL_EXTRA_HEADERS", "{\"x-team\":\"sk-very-secret-too\"}"),
        ],
    );
    let config = Config::load(&[flag("model.name", "a \"b\"")], None, &environment).unwrap();
    let text = config.explain();
    assert!(text.contains("api-key = \"(set)\" # environment AYEAYE_MODEL_API_KEY\n"), "{text}");
    assert_eq!(config.model.extra_headers.to_send()["x-team"], "sk-very-secret-too");
    assert!(
        text.contains("extra-headers = \"(set)\" # environment AYEAYE_MODEL_EXTRA_HEADERS\n"),
        "{text}"
    );
    assert!(text.contains("# flag --a-flag"), "{text}");
    assert!(text.contains("\nmax-steps = 20\n"), "{text}");
    assert!(text.contains("# profile is not set"), "{text}");
    for shown in [text.clone(), format!("{config:?}"), format!("{environment:?}")] {
        assert!(!shown.contains("sk-very-secret") && !shown.contains("0123456789abcdef"));
    }
    // What is printed can be read again, but for the secrets.
    let layer = layer::from_file(&text, Path::new("printed.toml"), Config::known()).unwrap();
    assert_eq!(layer["model.name"].raw, RawValue::Text("a \"b\"".to_owned()));
}

#[test]
fn notes_tell_of_typos_and_of_keys_sent_in_clear() {
    let home = home();
    let notes =
        |more: &[(&str, &str)]| Config::load(&[], None, &environment(&home, more)).unwrap().notes;
    let typo = notes(&[("AYEAYE_MODEL_URL", "http://x/v1")]);
    assert_eq!(typo.len(), 1, "{typo:?}");
    assert!(typo[0].contains("AYEAYE_MODEL_URL"));
    let key = ("AYEAYE_MODEL_API_KEY", "k");
    assert_eq!(notes(&[key]).len(), 0);
    assert_eq!(notes(&[key, ("AYEAYE_MODEL_BASE_URL", "https://api.example.com/v1")]).len(), 0);
    assert_eq!(notes(&[key, ("AYEAYE_MODEL_BASE_URL", "http://10.0.0.2/v1")]).len(), 1);
}

#[test]
fn paths_are_shown_whole() {
    let (home, here) = (home(), std::env::current_dir().unwrap());
    let more = [("AYEAYE_DATA_DIR", "data"), ("AYEAYE_ADB_FILES", "~/files")];
    let config = Config::load(&[], None, &environment(&home, &more)).unwrap();
    let (data, files) = (here.join("data"), home.path().join("files"));
    assert_eq!(config.data_dir, data);
    let shown = config.explain();
    let text = |path: &Path| toml::Value::from(path.to_str().unwrap()).to_string();
    for line in [
        format!("data-dir = {} # environment AYEAYE_DATA_DIR\n", text(&data)),
        format!("files = {} # environment AYEAYE_ADB_FILES\n", text(&files)),
    ] {
        assert!(shown.contains(&line), "{line}{shown}");
    }
    let shown = config.explain_json()["settings"].clone();
    let is_data = |it: &&serde_json::Value| it["key"] == "data-dir";
    let shown = shown.as_array().unwrap().iter().find(is_data).unwrap();
    assert_eq!(shown["value"], data.to_str().unwrap());
}

#[test]
fn paths_that_are_lost_elsewhere_are_kept_whole() {
    let (home, here) = (home(), std::env::current_dir().unwrap());
    let file = home.path().join("ayeaye.toml");
    std::fs::write(&file, "[adb]\nprogram = \"adb\"\n").unwrap();
    let more = [
        ("AYEAYE_DATA_DIR", "data"),
        ("AYEAYE_ADB_FILES", "~/files"),
        ("AYEAYE_ADB_PROGRAM", "adb"),
        ("AYEAYE_MODEL_PROMPT", "prompt.txt"),
    ];
    let config = Config::load(&[], None, &environment(&home, &more)).unwrap();
    let lost = config.lost_in(&[], Some(&file), &environment(&home, &[])).unwrap();
    let kept: Vec<_> =
        lost.iter().map(|it| (it.key.as_str(), it.value.as_str().unwrap())).collect();
    let whole = |folder: &Path, name: &str| folder.join(name).display().to_string();
    let expected = [
        ("data-dir", whole(&here, "data")),
        ("model.prompt", whole(&here, "prompt.txt")),
        // What the file has there is relative to the file.
        ("adb.program", whole(&here, "adb")),
        ("adb.files", whole(home.path(), "files")),
    ];
    let expected: Vec<_> = expected.iter().map(|(key, value)| (*key, value.as_str())).collect();
    assert_eq!(kept, expected);
    let builtin = environment(&home, &[("AYEAYE_MODEL_PROMPT", "builtin")]);
    let config = Config::load(&[], None, &builtin).unwrap();
    let other = environment(&home, &[("AYEAYE_MODEL_PROMPT", "x")]);
    let lost = config.lost_in(&[], None, &other).unwrap();
    assert_eq!((lost.len(), lost[0].value.as_str()), (1, Some("builtin")), "{lost:?}");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_lost_elsewhere_and_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = home();
    let odd = home.path().join(std::ffi::OsStr::from_bytes(b"od\xff"));
    std::fs::create_dir(&odd).unwrap();
    let file = odd.join("ayeaye.toml");
    std::fs::write(&file, "data-dir = 'data'\n").unwrap();
    let config = Config::load(&[], Some(&file), &environment(&home, &[])).unwrap();
    let refused = config.lost_in(&[], None, &environment(&home, &[])).unwrap_err();
    let told = refused.to_string();
    assert!(told.starts_with("`data-dir` from ") && told.contains("is not UTF-8"), "{told}");
}

#[test]
fn an_issuer_is_named_to_the_letter_and_what_belongs_to_it_needs_it() {
    let home = home();
    let plain = environment(&home, &[]);
    let load = |flags: &[Flag]| Config::load(flags, None, &plain);
    let name = "https://login.example.com/realms/Phones";
    let audience = flag("http.audience", "phones");
    let config = load(&[flag("http.issuer", name), audience.clone()]).unwrap();
    let issuer = config.http.issuer.unwrap();
    assert_eq!((issuer.name.as_str(), issuer.audience.as_deref()), (name, Some("phones")));
    // As Azure AD B2C has it.
    let keys = "https://login.example.com/discovery/keys?p=b2c_1_phones";
    let config = load(&[flag("http.issuer", name), flag("http.jwks-url", keys)]).unwrap();
    assert_eq!(config.http.issuer.unwrap().keys.unwrap().as_str(), keys);
    let plain_keys = "http://login.example.com/keys?p=1";
    let refused = load(&[flag("http.issuer", name), flag("http.jwks-url", plain_keys)]);
    assert!(refused.unwrap_err().to_string().contains("must be https"));
    for (wrong, said) in [
        (audience, "needs http.issuer"),
        (flag("http.jwks-url", "https://login.example.com/keys"), "needs http.issuer"),
        (flag("http.issuer", "http://login.example.com"), "must be https"),
        (flag("http.public-url", "https://phones.example.com/ayeaye"), "host and port"),
        #[cfg(unix)]
        (flag("http.listen", "unix:a.sock"), "absolute path"),
        (flag("http.rate-limit", "many"), "whole number"),
    ] {
        let err = load(std::slice::from_ref(&wrong)).unwrap_err().to_string();
        assert!(err.contains(said), "{err}");
    }
}

#[test]
fn models_for_other_parts_have_settings_of_their_own() {
    let home = home();
    let more = [
        ("AYEAYE_MODEL_JUDGE_API_KEY", "sk-judge"),
        ("AYEAYE_MODEL_JUDGE_BASE_URL", "http://10.0.0.9/v1"),
        ("AYEAYE_MODEL_PRICES", "qwen* 1 2, other 3 4 0.5"),
        ("AYEAYE_MODEL_COORDINATES", "yx:0-999"),
    ];
    let flags = [flag("model.fallback-profile", "gelab"), flag("run.caption", "on")];
    let config = Config::load(&flags, None, &environment(&home, &more)).unwrap();
    let model = &config.model;
    assert!(config.run.caption && model.plan.is_empty() && !model.fallback.is_empty());
    assert_eq!(model.coordinates.unwrap().to_string(), "yx:0-999");
    assert_eq!(model.price_table.of("other").unwrap().cached, Some(0.5));
    assert_eq!(config.notes.len(), 1, "a key in the clear: {:?}", config.notes);
    assert!(!config.explain().contains("sk-judge"));
    let plain = environment(&home, &[]);
    for (wrong, said) in [
        (flag("model.profile", "mystery"), "ayeaye model list"),
        (flag("model.judge-profile", "mystery"), "ayeaye model list"),
        (flag("model.coordinates", "feet"), "names no coordinates"),
        (flag("model.max-pixels", "9"), "whole number"),
        (flag("model.prices", "qwen 1"), "SENT RECEIVED"),
        (flag("model.cached-price", "1"), "model.input-price"),
        (flag("model.plan-base-url", "http://u:p@x/v1"), "user or password"),
        (flag("run.caption", "yes"), "off or on"),
    ] {
        let err = Config::load(std::slice::from_ref(&wrong), None, &plain).unwrap_err().to_string();
        assert!(err.contains(said), "{err}");
    }
}

#[test]
fn settings_of_calls_are_checked_when_they_are_read() {
    let home = home();
    let file = home.path().join("ayeaye.toml");
    let error = |text: &str| {
        std::fs::write(&file, format!("[model]\n{text}\n")).unwrap();
        Config::load(&[], Some(&file), &environment(&home, &[])).unwrap_err().to_string()
    };
    for (text, key, part) in [
        ("temperature = 3", "model.temperature", "from 0 to 2"),
        ("top-k = 0", "model.top-k", "-1 for all tokens"),
        ("max-tokens = 1", "model.max-tokens", "16 to 1000000"),
        ("stop = ['']", "model.stop", "empty"),
        ("reasoning-effort = 'much'", "model.reasoning-effort", "xhigh or max"),
        ("thinking = 'maybe'", "model.thinking", "on or off"),
        ("extra-body = { messages = [] }", "model.extra-body", "`messages`"),
        ("extra-body = '[]'", "model.extra-body", "JSON object"),
        ("extra-body = { since = 1979-05-27 }", "model.extra-body", "`since`"),
        ("extra-headers = { host = 'c4n4ry' }", "model.extra-headers", "`host`"),
        ("extra-headers = { x-a = 5 }", "model.extra-headers", "`x-a`"),
        ("extra-headers = 'c4n4ry'", "model.extra-headers", "JSON object"),
        ("extra-headers = ['c4n4ry']", "model.extra-headers", "one value"),
        ("judge-options = 'heat=1'", "model.judge-options", "there is no `heat`"),
        ("options = ['qwen']", "model.options", "NAME temperature=0.7"),
        ("name = { a = 1 }", "model.name", "one value"),
    ] {
        let why = error(text);
        assert!(why.contains(&format!("`{key}` from")) && why.contains(part), "{text}: {why}");
        assert!(!why.contains("c4n4ry"), "{why}");
    }
    let environment = environment(
        &home,
        &[("AYEAYE_MODEL_EXTRA_BODY", "{\"a\":1}"), ("AYEAYE_MODEL_THINKING", "on")],
    );
    let config = Config::load(&[], None, &environment).unwrap();
    assert_eq!(config.model.calls, "thinking=on extra-body={\"a\":1}".parse().unwrap());
    // What is printed can be read again.
    let printed = home.path().join("printed.toml");
    std::fs::write(&printed, config.explain()).unwrap();
    let again = Config::load(&[], Some(&printed), &Environment::default()).unwrap();
    assert_eq!(again.model.calls, config.model.calls);
}

#[test]
fn a_pattern_that_binds_no_host_is_refused() {
    let home = home();
    for (hosts, taken) in [
        ("['example.com', '*.example.com', 'localhost', 'müller.de']", true),
        ("['evil.*']", false),
        ("['*evil*']", false),
        ("['*.evil.*']", false),
        ("['*']", false),
        ("['*.']", false),
        ("['evil .com']", false),
    ] {
        for key in ["allow-hosts", "deny-hosts"] {
            let file = home.path().join("policy.toml");
            std::fs::write(&file, format!("[policy]\n{key} = {hosts}\n")).unwrap();
            let read = Config::load(&[], Some(&file), &environment(&home, &[]));
            assert_eq!(read.is_ok(), taken, "{key} {hosts}: {:?}", read.err());
        }
    }
}

#[test]
fn what_can_be_no_package_protects_no_app() {
    let home = home();
    for (apps, taken) in [
        ("['com.example.bank']", true),
        ("['com.example.*', '*', 'android']", true),
        ("['nimbus']", false),
        ("['com.*.bank']", false),
        ("['com.example.bank ', 'My Bank']", false),
    ] {
        for key in ["private-apps", "allow-apps", "deny-apps"] {
            let file = home.path().join("policy.toml");
            std::fs::write(&file, format!("[policy]\n{key} = {apps}\n")).unwrap();
            let read = Config::load(&[], Some(&file), &environment(&home, &[]));
            assert_eq!(read.is_ok(), taken, "{key} {apps}: {:?}", read.err());
        }
    }
}
