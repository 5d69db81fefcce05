use proptest::prelude::*;
use serde_json::json;

use super::*;

const KEY: Key<'static> = Key { section: "mcpServers", name: "ayeaye" };
const LENIENT: Format = Format::JsonWithComments;

fn entry() -> Value {
    json!({ "command": "/opt/ayeaye", "args": ["serve", "--virtual"] })
}

fn put(text: &str) -> String {
    LENIENT.with_entry(text, KEY, &entry()).unwrap()
}

fn take(format: Format, text: &str, key: Key<'_>, section_too: bool) -> String {
    format.without_entry(text, key, section_too).unwrap().expect("it is there")
}

#[test]
fn an_entry_goes_behind_the_others_in_their_style() {
    let before = "// mine\n{\n\t\"theme\": \"dark\", // nice\n\t\"mcpServers\": {\n\t\t\"a\": { \"command\": \"a\" } // first\n\t\t// last words\n\t}\n}\n";
    let after = put(before);
    assert_eq!(
        after,
        "// mine\n{\n\t\"theme\": \"dark\", // nice\n\t\"mcpServers\": {\n\t\t\"a\": { \"command\": \"a\" }, // first\n\
         \t\t\"ayeaye\": {\n\t\t\t\"command\": \"/opt/ayeaye\",\n\t\t\t\"args\": [\"serve\", \"--virtual\"]\n\t\t}\n\
         \t\t// last words\n\t}\n}\n"
    );
    assert_eq!(take(LENIENT, &after, KEY, false), before);
    // Where commas end rows, ours does too.
    let before = "{\r\n  \"mcpServers\": {\r\n    \"a\": {},\r\n  },\r\n}";
    let after = put(before);
    assert!(
        after.contains("\"a\": {},\r\n    \"ayeaye\": {\r\n") && after.contains("    },\r\n  },")
    );
    assert_eq!(take(LENIENT, &after, KEY, false), before);
    let before = "{\"x\":1,\"mcpServers\":{\"a\":{}}}";
    let after = put(before);
    assert_eq!(
        after,
        "{\"x\":1,\"mcpServers\":{\"a\":{}, \"ayeaye\": { \"command\": \"/opt/ayeaye\", \"args\": [\"serve\", \"--virtual\"] }}}"
    );
    assert_eq!(take(LENIENT, &after, KEY, false), before);
}

#[test]
fn a_section_is_made_where_there_is_none_and_taken_back() {
    for before in [
        "{\n  \"a\": 1\n}\n",
        "{ \"a\": 1 }",
        "{\n  \"a\": 1, // b\n}\n",
        "\u{feff}{\n  \"a\": 1\n}",
    ] {
        let after = put(before);
        assert_eq!(take(LENIENT, &after, KEY, true), before, "{after}");
    }
    for before in ["", "\n", "// nothing yet\n"] {
        let after = put(before);
        assert!(after.starts_with(before) && after.ends_with("}\n"), "{after:?}");
    }
    assert_eq!(put("{}"), put("").trim_end());
    assert_eq!(take(LENIENT, &put("{ \"mcpServers\": {} }"), KEY, false), "{ \"mcpServers\": {} }");
}

#[test]
fn what_the_person_added_to_the_entry_stays() {
    let before = "{\n  \"mcpServers\": {\n    \"ayeaye\": {\n      // slow phone\n      \"timeout\": 900,\n      \"command\": \"/old\", \"args\": [],\n      \"url\": \"http://x\"\n    }\n  }\n}\n";
    let after = put(before);
    assert_eq!(
        after,
        "{\n  \"mcpServers\": {\n    \"ayeaye\": {\n      // slow phone\n      \"timeout\": 900,\n      \"command\": \"/opt/ayeaye\", \"args\": [\"serve\", \"--virtual\"]\n    }\n  }\n}\n"
    );
}

#[test]
fn others_come_and_go_and_stay() {
    let before = "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n";
    let mine = put(before);
    let both = LENIENT
        .with_entry(&mine, Key { name: "other", ..KEY }, &json!({ "command": "b" }))
        .unwrap();
    let rest = take(LENIENT, &both, KEY, false);
    assert_eq!(
        LENIENT.entry(&rest, Key { name: "other", ..KEY }).unwrap().unwrap()["command"],
        "b"
    );
    assert_eq!(take(LENIENT, &rest, Key { name: "other", ..KEY }, false), before);
}

