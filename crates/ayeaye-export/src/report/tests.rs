mod builder;
mod copies;
mod leave;
mod sessions;
mod trouble;

use ayeaye_agent::journal::Event;
use proptest::prelude::*;
use serde_json::{Value, json};

use self::builder::{EventBuilder, NamedBlobs, blob, id, page_of, step_start};
use super::Report;
use crate::{Content, FileOp, Projection as _};

/// Panics unless every element is closed in its turn, and returns the names of all there are.
fn elements(page: &str) -> Vec<String> {
    const VOID: [&str; 6] = ["!DOCTYPE", "meta", "link", "img", "input", "br"];
    let style = page.find("<style>").unwrap()..page.find("</style>").unwrap();
    let page = [&page[..style.start], "<style>", &page[style.end..]].concat();
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for tag in page.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "a quote is left open in <{tag}>");
        let name = tag.split([' ', '\n', '/']).find(|it| !it.is_empty()).unwrap().to_owned();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            all.push(name.clone());
            if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    assert_eq!(open, Vec::<String>::new());
    all
}

/// How often an element of this class is there.
fn count(page: &str, class: &str) -> usize {
    page.matches(&format!("class=\"{class}\"")).count()
}

#[test]
fn a_finished_session_is_one_page() {
    let mut builder = EventBuilder::begin("Text Anna that I am late");
    builder.click(0, 573, 279, "Choose Anna").complete(1, "Sent to Anna.").end();
    let (page, ops) = page_of(&builder.events);
    elements(&page);
    assert_eq!(ops, [format!("{}.html", id())]);
    assert!(page.contains("Content-Security-Policy\" content=\"default-src 'none';"));
    assert!(page.contains("<strong>Done</strong>"));
    assert!(page.contains("Text Anna that I am late</h1>"));
    assert!(page.contains("Pixel 7") && page.contains("Android 14"));
    assert!(page.contains("price not known"));
    // The ring of the tap, in a drawing 1000 wide.
    assert!(page.contains("class=\"line\" cx=\"573\" cy=\"620\""), "{page}");
    assert_eq!(count(&page, "step"), 2);
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
}

#[test]
fn nothing_is_fetched_and_nothing_runs_whatever_the_record_says() {
    let evil =
        "</style></title></pre><script>alert(1)</script>\" onload=\"x' <img src=http://evil>";
    let mut builder = EventBuilder::begin(evil);
    builder.step(0, &json!({ "function": evil, "arguments": { evil: evil } }), evil, Some(evil));
    builder.fact(None, "note", &json!({ "kind": evil, "text": evil, "figures": { evil: evil } }));
    builder.question(&[evil], &[evil]).answer(evil, evil);
    builder.fact(None, "evaluation", &builder::judgement(evil, evil));
    builder.fact(
        Some(1),
        "tool.start",
        &json!({
            "tool_call_id": 90, "name": evil, "parameters": { evil: evil }, "device": true,
            "target": { "id": evil, "name": evil, "kind": evil, "rect": [1, 2, 300, 400] },
        }),
    );
    builder.stop(evil, evil);
    let (page, _) = page_of(&builder.events);
    let elements = elements(&page);
    for name in ["script", "iframe", "object", "embed", "form", "base"] {
        assert!(!elements.contains(&name.to_owned()), "{name}");
    }
    assert_eq!(elements.iter().filter(|it| *it == "style").count(), 1);
    assert!(!page.contains("onload=\"") && !page.contains("<img src=http"));
}

#[test]
fn rounds_are_chapters() {
    let mut builder = EventBuilder::begin("First thing");
    builder.click(0, 1, 1, "One").complete(1, "First done.").end();
    builder.fact(None, "session.resume", &json!({ "why": "next_round", "run": builder::run() }));
    builder.round = 1;
    builder.fact(None, "round.start", &json!({ "request": "第二件事" }));
    builder.click(2, 2, 2, "Two").abort(3, "没有这个应用").end();
    let (page, ops) = page_of(&builder.events);
    elements(&page);
    assert_eq!(ops.len(), 2);
    assert!(page.contains("id=\"round-1\"") && page.contains("id=\"round-2\""));
    assert!(page.contains("lang=\"zh\">第二件事</h2>"), "{page}");
    assert!(page.contains("<strong>Given up</strong>"));
    assert_eq!(count(&page, "pause"), 0);
}

