//! What is particular to one family of models: prompt, reply format, coordinates, picture,
//! sampling.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::{Decision, Prompt, Unreadable, View};

use crate::picture::PictureRule;

mod gelab;

/// The families that are known. A closed list, so that the compiler names every place a new one
/// has to be thought of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// GELab-Zero and Step-GUI: one user message, tab-separated fields, points in thousandths.
    Gelab,
}

/// A profile nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no model profile `{0}`; the known one is `gelab`")]
pub struct UnknownProfile(String);

/// How a model is asked to choose its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    pub temperature: f64,
    pub top_p: f64,
    pub max_tokens: u32,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 1] = [Self::Gelab];

    /// The word for it in settings and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gelab => "gelab",
        }
    }

    /// The profile of a model of this name. GELab's for names that tell nothing, as long as there
    /// is no format that any model could be taught by its prompt.
    pub fn for_model(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|profile| profile.patterns().iter().any(|part| name.contains(part)))
            .unwrap_or(Self::Gelab)
    }

    /// Whether a model of this name is one this profile was made for.
    pub(crate) fn knows(self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.patterns().iter().any(|part| name.contains(part))
    }

    fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Gelab => &["gelab", "step-gui", "step_gui", "stepgui"],
        }
    }

    pub(crate) fn sampling(self) -> Sampling {
        match self {
            Self::Gelab => gelab::SAMPLING,
        }
    }

    pub(crate) fn picture(self) -> PictureRule {
        match self {
            Self::Gelab => gelab::PICTURE,
        }
    }

    pub(crate) fn prompt(self, view: &View<'_>) -> Prompt {
        match self {
            Self::Gelab => gelab::prompt(view),
        }
    }

    /// Reads a whole reply. Whether it is whole is not for the profile to know.
    pub(crate) fn read(self, text: &str) -> Result<Decision, Unreadable> {
        match self {
            Self::Gelab => gelab::parse(text),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == name.trim().to_ascii_lowercase())
            .ok_or_else(|| UnknownProfile(name.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_found_by_the_models_name_and_by_its_own() {
        for name in ["gelab-zero-4b-preview", "stepfun-ai/GELab-Zero-4B", "Step-GUI-8B"] {
            assert!(Profile::Gelab.knows(name), "{name}");
            assert_eq!(Profile::for_model(name), Profile::Gelab);
        }
        assert!(!Profile::Gelab.knows("gpt-4o"));
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        assert!("ui-tars".parse::<Profile>().unwrap_err().to_string().contains("`gelab`"));
    }
}