#[test]
fn a_file_that_cannot_be_read_is_refused_with_the_place() {
    let refused = |format: Format, text: &str| format.with_entry(text, KEY, &entry()).unwrap_err();
    let at = |format, text: &str| match refused(format, text) {
        EditError::Syntax { line, column, .. } => (line, column),
        other => panic!("{other}"),
    };
    assert_eq!(at(LENIENT, "{\n  \"a\": 1\n  \"b\": 2\n}").0, 2);
    assert_eq!(at(Format::Json, "{\n  // no\n}"), (2, 3));
    // What JSON's own parsers refuse, as the clients would.
    for control in ["\t", "\n", "\0"] {
        let text = format!("{{\n  \"a\": \"x{control}y\"\n}}");
        assert_eq!(at(Format::Json, &text).0, 2, "{control:?}");
    }
    assert_eq!(at(Format::Toml, "a = 1\nb = = 2\n").0, 2);
    assert!(2 <= at(Format::Yaml, "a: 1\n  b: [\n").0);
    assert!(matches!(refused(LENIENT, "[]"), EditError::NotASection { .. }));
    assert!(matches!(refused(LENIENT, "{\"mcpServers\": []}"), EditError::NotASection { .. }));
    let twice = "{\"mcpServers\": {}, \"mcpServers\": {}}";
    assert!(matches!(refused(LENIENT, twice), EditError::Twice { .. }));
}

const CODEX: Key<'static> = Key { section: "mcp_servers", name: "ayeaye" };

#[test]
fn toml_gets_a_table_at_its_end() {
    let before = "# mine\nmodel = \"x\" # the one\n\n[mcp_servers.a]\ncommand = \"a\"\n# the end";
    let after = Format::Toml.with_entry(before, CODEX, &entry()).unwrap();
    assert_eq!(
        after,
        format!(
            "{before}\n\n[mcp_servers.ayeaye]\ncommand = \"/opt/ayeaye\"\nargs = [\"serve\", \"--virtual\"]\n"
        )
    );
    let with_more = format!(
        "{after}\n[mcp_servers.ayeaye.tools.x]\napproval_mode = \"approve\"\n\n# b\n[z]\nk = 1\n"
    );
    assert_eq!(
        take(Format::Toml, &with_more, CODEX, false),
        format!("{before}\n\n# b\n[z]\nk = 1\n")
    );
    let moved = json!({ "command": "/new", "args": ["serve"] });
    let noted = after.replace("\"/opt/ayeaye\"", "\"/opt/ayeaye\" # here\ntool_timeout_sec = 9");
    let changed = Format::Toml.with_entry(&noted, CODEX, &moved).unwrap();
    assert!(changed.contains("command = \"/new\" # here\ntool_timeout_sec = 9"), "{changed}");
    for refused in ["mcp_servers = {}\n", "mcp_servers.a.command = 'x'\n", "mcp_servers = 3\n"] {
        assert!(Format::Toml.with_entry(refused, CODEX, &entry()).is_err(), "{refused}");
    }
}

const GOOSE: Key<'static> = Key { section: "extensions", name: "ayeaye" };

