//! What is particular to one family of models: prompt, reply format, coordinates, picture,
//! sampling.
//!
//! Each family is one module below this one, with a [`Family`] in it; [`ALL`](Profile::ALL) names
//! them. What several of them share is in [`parse`] (how replies are written) and [`coords`] (what
//! their numbers mean).
use std::fmt;
use std::str::FromStr;

use crate::Endpoint;

mod chat;
pub(crate) mod coords;
mod escape;
mod families;
pub(crate) mod family;
mod history;
pub(crate) mod parse;
#[cfg(test)]
mod tests;
mod verbs;

pub(crate) use family::{CoordContext, Family, ProfileSpec, Sampling, Wire};
pub(crate) use parse::json::strict as strict_json;

/// A family of models, by what it needs.
#[derive(Debug, Clone, Copy)]
pub struct Profile(&'static dyn Family);

/// What there is to say of a profile.
#[derive(Debug, Clone)]
pub struct ProfileInfo {
    /// The word for it in settings and in the journal.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Lower-case parts of the names of its models.
    pub patterns: &'static [&'static str],
    /// As the setting `model.coordinates` has it.
    pub coordinates: String,
    /// How pictures are made.
    pub picture: String,
    /// Screens in a prompt, this step's included.
    pub pictures: usize,
    /// What prompts tell of earlier steps.
    pub history: &'static str,
    /// How it is asked to choose its words, as an endpoint is told.
    pub sampling: serde_json::Map<String, serde_json::Value>,
    /// The API it is asked over.
    pub api: &'static str,
    /// Where alone it is chosen by a name, if not everywhere, in words that go on from the names.
    pub host_note: &'static str,
    /// Whether it is the one for models whose name tells nothing.
    pub is_default: bool,
}

/// A profile nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no model profile `{0}`; `ayeaye model list` shows them all")]
pub struct UnknownProfile(String);

impl Profile {
    /// GELab-Zero and Step-GUI.
    pub const GELAB: Self = Self(&families::gelab::Gelab);
    /// Claude over Anthropic's own API.
    pub const CLAUDE: Self = Self(&families::claude::CLAUDE);
    /// Claude over Anthropic's own API, models that know only the older of its tools.
    pub const CLAUDE_20250124: Self = Self(&families::claude::CLAUDE_20250124);
    /// Gemini over its own API.
    pub const GEMINI: Self = Self(&families::gemini::Gemini);

    /// UI-TARS-1 and Doubao-1.5-UI-TARS: thousandths.
    pub const UI_TARS_1000: Self = Self(&families::uitars::UI_TARS_1000);
    /// UI-TARS-1.5: pixels of the picture as its server resizes it.
    pub const UI_TARS: Self = Self(&families::uitars::UI_TARS);
    /// Doubao-Seed 1.8 and 2.0.
    pub const SEED: Self = Self(&families::seed::Seed);
    /// AutoGLM-Phone.
    pub const AUTOGLM: Self = Self(&families::autoglm::AutoGlm);

    /// UI-Venus 1.5.
    pub const UI_VENUS: Self = Self(&families::uivenus::UiVenus);
    /// AgentCPM-GUI.
    pub const AGENTCPM: Self = Self(&families::agentcpm::AgentCpm);
    /// The hosted Step models.
    pub const STEP_API: Self = Self(&families::step_api::StepApi);
    /// Any model, in the format of `AndroidWorld`'s agents.
    pub const M3A: Self = Self(&families::m3a::M3a);
    /// Any model that calls tools.
    pub const GENERIC: Self = Self(&families::generic::GENERIC);
    /// Any model, asked for actions in text.
    pub const GENERIC_TEXT: Self = Self(&families::generic::GENERIC_TEXT);
    /// OpenAI's GPT by chat.
    pub const GPT: Self = Self(&families::gpt::GPT);
    /// Claude behind an OpenAI-compatible endpoint.
    pub const CLAUDE_CHAT: Self = Self(&families::claude_chat::CLAUDE_CHAT);
    /// Gemini behind an OpenAI-compatible endpoint.
    pub const GEMINI_CHAT: Self = Self(&families::gemini_chat::GEMINI_CHAT);
    /// Kimi K2.5 and K2.6.
    pub const KIMI: Self = Self(&families::kimi::KIMI);
    /// GLM-4.xV.
    pub const GLM_V: Self = Self(&families::glm_v::GLM_V);
    /// MAI-UI.
    pub const MAI_UI: Self = Self(&families::mai::Mai);
    /// GUI-Owl, the first version.
    pub const GUI_OWL_1: Self = Self(&families::owl::OwlOne);
    /// GUI-Owl 1.5.
    pub const GUI_OWL: Self = Self(&families::owl::Owl);
    /// Qwen2.5-VL.
    pub const QWEN_2_5_VL: Self = Self(&families::qwen::QWEN_2_5);
    /// Qwen3-VL and later.
    pub const QWEN_3_VL: Self = Self(&families::qwen::QWEN_3);

    /// Every profile. Of several that know a model's name, the first is taken.
    pub const ALL: &[Self] = &[
        Self::GELAB,
        Self::UI_TARS_1000,
        Self::UI_TARS,
        Self::SEED,
        Self::AUTOGLM,
        Self::MAI_UI,
        Self::GUI_OWL_1,
        Self::GUI_OWL,
        Self::QWEN_2_5_VL,
        Self::QWEN_3_VL,
        Self::CLAUDE_20250124,
        Self::CLAUDE,
        Self::GEMINI,
        Self::UI_VENUS,
        Self::AGENTCPM,
        Self::STEP_API,
        Self::M3A,
        Self::GPT,
        Self::CLAUDE_CHAT,
        Self::GEMINI_CHAT,
        Self::KIMI,
        Self::GLM_V,
        Self::GENERIC,
        Self::GENERIC_TEXT,
    ];

    /// The one for models whose name tells nothing.
    const ANY: Self = Self::GENERIC;

    /// The word for it in settings and in the journal.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The profile of a model of this name at this endpoint.
    pub fn for_model(name: &str, endpoint: &Endpoint) -> Self {
        let fits = |profile: &&Self| profile.knows(name) && profile.spec().serves(endpoint);
        Self::ALL.iter().find(fits).copied().unwrap_or(Self::ANY)
    }

    /// What it is, in words for people.
    pub fn listed(self) -> ProfileInfo {
        let ProfileSpec {
            name,
            title,
            patterns,
            coords,
            picture,
            earlier_pictures,
            history,
            sampling,
            wire,
        } = self.spec();
        ProfileInfo {
            name,
            title,
            patterns,
            coordinates: coords.to_string(),
            picture: picture.to_string(),
            pictures: earlier_pictures + 1,
            history,
            sampling: sampling.params(),
            api: wire.title(),
            host_note: wire.host_note(),
            is_default: self == Self::ANY,
        }
    }

    /// Whether a model of this name is one this profile was made for.
    pub(crate) fn knows(self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.spec().patterns.iter().any(|part| name.contains(part))
    }

    pub(crate) fn spec(self) -> &'static ProfileSpec {
        self.0.spec()
    }

    pub(crate) fn family(self) -> &'static dyn Family {
        self.0
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Profile {}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name = name.trim();
        let is_it = |profile: &&Self| profile.name().eq_ignore_ascii_case(name);
        Self::ALL.iter().find(is_it).copied().ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}
