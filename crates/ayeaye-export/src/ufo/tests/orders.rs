//! Every order of events a crash could leave, and many that none could.
use std::sync::LazyLock;

use ayeaye_agent::journal::{Event, Fact};
use proptest::prelude::*;

use super::builder::EventBuilder;
use super::folder::{MemoryFolder, blobs_of};
use super::keys;
use super::scenes;
use crate::Images;

/// All sessions behind each other, made once.
static EVERYTHING: LazyLock<EventBuilder> = LazyLock::new(|| {
    let mut all = scenes::plain();
    for builder in scenes::every() {
        all.events.extend(builder.events);
        all.blobs.extend(builder.blobs);
    }
    all
});

fn check(builder: &EventBuilder, images: Images) -> Result<(), TestCaseError> {
    let folder = MemoryFolder::of(builder, images);
    let lines = folder.json_lines("response.log");
    lines.iter().for_each(keys::check);
    let ends = builder.events.iter().filter(|it| matches!(it.entry.fact, Fact::StepEnd(_))).count();
    prop_assert_eq!(lines.len(), ends);
    folder.json_lines("request.log");
    if let Some(bytes) = folder.files.get("evaluation.log") {
        prop_assert!(serde_json::from_slice::<serde_json::Value>(bytes).unwrap().is_object());
    }
    Ok(())
}

/// One setting of each kind, by a number.
fn images(number: usize) -> Images {
    [Images::None, Images::Clean, Images::All][number % 3]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_events_in_any_order_give_lines_that_read(
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..60), setting in 0..3_usize,
    ) {
                let events: Vec<Event> =
            picks.iter().map(|pick| pick.get(&EVERYTHING.events).clone()).collect();
        check(&EVERYTHING.with(events), images(setting))?;
    }

    #[test]
    fn a_session_with_events_left_out_gives_lines_that_read(
        which in any::<prop::sample::Index>(),
        gaps in prop::collection::vec(any::<bool>(), 64), blobs: bool,
    ) {
        let mut builder = which.get(&scenes::every()).clone();
        let mut keep = gaps.iter().cycle();
        builder.events.retain(|_| *keep.next().unwrap_or(&true));
        if !blobs {
            builder.blobs.clear();
        }
        check(&builder, Images::All)?;
    }

    #[test]
    fn foreign_values_give_lines_that_read(
        texts in prop::collection::vec(any::<String>(), 4), cost: f64, point in any::<[i64; 2]>(),
        millis: f64,
    ) {
        let mut builder = EventBuilder::begin(&texts[0]);
        builder.step("CLICK", serde_json::json!({ "point": point, "x": texts[1] }));
        builder.ask_step("confirm", &texts[2], Some(("client", &texts[3])));
        builder.inner_step(&texts[1], serde_json::json!({ &texts[2]: null }), "CONTINUE", &texts[3]);
        for event in &mut builder.events {
            if let Fact::StepEnd(end) = &mut event.entry.fact {
                end.cost_usd = cost;
                end.time_ms.llm_interaction = millis;
            }
        }
        check(&builder, Images::All)?;
    }
}

/// The beginning of a session gives the beginning of its files.
#[test]
fn what_is_written_is_not_changed_by_what_follows() {
    for builder in scenes::every() {
        let whole = MemoryFolder::of(&builder, Images::Clean);
        for cut in 0..builder.events.len() {
            let events = builder.events[..cut].to_vec();
            let part = MemoryFolder::of(&builder.with(events), Images::Clean);
            for (path, bytes) in &part.files {
                let replaced = path == "evaluation.log" || path.contains("action_step_final");
                assert!(replaced || whole.files[path].starts_with(bytes), "{path} at {cut}");
            }
        }
    }
}

/// Memory is flat: what is remembered of 600 steps is what is remembered of 100.
#[test]
fn nothing_grows_with_the_steps() {
    let held = |steps: u32| {
        let mut builder = EventBuilder::begin("Scroll for ever.");
        for _ in 0..steps {
            builder.step("CLICK", serde_json::json!({ "point": [400, 250] }));
        }
        let mut ufo = crate::Ufo::new(super::session(), Images::All);
        let blobs = blobs_of(&builder);
        for event in &builder.events {
            drop(crate::Projection::fold(&mut ufo, event, &blobs));
        }
        // Numbers grow by a digit or two.
        format!("{ufo:?}").len()
    };
    assert!(held(600) < held(100) + 200);
}