#[test]
fn yaml_gets_lines_at_the_top_of_the_section() {
    let goose = json!({ "type": "stdio", "name": "ayeaye", "enabled": true, "cmd": "/opt/ayeaye",
        "args": ["serve"], "timeout": 300, "envs": { "PATH": "/usr/bin" } });
    let before = "# mine\nGOOSE_MODEL: x   # the one\nextensions:\n  # built in\n  developer:\n    enabled: true\n    text: |\n      a\n      b\nlast: [1, 2]";
    let after = Format::Yaml.with_entry(before, GOOSE, &goose).unwrap();
    assert!(after.contains("extensions:\n  ayeaye:\n    type: \"stdio\"\n"), "{after}");
    assert!(after.contains("    envs: { PATH: \"/usr/bin\" }\n  # built in\n"), "{after}");
    assert_eq!(Format::Yaml.entry(&after, GOOSE).unwrap().unwrap(), goose);
    assert_eq!(take(Format::Yaml, &after, GOOSE, false), before);
    let moved = json!({ "type": "stdio", "name": "ayeaye", "cmd": "/new" });
    let changed = Format::Yaml.with_entry(&after, GOOSE, &moved).unwrap();
    let kept = json!({ "type": "stdio", "name": "ayeaye", "enabled": true, "cmd": "/new",
        "timeout": 300 });
    assert_eq!(Format::Yaml.entry(&changed, GOOSE).unwrap().unwrap(), kept);
    assert_eq!(take(Format::Yaml, &changed, GOOSE, false), before);
    for before in ["", "a: 1\n", "# no more\n"] {
        let after = Format::Yaml.with_entry(before, GOOSE, &goose).unwrap();
        assert_eq!(take(Format::Yaml, &after, GOOSE, true), before, "{after}");
    }
    for before in
        ["extensions:\n", "extensions: {}\nb: 1\n", "extensions:\nb: 1\n", "b: 1\nextensions: {}"]
    {
        let after = Format::Yaml.with_entry(before, GOOSE, &goose).unwrap();
        assert_eq!(Format::Yaml.entry(&after, GOOSE).unwrap().unwrap(), goose, "{after}");
    }
    for refused in [
        "{extensions: {}}\n",
        "extensions: {a: {x: 1}}\n",
        "extensions: [1]\n",
        "- a\n",
        "a: 1\n---\nb: 1\n",
    ] {
        assert!(Format::Yaml.with_entry(refused, GOOSE, &goose).is_err(), "{refused}");
    }
}

#[test]
fn a_yaml_entry_is_changed_key_by_key() {
    let goose = json!({ "type": "stdio", "name": "ayeaye", "enabled": true, "cmd": "/opt/ayeaye",
        "args": ["serve", "--virtual"], "timeout": 300, "envs": { "PATH": "/usr/bin" } });
    let before = "extensions:\n  a: 1\n  ayeaye: # mine\n    # a phone\n    type: stdio\n    name: phone # so called\n    \
                  enabled: false\n    cmd: '/old'   # here\n    args:  # those\n      - serve\n    timeout: 900\n    \
                  available_tools: [a, b]\n    uri: [\n      x ]\n\n    # the last\n  z: 1\n";
    let after = "extensions:\n  a: 1\n  ayeaye: # mine\n    # a phone\n    type: stdio\n    name: phone # so called\n    \
                 enabled: false\n    cmd: \"/opt/ayeaye\"   # here\n    args: [\"serve\", \"--virtual\"]  # those\n    timeout: 900\n    \
                 available_tools: [a, b]\n    envs: { PATH: \"/usr/bin\" }\n\n    # the last\n  z: 1\n";
    for end in ["\n", "\r\n"] {
        let (before, after) = (before.replace('\n', end), after.replace('\n', end));
        assert_eq!(Format::Yaml.with_entry(&before, GOOSE, &goose).unwrap(), after);
    }
    let entry = json!({ "cmd": "/new", "args": ["serve"] });
    let put = |rows: &str| {
        let text = format!("extensions:\n  ayeaye:\n{rows}");
        let after = Format::Yaml.with_entry(&text, GOOSE, &entry);
        after.map(|it| it.replacen("extensions:\n  ayeaye:\n", "", 1))
    };
    for (before, after) in [
        ("    cmd: x\n    args: # none\n", "    cmd: \"/new\"\n    args: [\"serve\"] # none\n"),
        ("    cmd: &a 'x' # c", "    cmd: \"/new\" # c\n    args: [\"serve\"]\n"),
        ("    \"cmd\" : x y # c", "    \"cmd\" : \"/new\" # c\n    args: [\"serve\"]\n"),
        (
            "     args: [a, # b\n       c] # d\n     cmd:\n       /x\n",
            "     args: [\"serve\"] # d\n     cmd: \"/new\"\n",
        ),
        (
            "    args:\n    - a\n    - b: 1\n      c: 2 # c\n    # d\n    <<: x\n    cmd: /new\n",
            "    args: [\"serve\"]\n    # d\n    <<: x\n    cmd: /new\n",
        ),
    ] {
        assert_eq!(put(before).as_deref(), Ok(after), "{before}");
    }
    for refused in [
        "    cmd: &a x\n    k: *a\n",
        "    cmd: |\n      a\n",
        "    ? cmd\n    : x\n",
        "    cmd: x\n    cmd: y\n",
    ] {
        assert!(put(refused).is_err(), "{refused}");
    }
    let braces = "extensions:\n  ayeaye: { cmd: x, timeout: 9 } # mine\n";
    assert!(Format::Yaml.with_entry(braces, GOOSE, &entry).is_err());
}

