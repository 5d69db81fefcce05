//! `resources/list`: the fixed URIs, then the principal's sessions, newest first.
use ayeaye_agent::{Agent, AgentError, Principal, SessionId, SessionInBrief, error_chain};
use rmcp::ErrorData;
use rmcp::model::{Annotations, ListResourcesResult, Resource, Role};

use crate::mcp::address::Address;
use crate::mcp::results::SessionList;
use crate::mcp::{app, skill};
use crate::text::{excerpt, truncate};

/// Sessions on a page of the list. Few: some clients make a tool of every entry. The reports have none, for
/// the same reason: the template names their addresses.
pub(super) const PAGE: usize = 10;
/// Most sessions in the resource `sessions`.
const MOST_SESSIONS: u8 = 100;

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
    let list = agent.listed(principal, after, PAGE).await.map_err(trouble)?;
    resources.extend(list.sessions.iter().map(|(id, brief)| resource(*id, brief)));
    let last = list.sessions.last().filter(|_| list.more);
    let mut page = ListResourcesResult::with_all_items(resources);
    page.next_cursor = last.map(|(id, _)| id.to_string());
    Ok(page)
}

/// The newest sessions, summarized.
pub(super) async fn sessions(
    agent: &Agent,
    principal: &Principal,
) -> Result<SessionList, ErrorData> {
    SessionList::read(agent, principal, None, MOST_SESSIONS).await.map_err(trouble)
}

/// The ids of the principal's sessions that begin with `text`, newest first: at most `most`, and
/// whether there are more.
pub(in crate::mcp) async fn beginning_with(
    agent: &Agent,
    principal: &Principal,
    text: &str,
    most: usize,
) -> Result<(Vec<String>, bool), ErrorData> {
    let mut found = Vec::new();
    for id in agent.journal().list().await.map_err(trouble)? {
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

fn trouble(err: impl Into<AgentError>) -> ErrorData {
    ErrorData::internal_error(error_chain(&err.into()), None)
}

/// A session as a resource: by its task, also where the client has acted by itself since.
fn resource(id: SessionId, brief: &Result<SessionInBrief, AgentError>) -> Resource {
    let resource = Resource::new(Address::Session(id).to_string(), format!("session-{id}"))
        .with_mime_type("application/json");
    let brief = match brief {
        Ok(brief) => brief,
        Err(err) => {
            return resource
                .with_title("A session that cannot be read")
                .with_description(truncate(&error_chain(err), 300));
        }
    };
    let reason = brief.stop_reason_of_request();
    let (task, changed) = match brief {
        SessionInBrief::Run(report) => (&report.task, None),
        SessionInBrief::Record { summary, .. } => (&summary.task, Some(summary.last.to_string())),
    };
    let about = format!("{reason} on {}, {} steps", brief.device_id(), brief.steps());
    resource.with_title(truncate(task, 80)).with_description(about).with_annotations(annotations(
        vec![Role::User, Role::Assistant],
        0.6,
        changed,
    ))
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
