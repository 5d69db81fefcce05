//! The settings there are. The file, the environment and the flags are all read by this list.

/// One setting, under the name it has in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    /// Its place in the file: `section.key`, or `key` for those above all sections.
    pub(super) key: &'static str,
    /// Whether its value must never be shown.
    pub(super) secret: bool,
}

/// Every setting, in the order of `default-config.toml`.
pub(super) const SETTINGS: &[Setting] = &[
    open("data-dir"),
    open("log"),
    open("model.base-url"),
    open("model.name"),
    secret("model.api-key"),
    open("model.profile"),
    open("model.coordinates"),
    open("model.max-pixels"),
    open("model.connect-timeout"),
    open("model.first-byte-timeout"),
    open("model.timeout"),
    open("model.retries"),
    open("model.stream"),
    open("model.input-price"),
    open("model.output-price"),
    open("model.cached-price"),
    open("model.prices"),
    open("model.plan-name"),
    open("model.plan-base-url"),
    secret("model.plan-api-key"),
    open("model.plan-profile"),
    open("model.reply-name"),
    open("model.reply-base-url"),
    secret("model.reply-api-key"),
    open("model.reply-profile"),
    open("model.caption-name"),
    open("model.caption-base-url"),
    secret("model.caption-api-key"),
    open("model.caption-profile"),
    open("model.judge-name"),
    open("model.judge-base-url"),
    secret("model.judge-api-key"),
    open("model.judge-profile"),
    open("model.fallback-name"),
    open("model.fallback-base-url"),
    secret("model.fallback-api-key"),
    open("model.fallback-profile"),
    open("run.max-steps"),
    open("run.session-max-steps"),
    open("run.time-limit"),
    open("run.token-budget"),
    open("run.cost-budget"),
    open("run.reply-mode"),
    open("run.wait"),
    open("run.wait-with-progress"),
    open("run.first-look"),
    open("run.settle-limit"),
    open("run.device-wait"),
    open("run.evaluate"),
    open("run.caption"),
    open("run.planner"),
    open("journal.images"),
    open("journal.text"),
    open("journal.ui-tree"),
    open("journal.sync"),
    open("journal.min-free"),
    open("journal.max-age"),
    open("journal.max-sessions"),
    open("journal.max-size"),
    open("journal.max-session-size"),
    open("logs.formats"),
    open("logs.images"),
    open("adb.server"),
    open("adb.start-server"),
    open("adb.program"),
    open("mcp.tools"),
    open("http.listen"),
    secret("http.token"),
    open("http.tokens-file"),
    open("http.allowed-hosts"),
    open("http.allowed-origins"),
    open("http.public-url"),
    open("http.issuer"),
    open("http.audience"),
    open("http.jwks-url"),
    open("http.body-limit"),
    open("http.rate-limit"),
    open("http.wrong-tokens"),
];

impl Setting {
    /// The name in the environment: `AYEAYE_` and the key in capitals.
    pub(super) fn variable(&self) -> String {
        let mut name = String::from("AYEAYE_");
        name.extend(self.key.chars().map(|c| match c {
            '.' | '-' => '_',
            other => other.to_ascii_uppercase(),
        }));
        name
    }

    /// The section, empty for the settings above all sections, and the key in it.
    pub(super) fn parts(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or(("", self.key))
    }
}

/// Returns the setting of that name.
pub(super) fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// Returns the one of `known` that `word` was most likely meant to be, if any is near enough.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A name of this project is short; a longer word is no slip of the finger.
    if 64 < word.len() {
        return None;
    }
    let word = word.to_lowercase();
    known
        .map(|name| (distance(&word, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

const fn open(key: &'static str) -> Setting {
    Setting { key, secret: false }
}

const fn secret(key: &'static str) -> Setting {
    Setting { key, secret: true }
}

/// Edits of one character that make one text the other (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_environment_follow_the_keys() {
        let names: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
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
    fn a_slip_of_the_finger_finds_its_setting() {
        let known = || SETTINGS.iter().map(|setting| setting.key);
        assert_eq!(nearest("model.base_url", known()), Some("model.base-url"));
        assert_eq!(nearest("run.max-step", known()), Some("run.max-steps"));
        assert_eq!(nearest("model.api_kye", known()), Some("model.api-key"));
        assert_eq!(nearest("colour", known()), None);
        assert_eq!(nearest(&"x".repeat(10_000), known()), None);
    }
}