#[test]
fn what_an_entry_began_with_is_the_persons_from_then_on() {
    let wanted = json!({ "command": "/new", "args": ["serve"], "timeout": 300, "enabled": true });
    let old = json!({ "command": "/old", "enabled": false, "timeout": 9 });
    for format in [LENIENT, Format::Toml, Format::Yaml] {
        let text = format.alone(KEY, &old).unwrap();
        let after = format.with_entry(&text, KEY, &wanted).unwrap();
        let now = json!({ "command": "/new", "enabled": false, "timeout": 9, "args": ["serve"] });
        assert_eq!(format.entry(&after, KEY).unwrap().unwrap(), now, "{after}");
    }
}

/// White space and comments that may stand between two parts of a file.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ ]{0,2}",
        2 => "[ ]{0,1}(//[ a-z\",{}:]{0,8})?\r?\n[ \t]{0,4}",
        1 => "/\\*[ a-z\",{}:\n]{0,8}\\*/",
    ]
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]{1,3}|a b|\u{e4}\u{1f600}|x\\\\\"y"
}

/// JSON with comments, as people write it.
fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1.50".to_owned()),
        Just("true".to_owned()),
        Just("\"// no comment, {\\\"} \u{1f600}\"".to_owned()),
        Just("[ 1,\n 2 /* x */ ]".to_owned()),
        Just("{}".to_owned()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| object(prop::collection::vec((name(), inner), 0..4)))
}

fn object(rows: impl Strategy<Value = Vec<(String, String)>>) -> impl Strategy<Value = String> {
    (rows, prop::collection::vec(gap(), 16), any::<bool>()).prop_map(|(rows, gaps, trailing)| {
        let mut gaps = gaps.into_iter().cycle();
        let mut gap = || gaps.next().unwrap_or_default();
        let mut text = format!("{{{}", gap());
        let mut used = std::collections::BTreeSet::new();
        let rows: Vec<_> = rows.into_iter().filter(|(name, _)| used.insert(name.clone())).collect();
        let count = rows.len();
        for (at, (name, value)) in rows.into_iter().enumerate() {
            text.extend(["\"", &name, "\"", &gap(), ":", &gap(), &value, &gap()]);
            if at + 1 < count || trailing {
                text.extend([",", &gap()]);
            }
        }
        text.push('}');
        text
    })
}

/// A whole file, with a section that has other entries, or none.
pub(in crate::clients) fn json_file() -> impl Strategy<Value = (String, bool)> {
    let section = prop_oneof![
        3 => json_value().prop_filter("a section", |it| it.starts_with('{')).prop_map(Some),
        1 => Just(None),
    ];
    (prop::collection::vec((name(), json_value()), 0..3), section, gap(), gap(), 0..3_usize)
        .prop_flat_map(|(mut rows, section, before, after, at)| {
            let has = section.is_some();
            if let Some(section) = section {
                rows.insert(at.min(rows.len()), ("mcpServers".to_owned(), section));
            }
            object(Just(rows)).prop_map(move |text| (format!("{before}{text}{after}"), has))
        })
}

