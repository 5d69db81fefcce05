//! Completes arguments of prompts and of resource templates: the principal's sessions, steps and phones.
use ayeaye_agent::{Agent, Principal, SessionId};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::address::unknown;
use super::{prompts, resources};
use crate::text::excerpt;

/// The longest prefix that is completed, in bytes: no value is longer.
const MAX_PREFIX: usize = 256;

/// More steps than any session has. A bound for damaged records.
const MOST_STEPS: u32 = 100_000;

/// Answers `completion/complete`.
pub async fn complete(
    agent: &Agent,
    principal: &Principal,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = request.argument;
    let takes = match &request.r#ref {
        Reference::Prompt(prompt) => prompts::takes(&prompt.name, &argument.name)?,
        Reference::Resource(template) => {
            let known = resources::TEMPLATES.iter().any(|[uri, ..]| *uri == template.uri);
            if !known {
                return Err(unknown(&template.uri));
            }
            template.uri.contains(&format!("{{{}}}", argument.name))
        }
        // rmcp may add others.
        _ => false,
    };
    if !takes {
        let shown = excerpt(&argument.name, 60);
        let text = format!("it has no argument `{shown}`");
        return Err(ErrorData::invalid_params(text, None));
    }
    let prefix = argument.value.as_str();
    let others = request.context.and_then(|context| context.arguments).unwrap_or_default();
    let found = match argument.name.as_str() {
        _ if MAX_PREFIX < prefix.len() => Completions::default(),
        "session_id" => sessions(agent, principal, prefix).await?,
        "step" => match others.get("session_id").and_then(|text| text.parse().ok()) {
            Some(session) => steps(agent, principal, session, prefix).await,
            None => Completions::default(),
        },
        "device_id" => devices(agent, principal, prefix).await,
        // Free text.
        _ => Completions::default(),
    };
    let info = CompletionInfo::with_pagination(found.values, found.total, found.more);
    let info = info.map_err(|err| ErrorData::internal_error(err, None))?;
    Ok(CompleteResult::new(info))
}

#[derive(Default)]
struct Completions {
    values: Vec<String>,
    total: Option<u32>,
    more: bool,
}

impl Completions {
    /// The first of the values, and how many there are.
    fn of(values: impl Iterator<Item = String>) -> Self {
        let mut found = Self::default();
        let mut total = 0_u32;
        for value in values {
            total = total.saturating_add(1);
            if found.values.len() < CompletionInfo::MAX_VALUES {
                found.values.push(value);
            } else {
                found.more = true;
            }
        }
        found.total = Some(total);
        found
    }
}

async fn sessions(
    agent: &Agent,
    principal: &Principal,
    prefix: &str,
) -> Result<Completions, ErrorData> {
    let most = CompletionInfo::MAX_VALUES;
    let (values, more) = resources::beginning_with(agent, principal, prefix, most).await?;
    Ok(Completions { values, total: None, more })
}

/// The steps of a session, latest first; none for a session of another principal.
async fn steps(
    agent: &Agent,
    principal: &Principal,
    session: SessionId,
    prefix: &str,
) -> Completions {
    let count = match agent.follow(session, principal).await {
        Some(follower) => follower.report().global_steps,
        None => agent.session_summary(session, principal).await.map_or(0, |brief| brief.steps),
    };
    let count = count.min(MOST_STEPS);
    Completions::of(
        (0..count).rev().map(|step| step.to_string()).filter(|it| it.starts_with(prefix)),
    )
}

async fn devices(agent: &Agent, principal: &Principal, prefix: &str) -> Completions {
    // No completions rather than an error.
    let devices = agent.devices(principal).await.unwrap_or_default();
    let ids = devices.into_iter().map(|(entry, _)| entry.id.to_string());
    Completions::of(ids.filter(|id| id.starts_with(prefix)))
}
