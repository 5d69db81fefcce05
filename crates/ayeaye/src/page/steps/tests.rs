use ayeaye_agent::journal::{
    DeviceRecord, FORMAT, PhaseTimes, QuestionAsked, RecordEntry, ResponseRecord, RunRecord,
    SessionStart, StepStart, TargetRecord, TokenRecord, ToolStart,
};
use ayeaye_agent::{ReplyMode, Session};
use serde_json::{Map, json};

use super::*;

/// A record in the making.
#[derive(Default)]
struct Record {
    events: Vec<Event>,
}

impl Record {
    fn begun() -> Self {
        let mut record = Self::default();
        record.add(None, Fact::SessionStart(session_start()));
        record.add(None, Fact::RoundStart { request: "Save it".to_owned() });
        record
    }

    fn add(&mut self, step: Option<u32>, fact: Fact) {
        let seq = self.events.len() as u64 + 1;
        let entry = RecordEntry { round: Some(0), step, agent: None, fact };
        self.events.push(Event { v: FORMAT, seq, ts: Timestamp::UNIX_EPOCH, entry });
    }

    fn step(&mut self, index: u32, agent: AgentType) {
        let start = StepStart {
            agent_type: agent.into(),
            round_step: 0,
            agent_step: 0,
            subtask: String::new(),
            subtask_index: 0,
            request_number: 1,
        };
        self.add(Some(index), Fact::StepStart(start));
    }

    fn read(&self, before: Option<u32>) -> ReadSteps {
        let mut reader = StepReader::new(SessionId::new(), before, None);
        self.events.iter().for_each(|event| reader.apply(event));
        reader.finish().unwrap()
    }
}

fn session_start() -> SessionStart {
    SessionStart {
        task_name: "x".to_owned(),
        request: "Save it".to_owned(),
        device: DeviceRecord {
            device_id: "a".to_owned(),
            model: "Pixel".to_owned(),
            android_version: "14".to_owned(),
            wm_size: [1080, 2400],
            serial_digest: None,
        },
        config: Map::new(),
        run: RunRecord {
            max_steps: 5,
            reply_mode: ReplyMode::PassToClient.into(),
            planner: false,
            policy: None,
            device_server: None,
        },
        owner: None,
    }
}

fn click(x: &Value) -> ActionRecord {
    let arguments = Map::from_iter([("point".to_owned(), json!([x, 500]))]);
    ActionRecord { function: "CLICK".to_owned(), arguments }
}

fn tool(action: &ActionRecord, target: Option<&str>) -> Fact {
    let target = target.map(|name| TargetRecord {
        id: "1".to_owned(),
        name: name.to_owned(),
        kind: "android.widget.Button".to_owned(),
        rect: [0; 4],
    });
    Fact::ToolStart(ToolStart {
        tool_call_id: 1,
        name: action.function.clone(),
        parameters: action.arguments.clone(),
        device: true,
        target,
        display: None,
        batch: None,
        gate: None,
        mark: None,
    })
}

fn end(action: Option<ActionRecord>, thought: &str) -> Fact {
    Fact::StepEnd(StepEnd {
        status: ayeaye_agent::journal::AgentState::Continue.into(),
        response: ResponseRecord { thought: thought.to_owned(), ..ResponseRecord::default() },
        action,
        result: String::new(),
        error: None,
        uncertain: None,
        tokens: TokenRecord::default(),
        cost_usd: 0.5,
        cost_known: true,
        time_ms: PhaseTimes {
            data_collection: 10.4,
            llm_interaction: 1000.0,
            action_execution: 20.0,
            memory_update: 1.0,
        },
        caption: None,
    })
}

