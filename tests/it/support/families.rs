//! For each family of models a server that behaves as that family's own: it looks at the request as
//! the real one would, complains about what no right client sends, and answers in the family's words
//! and coordinates.
//!
//! Written from the formats, not from our code: nothing here calls the crate under test. What to do
//! next is decided by one [`mind`] for all; a [`Tongue`] only says it.
pub mod asked;
pub mod grid;
pub mod mind;
mod server;

mod agentcpm;
mod autoglm;
mod chat;
mod gelab;
mod lists;
mod mobile_use;
mod native;
mod seed;
mod tars;
mod venus;

pub use asked::Asked;
pub use grid::Sight;
pub use mind::{Caps, Intent, Mind, Place, Submit, Task};
pub use server::{FamilyServer, Wire};

/// What a family's model says in one reply.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub text: String,
    pub reasoning: String,
    /// Tools it calls: name and arguments.
    pub calls: Vec<(String, serde_json::Value)>,
    /// What a later prompt of the family has to tell of this step, if it tells of earlier steps.
    pub mark: String,
}

impl Said {
    /// Words alone, which are told again whole.
    pub fn words(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { mark: text.clone(), text, ..Self::default() }
    }
}

/// One family's way of being asked and of answering.
pub trait Tongue: Send {
    /// The profile of ours that is to speak with it.
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
    fn caps(&self) -> Caps;
    /// What is wrong with a request, given what was said before in this session.
    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String>;
    /// An intention in the family's words and numbers.
    fn say(&self, intent: &Intent, asked: &Asked, sight: &Sight) -> Said;
}

/// Every family.
pub fn tongues() -> Vec<Box<dyn Tongue>> {
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
        Box::new(venus::Venus),
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
    ]
}
