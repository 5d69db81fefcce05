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

/// Where a tool leaves what its user has to be asked.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingForm(Arc<Mutex<Option<(String, String)>>>);

impl PendingForm {
    /// Leaves a question, and the code that stands for a yes, if the client of this call shows forms in this
    /// way.
    pub(super) fn leave(ctx: &RequestContext<RoleServer>, question: &str, code: &str) {
        if let Some(Self(slot)) = ctx.extensions.get() {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            *slot = Some((question.to_owned(), code.to_owned()));
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
    /// For this call, whose answer becomes an argument where it brings one. `None` for a client that shows no
    /// forms, or is asked in another way.
    pub(super) fn begin(
        codec: &'a StateCodec,
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
        if let Some(code) = code_of(&retry, codec, &principal)? {
            request.arguments.get_or_insert_default().insert(CODE.to_owned(), code.into());
        }
        let pending = PendingForm::default();
        ctx.extensions.insert(pending.clone());
        Ok(Some(Self { codec, principal, call: retry.call, pending }))
    }

    /// The form, where the tool has left one; otherwise its own result.
    pub(super) fn end<E>(self, result: Result<CallToolResponse, E>) -> Result<CallToolResponse, E> {
        let left = self.pending.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((question, code)) = left else { return result };
        let state = ApprovalState { approval: code, call: self.call };
        let encoded = self.codec.encode(&state, &self.principal);
        let form = InputRequest::Elicitation(ElicitRequest::new(yes_or_no(&question)));
        let requests = InputRequests::from([(ANSWER.to_owned(), form)]);
        Ok(InputRequiredResult::new(Some(requests), Some(encoded)).into())
    }
}

/// The code for which a person has said yes; `None` where nothing was answered, so that it is asked again.
fn code_of(
    retry: &RetryContext,
    codec: &StateCodec,
    principal: &Principal,
) -> Result<Option<String>, ToolError> {
    let (Some(encoded), Some(answer)) = (&retry.state, retry.answers.get(ANSWER)) else {
        return Ok(None);
    };
    let state: ApprovalState = codec.open(encoded, principal)?;
    if state.call != retry.call {
        return Err(StateError::Foreign.into());
    }
    let answer = serde_json::from_value::<ElicitResult>(answer.clone());
    match answer {
        Ok(answer) if is_yes(&answer) => Ok(Some(state.approval)),
        _ => Err(ToolError::declined()),
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

/// Whether that is a yes; anything else is none.
pub(super) fn is_yes(result: &ElicitResult) -> bool {
    let said = result.content.as_ref().and_then(|content| content.get(ANSWER)?.as_str());
    result.action == ElicitationAction::Accept && said == Some("yes")
}
