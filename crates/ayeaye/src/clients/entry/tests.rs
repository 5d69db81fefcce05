use super::*;
use crate::clients::document::{Format, Key};
use crate::clients::kept;

const KEY: Key<'static> = Key { section: "s", name: "ayeaye" };
const FORMATS: [Format; 3] = [Format::JsonWithComments, Format::Toml, Format::Yaml];

/// What becomes of an entry in a file of each format, which then is up to date.
#[track_caller]
fn becomes(old: &Value, wanted: &Value, now: &Value) {
    for format in FORMATS {
        let text = format.alone(KEY, old).unwrap();
        let after = format.with_entry(&text, KEY, wanted).unwrap();
        assert_eq!(format.entry(&after, KEY).unwrap().as_ref(), Some(now), "{after}");
        assert!(is_up_to_date(now, wanted), "{after}");
        assert_eq!(format.with_entry(&after, KEY, wanted).unwrap(), after);
    }
    assert_eq!(is_up_to_date(old, wanted), old == now);
}

#[test]
fn variables_and_headers_of_the_persons_stay() {
    let key = json!({ "AYEAYE_MODEL_API_KEY": "sk-1" });
    let mine = json!({ "command": "/a", "args": [], "env": key });
    becomes(&mine, &json!({ "command": "/a", "args": [] }), &mine);
    let moved = json!({ "command": "/b", "args": ["serve"] });
    becomes(&mine, &moved, &json!({ "command": "/b", "args": ["serve"], "env": key }));
    let npx = |path: &str| json!({ "command": "/n/npx", "args": [], "env": { "PATH": path } });
    let both =
        |path: &str| json!({ "command": "/n/npx", "args": [], "env": { "PATH": path, "K": "v" } });
    becomes(&both("/n:/bin"), &npx("/m:/bin"), &both("/m:/bin"));
    let only = json!({ "command": "/n/npx", "args": [], "env": { "K": "v" } });
    becomes(&only, &npx("/n:/bin"), &both("/n:/bin"));
    let http =
        |token: &str| json!({ "url": "http://a/mcp", "headers": { "Authorization": token } });
    let traced = |token: &str| json!({ "url": "http://a/mcp", "headers": { "Authorization": token, "X-Trace": "1" } });
    becomes(&traced("Bearer old"), &http("Bearer new"), &traced("Bearer new"));
    // Names of headers are the same in any case.
    let lower = json!({ "url": "http://a/mcp", "headers": { "authorization": "Bearer old" } });
    becomes(&lower, &http("Bearer new"), &http("Bearer new"));
    let empty = json!({ "command": "/a", "args": [], "env": {} });
    becomes(&empty, &json!({ "command": "/a", "args": [] }), &empty);
}

#[test]
fn what_was_for_another_program_or_address_goes_with_it() {
    let npx = json!({ "command": "/n/npx", "env": { "PATH": "/n:/bin", "K": "v" } });
    becomes(&npx, &json!({ "command": "/a" }), &json!({ "command": "/a", "env": { "K": "v" } }));
    let alone = json!({ "command": "/n/npx", "env": { "PATH": "/n:/bin" } });
    becomes(&alone, &json!({ "command": "/a" }), &json!({ "command": "/a" }));
    let http = |url: &str| json!({ "url": url, "headers": { "Authorization": "Bearer t" } });
    becomes(
        &http("http://a/mcp"),
        &json!({ "url": "https://b/mcp" }),
        &json!({ "url": "https://b/mcp" }),
    );
    becomes(&npx, &http("http://a/mcp"), &http("http://a/mcp"));
    becomes(&http("http://a/mcp"), &json!({ "command": "/a" }), &json!({ "command": "/a" }));
    let literal = json!({ "url": "http://a/mcp", "http_headers": { "Authorization": "Bearer t" } });
    let named = json!({ "url": "http://a/mcp", "bearer_token_env_var": "AYEAYE_TOKEN" });
    becomes(&literal, &named, &named);
    becomes(&named, &literal, &literal);
}

#[test]
fn a_token_or_a_path_that_the_person_added_stays_where_none_is_wanted() {
    let remote = json!({ "url": "https://b/mcp" });
    let mine = json!({ "url": "https://b/mcp", "headers": { "Authorization": "Bearer t" } });
    becomes(&mine, &remote, &mine);
    let mine = json!({ "url": "https://b/mcp", "bearer_token_env_var": "MINE" });
    becomes(&mine, &remote, &mine);
    let mine = json!({ "command": "/a", "args": ["serve"], "env": { "PATH": "/adb:/bin" } });
    let wanted = json!({ "command": "/a", "args": ["serve", "--virtual"] });
    let now =
        json!({ "command": "/a", "args": ["serve", "--virtual"], "env": { "PATH": "/adb:/bin" } });
    becomes(&mine, &wanted, &now);
}

#[test]
fn only_the_names_that_change_are_written_anew() {
    let wanted = json!({ "command": "/n/npx", "env": { "PATH": "/new" } });
    for (format, before, after) in [
        (
            Format::JsonWithComments,
            "{\n  \"s\": {\n    \"ayeaye\": {\n      \"command\": \"/n/npx\",\n      \"env\": {\n        // mine\n        \"K\": \"v\",\n        \"PATH\": \"/old\" // its own\n      }\n    }\n  }\n}\n",
            "{\n  \"s\": {\n    \"ayeaye\": {\n      \"command\": \"/n/npx\",\n      \"env\": {\n        // mine\n        \"K\": \"v\",\n        \"PATH\": \"/new\" // its own\n      }\n    }\n  }\n}\n",
        ),
        (
            Format::Toml,
            "[s.ayeaye]\ncommand = \"/n/npx\"\n\n# mine\n[s.ayeaye.env]\nK = \"v\" # a key\n",
            "[s.ayeaye]\ncommand = \"/n/npx\"\n\n# mine\n[s.ayeaye.env]\nK = \"v\" # a key\nPATH = \"/new\"\n",
        ),
        (
            Format::Yaml,
            "s:\n  ayeaye:\n    command: /n/npx\n    env: # mine\n      K: v # a key\n      PATH: /old",
            "s:\n  ayeaye:\n    command: /n/npx\n    env: # mine\n      K: v # a key\n      PATH: \"/new\"",
        ),
        (
            Format::Yaml,
            "s:\n  ayeaye:\n    command: /n/npx\n    env:\n      K: v # a key",
            "s:\n  ayeaye:\n    command: /n/npx\n    env:\n      K: v # a key\n      PATH: \"/new\"\n",
        ),
        (
            Format::Yaml,
            "s:\n  ayeaye:\n    env: { PIN: 007, 'K': 'it''s }' } # mine\n    command: /n/npx\n",
            "s:\n  ayeaye:\n    env: { PATH: \"/new\", PIN: 007, 'K': 'it''s }' } # mine\n    command: /n/npx\n",
        ),
    ] {
        assert_eq!(format.with_entry(before, KEY, &wanted).as_deref(), Ok(after));
    }
}

#[test]
fn installing_again_changes_nothing_that_was_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claude_desktop_config.json");
    let entry = json!({ "command": "/a", "args": ["serve"] });
    let install = || {
        let change = kept::install(&path, Format::Json, KEY, &entry).unwrap();
        change.write().unwrap();
        change
    };
    install();
    let text = std::fs::read_to_string(&path).unwrap();
    let text =
        text.replace("[\"serve\"]", "[\"serve\"], \"env\": { \"AYEAYE_MODEL_API_KEY\": \"sk-1\" }");
    std::fs::write(&path, &text).unwrap();
    assert!(install().is_nothing());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}
