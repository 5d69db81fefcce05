//! Crashes, prices that are not known, and pictures that are large.
use ayeaye_agent::JournalError;
use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;
use serde_json::{Value, json};

use super::builder::{self, EventBuilder, id, page_of};
use crate::{Blobs, Projection as _, Report};

const NIGHT: u64 = 15 * 60 * 60_000;

/// A session that is cut off while a model is asked, and goes on the next day.
fn crash(builder: &mut EventBuilder) {
    builder.fact(Some(0), "step.start", &builder::step_start(0)).look(0);
    builder.fact(Some(0), "llm.request", &builder::request(1));
    builder.ms += NIGHT;
    builder.fact(None, "note", &json!({ "kind": "recovered", "text": "A torn line." }));
    builder.fact(Some(0), "llm.response", &builder::unread(1, "", "interrupted"));
    let end = builder::step_end(&Value::Null, "", Some("interrupted"), "ERROR");
    builder.fact(Some(0), "step.end", &end);
    builder.stop("SERVER_RESTARTED", "the server stopped in the middle of this run");
    builder.fact(None, "session.resume", &json!({ "why": "go_on", "run": builder::run() }));
}

#[test]
fn a_run_that_a_crash_has_cut_off_ended_when_it_was_last_heard_of() {
    let mut builder = EventBuilder::begin("Text Anna");
    crash(&mut builder);
    builder.complete(1, "Sent.").end();
    let (page, _) = page_of(&builder.events);
    let told = "<b>Interrupted</b>; last recorded at 03:04:05; went on at 18:04:06";
    assert!(page.contains(told), "{page}");
    assert!(page.contains("15\u{a0}h 0\u{a0}min later."), "{page}");
}

#[test]
fn a_run_that_was_stopped_properly_ended_then() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.fact(Some(0), "step.start", &builder::step_start(0)).look(0);
    builder.fact(Some(0), "llm.request", &builder::request(1));
    builder.ms += 60_000;
    builder.fact(Some(0), "llm.response", &builder::unread(1, "", "the server was shut down"));
    let end = builder::step_end(&Value::Null, "", Some("shut down"), "CONTINUE");
    builder.fact(Some(0), "step.end", &end);
    builder.stop("SERVER_RESTARTED", "the server was shut down");
    builder.ms += 24 * 60 * 60_000;
    builder.fact(None, "session.resume", &json!({ "why": "go_on", "run": builder::run() }));
    builder.complete(1, "Sent.").end();
    let (page, _) = page_of(&builder.events);
    let told = "<b>Interrupted</b> at 2 January 2026, 03:05:06 UTC; went on at 3 January 2026, 03:05:06 UTC";
    assert!(page.contains(told), "{page}");
}

/// The page of two rounds of which one has a call of unknown price, and both cost something.
#[test]
fn a_round_whose_price_is_known_in_part_costs_at_least_that() {
    let mut builder = EventBuilder::begin("One");
    let over = |builder: &mut EventBuilder, known: bool| {
        let mut response = builder::unread(1, "", "no answer");
        (response["cost_usd"], response["cost_known"]) = (json!(0.25), json!(known));
        builder.fact(Some(0), "llm.response", &response);
        builder.fact(
            None,
            "round.end",
            &json!({
                "status": "FINISH", "result": "Done.", "steps": 1, "subtask_amount": 1, "cost_usd": 0.25,
                "stop_reason": "TASK_COMPLETED_SUCCESSFULLY",
            }),
        );
    };
    over(&mut builder, false);
    builder.round = 1;
    builder.fact(None, "round.start", &json!({ "request": "Two" }));
    over(&mut builder, true);
    let (page, _) = page_of(&builder.events);
    let told = |amount: &str| format!("1\u{a0}step \u{b7} {amount} \u{b7} TASK");
    assert!(page.contains(&told("at least $0.2500")), "{page}");
    assert!(page.contains(&told("$0.2500")), "{page}");
}

#[test]
fn pictures_count_as_what_the_page_has_of_them() {
    // A model that is sent PNGs of a megabyte, and one of a photo.
    let mut builder = EventBuilder::begin("Look around");
    for number in 0..200_u32 {
        builder.picture = Box::leak(number.to_string().into_boxed_str());
        builder.size = if number == 100 { 9 << 20 } else { 1 << 20 };
        builder.click(number, 1, 1, "Look");
    }
    let (page, _) = page_of(&builder.events);
    assert_eq!(page.matches("data:image/jpeg").count(), 200);
    assert!(!page.contains("to keep the page small"));
}

/// Pictures that nothing makes smaller.
#[derive(Debug)]
struct Stubborn;

impl Blobs for Stubborn {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        Ok(vec![0; usize::try_from(blob.bytes).unwrap()].into())
    }
}

#[test]
fn a_picture_that_stays_large_takes_no_more_than_there_is() {
    let mut builder = EventBuilder::begin("Look around");
    builder.size = 30_000;
    for (number, picture) in [(0, "x"), (1, "y")] {
        builder.picture = picture;
        builder.click(number, 1, 1, "Look");
    }
    let mut report = Report::new(id());
    builder.events.iter().for_each(|event| drop(report.fold(event, &Stubborn)));
    let shown = |most| {
        let page = String::from_utf8(report.page(&Stubborn, most)).unwrap();
        (page.matches("data:image/jpeg").count(), page.matches("to keep the page small").count())
    };
    assert_eq!(shown(50_000), (1, 1), "set aside for both was less than they take");
    assert_eq!(shown(60_000), (2, 0));
    assert_eq!(shown(0), (0, 2));
}

#[test]
fn a_session_that_ended_before_it_began_has_a_date_and_no_duration() {
    let mut builder = EventBuilder::begin("Text Anna");
    builder.complete(0, "Sent.").end();
    let begun = builder.events[0].ts;
    builder.events.last_mut().unwrap().ts = begun - jiff::SignedDuration::from_hours(26);
    let (page, _) = page_of(&builder.events);
    assert!(page.contains("from 03:04:05 UTC"), "{page}");
    assert!(page.contains("to 1 January 2026, 01:04:05 \u{b7} the clock was put back"), "{page}");
}
