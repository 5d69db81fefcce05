//! What a connection is offered. Decided when its client introduces itself, and the same from then on: its
//! model reads the instructions once, and a list of tools that changes costs it its cache.
use crate::config::{ToolChoice, ToolSet};
use crate::model_presence::ModelState;

/// What a connection is offered, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionTools {
    /// The tools.
    pub tools: ToolSet,
    /// Whether there was a model to hand tasks to.
    pub model: ModelState,
}

impl ConnectionTools {
    /// What the settings want; where they leave it open, what fits the model that there is. A model that
    /// was configured and does not run yet may be there in a minute, so that tasks are offered as well.
    pub fn new(choice: ToolChoice, model: ModelState) -> Self {
        let tools = match (choice, model) {
            (ToolChoice::Only(tools), _) => tools,
            (ToolChoice::Auto, ModelState::Ready | ModelState::StandIn) => ToolSet::USUAL,
            (ToolChoice::Auto, ModelState::NotConfigured) => ToolSet::DIRECT,
            (ToolChoice::Auto, ModelState::Refused) => ToolSet::ALL,
        };
        Self { tools, model }
    }

    /// Whether the client's own model drives because there is no other.
    pub fn client_drives(self) -> bool {
        self.tools.device && !self.model.takes_tasks()
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
    }
}
