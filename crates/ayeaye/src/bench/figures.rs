//! Figures of steps, from the record of a session.
use ayeaye_agent::journal::{Event, Fact};
use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::{Act, Cost, Plan};

/// The parts of a step: milliseconds but for the captures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Step {
    whole: f64,
    act: f64,
    first_look: f64,
    settle_and_look: f64,
    captures: u32,
    /// What was waited for of it: the rest of it is done while the screen settles.
    encode: f64,
    decide: f64,
    /// What the model took for the reply that was acted on: no part of the whole.
    model: f64,
    /// From the decision to the next act: the gate, a look whether the screen is still the same, the record's sync.
    until_act: f64,
    journal: f64,
    /// Whether the screen stood still before the limit.
    settled: bool,
    /// How many frames a model was sent before the screen had settled, and how many of them were right.
    guesses: u32,
    right_guesses: u32,
}

impl Step {
    fn rest(&self) -> f64 {
        let known = [
            self.act,
            self.first_look,
            self.settle_and_look,
            self.encode,
            self.decide,
            self.until_act,
            self.journal,
        ];
        // Clocks of two kinds tell these, to the microsecond.
        (self.whole - known.iter().sum::<f64>()).max(0.0)
    }
}

/// The middle of what was measured, and how far it spreads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// One in ten is below.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// Nine in ten are below.
    pub p90: f64,
}

impl Spread {
    /// Of these values, in whichever order; nothing of nothing is 0.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |tenths: usize| {
            let value = values.get(values.len() * tenths / 10).copied().unwrap_or_default();
            (value * 1e3).round() / 1e3
        };
        Self { p10: at(1), p50: at(5), p90: at(9) }
    }
}

/// One kind of act.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfAct {
    /// As it was written.
    pub act: String,
    /// How many.
    pub steps: usize,
    /// A step with it.
    pub seconds: Spread,
}

/// Means of what was counted, for each step. `None` where nobody can tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counted {
    /// Captures until the screen was known to be at rest.
    pub captures: f64,
    /// All that the phone took, also while the model thinks and before an act.
    pub captures_taken: Option<f64>,
    /// Services opened on the phone, and lines given to a shell that was open.
    pub round_trips: Option<f64>,
    /// Bytes from the phone.
    pub bytes: Option<f64>,
    /// How often the record was brought to the disk.
    pub syncs: Option<f64>,
    /// Processor time of this process in milliseconds.
    pub cpu_ms: Option<f64>,
}

/// How often a model was sent a frame before it was known to be the settled one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Guesses {
    /// Frames that were sent.
    pub sent: u32,
    /// Of these the settled ones.
    pub right: u32,
}

/// What steps cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// How many steps.
    pub steps: usize,
    /// A step.
    pub seconds: Spread,
    /// All acts one after the other, once.
    pub round_seconds: Spread,
    /// The parts of a step in milliseconds, by their names, in their order. They are medians each, so they do
    /// not add up to the median of the whole.
    #[serde(serialize_with = "by_name")]
    pub parts_ms: Vec<(&'static str, Spread)>,
    /// What was counted.
    pub per_step: Counted,
    /// Steps after which the screen did not come to rest before the limit.
    pub unsettled: usize,
    /// How often the model was asked before the screen had settled.
    pub guesses: Guesses,
    /// Act by act, in the order of a round.
    pub by_act: Vec<OfAct>,
}

