//! What a model server answers, as JSON, or how it refuses.
use reqwest::StatusCode;
use reqwest::header::SERVER;
use serde_json::Value;

use super::{ServerKind, Shut};

/// Larger answers are no lists of models.
const MAX_ANSWER: usize = 8 << 20;

/// An answer that tells nothing of what was asked for, or none.
pub(super) struct Refusal {
    pub(super) why: String,
    /// Of an answer in JSON.
    status: Option<StatusCode>,
    /// It says that it is llama.cpp's.
    is_llama_cpps: bool,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self { why, status: None, is_llama_cpps: false }
    }
}

impl From<reqwest::Error> for Refusal {
    fn from(err: reqwest::Error) -> Self {
        err.without_url().to_string().into()
    }
}

/// Whether a server is there that says no more, by how it refused its list and its properties. llama.cpp keeps the
/// second, and in some versions both, for those who have its key.
pub(super) fn shut(list: Option<&Refusal>, props: Option<&Refusal>) -> Option<(ServerKind, Shut)> {
    for refusal in [list, props].into_iter().flatten().filter(|it| it.is_llama_cpps) {
        let shut = match refusal.status {
            Some(StatusCode::SERVICE_UNAVAILABLE) => Shut::Loading,
            Some(StatusCode::UNAUTHORIZED) => Shut::Locked,
            _ => continue,
        };
        return Some((ServerKind::LlamaCpp, shut));
    }
    let is_locked = list?.status == Some(StatusCode::UNAUTHORIZED);
    is_locked.then_some((ServerKind::Other, Shut::Locked))
}

/// The answer as JSON, if it is one and says success.
pub(super) async fn read(request: reqwest::RequestBuilder) -> Result<Value, Refusal> {
    let mut answer = request.send().await?;
    let status = answer.status();
    let is_llama_cpps = answer.headers().get(SERVER).is_some_and(|it| it == "llama.cpp");
    let mut bytes = Vec::new();
    while let Some(part) = answer.chunk().await? {
        bytes.extend_from_slice(&part);
        if MAX_ANSWER < bytes.len() {
            return Err("the answer is too long".to_owned().into());
        }
    }
    let said: Value =
        serde_json::from_slice(&bytes).map_err(|_| format!("{status}, and no JSON"))?;
    if status.is_success() {
        return Ok(said);
    }
    Err(Refusal {
        why: format!("{status}: {}", said["error"]),
        status: Some(status),
        is_llama_cpps,
    })
}
