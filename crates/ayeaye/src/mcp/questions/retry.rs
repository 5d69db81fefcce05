//! Whether a call is the retry of a call that asked a question.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::ErrorData;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{InputResponses, JsonObject};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The state and the answers of a retried call. This extractor must come before the one for the
/// arguments, which consumes them.
#[derive(Debug, Clone, Default)]
pub struct RetryContext {
    pub(in crate::mcp) state: Option<String>,
    pub(in crate::mcp) answers: InputResponses,
    /// SHA-256 of the tool and its arguments in base64: an answer belongs to one call.
    pub(in crate::mcp) call: String,
    retry: bool,
}

impl RetryContext {
    /// Whether this call continues an earlier one.
    pub fn is_retry(&self) -> bool {
        self.retry
    }

    pub(in crate::mcp) fn new(
        tool: &str,
        arguments: Option<&JsonObject>,
        state: Option<String>,
        answers: Option<InputResponses>,
    ) -> Self {
        let retry = state.is_some() || answers.is_some();
        Self { state, answers: answers.unwrap_or_default(), call: digest(tool, arguments), retry }
    }
}

impl<S> FromContextPart<ToolCallContext<'_, S>> for RetryContext {
    fn from_context_part(call: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let (state, answers) = (call.request_state.take(), call.input_responses.take());
        Ok(Self::new(&call.name, call.arguments.as_ref(), state, answers))
    }
}

/// Does not depend on the order of the arguments, which a client may serialize differently.
fn digest(tool: &str, arguments: Option<&JsonObject>) -> String {
    let mut hash = Sha256::new();
    add(&mut hash, &Value::String(tool.to_owned()));
    for (name, value) in sorted(arguments.into_iter().flatten()) {
        add(&mut hash, &Value::String(name.clone()));
        add(&mut hash, value);
    }
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Adds a value as JSON after its length. Arguments are flat: the order inside nested values does not
/// matter, because tools refuse them.
fn add(hash: &mut Sha256, value: &Value) {
    let text = value.to_string();
    hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
    hash.update(text);
}

fn sorted<'a>(
    arguments: impl Iterator<Item = (&'a String, &'a Value)>,
) -> Vec<(&'a String, &'a Value)> {
    let mut arguments: Vec<_> = arguments.collect();
    arguments.sort_unstable_by_key(|(name, _)| *name);
    arguments
}