#[test]
fn a_step_is_told_while_it_happens_and_when_it_is_over() {
    let mut record = Record::begun();
    record.step(0, AgentType::AppAgent);
    let told = |record: &Record| serde_json::to_value(&record.read(None).steps[0]).unwrap();
    let begun = told(&record);
    assert_eq!((&begun["label"], &begun["over"]), (&json!(""), &json!(false)));
    record.add(Some(0), tool(&click(&json!(512.5)), Some("Save")));
    let doing = told(&record);
    assert_eq!((&doing["label"], &doing["point"]), (&json!("Tap on Save"), &json!([512.5, 500.0])));
    record.add(Some(0), end(Some(click(&json!(512.5))), "It is there"));
    let over = told(&record);
    assert_eq!(over["over"], true);
    assert_eq!((&over["model_ms"], &over["other_ms"]), (&json!(1000), &json!(31)));
    assert_eq!((&over["thought"], &over["cost_usd"]), (&json!("It is there"), &json!(0.5)));
    assert_eq!((&over["agent"], &over["label"]), (&json!("app"), &json!("Tap on Save")));
    let read = record.read(None);
    assert_eq!((read.summary.model_ms, read.rounds.len()), (1000.0, 1));
    // What the page adds up is what the agent does.
    assert!(Session::from_events(SessionId::new(), &record.events).is_ok());
}

#[test]
fn a_step_that_waits_for_leave_says_what_it_is_aimed_at() {
    let mut record = Record::begun();
    record.step(0, AgentType::AppAgent);
    record.add(Some(0), tool(&click(&json!(913)), None));
    assert_eq!(record.read(None).steps[0].label, "Tap at 913,500");
    let figures = json!({ "verdict": "confirm", "act": { "target": ["", "Send SMS", "Button"] } });
    let Value::Object(figures) = figures else { panic!("an object") };
    let kind = ayeaye_agent::journal::NoteKind::Gate.into();
    record.add(Some(0), Fact::Note { kind, text: "May it?".to_owned(), figures });
    assert_eq!(record.read(None).steps[0].label, "Tap on Send SMS");
}

#[test]
fn a_long_reason_to_give_up_is_cut_in_the_title_and_whole_beside_it() {
    let mut record = Record::begun();
    record.step(0, AgentType::AppAgent);
    let reason = "because ".repeat(60);
    let arguments = Map::from_iter([("reason".to_owned(), json!(reason))]);
    record.add(Some(0), end(Some(ActionRecord { function: "ABORT".to_owned(), arguments }), ""));
    let step = record.read(None).steps.remove(0);
    assert!(step.label.ends_with('\u{2026}'), "{}", step.label);
    assert_eq!(step.about, reason);
}

#[test]
fn of_many_steps_the_latest_are_given_or_those_before_one() {
    let mut record = Record::begun();
    for index in 0..500 {
        record.step(index, AgentType::Client);
        record.add(Some(index), end(Some(click(&json!(1))), ""));
    }
    let span = |before: Option<u32>| {
        let steps = record.read(before).steps;
        (steps.len(), steps.first().map(|it| it.index), steps.last().map(|it| it.index))
    };
    assert_eq!(span(None), (MOST_STEPS, Some(300), Some(499)));
    assert_eq!(span(Some(300)), (MOST_STEPS, Some(100), Some(299)));
    assert_eq!(span(Some(3)), (3, Some(0), Some(2)));
    assert_eq!(span(Some(0)), (0, None, None));
}

#[test]
fn what_a_record_says_is_bounded_and_no_place_is_off_the_screen() {
    let mut record = Record::begun();
    record.step(0, AgentType::HostAgent);
    let mut odd = click(&json!(4000));
    odd.function = "X".repeat(10_000);
    record.add(Some(0), tool(&odd, Some(&"\u{202e}\n".repeat(5000))));
    record.add(Some(0), end(Some(odd), &"t".repeat(100_000)));
    let told = record.read(None).steps.remove(0);
    assert_eq!((told.point, told.agent), (None, "host"));
    assert!(serde_json::to_string(&told).unwrap().len() < 10_000);
    for text in ["[1]", "[1,2,3]", "[null,1]", "{}", "[-1,0]", "\"1,2\""] {
        assert_eq!(point(&serde_json::from_str(text).unwrap()), None, "{text}");
    }
}

