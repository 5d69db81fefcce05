//! Forms for older clients: `elicitation/create`, sent while the call waits.
use std::time::Duration;

use ayeaye_agent::Agent;
use rmcp::ServiceError;
use rmcp::model::{ClientResult, ElicitRequest, ElicitRequestParams, ServerRequest};
use rmcp::service::PeerRequestOptions;
use tokio::time::Instant;

use super::client_support::ClientSupport;
use super::results::Unanswered;
use super::run_wait::{RunWait, WaitOutcome};

/// How long a person may take while the call waits and its client gets progress meanwhile.
const ANSWER_LIMIT: Duration = Duration::from_mins(5);
/// The least time in which somebody could read and answer a question.
const MIN_ANSWER_TIME: Duration = Duration::from_secs(5);

/// Shows a form and waits for what the client answers. `Err(None)`: there was no time to ask, the call is
/// over, or the answer is needed no more, which `needless` says; then, and when nobody has answered in time, the form
/// is withdrawn.
///
/// Stays in the future of the call: rmcp ties the request to the call by a task-local, and over HTTP it would
/// otherwise go to a stream that many clients do not open.
pub(super) async fn show_form(
    agent: &Agent,
    wait: &mut RunWait<'_>,
    form: ElicitRequestParams,
    needless: impl Future<Output = ()>,
) -> Result<ClientResult, Option<Unanswered>> {
    let client = ClientSupport::of(wait.request());
    // A client that gets progress usually waits longer. Any other has a timeout of its own, which the wait was
    // chosen for.
    let limit = if client.progress { ANSWER_LIMIT } else { wait.remaining().min(ANSWER_LIMIT) };
    if limit.min(wait.limit()) < MIN_ANSWER_TIME {
        return Err(None);
    }
    let begun = Instant::now();
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let peer = &wait.request().peer;
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = sent.await.map_err(|err| Some(not_shown(&err)))?;
    let answer = async {
        tokio::select! {
            biased;
            answer = &mut handle.rx => Some(answer),
            () = needless => None,
        }
    };
    let waited = wait.wait_for("waiting for the user's answer", limit, answer).await;
    if client.progress {
        wait.extend(begun.elapsed());
    }
    let why = match waited {
        WaitOutcome::Done(Some(Ok(Ok(result)))) => return Ok(result),
        WaitOutcome::Done(Some(Ok(Err(err)))) => return Err(Some(not_shown(&err))),
        WaitOutcome::Done(Some(Err(_))) => return Err(Some(Unanswered::NotShown)),
        WaitOutcome::Done(None) | WaitOutcome::Cancelled => None,
        WaitOutcome::TimedOut => Some(Unanswered::NoAnswer),
    };
    let over = Some("nobody is waiting for this answer any more".to_owned());
    tokio::select! {
        biased;
        // The connection is closing.
        () = agent.closing() => {}
        cancelled = handle.cancel(over) => if let Err(err) = cancelled {
            tracing::debug!("a form was not cancelled: {err}");
        }
    }
    Err(why)
}

fn not_shown(err: &ServiceError) -> Unanswered {
    tracing::debug!("the client did not show a question: {err}");
    Unanswered::NotShown
}
