use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::journal::Fact;

fn entry(fact: Fact) -> RecordEntry {
    RecordEntry { round: Some(0), step: None, agent: None, fact }
}

fn request(text: &str) -> RecordEntry {
    entry(Fact::RoundStart { request: text.to_owned() })
}

#[test]
fn the_shape_of_a_line_is_fixed() {
    let ts: Timestamp = "2026-01-02T03:04:05.6Z".parse().unwrap();
    let first = encode(&Chain::start(), ts, &request("Zoë 🦉\u{2028}")).unwrap();
    let line = String::from_utf8(first.bytes).unwrap();
    let (body, sum) = line.split_once(",\"sum\":\"").unwrap();
    assert_eq!(
        body,
        format!(
            r#"{{"v":1,"seq":1,"ts":"2026-01-02T03:04:05.600000Z","round":0,"type":"round.start","data":{{"request":"Zo\u00eb \ud83e\udd89\u2028"}},"prev":"{}""#,
            "0".repeat(64)
        )
    );
    assert_eq!(sum, format!("{}\"}}\n", &hex(&Sha256::digest(body))[..16]));
    let second = encode(&first.chain, ts, &request("more")).unwrap();
    let prev = hex(&Sha256::digest(line.trim_end()));
    assert!(String::from_utf8(second.bytes).unwrap().contains(&prev));
    assert_eq!(second.event.seq, 2);
}

#[test]
fn a_time_is_kept_to_the_microsecond() {
    let ts: Timestamp = "2026-01-02T03:04:05.123456789Z".parse().unwrap();
    let line = encode(&Chain::start(), ts, &request("")).unwrap();
    assert_eq!(line.event.ts, "2026-01-02T03:04:05.123456Z".parse().unwrap());
}

#[test]
fn what_would_not_read_back_is_refused() {
    let long = request(&"x".repeat(10_000_000));
    let refused = encode(&Chain::start(), Timestamp::UNIX_EPOCH, &long);
    assert!(matches!(refused, Err(Unwritable::TooLong)), "{refused:?}");
    let mut deep = Value::Null;
    for _ in 0..500 {
        deep = json!([deep]);
    }
    for fact in [Fact::Evaluation(deep), Fact::Unknown { name: "dance".to_owned() }] {
        let refused = encode(&Chain::start(), Timestamp::UNIX_EPOCH, &entry(fact));
        assert!(matches!(refused, Err(Unwritable::Altered)), "{refused:?}");
    }
}

#[test]
fn a_line_of_the_greatest_length_is_kept_and_one_byte_more_is_not() {
    let of = |n: usize| encode(&Chain::start(), Timestamp::UNIX_EPOCH, &request(&"x".repeat(n)));
    let rest = of(0).unwrap().bytes.len() - 1;
    assert_eq!(of(MAX_LINE - rest).unwrap().bytes.len(), MAX_LINE + 1);
    assert!(matches!(of(MAX_LINE - rest + 1), Err(Unwritable::TooLong)));
}

