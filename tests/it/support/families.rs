//! For each family of models a server that behaves as that family's own: it looks at the request as
//! the real one would, complains about what no right client sends, and answers in the family's words
//! and coordinates.
//!
//! What to do next is decided by the scripted model for all of them, through one [`oracle`]. What a
//! request must hold and how a reply is written comes from the families' published formats, not from
//! our code.
pub mod coords;
pub mod oracle;
pub mod request;
mod server;

mod agentcpm;
mod autoglm;
mod chat;
mod gelab;
mod gpt_computer;
mod lists;
mod mimo;
pub mod mobile_use;
pub mod native;
mod seed;
mod tars;
mod venus;

pub use coords::Coords;
pub use oracle::{Abilities, OracleAction, PixelPoint, Submit, Task, TaskOracle};
pub use request::FamilyRequest;
pub use server::{FamilyServer, Wire};

/// One reply of a family's model.
#[derive(Debug, Clone, Default)]
pub struct FakeReply {
    pub text: String,
    pub reasoning: String,
    /// Tools it calls: name and arguments.
    pub calls: Vec<(String, serde_json::Value)>,
    /// What has to stand in later prompts of a family that shows the model its earlier steps.
    pub history_mark: String,
}

impl FakeReply {
    /// Text alone, which later prompts repeat whole.
    pub fn words(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { history_mark: text.clone(), text, ..Self::default() }
    }
}

/// What one family's endpoint expects, and how its model answers.
pub trait FakeFamily: Send {
    /// Our profile for it.
    fn profile(&self) -> &'static str;
    /// A name of its models, by which the profile has to be found.
    fn model(&self) -> &'static str;
    /// Whether that name is enough.
    fn is_chosen_by_name(&self) -> bool {
        true
    }
    fn wire(&self) -> Wire {
        Wire::Chat
    }
    fn abilities(&self) -> Abilities;
    /// Whether the user's turns may be empty, as in the family's own client.
    fn takes_empty_turns(&self) -> bool {
        false
    }
    /// Why the family's server answers 400 to a request that another of the family's takes.
    fn refusal(&self, _request: &FamilyRequest) -> Option<String> {
        None
    }
    /// What is wrong with a request, given the replies so far in this session.
    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String>;
    /// An action in the family's words and numbers.
    fn format_reply(
        &self,
        next: &OracleAction,
        request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply;
}

/// Every family.
pub fn fake_families() -> Vec<Box<dyn FakeFamily>> {
    vec![
        Box::new(gelab::Gelab),
        Box::new(tars::Tars::Open),
        Box::new(tars::Tars::Thousandths),
        Box::new(seed::Seed),
        Box::new(autoglm::AutoGlm),
        Box::new(mobile_use::MobileUse::Qwen25),
        Box::new(mobile_use::MobileUse::Qwen3),
        Box::new(mobile_use::MobileUse::Mai),
        Box::new(mobile_use::MobileUse::Owl),
        Box::new(lists::Lists::OwlOne),
        Box::new(lists::Lists::M3a),
        Box::new(lists::Lists::Step),
        Box::new(venus::Venus::Navi),
        Box::new(venus::Venus::OneAndAHalf),
        Box::new(venus::Venus::Two),
        Box::new(mimo::Mimo),
        Box::new(agentcpm::AgentCpm),
        Box::new(chat::Chat::Generic),
        Box::new(chat::Chat::GenericText),
        Box::new(chat::Chat::Gpt),
        Box::new(chat::Chat::Claude),
        Box::new(chat::Chat::Gemini),
        Box::new(chat::Chat::Kimi),
        Box::new(chat::Chat::Glm),
        Box::new(native::Native::Claude),
        Box::new(native::Native::OldClaude),
        Box::new(native::Native::Gemini),
        Box::new(gpt_computer::GptComputer),
    ]
}
