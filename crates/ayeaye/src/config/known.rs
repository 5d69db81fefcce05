//! The names of settings, and what a typing error in one was most likely meant to be.
use super::environment::PREFIX;

/// A setting, under the name it has in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownSetting {
    /// `section.name`, or `name` for those above all sections.
    pub(super) key: String,
    /// Whether its value must never be shown.
    pub(super) secret: bool,
}

impl KnownSetting {
    /// The name in the environment: `AYEAYE_` and the key in capitals.
    pub(super) fn variable(&self) -> String {
        let mut name = String::from(PREFIX);
        name.extend(self.key.chars().map(|c| match c {
            '.' | '-' => '_',
            other => other.to_ascii_uppercase(),
        }));
        name
    }

    /// The section, empty for the settings above all sections, and the name in it.
    pub(super) fn parts(&self) -> (&str, &str) {
        self.key.split_once('.').unwrap_or(("", &self.key))
    }
}

/// The setting or section that an unknown key was most likely meant to be.
pub(super) fn nearest(key: &str, known: &'static [KnownSetting]) -> Option<&'static str> {
    fn bare(key: &str) -> &str {
        key.rsplit_once('.').map_or(key, |(_, bare)| bare)
    }
    let keys = || known.iter().map(|setting| setting.key.as_str());
    // The right key in the wrong section is nearer than any typing error.
    keys().find(|it| bare(it) == bare(key)).or_else(|| {
        let sections = known.iter().map(|it| it.parts().0).filter(|name| !name.is_empty());
        nearest_of(key, keys().chain(sections))
    })
}

/// The one of `known` that `word` was most likely meant to be, if any is near enough.
pub(crate) fn nearest_of<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Our names are short; a longer word is no typing error.
    if 64 < word.len() {
        return None;
    }
    let word = word.to_lowercase();
    known
        .map(|name| (strsim::levenshtein(&word, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn names_in_the_environment_follow_the_keys() {
        let names: Vec<String> = Config::known().iter().map(KnownSetting::variable).collect();
        for promised in [
            "AYEAYE_DATA_DIR",
            "AYEAYE_MODEL_BASE_URL",
            "AYEAYE_MODEL_NAME",
            "AYEAYE_MODEL_API_KEY",
            "AYEAYE_MODEL_PROFILE",
            "AYEAYE_HTTP_TOKEN",
            "AYEAYE_LOG",
        ] {
            assert!(names.iter().any(|name| name == promised), "{promised}");
        }
    }

    #[test]
    fn a_typing_error_finds_its_setting() {
        assert_eq!(nearest("model.base_url", Config::known()), Some("model.base-url"));
        assert_eq!(nearest("run.max-step", Config::known()), Some("run.max-steps"));
        assert_eq!(nearest("model.api_kye", Config::known()), Some("model.api-key"));
        assert_eq!(nearest("colour", Config::known()), None);
        assert_eq!(nearest(&"x".repeat(10_000), Config::known()), None);
    }
}
