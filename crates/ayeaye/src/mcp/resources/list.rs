//! `resources/list`: the fixed URIs, then the principal's sessions, newest first.
use ayeaye_agent::journal::Summary;
use ayeaye_agent::{
    Agent, AgentError, JournalError, Principal, Report, SessionId, StopReason, error_chain,
};
use rmcp::ErrorData;
use rmcp::model::{Annotations, ListResourcesResult, Resource, Role};

use crate::mcp::address::Address;
use crate::mcp::results::{SessionItem, SessionList, to_seconds, waits};
use crate::mcp::{app, skill};
use crate::text::{excerpt, truncate};

/// Sessions on a page of the list. Few: some clients make a tool of every entry. The reports have none, for
/// the same reason: the template names their addresses.
pub(super) const PAGE: usize = 10;
/// Most sessions in the resource `sessions`.
const MOST_SESSIONS: usize = 100;

/// A page of the list. The cursor is the last session of the page before. It is only a position, so it
/// stays valid while sessions come and go, and a forged one reveals nothing.
pub(super) async fn page(
    agent: &Agent,
    principal: &Principal,
    cursor: Option<&str>,
    apps: bool,
) -> Result<ListResourcesResult, ErrorData> {
    let after = cursor.map(read_cursor).transpose()?;
    let mut resources = if after.is_none() { fixed(apps) } else { Vec::new() };
    let mut next = None;
    let mut shown: Option<SessionId> = None;
    let mut count = 0;
    for id in ids(agent, after).await? {
        let Some(state) = SessionState::of(agent, principal, id).await else { continue };
        if count == PAGE {
            next = shown.map(|id| id.to_string());
            break;
        }
        count += 1;
        shown = Some(id);
        resources.push(state.resource(id));
    }
    let mut page = ListResourcesResult::with_all_items(resources);
    page.next_cursor = next;
    Ok(page)
}

/// The newest sessions, summarized.
pub(super) async fn sessions(
    agent: &Agent,
    principal: &Principal,
) -> Result<SessionList, ErrorData> {
    let mut sessions = Vec::new();
    for id in ids(agent, None).await? {
        if sessions.len() == MOST_SESSIONS {
            break;
        }
        if let Some(state) = SessionState::of(agent, principal, id).await {
            sessions.push(state.item(id));
        }
    }
    Ok(SessionList { sessions })
}

/// The ids of the principal's sessions that begin with `prefix`, newest first: at most `most`, and
/// whether there are more.
pub(in crate::mcp) async fn beginning_with(
    agent: &Agent,
    principal: &Principal,
    text: &str,
    most: usize,
) -> Result<(Vec<String>, bool), ErrorData> {
    let mut found = Vec::new();
    for id in ids(agent, None).await? {
        let name = id.to_string();
        if !name.starts_with(text) || agent.ensure_visible(id, principal).await.is_err() {
            continue;
        }
        if found.len() == most {
            return Ok((found, true));
        }
        found.push(name);
    }
    Ok((found, false))
}

fn read_cursor(cursor: &str) -> Result<SessionId, ErrorData> {
    cursor.parse().map_err(|_| {
        let shown = excerpt(cursor, 60);
        let text = format!("`{shown}` is not a cursor of this list; leave it out to start over");
        ErrorData::invalid_params(text, None)
    })
}

/// All sessions of all principals, newest first: ids sort by creation time.
async fn ids(agent: &Agent, after: Option<SessionId>) -> Result<Vec<SessionId>, ErrorData> {
    let trouble = |err: JournalError| ErrorData::internal_error(error_chain(&err), None);
    let mut ids = agent.journal().list().await.map_err(trouble)?;
    if let Some(after) = after {
        ids.retain(|id| *id < after);
    }
    Ok(ids)
}

/// What the list shows of a session.
enum SessionState {
    /// It runs, in whichever server: the report so far.
    Live(Box<Report>),
    /// It does not run: a summary of its record.
    Left(Box<Summary>, StopReason),
    /// Its record cannot be read.
    Broken(AgentError),
}

