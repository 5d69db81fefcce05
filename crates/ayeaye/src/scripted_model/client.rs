//! The client: a [`RemoteModel`] that also sends the scripted model what it needs.
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{
    Action, Decision, Frame, Model, ModelError, ParseError, Picture, Prompt, Reply, ScreenSize,
    StepInput,
};
use ayeaye_model::RemoteModel;
use serde_json::{Map, Value};

use super::TaskProgress;
use super::step::options_in;

/// A [`RemoteModel`] whose prompts carry a [`TaskProgress`] in front.
///
/// Everything else is as for a real model: the profile's own prompt, the picture, HTTP and the parsing
/// of the reply. A real model never gets a [`TaskProgress`].
#[derive(Debug)]
pub struct ScriptedClient(Arc<RemoteModel>);

impl ScriptedClient {
    /// For a model at the address that [`super::ScriptedModel::start`] returned.
    pub fn new(model: Arc<RemoteModel>) -> Self {
        Self(model)
    }
}

#[async_trait]
impl Model for ScriptedClient {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn profile(&self) -> &str {
        self.0.profile()
    }

    fn params(&self) -> Map<String, Value> {
        self.0.params()
    }

    fn earlier_pictures(&self) -> usize {
        self.0.earlier_pictures()
    }

    fn picture(&self, frame: &Frame) -> Picture {
        self.0.picture(frame)
    }

    fn forget_pictures(&self) {
        self.0.forget_pictures();
    }

    fn prompt(&self, input: &StepInput<'_>) -> Prompt {
        let mut prompt = self.0.prompt(input);
        prompt.messages.insert(0, TaskProgress::of(input).to_message());
        prompt
    }

    async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
        self.0.call(prompt, limit).await
    }

    fn read(&self, reply: &Reply, sent: ScreenSize) -> Result<Decision, ParseError> {
        let mut decision = self.0.read(reply, sent)?;
        if let Action::Info(question) = &mut decision.action {
            question.options = options_in(&reply.text);
        }
        Ok(decision)
    }
}
