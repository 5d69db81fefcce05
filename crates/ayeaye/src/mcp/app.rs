//! The phone inside the chat: an MCP App, one page that hosts show beside a tool's result
//! (extension `io.modelcontextprotocol/ui`, revision 2026-01-26).
//!
//! The server's part is a resource and a few marks on tools. The page speaks with its host alone, which
//! passes its calls of tools on to us like those of its model.
mod page;

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, MetaObject, Resource, ResourceContents, Tool};
use serde_json::json;

/// The name under which clients declare that they show apps.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The MIME type of the extension's pages.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The address of the page.
pub const URI: &str = "ui://ayeaye/run";

/// The tools beside whose results the page is shown: those that begin, go on with or show a session.
const SHOWN_BESIDE: [&str; 3] = ["ask_agent_start_new_task", "ask_agent_continue", "get_session"];

/// The argument of `ask_agent_continue` that only the page sends.
pub(super) const OWN_ARGUMENT: &str = "question_step";

static PAGE: LazyLock<String> = LazyLock::new(page::page);

/// The page, for `resources/read`.
pub fn read(uri: &str) -> Option<ResourceContents> {
    let page = || ResourceContents::text(PAGE.as_str(), URI).with_mime_type(MIME_TYPE);
    (uri == URI).then(|| page().with_meta(page_meta()))
}

/// The page, for `resources/list`.
pub fn resource() -> Resource {
    Resource::new(URI, "run")
        .with_title("A phone at work")
        .with_description("Shows a session while it runs: the screen, the steps, the question.")
        .with_mime_type(MIME_TYPE)
        .with_size(PAGE.len() as u64)
        .with_meta(page_meta())
}

/// Tells a host that shows apps which of its tools have the page.
pub fn link(tool: &mut Tool) {
    if SHOWN_BESIDE.contains(&tool.name.as_ref()) {
        let mut meta = JsonObject::new();
        meta.insert("ui".to_owned(), json!({ "resourceUri": URI }));
        // The key of hosts from before the revision.
        meta.insert("ui/resourceUri".to_owned(), json!(URI));
        tool.meta = Some(MetaObject(meta));
    }
}

/// Removes the argument that only the page sends from a tool's schema: a model that must give every argument would have
/// to make it up.
pub fn hide_own_argument(tool: &mut Tool) {
    if tool.input_schema["properties"].get(OWN_ARGUMENT).is_some()
        && let Some(fields) = Arc::make_mut(&mut tool.input_schema).get_mut("properties")
        && let Some(fields) = fields.as_object_mut()
    {
        fields.shift_remove(OWN_ARGUMENT);
    }
}

/// Marks a tool as one for the page, not for models.
pub fn app_only() -> MetaObject {
    meta(json!({ "visibility": ["app"] }))
}

/// Nothing is said of origins: then the page may load from none and connect to none.
fn page_meta() -> MetaObject {
    meta(json!({ "prefersBorder": true }))
}

fn meta(ui: serde_json::Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([("ui".to_owned(), ui)]))
}
