//! What clients rely on to the letter.
use std::collections::BTreeSet;

use ayeaye::config::ToolSet;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{ReadResourceRequestParams, ResourceContents};
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete, gelab, info, within};

async fn rig() -> Rig {
    Rig::with(FakeVlm::start(|_| Answer::Says(info("Which one?"))).await, RigOptions::quick()).await
}

/// The tools.
pub async fn tools(rig: &Rig) -> Value {
    let tools = rig.client.peer().list_all_tools().await.unwrap();
    serde_json::to_value(tools).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_tools_is_as_it_was() {
    insta::assert_json_snapshot!(tools(&rig().await).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_says_of_itself_is_as_it_was() {
    let rig = rig().await;
    let info = rig.client.peer().peer_info().expect("it has introduced itself");
    let mut info = serde_json::to_value(&*info).unwrap();
    assert_eq!(info["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    info["serverInfo"]["version"] = json!("of the package");
    info["serverInfo"]["icons"][0]["src"] = json!("our icon");
    insta::assert_json_snapshot!(info);
}

/// Every key with the kind of its value, such as `usage.model_ms: number`.
fn keys(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            keys(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, into);
        }),
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                keys(item, &format!("{path}[]"), into);
            }
        }
        other => {
            let kind = match other {
                Value::Null => "null",
                Value::Bool(_) => "bool",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Array(_) | Value::Object(_) => "empty list",
            };
            into.insert(format!("{path}: {kind}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_results_are_as_they_were() {
    let rig = rig().await;
    rig.vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(info("Which one?"))]);
    let asked = rig.start("do it").await;
    // A process that another test starts in that moment has the phone's lock until it is another program.
    let devices = within(10, "the phone to be free", async {
        loop {
            let devices = rig.call("list_connected_devices", json!({})).await;
            if devices["devices"][0]["busy"] == false {
                return devices;
            }
        }
    })
    .await;
    let sessions = rig.call("list_sessions", json!({})).await;
    let mut lines = String::new();
    for (tool, facts) in [
        ("ask_agent_start_new_task", &asked),
        ("list_connected_devices", &devices),
        ("list_sessions", &sessions),
    ] {
        let mut found = BTreeSet::new();
        keys(facts, "", &mut found);
        lines.push_str(tool);
        for key in &found {
            lines.extend(["\n  ", key]);
        }
        lines.push('\n');
    }
    insta::assert_snapshot!(lines);
    assert_eq!(rig.call("get_session", json!({ "session_id": asked["session_id"] })).await, asked);
    assert_eq!(rig.go_on(&asked, json!({})).await, asked);
}

/// Refuses what some gateways cannot read.
pub fn is_portable(schema: &Value, path: &str) {
    match schema {
        Value::Object(object) => {
            for key in ["$ref", "$defs", "definitions", "format", "$schema"] {
                // A property may be named so; a keyword is not below `properties`.
                assert!(path.ends_with(".properties") || !object.contains_key(key), "{path}.{key}");
            }
            if !path.ends_with(".properties") {
                assert!(!object.get("type").is_some_and(Value::is_array), "{path}.type");
            }
            object.iter().for_each(|(key, value)| is_portable(value, &format!("{path}.{key}")));
        }
        Value::Array(items) => items.iter().for_each(|item| is_portable(item, path)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_are_plain_and_every_field_is_described() {
    let tools = tools(&rig().await).await;
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &tool[schema];
            is_portable(schema, name);
            assert!(schema.is_null() || schema["type"] == "object", "{name}");
        }
        // google-genai's own MCP support fails at a schema with this keyword.
        assert_eq!(tool["inputSchema"]["additionalProperties"], Value::Null, "{name}");
        for (field, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{field}");
        }
        // Endpoints with this limit refuse the whole request.
        assert!(tool["description"].as_str().unwrap().chars().count() <= 1024, "{name}");
        assert_eq!(tool["icons"], Value::Null, "the server's is enough");
    }
    let bytes = serde_json::to_string(&json!({ "tools": tools })).unwrap().len();
    assert!(bytes < 18_000, "what every chat pays for: {bytes}");
}

/// Refuses a result that its tool's own schema does not allow: clients check that.
pub fn keeps_to(schema: &Value, value: &Value, path: &str) {
    let schema = match schema["anyOf"].as_array().map(Vec::as_slice) {
        Some([_, null]) if value.is_null() => {
            assert_eq!(null["type"], "null", "{path}");
            return;
        }
        Some([only, _]) => only,
        _ => schema,
    };
    let kind = schema["type"].as_str().unwrap_or("anything");
    let fits = match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        _ => true,
    };
    assert!(fits, "{path} is no {kind}: {value}");
    for required in schema["required"].as_array().into_iter().flatten() {
        let name = required.as_str().unwrap();
        assert!(value.get(name).is_some(), "{path} lacks {name}: {value}");
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => keeps_to(schema, field, &format!("{path}.{name}")),
            None => assert_ne!(schema["additionalProperties"], false, "{path}.{name}"),
        }
    }
    for item in value.as_array().into_iter().flatten() {
        keeps_to(&schema["items"], item, &format!("{path}[]"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_keep_to_the_schemas_of_their_tools() {
    let rig = rig().await;
    let tools = tools(&rig).await;
    let schema = |name: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool["outputSchema"].clone()
    };
    let begin = json!({ "device_id": rig.serial, "task": "do it", "wait_seconds": 0 });
    let running = rig.call("ask_agent_start_new_task", begin).await;
    let asked = rig.go_on(&running, json!({})).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY");
    rig.vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    let session = json!({ "session_id": asked["session_id"] });
    for (tool, facts) in [
        ("ask_agent_start_new_task", running),
        ("ask_agent_continue", asked),
        ("ask_agent_continue", done),
        ("get_session", rig.call("get_session", session.clone()).await),
        ("stop_task", rig.call("stop_task", session).await),
        ("list_sessions", rig.call("list_sessions", json!({})).await),
        ("list_connected_devices", rig.call("list_connected_devices", json!({})).await),
    ] {
        keeps_to(&schema(tool), &facts, tool);
    }
    assert_eq!(schema("get_screenshot"), Value::Null, "a picture has no structure");
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_say_what_a_tool_may_do() {
    let tools = tools(&rig().await).await;
    let hints: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let hint = |name: &str| tool["annotations"][name].as_bool().unwrap_or_default();
            let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
            (tool["name"].as_str().unwrap(), hints.map(hint))
        })
        .collect();
    let reads = [true, false, true, false];
    let drives = [false, true, false, true];
    let mut expected = [
        ("ask_agent_continue", drives),
        ("ask_agent_start_new_task", drives),
        ("get_screenshot", reads),
        ("get_session", reads),
        ("list_connected_devices", reads),
        ("list_sessions", reads),
        ("stop_task", [false, false, true, false]),
    ];
    let mut hints = hints;
    hints.sort_unstable();
    expected.sort_unstable();
    assert_eq!(hints, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_200_steps_stays_below_8000_characters() {
    const STEPS: usize = 200;
    let mut options = RigOptions::quick();
    // Or waiting on a screen that does not change is no progress.
    options.limits.repeats = 1000;
    let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, options).await;
    let long = "because the button that was there a moment ago has moved ".repeat(8);
    let mut made = 0;
    rig.vlm.now(move |_| {
        made += 1;
        Answer::Says(match made {
            STEPS => complete(&long.repeat(10)),
            // Waiting costs nothing.
            _ => gelab("WAIT", "value:0", &format!("{long} {made}")),
        })
    });
    let start = json!({
        "device_id": rig.serial, "task": "wait ".repeat(2000), "max_steps": 500, "wait_seconds": 300
    });
    let result = rig.call("ask_agent_start_new_task", start).await;
    assert_eq!(result["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{result}");
    assert_eq!(result["local_step_idx"], STEPS);
    let text = result.to_string();
    assert!(text.chars().count() < 8000, "{} characters", text.chars().count());
    let logs = result["intermediate_logs"].as_array().unwrap();
    assert_eq!(logs[0]["global_step_idx"], 1, "the first is kept");
    assert_eq!(logs.last().unwrap()["global_step_idx"], STEPS, "and the last");
    assert_eq!(result["omitted_logs"], STEPS - logs.len(), "and the rest is counted");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_saw_can_be_read_by_its_address() {
    let rig = rig().await;
    let asked = rig.start("do it").await;
    let uri = asked["screenshot_uri"].as_str().unwrap();
    let session = asked["session_id"].as_str().unwrap();
    assert_eq!(uri, format!("ayeaye://sessions/{session}/steps/0/screenshot"));
    let read = async |uri: &str| {
        rig.client.peer().read_resource(ReadResourceRequestParams::new(uri)).await
    };
    let found = read(uri).await.unwrap();
    let [ResourceContents::BlobResourceContents { blob, mime_type, .. }] =
        found.contents.as_slice()
    else {
        panic!("one picture: {found:?}")
    };
    assert_eq!(mime_type.as_deref(), Some("image/jpeg"));
    let sent = rig.vlm.asked().pop().unwrap().to_string();
    assert!(sent.contains(blob.as_str()), "the very picture the model was shown");
    for unknown in [
        uri.replace("/0/", "/7/"),
        uri.replace(session, "01900000-0000-7000-8000-000000000000"),
        uri.replace(session, ".."),
        "file:///etc/passwd".to_owned(),
    ] {
        assert!(read(&unknown).await.unwrap_err().to_string().contains("no resource"), "{unknown}");
    }
    let templates = rig.client.peer().list_all_resource_templates().await.unwrap();
    let template = "ayeaye://sessions/{session_id}/steps/{step}/screenshot";
    assert!(templates.iter().any(|it| it.uri_template == template), "{templates:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screenshot_is_one_small_jpeg_without_structure() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::new(vlm).await;
    let before = rig.virtual_phone.phone().state();
    let result = rig.raw_call("get_screenshot", json!({ "device_id": rig.serial })).await;
    assert_ne!(result.is_error, Some(true));
    assert!(result.structured_content.is_none(), "hosts that read it drop the picture");
    let pictures: Vec<_> = result.content.iter().filter_map(|it| it.as_image()).collect();
    let [picture] = pictures.as_slice() else { panic!("one picture: {:?}", result.content) };
    assert_eq!(picture.mime_type, "image/jpeg");
    let bytes = STANDARD.decode(&picture.data).unwrap();
    assert!(bytes.starts_with(&[0xff, 0xd8]) && bytes.ends_with(&[0xff, 0xd9]), "a whole JPEG");
    assert!(bytes.len() <= 200_000, "{} bytes", bytes.len());
    let words: Vec<_> = result.content.iter().filter_map(|it| it.as_text()).collect();
    let sizes: Value = serde_json::from_str(&words[0].text).unwrap();
    assert_eq!(sizes["screen"], json!([1080, 2400]));
    assert_eq!(sizes["picture"], json!([576, 1280]), "1280 px at most");
    assert_eq!(sizes["bytes"], bytes.len());
    let small = json!({ "device_id": rig.serial, "max_size": 640.0 });
    let small = rig.raw_call("get_screenshot", small).await;
    let sizes: Value = serde_json::from_str(&small.content[1].as_text().unwrap().text).unwrap();
    assert_eq!(sizes["picture"], json!([288, 640]));
    assert!(sizes["bytes"].as_u64().unwrap() < bytes.len() as u64 * 2 / 3, "{sizes}");
    let huge = json!({ "device_id": rig.serial, "max_size": 5000 });
    assert!(rig.refused("get_screenshot", huge).await.contains("200 to 1280"));
    assert_eq!(rig.virtual_phone.phone().state().actions, before.actions, "nothing was done");
}

#[test]
fn the_table_of_faults_names_tests_that_are_there_and_all_of_bad_input() {
    let table = include_str!("../../docs/faults.md");
    let bad_input = [
        include_str!("bad_input/calls.rs"),
        include_str!("bad_input/disk.rs"),
        include_str!("bad_input/lines.rs"),
        include_str!("bad_input/models.rs"),
        include_str!("bad_input/phones.rs"),
        include_str!("endpoint.rs"),
        include_str!("endpoint/replies.rs"),
        include_str!("endpoint/untrusted.rs"),
    ]
    .concat();
    let others = [
        include_str!("crash.rs"),
        include_str!("direct/other_phone.rs"),
        include_str!("fence.rs"),
        include_str!("http/open_calls.rs"),
        include_str!("logs/kills.rs"),
        include_str!("panics.rs"),
        include_str!("phone_screens.rs"),
        include_str!("process.rs"),
        include_str!("runs.rs"),
        // What needs more answers of an endpoint or more phones than a row of `tests/it` has.
        include_str!("../../crates/ayeaye-adb/src/tests/files.rs"),
        include_str!("../../crates/ayeaye-adb/src/tests/same_phone.rs"),
        include_str!("../../crates/ayeaye-model/src/tests/limits.rs"),
        include_str!("../../crates/ayeaye/src/mcp/approvals.rs"),
        include_str!("../../crates/ayeaye-agent/src/agent/tests/direct_phones.rs"),
        include_str!("../../crates/ayeaye-agent/src/agent/tests/resume.rs"),
    ]
    .concat();
    let tests = |source: &str| -> BTreeSet<String> {
        let functions = source.split("#[tokio::test").skip(1);
        let names = functions.filter_map(|it| it.split_once("async fn ")?.1.split('(').next());
        names.map(str::to_owned).collect()
    };
    let named: BTreeSet<String> = table
        .lines()
        .filter_map(|row| row.trim_end_matches(" |").rsplit_once("| "))
        .flat_map(|(_, last)| last.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    let bad_input = tests(&bad_input);
    // Each cell of a client that vanishes is a test of its own, made by a macro.
    let cells = include_str!("vanish.rs").split_once("\ncells! {").expect("the cells").1;
    let vanished = cells.lines().filter_map(|line| line.trim().split_once(": "));
    let must: BTreeSet<String> =
        vanished.map(|(name, _)| name.to_owned()).chain(bad_input).collect();
    let there = &must | &tests(&others);
    assert!(40 < named.len(), "the last column is read: {named:?}");
    assert_eq!(&named - &there, BTreeSet::new(), "named and not there");
    assert_eq!(&must - &named, BTreeSet::new(), "there and not named");
}

/// The page that the map of the code sends whoever adds one to.
fn page_of_tools() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_stop_reason_is_on_the_page_of_tools() {
    let page = page_of_tools();
    let missing: Vec<_> = ayeaye_agent::StopReason::ALL
        .iter()
        .filter(|reason| !page.contains(&format!("`{}`", reason.name())))
        .collect();
    assert!(missing.is_empty(), "docs/tools.md lacks {missing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_is_on_the_page_of_tools() {
    let page = page_of_tools();
    let tools = ToolSet { manage: true, ..ToolSet::ALL };
    let all = RigOptions { tools, ..RigOptions::quick() };
    let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, all).await;
    for tool in rig.client.peer().list_all_tools().await.unwrap() {
        assert!(page.contains(&format!("`{}`", tool.name)), "docs/tools.md lacks {}", tool.name);
    }
}
