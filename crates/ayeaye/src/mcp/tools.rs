//! The tools, grouped by what they may do. The operator chooses which groups clients are offered.
mod device;
mod read_only;
mod task;

use rmcp::handler::server::router::tool::ToolRouter;

use super::{Server, icon};
use crate::config::ToolSet;

/// The tools that are offered.
pub(super) fn router(tools: ToolSet) -> ToolRouter<Server> {
    let mut router = Server::read_only();
    if tools.agent {
        router += Server::tasks();
    }
    if tools.device {
        router += Server::device_control();
    }
    for route in router.map.values_mut() {
        route.attr.icons = Some(icon::icons());
    }
    router
}