impl Figures {
    pub(super) fn of(events: &[Event], plan: &Plan, cost: Option<Cost>) -> Self {
        let steps = steps(events, &plan.acts);
        let part = |of: fn(&Step) -> f64| Spread::of(steps.iter().map(of));
        let mean = |sum: u64| mean(sum, steps.len());
        let round = plan.acts.len().max(1);
        let mut by_act: Vec<OfAct> = Vec::new();
        for act in &plan.acts {
            if by_act.iter().all(|known| known.act != act.kind) {
                let of_kind = || {
                    let kinds = plan.acts.iter().map(|act| &act.kind).cycle();
                    steps.iter().zip(kinds).filter(|(_, kind)| **kind == act.kind)
                };
                let seconds = Spread::of(of_kind().map(|(step, _)| step.whole / 1e3));
                by_act.push(OfAct { act: act.kind.clone(), steps: of_kind().count(), seconds });
            }
        }
        let traffic = cost.and_then(|it| it.traffic);
        let captures = steps.iter().map(|step| u64::from(step.captures)).sum();
        Self {
            steps: steps.len(),
            seconds: Spread::of(steps.iter().map(|step| step.whole / 1e3)),
            round_seconds: Spread::of(
                steps
                    .chunks_exact(round)
                    .map(|steps| steps.iter().map(|it| it.whole).sum::<f64>() / 1e3),
            ),
            parts_ms: vec![
                ("act", part(|it| it.act)),
                ("before_first_look", part(|it| it.first_look)),
                ("settle_and_capture", part(|it| it.settle_and_look)),
                ("encode", part(|it| it.encode)),
                ("decide", part(|it| it.decide)),
                ("until_the_act", part(|it| it.until_act)),
                ("journal", part(|it| it.journal)),
                ("rest", part(Step::rest)),
            ],
            per_step: Counted {
                captures: mean(captures),
                captures_taken: traffic.map(|it| mean(it.captures)),
                round_trips: traffic.map(|it| mean(it.requests)),
                bytes: traffic.map(|it| mean(it.bytes).round()),
                syncs: cost.map(|it| mean(it.syncs)),
                cpu_ms: cost.and_then(|it| it.cpu_ms).map(mean),
            },
            unsettled: steps.iter().filter(|step| !step.settled).count(),
            guesses: Guesses {
                sent: steps.iter().map(|step| step.guesses).sum(),
                right: steps.iter().map(|step| step.right_guesses).sum(),
            },
            by_act,
        }
    }
}