#[test]
fn a_later_format_is_told_from_damage() {
    let of =
        |body: &str| decode(&Chain::start(), &checked_line(&Chain::start(), body)).unwrap_err();
    let ts = r#""ts":"2026-01-02T03:04:05Z""#;
    assert_eq!(of(r#"{"v":2,"what":"ever""#), LineError::TooNew(2));
    assert_eq!(
        of(&format!(r#"{{"v":1,"seq":1,{ts},"type":"note","data":{{"kind":1}}"#)),
        LineError::Foreign
    );
    let note = r#""type":"note","data":{"kind":"","text":""}"#;
    assert_eq!(of(&format!(r#"{{"v":3,"seq":1,{ts},{note}"#)), LineError::TooNew(3));
    assert_eq!(of(&format!(r#"{{"v":0,"seq":1,{ts},{note}"#)), LineError::Foreign);
    assert_eq!(of(&format!(r#"{{"v":1,"seq":2,{ts},{note}"#)), LineError::Misplaced);
    let mut line = checked_line(&Chain::start(), &format!(r#"{{"v":1,"seq":1,{ts},{note}"#));
    assert!(decode(&Chain::start(), &line).is_ok());
    line[2] ^= 1;
    assert_eq!(decode(&Chain::start(), &line).unwrap_err(), LineError::Broken);
}

#[test]
fn a_counter_that_cannot_be_added_to_is_no_record_of_ours() {
    let of = |fields: &str| {
        let body = format!(r#"{{"v":1,"seq":1,"ts":"2026-01-02T03:04:05Z",{fields}"#);
        decode(&Chain::start(), &checked_line(&Chain::start(), &body)).map(|_| ())
    };
    let with = |count: u64| {
        let note = r#""type":"note","data":{"kind":"","text":""}"#;
        let step = r#""agent_type":"AppAgent","subtask":"","subtask_index":0"#;
        let request = r#""purpose":"act","model":"m","profile":"p","messages":[]"#;
        let tokens = r#"{"prompt":0,"completion":0,"thinking":0,"cached":0,"total":0}"#;
        let response = format!(
            r#""kind":"final","success":true,"model":"m","tokens":{tokens},"latency_ms":0.5,"cost_usd":0.5,"cost_known":true"#
        );
        let start = r#""name":"CLICK","parameters":{},"device":true"#;
        let end = r#""success":true,"result":"","duration_ms":0.5"#;
        [
            format!(r#""round":{count},{note}"#),
            format!(r#""step":{count},{note}"#),
            format!(
                r#""type":"step.start","data":{{"round_step":{count},"agent_step":0,"request_number":1,{step}}}"#
            ),
            format!(
                r#""type":"step.start","data":{{"round_step":0,"agent_step":{count},"request_number":1,{step}}}"#
            ),
            format!(
                r#""type":"step.start","data":{{"round_step":0,"agent_step":0,"request_number":{count},{step}}}"#
            ),
            format!(
                r#""type":"llm.request","data":{{"call_id":{count},"request_number":1,"iteration":1,{request}}}"#
            ),
            format!(
                r#""type":"llm.request","data":{{"call_id":1,"request_number":{count},"iteration":1,{request}}}"#
            ),
            format!(
                r#""type":"llm.request","data":{{"call_id":1,"request_number":1,"iteration":{count},{request}}}"#
            ),
            format!(
                r#""type":"llm.response","data":{{"call_id":{count},"request_number":1,"iteration":1,{response}}}"#
            ),
            format!(
                r#""type":"llm.response","data":{{"call_id":1,"request_number":{count},"iteration":1,{response}}}"#
            ),
            format!(
                r#""type":"llm.response","data":{{"call_id":1,"request_number":1,"iteration":{count},{response}}}"#
            ),
            format!(r#""type":"tool.start","data":{{"tool_call_id":{count},{start}}}"#),
            format!(r#""type":"tool.start","data":{{"tool_call_id":1,"batch":{count},{start}}}"#),
            format!(r#""type":"tool.end","data":{{"tool_call_id":{count},{end}}}"#),
            format!(
                r#""type":"subtask.end","data":{{"index":{count},"status":"FINISH","result":""}}"#
            ),
            format!(r#""type":"snapshot","data":{{"scope":"sub_round","sub_round":{count}}}"#),
        ]
    };
    for body in with(1 << 31) {
        assert_eq!(of(&body), Ok(()), "{body}");
    }
    for count in [(1 << 31) + 1, u64::from(u32::MAX)] {
        for body in with(count) {
            assert_eq!(of(&body), Err(LineError::Foreign), "{body}");
        }
    }
}

#[test]
fn two_lines_run_together_are_not_a_torn_one() {
    let first = encode(&Chain::start(), Timestamp::UNIX_EPOCH, &request("a")).unwrap();
    let second = encode(&first.chain, Timestamp::UNIX_EPOCH, &request("b")).unwrap();
    let mut both = first.bytes;
    *both.last_mut().unwrap() = b'\x0b';
    both.extend_from_slice(second.bytes.trim_ascii_end());
    assert!(ends_whole(&both));
    assert!(!ends_whole(&both[..both.len() - 1]));
}

proptest! {
    #[test]
    fn any_text_and_figure_reads_back(
        texts in prop::collection::vec(any::<String>(), 3), cost in any::<f64>(), n in any::<u64>()
    ) {
        let [kind, text, name] = &texts[..] else { unreachable!("three") };
        let figures: Map<String, Value> =
            [(name.clone(), json!(n)), ("cost".to_owned(), json!(cost))].into_iter().collect();
        let entry = entry(Fact::Note { kind: kind.as_str().into(), text: text.clone(), figures });
        let line = encode(&Chain::start(), Timestamp::UNIX_EPOCH, &entry).unwrap();
        prop_assert!(line.bytes.is_ascii());
        prop_assert_eq!(line.bytes.iter().filter(|byte| **byte < b' ').count(), 1);
        prop_assert_eq!(line.event.entry, entry);
    }

    #[test]
    fn foreign_bytes_are_refused_not_feared(line in any::<Vec<u8>>()) {
        prop_assert_eq!(decode(&Chain::start(), &line), Err(LineError::Broken));
        prop_assert!(!ends_whole(&line));
    }
}
