//! A report as tests need one: of a phone of 60 by 120 pixels, after five steps.
use ayeaye_agent::journal::{DeviceRecord, RunRecord};
use ayeaye_agent::{ReplyMode, Report, RunInfo, SessionId, StopReason, Usage};

pub(crate) fn report(stop_reason: StopReason) -> Report {
    Report {
        session_id: SessionId::new(),
        stop_reason,
        task: "t".to_owned(),
        device: DeviceRecord {
            device_id: "a".to_owned(),
            model: String::new(),
            android_version: String::new(),
            wm_size: [60, 120],
            serial_digest: None,
        },
        global_steps: 5,
        local_steps: 1,
        final_action: None,
        message: "m".to_owned(),
        question: None,
        answered: None,
        steps: Vec::new(),
        usage: Usage::default(),
        screenshot_step: None,
        run: RunInfo {
            number: 0,
            began: 0,
            facts: RunRecord {
                max_steps: 1,
                reply_mode: ReplyMode::PassToClient.into(),
                planner: false,
                policy: None,
                device_server: None,
            },
        },
        updated: None,
        asked_at_step: 0,
        is_over: false,
    }
}
