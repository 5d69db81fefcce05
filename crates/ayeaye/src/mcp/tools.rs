//! The tools, grouped by what they may do. The operator chooses which groups clients are offered.
mod app_only;
mod command;
mod device;
mod read_only;
mod task;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::Tool;

use super::{Server, app};
use crate::config::ToolSet;

/// All tools, by their groups.
#[derive(Debug)]
pub(super) struct Toolbox {
    read_only: ToolRouter<Server>,
    tasks: ToolRouter<Server>,
    device: ToolRouter<Server>,
    manage: ToolRouter<Server>,
    /// The app's own: what only looks, and what stops a run.
    app: ToolRouter<Server>,
    app_stops: ToolRouter<Server>,
}

impl Toolbox {
    pub(super) fn new() -> Self {
        let (read_only, tasks) = (Server::read_only(), Server::tasks());
        let (device, manage) = (Server::device_control(), Server::commands());
        let (app, app_stops) = (Server::for_app(), Server::for_app_to_stop());
        Self { read_only, tasks, device, manage, app, app_stops }
    }

    /// The groups that are offered.
    fn offered(&self, tools: ToolSet) -> impl Iterator<Item = &ToolRouter<Server>> {
        let groups = [
            (true, &self.read_only),
            (tools.agent, &self.tasks),
            (tools.device, &self.device),
            (tools.manage, &self.manage),
        ];
        groups.into_iter().filter_map(|(offered, group)| offered.then_some(group))
    }

    /// The groups of the app's own. A run is paused where it may be stopped.
    fn of_app(&self, tools: ToolSet) -> impl Iterator<Item = &ToolRouter<Server>> {
        [Some(&self.app), tools.agent.then_some(&self.app_stops)].into_iter().flatten()
    }

    /// The tools that are offered, by name. A client that shows the app also gets the app's own tools, and which tools
    /// have the page; any other client would let its model call them.
    pub(super) fn list(&self, tools: ToolSet, apps: bool) -> Vec<Tool> {
        let mut all: Vec<Tool> = self.offered(tools).flat_map(ToolRouter::list_all).collect();
        if apps {
            all.iter_mut().for_each(app::link);
            all.extend(self.of_app(tools).flat_map(ToolRouter::list_all));
        } else {
            all.iter_mut().for_each(app::hide_own_argument);
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// The group with this tool, if it is offered. The app's own tools answer any caller: they do nothing that the
    /// caller could not do by other tools.
    pub(super) fn find(&self, tools: ToolSet, name: &str) -> Option<&ToolRouter<Server>> {
        self.offered(tools).chain(self.of_app(tools)).find(|group| group.has_route(name))
    }

    /// Whether this tool hands a task to the agent, or takes one back.
    pub(super) fn is_task(&self, name: &str) -> bool {
        self.tasks.has_route(name) || self.app_stops.has_route(name)
    }

    /// A tool, offered or not.
    pub(super) fn get(&self, name: &str) -> Option<&Tool> {
        let all = ToolSet { manage: true, ..ToolSet::ALL };
        self.find(all, name).and_then(|group| group.get(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_paused_only_where_it_may_be_stopped() {
        let toolbox = Toolbox::new();
        for tools in [ToolSet::READ_ONLY, ToolSet::DIRECT] {
            assert!(toolbox.find(tools, "pause_task").is_none());
            assert!(toolbox.find(tools, "watch_session").is_some());
            assert!(toolbox.list(tools, true).iter().all(|tool| tool.name != "pause_task"));
        }
        assert!(toolbox.find(ToolSet::USUAL, "pause_task").is_some());
        assert!(toolbox.list(ToolSet::USUAL, true).iter().any(|tool| tool.name == "pause_task"));
    }
}
