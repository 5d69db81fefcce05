//! Everything that is particular to one family of models: prompt, reply format, coordinates, picture,
//! sampling.
//!
//! [`families`] has a file for each family, a [`Family`]. What they share, in the order of use:
//! [`coords`] (the meaning of a point's numbers), [`escape`] and [`installed_apps`] (foreign text in prompts), [`history`] (what a
//! prompt holds of a session), [`chat`] (history as a conversation), [`parse`] (the grammars of replies),
//! [`verbs`] (the meaning of calls, in both directions).
use std::fmt;
use std::str::FromStr;

use crate::Endpoint;

mod chat;
pub(crate) mod coords;
mod escape;
mod families;
pub(crate) mod family;
mod history;
mod installed_apps;
pub(crate) mod parse;
#[cfg(test)]
pub(crate) mod tests;
mod verbs;

pub(crate) use coords::CoordContext;
pub(crate) use families::gpt_computer::COMPUTER;
pub(crate) use family::{Family, ProfileSpec, Sampling, Wire};
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
    /// Any model that calls tools.
    pub const GENERIC: Self = Self(&families::generic::GENERIC);

    /// Every profile. Of several that know a model's name, the first is taken.
    pub const ALL: &[Self] = families::ALL;

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

    /// A profile of the API that an endpoint is known to speak besides chat: how it is asked before a model is
    /// named.
    pub fn at_home(endpoint: &Endpoint) -> Option<Self> {
        let own = |profile: &&Self| profile.spec().wire != Wire::Chat;
        Self::ALL.iter().filter(own).find(|profile| profile.spec().serves(endpoint)).copied()
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

    /// The family as a model of this name has it.
    pub(crate) fn family_of(self, model: &str) -> &'static dyn Family {
        self.0.of_model(&model.to_ascii_lowercase()).unwrap_or(self.0)
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