#[test]
fn a_broken_off_session_has_a_page_too() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.click(0, 573, 279, "Choose Anna");
    builder.fact(Some(1), "step.start", &builder::step_start(1));
    builder.fact(Some(1), "llm.request", &builder::request(7));
    let (page, ops) = page_of(&builder.events);
    elements(&page);
    assert!(ops.is_empty());
    assert!(page.contains("<strong>No end recorded</strong>"));
    assert!(page.contains("No answer was recorded."));
    assert!(page.contains("Nothing was seen in this step."));
}

#[test]
fn questions_are_a_conversation_and_interruptions_are_told() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder
        .question(&["Which Anna?"], &["Anna B.", "Anna K."])
        .stop("INFO_ACTION_NEEDS_REPLY", "Which?");
    builder.fact(None, "session.resume", &json!({ "why": "reply", "run": builder::run() }));
    builder.answer("Anna B.", "client").stop("SERVER_RESTARTED", "the server stopped");
    builder.fact(None, "session.resume", &json!({ "why": "go_on", "run": builder::run() }));
    builder.complete(0, "Sent.").end();
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(page.contains("Which Anna?</p>") && page.contains("Anna K.</li>"));
    assert!(page.contains("The user <time>"));
    assert_eq!(count(&page, "pause"), 1);
    assert!(page.contains("<b>Interrupted</b>"));
}

#[test]
fn a_reply_that_could_not_be_read_is_there_to_be_looked_at() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.fact(Some(0), "step.start", &builder::step_start(0));
    builder.fact(Some(0), "llm.request", &builder::request(1));
    builder.fact(
        Some(0),
        "llm.response",
        &builder::unread(1, &"x".repeat(30_000), "no action in it"),
    );
    builder.fact(Some(0), "llm.request", &builder::request(2));
    builder.fact(Some(0), "llm.response", &builder::unread(2, "CLICK", "no point in it"));
    builder.fact(
        Some(0),
        "step.end",
        &builder::step_end(&Value::Null, "", Some("gave no action"), "ERROR"),
    );
    builder.stop("MODEL_FAILED", "no action in three replies");
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(page.contains("2\u{a0}replies not acted on"));
    assert!(page.contains("no point in it"));
    assert!(page.contains("10 kB more are left out here"));
    assert!(page.contains("<b>It failed.</b>"));
    assert!(!page.contains("without a reply"));
}

#[test]
fn an_endpoint_that_never_answered_has_given_no_reply() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.fact(Some(0), "step.start", &builder::step_start(0));
    builder.fact(Some(0), "llm.request", &builder::request(1));
    builder.fact(Some(0), "llm.response", &builder::unread(1, "", "it cannot be reached"));
    builder.stop("MODEL_FAILED", "it cannot be reached");
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(page.contains("1\u{a0}call without a reply"), "{page}");
    assert!(page.contains("it cannot be reached") && !page.contains("not acted on"));
}

#[test]
fn the_screen_at_the_end_is_that_of_a_subtask_only_where_somebody_plans() {
    let end = |agent: Option<&str>| {
        let mut builder = EventBuilder::begin("Text Anna");
        builder.click(0, 1, 1, "One");
        for scope in ["sub_round", "round", "session"] {
            builder.fact(
                None,
                "snapshot",
                &json!({ "scope": scope, "screenshot": builder::blob("b") }),
            );
            if scope == "round" {
                builder.end_round("FINISH");
            }
        }
        for event in &mut builder.events {
            if event.entry.step.is_some() {
                event.entry.agent = agent.map(str::to_owned);
            }
        }
        page_of(&builder.events).0
    };
    assert!(end(Some("AppAgent")).contains("The screen at the end of the round and the session<"));
    let planned = "The screen at the end of the subtask and the round and the session<";
    assert!(end(Some("HostAgent")).contains(planned));
}

