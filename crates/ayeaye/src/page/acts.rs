//! Acting on a phone from the page: the same gestures, gate and record as a client's direct control.
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use ayeaye_agent::{
    DeviceId, DirectAction, DirectOutcome, DirectRun, Gesture, HoldId, Principal, SessionId,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Page;
use super::answer::{Body, Named, Refusal, session_id};
use crate::mcp::approvals::{PhoneAsked, TakenApproval};
use crate::mcp::args;
use crate::mcp::args::device::{
    ActArgs as _, KeyArgs, LaunchArgs, LongPressArgs, PlacedArgs as _, SwipeArgs, TapArgs, TypeArgs,
};
use crate::mcp::tool_error::ToolError;

const ELSEWHERE: &str =
    "the virtual phone of this run is, or was, in another process: it cannot be acted on from here";

/// Why, as the record says it.
const REASON: &str = "by hand, in the page";

/// What is to be done, in thousandths of the screen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActRequest {
    action: ActKind,
    point: Option<[i64; 2]>,
    to: Option<[i64; 2]>,
    text: Option<String>,
    clear: Option<bool>,
    submit: Option<bool>,
    secret: Option<bool>,
    key: Option<String>,
    app: Option<String>,
    /// What an earlier answer gave as `agree`.
    agreed: Option<String>,
    /// The hold under which it is done, which it keeps up; refused when that is over.
    control: Option<HoldId>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActKind {
    Tap,
    LongPress,
    Swipe,
    Type,
    Key,
    Launch,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub(super) struct Acted {
    outcome: &'static str,
    session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// What a person has to agree to first.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    /// To be sent as `agreed`, with the same act, when they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    agree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screen_changed: Option<bool>,
}

/// `POST /page/api/devices/{id}/act`.
pub(super) async fn on_device(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Body(wanted): Body<ActRequest>,
) -> Result<Json<Acted>, Refusal> {
    page.act(args::device_id(&id)?, None, wanted, principal).await
}

/// `POST /page/api/sessions/{id}/act`.
pub(super) async fn in_session(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Body(wanted): Body<ActRequest>,
) -> Result<Json<Acted>, Refusal> {
    let id = session_id(&id)?;
    let device = page.ensure_phone_is_here(id, &principal).await?;
    page.act(device, Some(id), wanted, principal).await
}

impl Page {
    /// The phone of a session, which must be the one that goes by its name here.
    pub(super) async fn ensure_phone_is_here(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<DeviceId, Refusal> {
        let agent = &self.0.agent;
        let summary = agent.session_summary(id, principal).await?;
        if agent.is_phone_elsewhere(&summary) {
            return Err(Refusal::new(StatusCode::CONFLICT, ELSEWHERE));
        }
        Ok(DeviceId::new(summary.device.device_id))
    }

    async fn act(
        &self,
        device_id: DeviceId,
        session_id: Option<SessionId>,
        wanted: ActRequest,
        principal: Principal,
    ) -> Result<Json<Acted>, Refusal> {
        self.ensure_may_act()?;
        let (agent, approvals) = (&self.0.agent, &self.0.approvals);
        let gesture = wanted.gesture()?;
        if let Some(control) = wanted.control {
            agent.keep_in_hand(&device_id, control, &principal).await?;
        }
        let mut taken = match &wanted.agreed {
            Some(code) => {
                let phone = PhoneAsked::of(agent, &device_id).await;
                Some(approvals.take_act(&phone, code, &principal)?)
            }
            None => None,
        };
        let act = DirectAction {
            device_id: device_id.clone(),
            session_id,
            gesture,
            reason: REASON.to_owned(),
            secret: wanted.secret.unwrap_or_default(),
            agreed: taken.as_ref().map(TakenApproval::agreed).unwrap_or_default(),
            by_hand: true,
            principal: principal.clone(),
        };
        let mut acting = agent.act(act).await?;
        if let Some(taken) = &mut taken {
            taken.begun();
        }
        acting.finished().await;
        if let Some(taken) = taken {
            taken.came_of_it(&acting);
        }
        let mut acted = Acted::of(&acting);
        if let Some(DirectOutcome::NeedsApproval(asked)) = acting.result().map(|it| &it.outcome) {
            acted.question = Some(asked.question.clone());
            let phone = PhoneAsked::of(agent, &device_id).await;
            acted.agree = Some(approvals.issue_code_for_act(&phone, asked, &principal));
        }
        Ok(Json(acted))
    }
}

impl Acted {
    fn of(acting: &DirectRun) -> Self {
        let report = acting.report();
        let result = acting.result();
        let (outcome, why) = match result.map(|it| &it.outcome) {
            Some(DirectOutcome::Done) => match result.and_then(|it| it.line.uncertain.clone()) {
                Some(why) => ("doubtful", Some(why)),
                None => ("done", result.and_then(|it| it.note.clone())),
            },
            Some(DirectOutcome::NotDone(why) | DirectOutcome::Refused(_, why)) => {
                ("not_done", Some(why.clone()))
            }
            Some(DirectOutcome::Doubtful(why)) => ("doubtful", Some(why.clone())),
            Some(DirectOutcome::NeedsApproval(_)) => ("needs_leave", None),
            // Whether it was done is not recorded.
            None => ("doubtful", Some(report.message.clone())),
        };
        let shown = result.and_then(|it| it.shown.as_ref());
        Self {
            outcome,
            session_id: report.session_id.to_string(),
            step: result.map(|it| it.step),
            why,
            question: None,
            agree: None,
            screen_changed: shown.map(|it| it.changed),
        }
    }
}

impl ActRequest {
    /// The gesture, by the rules of the tools that do the same.
    fn gesture(&self) -> Result<Gesture, Refusal> {
        let at = |place: Option<[i64; 2]>, name: &str| {
            place.ok_or_else(|| {
                Refusal::bad_request(format!("`{name}` is missing: [x, y] in thousandths"))
            })
        };
        let word = |word: Option<&String>, name: &str| {
            word.cloned().ok_or_else(|| Refusal::bad_request(format!("`{name}` is missing")))
        };
        let gesture = match self.action {
            ActKind::Tap => {
                let [x, y] = at(self.point, "point")?;
                read::<TapArgs>(json!({ "x": x, "y": y }))?.gesture()
            }
            ActKind::LongPress => {
                let [x, y] = at(self.point, "point")?;
                read::<LongPressArgs>(json!({ "x": x, "y": y }))?.gesture()
            }
            ActKind::Swipe => {
                let ([from_x, from_y], [to_x, to_y]) =
                    (at(self.point, "point")?, at(self.to, "to")?);
                let places =
                    json!({ "from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y });
                read::<SwipeArgs>(places)?.gesture()
            }
            ActKind::Type => {
                let (x, y) = (self.point.map(|it| it[0]), self.point.map(|it| it[1]));
                let text = word(self.text.as_ref(), "text")?;
                let (clear, submit) = (self.clear, self.submit);
                let typed =
                    json!({ "text": text, "x": x, "y": y, "clear": clear, "submit": submit });
                read::<TypeArgs>(typed)?.gesture()
            }
            ActKind::Key => {
                read::<KeyArgs>(json!({ "key": word(self.key.as_ref(), "key")? }))?.gesture()
            }
            ActKind::Launch => {
                read::<LaunchArgs>(json!({ "app": word(self.app.as_ref(), "app")? }))?.gesture()
            }
        };
        Ok(gesture?)
    }
}

/// The arguments of a tool of direct control, for its checks. The phone is named elsewhere.
fn read<T: DeserializeOwned>(mut arguments: Value) -> Result<T, ToolError> {
    arguments["device_id"] = String::new().into();
    serde_path_to_error::deserialize(arguments).map_err(|err| ToolError::not_arguments(&err))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gesture(wanted: Value) -> Result<Gesture, String> {
        let wanted: ActRequest = serde_json::from_value(wanted).map_err(|err| err.to_string())?;
        wanted.gesture().map_err(|refused| refused.text().to_owned())
    }

    #[test]
    fn acts_are_those_of_direct_control() {
        for (wanted, name) in [
            (json!({ "action": "tap", "point": [1, 2] }), "CLICK"),
            (json!({ "action": "long_press", "point": [1, 2] }), "LONGPRESS"),
            (json!({ "action": "swipe", "point": [1, 2], "to": [3, 4] }), "SLIDE"),
            (json!({ "action": "type", "text": "hi", "submit": true }), "TYPE"),
            (json!({ "action": "type", "text": "hi", "point": [5, 6] }), "TYPE"),
            (json!({ "action": "key", "key": "BACK" }), "HOT_KEY"),
            (json!({ "action": "launch", "app": "Settings" }), "AWAKE"),
        ] {
            assert_eq!(gesture(wanted).unwrap().name(), name);
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        for (wanted, says) in [
            (json!({ "action": "tap" }), "`point` is missing"),
            (json!({ "action": "tap", "point": [1001, 2] }), "`x` is 1001"),
            (json!({ "action": "swipe", "point": [1, 2] }), "`to` is missing"),
            (json!({ "action": "swipe", "point": [1, 2], "to": [1, -1] }), "`to_y` is -1"),
            (json!({ "action": "type" }), "`text` is missing"),
            (json!({ "action": "type", "text": "" }), "`text` is empty"),
            (json!({ "action": "key", "key": "SELF_DESTRUCT" }), "`key` is"),
            (json!({ "action": "launch", "app": " " }), "`app` is empty"),
            (json!({ "action": "install" }), "unknown variant"),
            (json!({ "action": "tap", "point": [1, 2], "shell": "x" }), "unknown field"),
        ] {
            let said = gesture(wanted).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }

    proptest! {
        #[test]
        fn no_number_and_no_text_breaks_anything(x in any::<i64>(), y in any::<i64>(), text in any::<String>()) {
            for action in ["tap", "long_press", "swipe", "type", "key", "launch"] {
                let wanted = json!({ "action": action, "point": [x, y], "to": [y, x], "text": text, "key": text, "app": text });
                drop(gesture(wanted));
            }
        }
    }
}
