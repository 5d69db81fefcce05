//! Leave for acts that are asked about first: installing and removing apps.
//!
//! A client that shows forms is asked in one. Any other is told what to ask its user, with a code; the
//! same call with that code goes ahead.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ayeaye_agent::{DeviceId, Gesture, Principal};
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema,
    EnumSchema, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use tokio::time::{Instant, timeout};

use super::client_support::ClientSupport;
use super::texts;
use super::tool_error::ToolError;
use crate::principal;
use crate::text::{excerpt, lines, truncate};

/// How long a code is good.
const MAX_AGE: Duration = Duration::from_mins(15);
/// The most codes that wait.
const MAX_WAITING: usize = 64;
/// How long a person may take for a form.
const FORM_WAITS: Duration = Duration::from_mins(5);
const FIELD: &str = "reply";

/// Acts that wait for a person's leave.
#[derive(Debug, Default)]
pub struct Approvals(Mutex<VecDeque<Waiting>>);

#[derive(Debug)]
struct Waiting {
    code: String,
    device: DeviceId,
    principal: Principal,
    gesture: Gesture,
    since: Instant,
}

impl Approvals {
    /// Returns when a person has agreed to this act; otherwise the error that says what to do.
    pub(super) async fn ask(
        &self,
        device: &DeviceId,
        gesture: &Gesture,
        question: &str,
        code: Option<&str>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(), ToolError> {
        let principal = principal::of(ctx);
        if let Some(code) = code {
            let known = self.take(code, device, &principal, gesture);
            return if known { Ok(()) } else { Err(ToolError::not_approved(&excerpt(code, 20))) };
        }
        let client = ClientSupport::of(ctx);
        if client.forms && !client.modern {
            match in_a_form(question, ctx).await {
                Some(true) => return Ok(()),
                Some(false) => return Err(ToolError::declined()),
                // Not shown after all.
                None => {}
            }
        }
        let code = self.wait_for(device, &principal, gesture);
        Err(ToolError::needs_approval(question, &code))
    }

    fn wait_for(&self, device: &DeviceId, principal: &Principal, gesture: &Gesture) -> String {
        let code = format!("{:08x}", rand::random::<u32>());
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if MAX_WAITING <= waiting.len() {
            waiting.pop_front();
        }
        waiting.push_back(Waiting {
            code: code.clone(),
            device: device.clone(),
            principal: principal.clone(),
            gesture: gesture.clone(),
            since: Instant::now(),
        });
        code
    }

    /// Whether this code was given for this act, which it is good for once.
    fn take(
        &self,
        code: &str,
        device: &DeviceId,
        principal: &Principal,
        gesture: &Gesture,
    ) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|it| it.since.elapsed() < MAX_AGE);
        let found = waiting.iter().position(|it| {
            it.code == code
                && it.device == *device
                && it.principal == *principal
                && it.gesture == *gesture
        });
        found.and_then(|at| waiting.remove(at)).is_some()
    }
}

/// Asks with `elicitation/create` while the call waits; `None` where the client did not show it.
async fn in_a_form(question: &str, ctx: &RequestContext<RoleServer>) -> Option<bool> {
    let options = vec!["yes".to_owned(), "no".to_owned()];
    let choice = EnumSchema::builder(options).untitled().title("Your answer").build();
    let schema = ElicitationSchema::builder().required_enum_schema(FIELD, choice);
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{}\n\n{}", truncate(&lines(question), 1500), texts::NOTICE),
        requested_schema: schema.build_unchecked(),
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let sent = ctx.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let handle = sent.ok()?;
    let answer = tokio::select! {
        biased;
        () = ctx.ct.cancelled() => return Some(false),
        answer = timeout(FORM_WAITS, handle.rx) => answer.ok()?.ok()?.ok()?,
    };
    let ClientResult::ElicitResult(result) = answer else { return None };
    let said = result.content.as_ref().and_then(|content| content.get(FIELD)?.as_str());
    Some(result.action == ElicitationAction::Accept && said == Some("yes"))
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::DeviceCommand;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_code_is_good_once_for_one_act_of_one_caller_on_one_phone() {
        let (approvals, phone, me) = (Approvals::default(), DeviceId::new("X"), Principal::local());
        let install =
            |file: &str| Gesture::Command(DeviceCommand::Install { file: file.to_owned() });
        let code = approvals.wait_for(&phone, &me, &install("a.apk"));
        assert!(!approvals.take(&code, &phone, &me, &install("b.apk")));
        assert!(!approvals.take(&code, &DeviceId::new("Y"), &me, &install("a.apk")));
        assert!(!approvals.take("", &phone, &me, &install("a.apk")));
        assert!(approvals.take(&code, &phone, &me, &install("a.apk")));
        assert!(!approvals.take(&code, &phone, &me, &install("a.apk")));
        let late = approvals.wait_for(&phone, &me, &install("a.apk"));
        tokio::time::advance(MAX_AGE).await;
        assert!(!approvals.take(&late, &phone, &me, &install("a.apk")));
    }
}