impl SessionState {
    async fn of(agent: &Agent, principal: &Principal, id: SessionId) -> Option<Self> {
        if let Some(follower) = agent.follow(id, principal).await {
            return Some(Self::Live(Box::new((*follower.report()).clone())));
        }
        match agent.session_summary(id, principal).await {
            Ok(brief) => {
                let reason = match brief.stop_reason {
                    Some(reason) => reason,
                    None if brief.question.is_some() => StopReason::InfoActionNeedsReply,
                    // Its process died.
                    None => StopReason::ServerRestarted,
                };
                Some(Self::Left(Box::new(brief), reason))
            }
            Err(AgentError::UnknownSession(_)) => None,
            Err(err) => Some(Self::Broken(err)),
        }
    }

    fn item(&self, id: SessionId) -> SessionItem {
        let empty = SessionItem {
            session_id: id.to_string(),
            stop_reason: StopReason::StorageFailed.name(),
            task: String::new(),
            device_id: String::new(),
            waits: None,
            global_step_idx: 0,
            started_at: id.created().map(to_seconds),
            updated_at: None,
            error: None,
        };
        match self {
            Self::Live(report) => SessionItem {
                stop_reason: report.stop_reason.name(),
                task: truncate(&report.task, 120),
                device_id: report.device.device_id.clone(),
                waits: waits(report),
                global_step_idx: report.global_steps,
                updated_at: report.updated.map(to_seconds),
                ..empty
            },
            Self::Left(brief, reason) => SessionItem {
                stop_reason: reason.name(),
                task: truncate(&brief.task, 120),
                device_id: brief.device.device_id.clone(),
                global_step_idx: brief.steps,
                updated_at: Some(to_seconds(brief.last)),
                ..empty
            },
            Self::Broken(err) => SessionItem { error: Some(error_chain(err)), ..empty },
        }
    }

    fn resource(&self, id: SessionId) -> Resource {
        let item = self.item(id);
        if let Some(error) = item.error {
            return Resource::new(Address::Session(id).to_string(), format!("session-{id}"))
                .with_title("A session that cannot be read")
                .with_description(truncate(&error, 300))
                .with_mime_type("application/json");
        }
        let changed = match self {
            Self::Left(brief, _) => Some(brief.last.to_string()),
            Self::Live(_) | Self::Broken(_) => None,
        };
        let title = truncate(&item.task, 80);
        let about =
            format!("{} on {}, {} steps", item.stop_reason, item.device_id, item.global_step_idx);
        Resource::new(Address::Session(id).to_string(), format!("session-{id}"))
            .with_title(title)
            .with_description(about)
            .with_mime_type("application/json")
            .with_annotations(annotations(vec![Role::User, Role::Assistant], 0.6, changed))
    }
}

fn annotations(audience: Vec<Role>, priority: f32, changed: Option<String>) -> Annotations {
    let mut annotations = Annotations::default().with_audience(audience).with_priority(priority);
    annotations.last_modified = changed;
    annotations
}

/// The resources that always exist; the app's page only for a client that shows it.
fn fixed(apps: bool) -> Vec<Resource> {
    let both = || vec![Role::User, Role::Assistant];
    let mut fixed = vec![
        Resource::new(Address::Sessions.to_string(), "sessions")
            .with_title("Sessions")
            .with_description("The newest sessions: request, phone, and how each stands.")
            .with_mime_type("application/json")
            .with_annotations(annotations(both(), 0.7, None)),
        Resource::new(Address::Devices.to_string(), "devices")
            .with_title("Phones")
            .with_description("The connected phones, and whether each is free.")
            .with_mime_type("application/json")
            .with_annotations(annotations(both(), 0.7, None)),
        skill::resource().with_annotations(annotations(vec![Role::Assistant], 0.8, None)),
    ];
    if apps {
        fixed.push(app::resource().with_annotations(annotations(vec![Role::User], 0.1, None)));
    }
    fixed
}