/// The text without white space.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #[test]
    fn json_is_afterwards_what_it_was((text, has_section) in json_file()) {
        let before = LENIENT.parse(&text).unwrap();
        let after = LENIENT.with_entry(&text, KEY, &entry()).unwrap();
        prop_assert_eq!(LENIENT.entry(&after, KEY).unwrap(), Some(entry()));
        let again = LENIENT.with_entry(&after, KEY, &entry()).unwrap();
        prop_assert_eq!(&again, &after);
        let back = take(LENIENT, &after, KEY, !has_section);
        prop_assert_eq!(&LENIENT.parse(&back).unwrap(), &before);
        // What was between the braces of an empty section is known only from the text that was kept.
        let others = |all: &Value| all.as_object().is_some_and(|it| !it.is_empty());
        if others(&before) && (!has_section || others(&before[KEY.section])) {
            prop_assert_eq!(back, text, "{}", after);
        } else {
            prop_assert_eq!(bare(&back), bare(&text), "{}", after);
        }
    }

    #[test]
    fn toml_is_afterwards_what_it_was(
        rows in prop::collection::vec("(# [a-z\\[\\]=\"]{0,8})?|[a-z]{2} = (1|\"x\\[\"|'''\n\\[a\\]\n'''|\\[ 1, # c\n 2 \\])( # c)?", 0..4),
        tables in prop::collection::vec("\\[(mcp_servers\\.)?t[a-z]{2}\\]( # c)?\n(k = \\{ a = 1 \\}\n)?\n?(# end\n)?", 0..4),
        last in "\n?",
        end in "\r?\n",
    ) {
        let text = format!("{}\n{}{last}", rows.join("\n"), tables.concat()).replace('\n', &end);
        prop_assume!(Format::Toml.parse(&text).is_ok());
        let after = Format::Toml.with_entry(&text, CODEX, &entry()).unwrap();
        prop_assert_eq!(Format::Toml.entry(&after, CODEX).unwrap(), Some(entry()));
        let moved = json!({ "command": "/new", "args": ["serve"], "env": { "A": "b" } });
        let changed = Format::Toml.with_entry(&after, CODEX, &moved).unwrap();
        prop_assert_eq!(Format::Toml.entry(&changed, CODEX).unwrap(), Some(moved));
        for after in [after, changed] {
            let back = take(Format::Toml, &after, CODEX, false);
            prop_assert_eq!(&back, &text);
        }
    }

    #[test]
    fn yaml_is_afterwards_what_it_was(
        head in prop::collection::vec("# [a-z:]{0,5}|[a-z]{2}: (1|x y|\"a: b\"|\\[1, 2\\])( # c)?|[a-z]{2}: \\|\n  a\n   b", 0..4),
        entries in prop::collection::vec("(  # c\n)?  [a-z]{2}:( # c)?\n    k: (v|\"w\")( # c)?\n(    - x\n){0,0}", 1..4),
        tail in "(zz: 1\n)?(# end)?",
    ) {
        let text = format!("{}\nextensions:\n{}{tail}", head.join("\n"), entries.concat());
        prop_assume!(Format::Yaml.parse(&text).is_ok());
        let after = Format::Yaml.with_entry(&text, GOOSE, &entry());
        prop_assume!(!matches!(after, Err(EditError::Twice { .. })));
        let after = after.unwrap();
        prop_assert_eq!(Format::Yaml.entry(&after, GOOSE).unwrap(), Some(entry()));
        prop_assert_eq!(take(Format::Yaml, &after, GOOSE, false), text);
    }

    #[test]
    fn a_changed_yaml_entry_keeps_its_comments(
        names in prop::sample::subsequence(vec!["cmd", "args", "timeout", "k"], 1..5).prop_shuffle(),
        values in prop::collection::vec("|v|\"a \\\\\" # b\"|'a '' # b'|x y|\\[1, 2\\]|\\{ a: b \\}|\n      - 1\n      - 'b'|\n      a: 1", 5),
        comments in prop::collection::vec("( # c)?(\n    # c)?", 5),
        end in "\r?\n",
    ) {
        let mut text = "extensions: # c\n  ayeaye: # c\n    # c\n".to_owned();
        for ((name, value), comment) in names.iter().zip(&values).zip(&comments) {
            // What stands in a value over several lines goes with it.
            let comment = match value.strip_prefix('\n') {
                Some(_) => comment.trim_start_matches(" # c"),
                None => comment,
            };
            text.extend(["    ", name, ": ", value, comment, "\n"]);
        }
        text.push_str("  # c\n  z: 1\n");
        let text = text.replace('\n', &end);
        let entry = json!({ "cmd": "/opt/ayeaye", "args": ["serve"], "timeout": 300 });
        let after = Format::Yaml.with_entry(&text, GOOSE, &entry).unwrap();
        prop_assert_eq!(after.matches("# c").count(), text.matches("# c").count(), "{}", after);
        prop_assert_eq!(after.matches('\r').count(), if end == "\r\n" { after.matches('\n').count() } else { 0 });
        prop_assert_eq!(Format::Yaml.with_entry(&after, GOOSE, &entry).unwrap(), after);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}a-z:,.=\"'0-9/*#|& \t\n-]{0,60}") {
        for format in [Format::Json, LENIENT, Format::Toml, Format::Yaml] {
            drop(format.with_entry(&text, KEY, &entry()));
            drop(format.without_entry(&text, Key { section: "a", name: "b" }, true));
        }
    }
}
