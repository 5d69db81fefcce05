//! The form for an act that is asked about first, for clients of 2026-07-28: those call again with the answer.
//!
//! A tool says what has to be asked as it says it to every client, with a code. Here that becomes a form, and
//! a yes becomes the code.
use std::sync::{Arc, Mutex, PoisonError};

use ayeaye_agent::Principal;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, InputRequests,
    InputRequiredResult,
};
use rmcp::service::RequestContext;

use super::client_support::ClientSupport;
use super::questions::{ApprovalState, RetryContext, StateCodec, StateError};
use super::texts;
use super::tool_error::ToolError;
use crate::principal;
use crate::text::{lines, truncate};

/// The key of the answer in `inputResponses` and in a form, and of the code in a tool's arguments.
const ANSWER: &str = "reply";
const CODE: &str = "approval";

/// The place where a tool puts the form that its user has to answer.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingForm(Arc<Mutex<Option<Asked>>>);

/// What a person is asked.
#[derive(Debug)]
struct Asked {
    question: String,
    approval: ApprovalOfForm,
}

/// The approval that a form asks for.
#[derive(Debug, Clone)]
pub(super) struct ApprovalOfForm {
    /// The approval code that a yes stands for.
    pub(super) code: String,
    /// A digest of what the person is asked about.
    pub(super) about: String,
}

impl PendingForm {
    /// Puts a question, with the approval code that a yes stands for, if the client of this call shows forms in this
    /// way.
    pub(super) fn put(ctx: &RequestContext<RoleServer>, question: &str, approval: ApprovalOfForm) {
        if let Some(Self(slot)) = ctx.extensions.get() {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            *slot = Some(Asked { question: question.to_owned(), approval });
        }
    }
}

/// One call of a tool that may ask.
pub(super) struct ApprovalCall<'a> {
    codec: &'a StateCodec,
    principal: Principal,
    /// The digest of the tool and its arguments, without a code.
    call: String,
    pending: PendingForm,
}

impl<'a> ApprovalCall<'a> {
    /// Begins a call. If it brings the answer to a form, the answer becomes an argument. `None` for a client that shows
    /// no forms or is asked in another way, and if the form was closed: the same form would be closed again, so the
    /// client gets the code and asks in its own way. If a person has said no, `declined` gets the approval that was
    /// asked for.
    pub(super) fn begin(
        codec: &'a StateCodec,
        declined: impl FnOnce(&ApprovalOfForm, &Principal),
        request: &mut CallToolRequestParams,
        ctx: &mut RequestContext<RoleServer>,
    ) -> Result<Option<Self>, ToolError> {
        let client = ClientSupport::of(ctx);
        if !client.modern || !client.forms {
            return Ok(None);
        }
        let (state, answers) = (request.request_state.take(), request.input_responses.take());
        let retry = RetryContext::new(&request.name, request.arguments.as_ref(), state, answers);
        let principal = principal::of(ctx);
        match answer_of(&retry, codec, &principal)? {
            None => {}
            Some(Answered::Yes(code)) => {
                request.arguments.get_or_insert_default().insert(CODE.to_owned(), code.into());
            }
            Some(Answered::Not) => return Ok(None),
            Some(Answered::No(approval)) => {
                declined(&approval, &principal);
                return Err(ToolError::declined());
            }
        }
        let pending = PendingForm::default();
        ctx.extensions.insert(pending.clone());
        Ok(Some(Self { codec, principal, call: retry.call, pending }))
    }

    /// The form, if the tool has put one; else the tool's own result.
    pub(super) fn end<E>(self, result: Result<CallToolResponse, E>) -> Result<CallToolResponse, E> {
        let left = self.pending.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Asked { question, approval }) = left else { return result };
        let ApprovalOfForm { code: approval, about } = approval;
        let state = ApprovalState { approval, about, call: self.call };
        let encoded = self.codec.encode(&state, &self.principal);
        let form = InputRequest::Elicitation(ElicitRequest::new(yes_or_no(&question)));
        let requests = InputRequests::from([(ANSWER.to_owned(), form)]);
        Ok(InputRequiredResult::new(Some(requests), Some(encoded)).into())
    }
}

/// What a call brings of a form.
enum Answered {
    /// The code for which a person has said yes.
    Yes(String),
    /// What a person has said no to.
    No(ApprovalOfForm),
    /// The form was closed without an answer.
    Not,
}

/// What was answered to the form; `None` where the call brings no answer, so that it is asked again.
fn answer_of(
    retry: &RetryContext,
    codec: &StateCodec,
    principal: &Principal,
) -> Result<Option<Answered>, ToolError> {
    let (Some(encoded), Some(answer)) = (&retry.state, retry.answers.get(ANSWER)) else {
        return Ok(None);
    };
    let state: ApprovalState = codec.open(encoded, principal)?;
    if state.call != retry.call {
        return Err(StateError::Foreign.into());
    }
    let answer = serde_json::from_value::<ElicitResult>(answer.clone());
    match answer.as_ref().map_or(FormReply::No, FormReply::of) {
        FormReply::Yes => Ok(Some(Answered::Yes(state.approval))),
        FormReply::Nothing => Ok(Some(Answered::Not)),
        FormReply::No => {
            let ApprovalState { approval: code, about, .. } = state;
            Ok(Some(Answered::No(ApprovalOfForm { code, about })))
        }
    }
}

/// The form that asks for a yes.
pub(super) fn yes_or_no(question: &str) -> ElicitRequestParams {
    let options = vec!["yes".to_owned(), "no".to_owned()];
    let choice = EnumSchema::builder(options).untitled().title("Your answer").build();
    let schema = ElicitationSchema::builder().required_enum_schema(ANSWER, choice);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{}\n\n{}", truncate(&lines(question), 1500), texts::NOTICE),
        requested_schema: schema.build_unchecked(),
    }
}

/// A person's answer to such a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormReply {
    /// They agree.
    Yes,
    /// They do not; whatever is no clear answer counts as a no.
    No,
    /// They closed the form, or the client has nobody to show it to: it was not answered.
    Nothing,
}

impl FormReply {
    /// Reads the answer to the form.
    pub(super) fn of(result: &ElicitResult) -> Self {
        let said = result.content.as_ref().and_then(|content| content.get(ANSWER)?.as_str());
        match result.action {
            ElicitationAction::Accept if said == Some("yes") => Self::Yes,
            ElicitationAction::Cancel => Self::Nothing,
            _ => Self::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_that_was_closed_is_no_answer() {
        for (given, said) in [
            (json!({ "action": "accept", "content": { "reply": "yes" } }), FormReply::Yes),
            (json!({ "action": "accept", "content": { "reply": "no" } }), FormReply::No),
            (json!({ "action": "accept" }), FormReply::No),
            (json!({ "action": "decline" }), FormReply::No),
            (json!({ "action": "cancel" }), FormReply::Nothing),
        ] {
            let result = serde_json::from_value(given).unwrap();
            assert_eq!(FormReply::of(&result), said);
        }
    }
}