#[test]
fn the_screen_of_a_run_that_stopped_is_not_that_of_an_end() {
    let stop = |builder: &mut EventBuilder, picture: &str, over: bool| {
        for scope in ["round", "session"] {
            let screen = json!({ "scope": scope, "screenshot": builder::blob(picture) });
            builder.fact(None, "snapshot", &screen);
            if over && scope == "round" {
                builder.end_round("FINISH");
            }
        }
        let reason = if over { "TASK_COMPLETED_SUCCESSFULLY" } else { "INFO_ACTION_NEEDS_REPLY" };
        builder.stop(reason, "");
    };
    let mut builder = EventBuilder::begin("Text Anna");
    builder.click(0, 1, 1, "One");
    stop(&mut builder, "b", false);
    let waiting = page_of(&builder.events).0;
    assert!(waiting.contains("<h3>The screen when the run stopped<"), "{waiting}");
    assert!(!waiting.contains("at the end of"), "{waiting}");
    // The session goes on, and its next round too; only the last is the end of both.
    builder.resume("reply");
    builder.click(1, 1, 1, "Two");
    stop(&mut builder, "c", true);
    builder.resume("next_round");
    builder.round += 1;
    builder.fact(None, "round.start", &json!({ "request": "And Ben" }));
    builder.click(2, 1, 1, "Three");
    stop(&mut builder, "d", true);
    let page = page_of(&builder.events).0;
    let headings: Vec<&str> =
        page.split("<h3>The screen ").skip(1).filter_map(|it| it.split('<').next()).collect();
    let ends = [
        "when the run stopped",
        "at the end of the round",
        "at the end of the round and the session",
    ];
    assert_eq!(headings, ends);
}

#[test]
fn a_gesture_nobody_saw_the_end_of_is_marked_as_that() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.step(
        0,
        &json!({ "function": "CLICK", "arguments": { "point": [1, 2] } }),
        "Send",
        Some("gone"),
    );
    for event in &mut builder.events {
        let mut value = serde_json::to_value(&*event).unwrap();
        if value["type"] == "tool.end" {
            value["data"]["unknown"] = json!(true);
            *event = serde_json::from_value(value).unwrap();
        }
    }
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(page.contains("<b>Nobody knows whether it was done.</b> <span"));
}

#[test]
fn elements_that_come_later_do_not_take_the_picture_away() {
    let mut builder = EventBuilder::begin("Look");
    builder.fact(Some(0), "step.start", &step_start(0)).look(0);
    builder.fact(
        Some(0),
        "observe",
        &json!({
            "screen_size": [1080, 2400], "ui_tree": blob("t"), "package": "com.example.messages",
            "activity": ".Main", "screen_on": true, "captures": 2, "settled": true,
            "settle_ms": 160.5, "encode_ms": 14.0,
        }),
    );
    builder.stop("CANCELLED", "stopped");
    let (page, _) = page_of(&builder.events);
    assert!(!page.contains("No picture was kept"));
}

#[test]
fn how_a_run_stopped_is_said_and_drawn_as_the_live_page_does() {
    let (pause, stop) = ("M9.5 8v8M14.5 8v8", "M8.5 8.5h7v7h-7z");
    for (reason, word, drawn, other) in
        [("CANCELLED", "Stopped", stop, pause), ("USER_PAUSED", "Paused", pause, stop)]
    {
        let mut builder = EventBuilder::begin("Text Anna");
        builder.stop(reason, "x");
        let (page, _) = page_of(&builder.events);
        assert!(page.contains(&format!("<strong>{word}</strong>")), "{reason}");
        assert!(page.contains(drawn) && !page.contains(other), "{reason}");
    }
}

#[test]
fn a_picture_is_in_the_page_once() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.picture = "a";
    builder.click(0, 1, 1, "One").click(1, 2, 2, "Two");
    builder.picture = "b";
    builder.click(2, 3, 3, "Three");
    builder.fact(None, "snapshot", &json!({ "scope": "round", "screenshot": builder::blob("b") }));
    builder.fact(
        None,
        "snapshot",
        &json!({ "scope": "session", "screenshot": builder::blob("b") }),
    );
    builder.picture = "missing";
    builder.click(3, 3, 3, "Four").end();
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert_eq!(page.matches("data:image/jpeg").count(), 2);
    assert_eq!(page.matches("<use href=\"#picture-").count(), 2);
    assert_eq!(page.matches("<h3>The screen when the run stopped<").count(), 1);
    assert!(page.contains("This picture is missing from the record"));
}