fn by_name<S: Serializer>(
    parts: &[(&'static str, Spread)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parts.iter().copied())
}

/// The steps of a session, from act to act; the last one up to the decision that ends it. Of an act that failed
/// there is none: it is done again. What else is done to the phone, such as switching its screen on, is a part of
/// the step that it falls in.
fn steps(events: &[Event], acts: &[Act]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut begun: Option<Timestamp> = None;
    let mut decided: Option<Timestamp> = None;
    let mut acted: Option<Timestamp> = None;
    let mut seen: Option<Timestamp> = None;
    // Which call is the act, and how many were done.
    let (mut call, mut done) = (None, 0);
    // What the model took for decisions of this step that came to nothing.
    let mut in_vain = 0.0;
    let mut step = Step::default();
    for event in events {
        match &event.entry.fact {
            // What is done before the first step, such as going home, is none of ours.
            Fact::ToolStart(tool)
                if event.entry.step.is_some()
                    && acts.get(done % acts.len().max(1)).is_some_and(|it| it.is(&tool.name)) =>
            {
                if let (Some(begun), Some(decided)) = (begun, decided) {
                    let until_act = between(decided, event.ts);
                    let whole = between(begun, event.ts) - step.model;
                    steps.push(Step { whole, until_act, ..step });
                }
                step = Step::default();
                (begun, decided, in_vain) = (Some(event.ts), None, 0.0);
                call = Some(tool.tool_call_id);
            }
            // It was put off: the screen is looked at again, and the model asked again.
            Fact::StepEnd(end) if decided.is_some() && end.error.is_some() => {
                in_vain = step.model;
                decided = None;
            }
            // What follows the decision belongs to the next act, or to the end.
            _ if decided.is_some() => {}
            Fact::ToolEnd(tool) if call == Some(tool.tool_call_id) => {
                step.act = tool.duration_ms;
                acted = Some(event.ts);
                if tool.success {
                    done += 1;
                } else {
                    begun = None;
                }
            }
            // The step that acted: writing its act down is a part of it.
            Fact::StepEnd(end) => step.journal = end.time_ms.memory_update,
            Fact::Observe(observe) => {
                step.first_look = observe.first_look_ms.unwrap_or_default();
                step.settle_and_look = observe.settle_ms;
                step.captures = observe.captures;
                let looked = step.first_look + step.settle_and_look;
                let since = acted.map_or(0.0, |acted| between(acted, event.ts));
                step.encode = observe.encode_ms.min((since - looked).max(0.0));
                step.settled = observe.settled;
                // Others of the same screen, before it was at rest and of its elements, say it again.
                if observe.screenshot_size.is_some() {
                    step.guesses += observe.guesses;
                    step.right_guesses += u32::from(observe.guessed_right);
                }
                seen = Some(event.ts);
            }
            // Not one that was given up.
            Fact::LlmResponse(reply) if reply.success => {
                let since_seen = seen.map_or(0.0, |seen| between(seen, event.ts));
                // It may have begun before the screen was known to be at rest.
                step.decide = (since_seen - reply.latency_ms).max(0.0);
                step.model = in_vain + reply.latency_ms;
                decided = Some(event.ts);
            }
            _ => {}
        }
    }
    if let (Some(begun), Some(decided)) = (begun, decided) {
        steps.push(Step { whole: between(begun, decided) - step.model, ..step });
    }
    steps
}

/// To two decimals.
#[expect(clippy::cast_precision_loss, reason = "what is counted of some steps is far below 2^52")]
fn mean(sum: u64, count: usize) -> f64 {
    (sum as f64 / count.max(1) as f64 * 100.0).round() / 100.0
}

/// Milliseconds.
pub fn between(earlier: Timestamp, later: Timestamp) -> f64 {
    later.duration_since(earlier).as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_spread_are_those_of_the_sorted_values() {
        let spread = Spread::of((0..10).rev().map(f64::from));
        assert_eq!(spread, Spread { p10: 1.0, p50: 5.0, p90: 9.0 });
        assert_eq!(Spread::of([]), Spread { p10: 0.0, p50: 0.0, p90: 0.0 });
        assert_eq!(Spread::of([7.0]), Spread { p10: 7.0, p50: 7.0, p90: 7.0 });
    }

    /// So many milliseconds after the session began, in step 0.
    fn event(at: u32, kind: &str, data: &serde_json::Value) -> Event {
        let event = serde_json::json!({
            "v": 1, "seq": 1, "ts": format!("2026-01-01T00:00:{:02}.{:03}Z", at / 1000, at % 1000),
            "round": 0, "step": 0, "type": kind, "data": data,
        });
        serde_json::from_value(event).expect("an event")
    }

    #[test]
    fn a_step_is_what_the_record_says_of_it_and_nothing_twice() {
        use serde_json::json;
        let tokens = json!({"prompt": 0, "completion": 0, "thinking": 0, "cached": 0, "total": 0});
        let act = |at, id: u32, took| {
            let (begun, over) = (at, at + took);
            let took =
                json!({"tool_call_id": id, "success": true, "result": "", "duration_ms": took});
            let start = json!({"tool_call_id": id, "name": "HOT_KEY", "device": true, "parameters": {"key": "BACK"}});
            [event(begun, "tool.start", &start), event(over, "tool.end", &took)]
        };
        let observe = |at, size: Option<[u32; 2]>| {
            let mut seen = json!({
                "screen_size": [1080, 2400], "package": "a.b", "activity": ".C", "screen_on": true, "captures": 3, "settled": true,
                "first_look_ms": 40.0, "settle_ms": 200.0, "encode_ms": 20.0, "guesses": 2, "guessed_right": true,
            });
            if let Some(size) = size {
                seen["screenshot_size"] = json!(size);
            }
            event(at, "observe", &seen)
        };
        let reply = |at| {
            let reply = json!({
                "call_id": 1, "request_number": 1, "iteration": 1, "kind": "intermediate", "success": true,
                "model": "m", "tokens": tokens, "latency_ms": 1000.0, "cost_usd": 0.0, "cost_known": true,
            });
            event(at, "llm.response", &reply)
        };
        let mut events = Vec::new();
        events.extend(act(0, 1, 50));
        // The screen, and again with its elements.
        events.extend([observe(310, Some([1080, 2400])), observe(900, None), reply(1320)]);
        events.extend(act(1400, 2, 50));
        events.extend([observe(1700, Some([1080, 2400])), reply(2710)]);
        let plan = Plan {
            acts: vec!["back".parse().unwrap()],
            rounds: 2,
            think: std::time::Duration::from_secs(1),
        };
        let figures = Figures::of(&events, &plan, None);
        assert_eq!(figures.guesses, Guesses { sent: 4, right: 2 });
        assert_eq!((figures.steps, figures.unsettled), (2, 0));
        // Without what the model took.
        assert_eq!((figures.seconds.p10, figures.seconds.p90), (0.31, 0.4));
        assert_eq!(figures.by_act[0].steps, 2);
        let part = |name: &str| figures.parts_ms.iter().find(|(it, _)| *it == name).unwrap().1.p90;
        assert_eq!(
            (part("act"), part("before_first_look"), part("until_the_act")),
            (50.0, 40.0, 80.0)
        );
    }
}
