//! The tools by what they may do. Which of them a client is offered is the operator's choice.
mod device;
mod read_only;
mod task;

use std::fmt;

use rmcp::handler::server::router::tool::ToolRouter;

use super::{Server, icon};

/// Which tools are offered. What only looks always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tools {
    /// Tasks for the agent.
    pub agent: bool,
    /// The phone itself: taps, texts and keys, one at a time.
    pub device: bool,
}

impl Tools {
    /// Nothing that changes a phone.
    pub const READ_ONLY: Self = Self { agent: false, device: false };
    /// What a server offers unless it is told otherwise.
    pub const USUAL: Self = Self { agent: true, device: false };
    /// Everything.
    pub const ALL: Self = Self { agent: true, device: true };

    /// Reads names with commas between: `read-only`, `agent`, `device`, `all`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut tools = Self::READ_ONLY;
        for name in text.split(',').map(str::trim) {
            match name {
                "read-only" => {}
                "agent" => tools.agent = true,
                "device" => tools.device = true,
                "all" => tools = Self::ALL,
                _ => {
                    return Err(
                        "it must be read-only, agent, device or all, or several with commas"
                            .to_owned(),
                    );
                }
            }
        }
        Ok(tools)
    }

    pub(super) fn router(self) -> ToolRouter<Server> {
        let mut router = Server::read_only();
        if self.agent {
            router += Server::tasks();
        }
        if self.device {
            router += Server::device_control();
        }
        for route in router.map.values_mut() {
            route.attr.icons = Some(icon::icons());
        }
        router
    }
}

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.agent, self.device) {
            (false, false) => "read-only",
            (true, false) => "agent",
            (false, true) => "device",
            (true, true) => "all",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for tools in
            [Tools::READ_ONLY, Tools::USUAL, Tools::ALL, Tools { agent: false, device: true }]
        {
            assert_eq!(Tools::parse(&tools.to_string()), Ok(tools));
        }
        assert_eq!(Tools::parse("agent, device"), Ok(Tools::ALL));
        assert_eq!(Tools::parse("read-only,agent"), Ok(Tools::USUAL));
        for wrong in ["", "agents", "agent,", "ALL"] {
            assert!(Tools::parse(wrong).is_err(), "{wrong}");
        }
    }
}
