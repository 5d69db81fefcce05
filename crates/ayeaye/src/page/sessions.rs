//! Sessions to look at: lists, search, one with its steps, pictures.
use std::collections::HashSet;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::journal::{BlobRef, Summary};
use ayeaye_agent::{Agent, AgentError, Principal, SessionId};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::Page;
use super::answer::{Named, Query, Refusal, session_id};
use super::steps::Step;
use super::view::{ListItem, View, read_steps};
use crate::mcp::resources::steps::{self as record, StepPicture};

/// How many sessions a list has that is not asked for more or fewer.
const USUAL: usize = 50;
/// Most sessions in one answer.
const MOST: usize = 200;
/// Most sessions of its principal that one search looks at; another goes on from there.
const MOST_SEARCHED: usize = 2000;
/// Most sessions that wait for an answer and are told behind the newest ones, though many more were left so.
const MOST_WAITING: usize = 50;
/// Most characters of a search.
const LONGEST_SEARCH: usize = 200;

/// Most searches at a time: each reads many small files.
static SEARCHING: Semaphore = Semaphore::const_new(2);

#[derive(Debug, Deserialize)]
pub(super) struct SessionsQuery {
    q: Option<String>,
    limit: Option<usize>,
    before: Option<String>,
}

/// `GET /page/api/sessions`.
pub(super) async fn list(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Query(wanted): Query<SessionsQuery>,
) -> Result<Json<Value>, Refusal> {
    let before = wanted.before.as_deref().map(session_id).transpose()?;
    let words: String = wanted.q.unwrap_or_default().chars().take(LONGEST_SEARCH).collect();
    let limit = wanted.limit.unwrap_or(USUAL).clamp(1, MOST);
    let words = words.to_lowercase();
    let found = find(&page.0.agent, &principal, &words, limit, Listed::Before(before)).await?;
    Ok(Json(found))
}

/// The newest sessions of a principal, and those before them that go on or wait for somebody: what is to be done is
/// shown however much has been done since.
pub(super) async fn newest(agent: &Agent, principal: &Principal) -> Result<Value, AgentError> {
    find(agent, principal, "", USUAL, Listed::NewestAndOpen).await
}

/// Which sessions are listed.
enum Listed {
    /// Those before one, where there is one to go on from.
    Before(Option<SessionId>),
    /// The newest, and behind the last of them also those that are not done, whatever words they have.
    NewestAndOpen,
}

/// Sessions that have all these words somewhere, newest first. With `more` comes `next`, which is what `before`
/// has to be to go on.
async fn find(
    agent: &Agent,
    principal: &Principal,
    words: &str,
    limit: usize,
    listed: Listed,
) -> Result<Value, AgentError> {
    let (before, open) = match listed {
        Listed::Before(before) => (before, false),
        Listed::NewestAndOpen => (None, true),
    };
    let _turn = SEARCHING.acquire().await.expect("it is never closed");
    let (mut found, mut looked_at, mut last) = (Vec::new(), 0, None);
    let (mut more, mut waiting) = (false, 0);
    // One without an end whose process has died is not read, since that takes its whole record.
    let at_work = if open { agent.sessions_at_work(principal).await } else { HashSet::new() };
    for id in agent.journal().list().await? {
        if before.is_some_and(|before| before <= id) {
            continue;
        }
        // First: neither that others have more nor what theirs are called is told.
        let summary = match agent.session_summary(id, principal).await {
            Err(AgentError::UnknownSession(_)) => continue,
            summary => summary,
        };
        more |= limit <= found.len() || looked_at == MOST_SEARCHED;
        if more && (!open || looked_at == MOST_SEARCHED) {
            break;
        }
        looked_at += 1;
        if more {
            let asks =
                waiting < MOST_WAITING && summary.as_ref().is_ok_and(|it| it.question.is_some());
            if asks || at_work.contains(&id) {
                let item = ListItem::read(agent, id, summary, principal).await;
                waiting += usize::from(item.line.waiting);
                found.extend(Some(item).filter(|item| item.line.is_open()));
            }
            continue;
        }
        last = Some(id);
        if matches(words, summary.as_ref().ok()) {
            found.push(ListItem::read(agent, id, summary, principal).await);
        }
    }
    let next = last.filter(|_| more).map(|id| id.to_string());
    Ok(json!({ "sessions": found, "more": more, "next": next }))
}