#[test]
fn a_long_session_keeps_its_last_steps() {
    let mut builder = EventBuilder::begin("Scroll for ever");
    for number in 0..1200 {
        builder.click(number, 500, 500, "Again");
    }
    builder.end();
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert_eq!(count(&page, "step"), 1000);
    assert!(page.contains("The first 200\u{a0}steps are"));
    assert!(!page.contains("id=\"step-200\"") && page.contains("id=\"step-201\""));
    // The sums are those of all.
    assert!(page.contains("<dt>Steps</dt><dd>1\u{202f}200"));
}

#[test]
fn words_are_bounded_as_steps_are() {
    let mut report = Report::new(id());
    let mut builder = EventBuilder::begin("Talk");
    builder.events.drain(..).for_each(|event| assert!(report.fold(&event, &NamedBlobs).is_empty()));
    for number in 0..1500 {
        builder.fact(Some(number), "step.start", &builder::step_start(number));
        for call in 0..4 {
            builder.fact(Some(number), "llm.request", &builder::request(call));
            builder.fact(
                Some(number),
                "llm.response",
                &builder::unread(call, &"x".repeat(100_000), "long"),
            );
        }
        builder.events.drain(..).for_each(|event| drop(report.fold(&event, &NamedBlobs)));
    }
    let held: usize = report.model.items.iter().map(|item| format!("{item:?}").len()).sum();
    assert!(held < 80 << 20, "{held}");
    assert!(400 < report.model.items.len(), "{}", report.model.items.len());
}

#[test]
fn the_record_of_every_kind_of_event_is_told() {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../ayeaye-agent/fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
    ));
    let events: Vec<Event> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (page, _) = page_of(&events);
    elements(&page);
    assert_eq!(page, page_of(&events).0, "the same events give the same page");
    assert!(page.contains("Anna is second.\n\tI tap &quot;Anna&quot;"));
    // As far as the record goes, whatever comes after.
    for end in 0..events.len() {
        elements(&page_of(&events[..end]).0);
    }
}

/// Words that would do harm if they were let through.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        any::<String>(),
        Just("<evil onload='x'></style></script><evil>\"<evil/>".to_owned()),
        Just("\u{202e}<evil>\0\u{1b}[2J&lt;evil&gt;".to_owned()),
        "[<>\"'&/a-z=]{0,30}",
    ]
}

/// One event of any kind, with words and numbers of any kind.
fn event() -> impl Strategy<Value = (Option<u32>, &'static str, Value)> {
    let step = proptest::option::of(prop_oneof![0_u32..4, any::<u32>()]);
    let number = prop_oneof![Just(-1.0), Just(1e300), Just(0.0), 0.0..1e6_f64];
    (step, 0..18_usize, hostile(), hostile(), number, any::<u32>(), -2000..3000_i64).prop_map(
        |(step, kind, a, b, number, whole, place)| {
            let (name, data) = sessions::any(kind, &a, &b, number, whole, place);
            (step, name, data)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn any_record_gives_a_whole_page(request in hostile(), events in prop::collection::vec(event(), 0..30)) {
        let mut builder = EventBuilder::begin(&request);
        for (step, name, data) in &events {
            builder.fact(*step, name, data);
        }
        let (page, _) = page_of(&builder.events);
        elements(&page);
        prop_assert!(!page.contains("<evil"));
        for number in ["\"NaN", ":NaN", "\"inf", ":inf"] {
            prop_assert!(!page.contains(number), "{number}");
        }
    }
}

/// Pages for the eye, in the target folder; also says how large a page of 200 steps is, and how long
/// it takes. Pictures are those in `target/report-pictures`, if there are any.
#[test]
#[ignore = "writes pages to look at"]
fn pages_to_look_at() {
    let target = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let album = builder::FolderBlobs::read(&target.join("report-pictures"));
    for (name, events) in [("rich", sessions::rich(&album)), ("long", sessions::long(&album, 200))]
    {
        let mut report = Report::new(id());
        let begun = std::time::Instant::now();
        for event in &events {
            drop(report.fold(event, &album));
        }
        let folded = begun.elapsed();
        let FileOp::Replace { content: Content::Lazy { make, .. }, .. } = report.finish() else {
            panic!()
        };
        let begun = std::time::Instant::now();
        let page = make(&album).unwrap();
        std::fs::write(target.join(format!("report-{name}.html")), &page).unwrap();
        let (size, made) = (page.len(), begun.elapsed());
        builder::say(&format!(
            "{name}: {} events folded in {folded:?}, {size} bytes in {made:?}",
            events.len()
        ));
    }
}