#[test]
fn what_a_person_said_stands_with_the_step_after_it() {
    let say = |text: &str, source: AnswerSource| {
        let (answers, source) = (vec![text.to_owned()], source.into());
        Fact::Answer(Answer { answers, source, message_id: None })
    };
    let mut record = Record::begun();
    record.step(0, AgentType::AppAgent);
    record.add(Some(0), say("The blue one", AnswerSource::Guidance));
    record.add(None, say("Anna Berg", AnswerSource::Client));
    record.add(None, say("as a model would", AnswerSource::Auto));
    record.step(1, AgentType::AppAgent);
    record.step(2, AgentType::AppAgent);
    let said: Vec<_> = record.read(None).steps.into_iter().map(|it| it.said).collect();
    assert_eq!(said, [vec!["The blue one".to_owned()], vec!["Anna Berg".to_owned()], vec![]]);
}

#[test]
fn of_much_that_was_said_the_latest_is_shown() {
    let mut record = Record::begun();
    for number in 0..20 {
        let answers = vec![format!("{number}")];
        let source = AnswerSource::Guidance.into();
        record.add(None, Fact::Answer(Answer { answers, source, message_id: None }));
    }
    record.step(0, AgentType::AppAgent);
    let said = record.read(None).steps.remove(0).said;
    assert_eq!((said.len(), said.back().map(String::as_str)), (MOST_SAID, Some("19")));
}

/// Leave is asked for.
fn asked() -> Fact {
    Fact::Question(QuestionAsked {
        kind: QuestionKind::Confirm.into(),
        questions: vec!["May it?".to_owned()],
        options: Vec::new(),
        app: None,
        reply_mode: ReplyMode::PassToClient.into(),
    })
}

#[test]
fn an_act_that_was_only_asked_about_is_told_from_one_that_was_done() {
    let mut record = Record::begun();
    record.step(0, AgentType::AppAgent);
    record.add(Some(0), asked());
    record.step(1, AgentType::AppAgent);
    record.add(Some(1), asked());
    record.add(Some(1), tool(&click(&json!(913)), None));
    let only_asked: Vec<_> = record.read(None).steps.iter().map(|it| it.only_asked).collect();
    assert_eq!(only_asked, [true, false]);
    let told = serde_json::to_value(record.read(None).steps).unwrap();
    assert_eq!([&told[0]["sent"], &told[1]["sent"]], [&json!(null), &json!(true)]);
}

#[test]
fn what_was_asked_first_is_no_error_and_a_step_without_a_decision_has_no_price() {
    let ends = |action: Option<ActionRecord>, error: &str| {
        let mut record = Record::begun();
        record.step(0, AgentType::AppAgent);
        record.add(Some(0), asked());
        let mut end = end(action, "");
        if let Fact::StepEnd(end) = &mut end {
            (end.error, end.cost_usd) = (Some(error.to_owned()), 0.0);
        }
        record.add(Some(0), end);
        record.read(None).steps.remove(0)
    };
    let asked = ends(Some(click(&json!(300))), "not carried out yet: the user was asked first");
    assert_eq!((asked.error, asked.only_asked, asked.cost_usd), (None, true, Some(0.0)));
    let refused = "not carried out: it needs the user's yes, and there was none";
    assert_eq!(ends(None, refused).error.as_deref(), Some(refused));
    assert_eq!(ends(None, refused).cost_usd, None);
}

#[test]
fn what_leave_was_given_for_is_shown_as_the_act() {
    let act = click(&json!(300));
    let question = json!({ "kind": "confirm", "text": "May it?", "options": [] });
    let asked = ActionRecord {
        function: "INFO".to_owned(),
        arguments: Map::from_iter([
            ("question".to_owned(), question),
            ("act".to_owned(), json!({ "function": "CLICK", "arguments": act.arguments })),
        ]),
    };
    let mut record = Record::begun();
    record.step(0, AgentType::AppAgent);
    record.add(Some(0), tool(&act, Some("Pay")));
    record.add(Some(0), end(Some(asked.clone()), ""));
    // Only asked about: it is the question.
    record.step(1, AgentType::AppAgent);
    record.add(Some(1), end(Some(asked), ""));
    let shown = record.read(None).steps;
    assert_eq!((shown[0].action_type.as_str(), shown[0].point.is_some()), ("CLICK", true));
    assert!(shown[0].label.contains("Pay"), "{}", shown[0].label);
    assert_eq!(shown[1].action_type, "INFO");
}
