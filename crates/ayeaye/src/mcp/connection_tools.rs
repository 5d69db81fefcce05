//! The tools that a connection is offered. Decided when its client introduces itself, and the same from then on: the
//! client's model reads the instructions once, and a list of tools that changes costs it its cache.
use crate::config::{ToolChoice, ToolSet};
use crate::model_presence::ModelState;

/// The tools that a connection is offered, and the state of the model that decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionTools {
    /// The tools.
    pub tools: ToolSet,
    /// The state of the model when it was decided.
    pub model: ModelState,
}

impl ConnectionTools {
    /// The tools that the settings choose; with `auto`, the tools that fit the model's state. A configured model that
    /// does not run yet may run in a minute, so tasks are offered as well.
    pub fn new(choice: ToolChoice, model: ModelState) -> Self {
        let tools = match (choice, model) {
            (ToolChoice::Only(tools), _) => tools,
            (ToolChoice::Auto, ModelState::Ready | ModelState::StandIn) => ToolSet::USUAL,
            (ToolChoice::Auto, ModelState::NotConfigured) => ToolSet::DIRECT,
            (ToolChoice::Auto, ModelState::Refused) => ToolSet::ALL,
        };
        Self { tools, model }
    }

    /// Whether the client's own model drives: there is no other, or no tool to hand it a task with.
    pub fn client_drives(self) -> bool {
        self.tools.device && !(self.tools.agent && self.model.takes_tasks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_settings_say_always_wins() {
        for model in [ModelState::Ready, ModelState::NotConfigured, ModelState::Refused] {
            let only = ToolChoice::Only(ToolSet::USUAL);
            assert_eq!(ConnectionTools::new(only, model).tools, ToolSet::USUAL);
            assert!(!ConnectionTools::new(only, model).client_drives());
        }
        let drives = |model| ConnectionTools::new(ToolChoice::Auto, model).client_drives();
        assert!(drives(ModelState::NotConfigured) && drives(ModelState::Refused));
        assert!(!drives(ModelState::Ready) && !drives(ModelState::StandIn));
        let acts_only = ConnectionTools::new(ToolChoice::Only(ToolSet::DIRECT), ModelState::Ready);
        assert!(!acts_only.tools.agent && acts_only.client_drives());
    }
}
