//! MCP resources: sessions, their steps, pictures and reports, the phones, and the skill.
//!
//! A session of another principal is answered like one that does not exist.
mod list;
pub(crate) mod report;
pub(crate) mod steps;

use std::sync::Arc;

use ayeaye_agent::{Agent, AgentError, JournalError, error_chain};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult,
    ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;

pub(super) use list::beginning_with;

use self::steps::StepPicture;
use super::address::{Address, UnknownAddress, unknown};
use super::client_support::{ClientSupport, IMMUTABLE_TTL_MS, is_modern};
use super::connection_tools::ConnectionTools;
use super::{app, read_receipts, results, skill};
use crate::principal;

const JSON: &str = "application/json";

/// The resource templates: URI template, name, title, description and MIME type.
pub(super) const TEMPLATES: [[&str; 5]; 6] = [
    [
        "ayeaye://sessions/{session_id}",
        "session",
        "A session",
        "The result of a session so far: the same facts as get_session.",
        JSON,
    ],
    [
        "ayeaye://sessions/{session_id}/steps",
        "session-steps",
        "Steps of a session",
        "The steps of a session, oldest first: what was done and what went wrong. For a very long \
         session, only the latest.",
        JSON,
    ],
    [
        "ayeaye://sessions/{session_id}/steps/{step}",
        "step",
        "A step",
        "One step, counted from 0: what was seen, thought and done, and the outcome.",
        JSON,
    ],
    [
        "ayeaye://sessions/{session_id}/steps/{step}/screenshot",
        "step-screenshot",
        "Screenshot of a step",
        "The picture the model was shown at a step, counted from 0.",
        "image/jpeg",
    ],
    [
        "ayeaye://sessions/{session_id}/report",
        "session-report",
        "Report of a session",
        "The session as one HTML page for a person to read, without pictures: a few kilobytes per step.",
        "text/html",
    ],
    [
        "ayeaye://sessions/{session_id}/report/pictures",
        "session-report-pictures",
        "Report of a session with pictures",
        "The same page with pictures: hundreds of kilobytes, up to 12 MiB. To be shown to a person, not \
         read by a model.",
        "text/html",
    ],
];

/// All URI templates of this server.
pub fn templates() -> Vec<ResourceTemplate> {
    let template = |[uri, name, title, description, mime_type]: [&str; 5]| {
        ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(mime_type)
    };
    TEMPLATES.map(template).into()
}

/// Answers `resources/templates/list`.
pub fn list_templates(ctx: &RequestContext<RoleServer>) -> ListResourceTemplatesResult {
    let all = ListResourceTemplatesResult::with_all_items(templates());
    if is_modern(ctx) {
        all.with_ttl_ms(IMMUTABLE_TTL_MS).with_cache_scope(CacheScope::Public)
    } else {
        all
    }
}

/// Answers `resources/list`.
pub async fn list(
    agent: &Agent,
    cursor: Option<&str>,
    ctx: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    list::page(agent, &principal::of(ctx), cursor, ClientSupport::of(ctx).apps).await
}

/// Answers `resources/read`. Finding out the connection's tools may take a request to the model's server, so `offer` is
/// awaited only for resources that show them.
pub async fn read(
    agent: &Arc<Agent>,
    uri: &str,
    offer: impl Future<Output = ConnectionTools>,
    ctx: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let unchanging = skill::read(uri).or_else(|| app::read(uri));
    let ReadResource { contents, kept } = if let Some(contents) = unchanging {
        ReadResource { contents, kept: Some(CacheScope::Public) }
    } else {
        let address: Address = uri.parse().map_err(|UnknownAddress| unknown(uri))?;
        read_ours(agent, address, offer, ctx).await?
    };
    let mut result = ReadResourceResult::new(vec![contents]);
    // Older protocols have no caching.
    if let (true, Some(scope)) = (is_modern(ctx), kept) {
        result.ttl_ms = Some(IMMUTABLE_TTL_MS);
        result.cache_scope = Some(scope);
    }
    Ok(result)
}

struct ReadResource {
    contents: ResourceContents,
    /// Who may cache the resource, if it never changes.
    kept: Option<CacheScope>,
}

async fn read_ours(
    agent: &Arc<Agent>,
    address: Address,
    offer: impl Future<Output = ConnectionTools>,
    ctx: &RequestContext<RoleServer>,
) -> Result<ReadResource, ErrorData> {
    let principal = &principal::of(ctx);
    let uri = address.to_string();
    let trouble = |err: JournalError| match err {
        JournalError::Unknown(_) => unknown(&uri),
        other => ErrorData::internal_error(error_chain(&other), None),
    };
    let refused = |err: AgentError| match err {
        AgentError::UnknownSession(_) => unknown(&uri),
        other => ErrorData::internal_error(super::tool_error::explain_agent_error(&other), None),
    };
    if let Some(id) = address.session() {
        agent.ensure_visible(id, principal).await.map_err(refused)?;
    }
    let journal = agent.journal();
    let private = || agent.private_screens();
    let text = match address {
        Address::Sessions => text_of(&list::sessions(agent, principal).await?),
        Address::Devices => {
            let devices = agent.devices(principal).await.map_err(|err| refused(err.into()))?;
            text_of(&results::DeviceList::from(devices))
        }
        Address::Session(id) => {
            let report = agent.report(id, principal).await.map_err(refused)?;
            read_receipts::note_question_told(agent, &report, ctx);
            text_of(&results::RunResult::from(&report).offered(&report, offer.await))
        }
        Address::Steps(id) => {
            text_of(&steps::list(&**journal, id, private()).await.map_err(trouble)?)
        }
        Address::Step(id, step) => {
            let facts = steps::one(&**journal, id, step, private()).await.map_err(trouble)?;
            text_of(&facts.ok_or_else(|| unknown(&uri))?)
        }
        Address::Screenshot(id, step) => {
            let found = steps::picture(&**journal, id, step, private()).await.map_err(trouble)?;
            let blob = match found {
                StepPicture::Kept(blob) => blob,
                StepPicture::Private => {
                    let text = format!("the picture is not shown: {}", steps::NOT_SHOWN);
                    return Err(ErrorData::invalid_params(text, None));
                }
                StepPicture::None => return Err(unknown(&uri)),
            };
            let bytes = journal.blob(&id, &blob).await.map_err(trouble)?;
            let contents = ResourceContents::blob(STANDARD.encode(&bytes), uri)
                .with_mime_type(blob.media_type);
            return Ok(ReadResource { contents, kept: Some(CacheScope::Private) });
        }
        Address::Report(id) | Address::PicturedReport(id) => {
            let pictured = matches!(address, Address::PicturedReport(_));
            let page = report::page(journal, id, pictured, private()).await.map_err(trouble)?;
            let contents = ResourceContents::text(page?, uri).with_mime_type("text/html");
            return Ok(ReadResource { contents, kept: None });
        }
    };
    Ok(ReadResource {
        contents: ResourceContents::text(text, uri).with_mime_type(JSON),
        kept: None,
    })
}

fn text_of(facts: &impl Serialize) -> String {
    serde_json::to_string(facts).expect("strings, numbers and lists are JSON")
}