/// Whether each of the words, in lower case, is in the task, the message, an app's name or the phone's.
fn matches(words: &str, summary: Option<&Summary>) -> bool {
    let mut words = words.split_whitespace().peekable();
    let Some(summary) = summary else { return words.peek().is_none() };
    let texts = [
        &summary.task,
        &summary.message,
        &summary.task_name,
        &summary.device.device_id,
        &summary.device.model,
    ];
    let texts: Vec<String> =
        texts.into_iter().chain(&summary.apps).map(|text| text.to_lowercase()).collect();
    words.all(|word| texts.iter().any(|text| text.contains(word)))
}

/// `GET /page/api/sessions/{id}`.
pub(super) async fn one(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
) -> Result<Json<View>, Refusal> {
    let (id, agent) = (session_id(&id)?, &page.0.agent);
    agent.ensure_visible(id, &principal).await?;
    Ok(Json(View::read(agent, id, &principal, page.0.live.rules()).await?))
}

#[derive(Debug, Deserialize)]
pub(super) struct BeforeQuery {
    before: u32,
}

/// `GET /page/api/sessions/{id}/steps?before=N`.
pub(super) async fn steps(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Query(BeforeQuery { before }): Query<BeforeQuery>,
) -> Result<Json<Value>, Refusal> {
    let (id, agent) = (session_id(&id)?, &page.0.agent);
    agent.ensure_visible(id, &principal).await?;
    let read =
        read_steps(agent, id, Some(before), page.0.live.rules().hidden_from(&principal)).await?;
    let first = read.steps.first().map_or(0, |step| step.index);
    Ok(Json(json!({ "steps": read.steps, "first_step": first })))
}

/// `GET /page/api/sessions/{id}/steps/{step}/picture`.
pub(super) async fn picture(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named((id, step)): Named<(String, u32)>,
) -> Result<Response, Refusal> {
    let (id, agent) = (session_id(&id)?, &page.0.agent);
    agent.ensure_visible(id, &principal).await?;
    let seen = page
        .0
        .live
        .seen(id)
        .and_then(|view| view.steps.iter().find(|it| it.index == step).map(Step::picture));
    let picture = match seen {
        None | Some(StepPicture::None) => {
            let private = page.private_screens(&principal).unwrap_or_default();
            record::picture(&**agent.journal(), id, step, private).await?
        }
        Some(picture) => picture,
    };
    let StepPicture::Kept(blob) = picture else { return Err(Refusal::not_found("this picture")) };
    let bytes = agent.journal().blob(&id, &blob).await?;
    let kept = "private, max-age=31536000, immutable";
    Ok(([(CONTENT_TYPE, media_type(&blob)), (CACHE_CONTROL, kept)], bytes).into_response())
}

/// The kind of picture a blob is. A record may say anything: what is no picture is not shown as something else.
pub(super) fn media_type(blob: &BlobRef) -> &'static str {
    match blob.media_type.as_str() {
        "image/jpeg" => "image/jpeg",
        "image/png" => "image/png",
        "image/webp" => "image/webp",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::journal::DeviceRecord;

    use super::*;

    fn summary() -> Summary {
        Summary {
            task_name: "x".to_owned(),
            task: "Tell Carla about the party".to_owned(),
            owner: None,
            device: DeviceRecord {
                device_id: "emulator-5554".to_owned(),
                model: "Pixel 7".to_owned(),
                android_version: "14".to_owned(),
                wm_size: [1, 1],
                serial_digest: None,
            },
            device_server: None,
            stop_reason: None,
            message: "Sent.".to_owned(),
            by_hand: None,
            question: None,
            asked_at_step: None,
            rounds: 1,
            round_open: true,
            steps: 2,
            calls: 2,
            tokens: 9,
            cost_usd: 0.0,
            cost_known: false,
            model_ms: 0.0,
            other_ms: 0.0,
            apps: vec!["Messages".to_owned()],
            started: jiff::Timestamp::UNIX_EPOCH,
            last: jiff::Timestamp::UNIX_EPOCH,
            last_seq: 9,
            bytes: 0,
        }
    }

    #[test]
    fn every_word_is_looked_for_in_task_message_apps_and_phone() {
        for words in ["", " ", "carla", "party carla", "messages", "pixel", "emul", "sent"] {
            assert!(matches(words, Some(&summary())), "{words}");
        }
        for words in ["anna", "carla anna", "settings"] {
            assert!(!matches(words, Some(&summary())), "{words}");
        }
        assert!(matches("", None) && !matches("carla", None));
    }
}
