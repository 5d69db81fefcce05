//! Resolves the name of an app to an installed package.
//!
//! The names under the icons are read from the phone, which takes a while. The names of well-known apps,
//! also in languages other than the phone's, are in `apps.tsv`; of the others the last parts of the
//! package name are known at once.
use std::sync::LazyLock;

use crate::apk::Labels;

/// One row of the table.
#[derive(Debug)]
struct KnownApp {
    packages: Vec<&'static str>,
    /// The first is the label.
    names: Vec<&'static str>,
}

static TABLE: LazyLock<Vec<KnownApp>> = LazyLock::new(|| {
    let rows = include_str!("../apps.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once('\t'))
        .map(|(packages, names)| KnownApp {
            packages: packages.split(' ').collect(),
            names: names.split('|').collect(),
        })
        .collect()
});

/// An installed app, by all its own names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AppNames {
    pub(crate) package: String,
    /// As the phone shows it; empty as long as that has not been read.
    pub(crate) labels: Labels,
}

impl AppNames {
    /// The name under its icon, else the one by which the app is well known.
    pub(crate) fn label(&self) -> Option<String> {
        let own = self.labels.label.clone().or_else(|| self.labels.original.clone());
        own.or_else(|| label(&self.package).map(ToOwned::to_owned))
    }

    /// The names that the app has given itself, comparable.
    fn given(&self) -> impl Iterator<Item = String> {
        let Labels { label, original } = &self.labels;
        [label, original].into_iter().flatten().map(|name| normalize(name))
    }

    fn all(&self) -> impl Iterator<Item = String> {
        let known = TABLE.iter().filter(|known| known.packages.contains(&self.package.as_str()));
        let known: Vec<String> =
            known.flat_map(|known| &known.names).map(|name| normalize(name)).collect();
        self.given().chain(known).chain(names_from_package(&self.package))
    }
}

/// How a name was found to be an app's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is the app's package, its label, or a well-known name.
    Named,
    /// It is a part of the package's name, or near to one of the names.
    Near,
}

/// Why a name does not resolve, with up to five candidates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AppNameError {
    /// With the nearest; where none is near, with some that are there, and how many there are.
    #[error("no app of this name is installed{}", what_is_there(nearest, some, *count))]
    Missing { nearest: Vec<String>, some: Vec<String>, count: usize },
    #[error("several apps may be meant: {}; name the package", .0.join(", "))]
    Ambiguous(Vec<String>),
}

fn what_is_there(nearest: &[String], some: &[String], count: usize) -> String {
    if !nearest.is_empty() {
        return format!("; nearest are {}", nearest.join(", "));
    }
    match count.saturating_sub(some.len()) {
        0 if some.is_empty() => String::new(),
        0 => format!("; installed are {}", some.join(", ")),
        more => format!("; installed are {} and {more} more", some.join(", ")),
    }
}

/// The label of a well-known app.
pub(super) fn label(package: &str) -> Option<&'static str> {
    let first = TABLE.iter().find(|known| known.packages.first() == Some(&package));
    let row = first.or_else(|| TABLE.iter().find(|known| known.packages.contains(&package)))?;
    row.names.first().copied()
}

/// The installed app of a name, by its place in the list: the package itself, the app with that name
/// under its icon, the one that is well known by it, the one whose package ends with it, or the only one
/// with a name that is near.
///
/// Near is a name that contains the other (whole words, or its beginning), or one that differs by one
/// letter from 5 letters on, by two from 9 on.
pub(crate) fn resolve(
    name: &str,
    installed: &[AppNames],
) -> Result<(usize, Certainty), AppNameError> {
    let name = name.trim();
    // A component starts with its package.
    let bare = name.split('/').next().unwrap_or_default();
    if let Some(index) = installed.iter().position(|app| app.package.eq_ignore_ascii_case(bare)) {
        return Ok((index, Certainty::Named));
    }
    let wanted = normalize(name);
    if wanted.is_empty() {
        return Err(missing(&wanted, installed));
    }
    // "Booking.com" is a name, though it looks like a package. One that is neither is not guessed at, and no app is
    // called by another's package.
    let is_package = crate::quote::is_package(bare);
    if is_package && bare.split('.').nth(2).is_some() {
        return Err(missing(&wanted, installed));
    }
    // "Settings app" means Settings, unless an app is really called that.
    let short = wanted.strip_suffix("app").or_else(|| wanted.strip_suffix("应用"));
    for wanted in [Some(wanted.as_str()), short.filter(|s| !s.is_empty())].into_iter().flatten() {
        let labelled = matching(installed, |app| app.given().any(|own| own == wanted));
        let well_known = well_known(wanted, installed);
        match (labelled.as_slice(), well_known) {
            // Of several with one name, the well-known one is meant.
            ([], Some(index)) => return Ok((index, Certainty::Named)),
            ([_, _, ..], Some(index)) if labelled.contains(&index) => {
                return Ok((index, Certainty::Named));
            }
            ([index], _) => return Ok((*index, Certainty::Named)),
            ([_, _, ..], _) => {
                return Err(AppNameError::Ambiguous(candidates(&labelled, installed)));
            }
            ([], None) if is_package => return Err(missing(wanted, installed)),
            ([], None) => {}
        }
        match matching(installed, |app| names_from_package(&app.package).any(|own| own == wanted))
            .as_slice()
        {
            [] => {}
            [index] => return Ok((*index, Certainty::Near)),
            several => return Err(AppNameError::Ambiguous(candidates(several, installed))),
        }
    }
    let words: Vec<String> = name.split_whitespace().map(normalize).collect();
    match matching(installed, |app| app.all().any(|own| is_similar(&own, &wanted, &words)))
        .as_slice()
    {
        [] => Err(missing(&wanted, installed)),
        [index] => Ok((*index, Certainty::Near)),
        several => Err(AppNameError::Ambiguous(candidates(several, installed))),
    }
}

/// The first installed package of a row that has exactly this name. Rows and packages are in order
/// of preference.
fn well_known(wanted: &str, installed: &[AppNames]) -> Option<usize> {
    TABLE
        .iter()
        .filter(|known| known.names.iter().any(|name| normalize(name) == wanted))
        .flat_map(|known| &known.packages)
        .find_map(|package| installed.iter().position(|app| app.package == *package))
}

fn matching(installed: &[AppNames], matches: impl Fn(&AppNames) -> bool) -> Vec<usize> {
    installed.iter().enumerate().filter(|(_, app)| matches(app)).map(|(index, _)| index).collect()
}

fn missing(wanted: &str, installed: &[AppNames]) -> AppNameError {
    let all: Vec<usize> = (0..installed.len()).collect();
    AppNameError::Missing {
        nearest: similar_apps(wanted, installed),
        some: candidates(&all, installed),
        count: installed.len(),
    }
}

/// The parts of a package name that may be the app's name: the last, or the one before `android`
/// and the like.
fn names_from_package(package: &str) -> impl Iterator<Item = String> {
    let mut parts = package.rsplit('.').map(normalize);
    let last = parts.next();
    let before = parts.next().filter(|_| {
        last.as_deref()
            .is_some_and(|l| matches!(l, "android" | "app" | "mobile" | "client" | "main"))
    });
    [last, before].into_iter().flatten()
}

/// Whether one contains the other, or they differ by a typo.
///
/// In an alphabet, only whole words or the beginning of a name count: "Fotoshop" is not "shop".
/// Chinese is written without spaces, and two characters are a word.
fn is_similar(own: &str, wanted: &str, words: &[String]) -> bool {
    let says_enough = |text: &str| {
        let enough = if text.is_ascii() { 3 } else { 2 };
        enough <= text.chars().count()
    };
    let named = |name: &str| {
        if name.is_ascii() { words.iter().any(|word| word == name) } else { wanted.contains(name) }
    };
    let begun = |part: &str| {
        if part.is_ascii() { own.starts_with(part) } else { own.contains(part) }
    };
    if (says_enough(own) && named(own)) || (says_enough(wanted) && begun(wanted)) {
        return true;
    }
    let allowed = match wanted.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    };
    0 < allowed && strsim::levenshtein(own, wanted) <= allowed
}

/// Up to five installed apps that share the most pairs of letters with a name.
fn similar_apps(wanted: &str, installed: &[AppNames]) -> Vec<String> {
    let pairs =
        |text: &str| -> Vec<(char, char)> { text.chars().zip(text.chars().skip(1)).collect() };
    let sought = pairs(wanted);
    let mut scored: Vec<(usize, usize)> = installed
        .iter()
        .enumerate()
        .map(|(index, app)| {
            let shared = |own: String| pairs(&own).iter().filter(|p| sought.contains(p)).count();
            (app.all().map(shared).max().unwrap_or(0), index)
        })
        .filter(|(score, _)| 1 < *score)
        .collect();
    scored.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), &installed[*index].package));
    candidates(&scored.into_iter().map(|(_, index)| index).collect::<Vec<_>>(), installed)
}

fn candidates(indices: &[usize], installed: &[AppNames]) -> Vec<String> {
    let with_label = |index: &usize| {
        let app = &installed[*index];
        match app.label() {
            Some(label) => format!("{label} ({})", app.package),
            None => app.package.clone(),
        }
    };
    indices.iter().take(5).map(with_label).collect()
}

/// Letters and digits only, in lower case.
fn normalize(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PHONE: [&str; 9] = [
        "com.android.settings",
        "com.android.mms",
        "com.tencent.mm",
        "com.android.chrome",
        "com.example.notes",
        "org.example.shop.android",
        "com.a.player",
        "com.b.player",
        "com.google.android.dialer",
    ];

    fn unread(packages: &[&str]) -> Vec<AppNames> {
        let named =
            |package: &&str| AppNames { package: (*package).to_owned(), ..AppNames::default() };
        packages.iter().map(named).collect()
    }

    fn found(name: &str) -> Result<&'static str, AppNameError> {
        resolve(name, &unread(&PHONE)).map(|(index, _)| PHONE[index])
    }

    fn app(package: &str, label: &str, original: &str) -> AppNames {
        let name = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        let labels = Labels { label: name(label), original: name(original) };
        AppNames { package: package.to_owned(), labels }
    }

    #[test]
    fn the_names_under_the_icons_come_first() {
        let phone = [
            app("com.android.settings", "Einstellungen", "Settings"),
            app("org.example.one", "Musik", ""),
            app("org.example.music", "Radio", ""),
            app("com.android.messaging", "Nachrichten", "Messages"),
            app("com.android.mms", "Nachrichten", "Messages"),
            app("org.a.mail", "Post", ""),
            app("org.b.mail", "Post", ""),
            app("org.example.long", "Wettervorhersage", ""),
            app("org.evil", "Settings", ""),
            app("de.mobile.android.app", "mobile.de", ""),
            app("com.booking", "", ""),
        ];
        let package =
            |name: &str| resolve(name, &phone).map(|(index, _)| phone[index].package.as_str());
        assert_eq!(package("einstellungen"), Ok("com.android.settings"));
        // Another app cannot take a well-known name away.
        assert_eq!(package("Settings"), Ok("com.android.settings"));
        assert_eq!(package("Musik"), Ok("org.example.one"));
        // Names that look like packages.
        assert_eq!(package("mobile.de"), Ok("de.mobile.android.app"));
        assert_eq!(package("Booking.com"), Ok("com.booking"));
        assert_eq!(
            package("Nachrichten app"),
            Err(AppNameError::Ambiguous(vec![
                "Nachrichten (com.android.messaging)".to_owned(),
                "Nachrichten (com.android.mms)".to_owned(),
            ]))
        );
        assert_eq!(package("Messages"), Ok("com.android.mms"));
        let several = package("post").unwrap_err().to_string();
        assert!(several.contains("Post (org.a.mail), Post (org.b.mail)"), "{several}");
        assert_eq!(resolve("Wetervorhersage", &phone), Ok((7, Certainty::Near)));
        assert_eq!(resolve("Einstelungen", &phone).unwrap().1, Certainty::Near);
        assert_eq!(resolve("Radio", &phone), Ok((2, Certainty::Named)));
        let none = package("Zzz").unwrap_err().to_string();
        assert!(none.contains("installed are Einstellungen (com.android.settings)"), "{none}");
        assert!(none.ends_with("and 6 more"), "{none}");
    }

    #[test]
    fn the_table_is_well_formed() {
        assert!(150 <= TABLE.len());
        for known in TABLE.iter() {
            assert!(
                known.packages.iter().all(|p| crate::quote::is_package(p)
                    || *p == "com.Qunar"
                    || *p == "com.icbc"
                    || *p == "com.wuba"
                    || *p == "com.discord"),
                "{known:?}"
            );
            assert!(known.names.iter().all(|name| !normalize(name).is_empty()), "{known:?}");
        }
    }

    #[test]
    fn names_in_either_language_are_found() {
        for (name, package) in [
            ("微信", "com.tencent.mm"),
            ("WeChat", "com.tencent.mm"),
            ("we chat", "com.tencent.mm"),
            ("短信", "com.android.mms"),
            ("Messages", "com.android.mms"),
            ("Settings app", "com.android.settings"),
            ("com.android.chrome", "com.android.chrome"),
            ("com.android.chrome/.Main", "com.android.chrome"),
            ("Notes", "com.example.notes"),
            ("shop", "org.example.shop.android"),
            ("Phone", "com.google.android.dialer"),
            ("Setings", "com.android.settings"),
            ("Google Chrome Browser", "com.android.chrome"),
        ] {
            assert_eq!(found(name), Ok(package), "{name}");
        }
    }

    #[test]
    fn what_is_unclear_or_missing_names_candidates() {
        let Err(AppNameError::Ambiguous(several)) = found("player") else { panic!() };
        assert_eq!(several, ["com.a.player", "com.b.player"]);
        let missing = found("com.android.chromium").unwrap_err();
        assert!(missing.to_string().contains("Chrome (com.android.chrome)"), "{missing}");
        assert!(found("Fotoshop Ultra").is_err());
        for near in ["com.android.setings", "com.android.settingz", "player.com"] {
            assert!(matches!(found(near), Err(AppNameError::Missing { .. })), "{near}");
        }
        assert!(matches!(found("mm"), Ok("com.tencent.mm")));
        assert!(matches!(found("'; reboot"), Err(AppNameError::Missing { .. })));
        assert!(matches!(found(""), Err(AppNameError::Missing { .. })));
    }

    #[test]
    fn one_typo_is_forgiven_in_a_short_name_and_none_in_a_shorter_one() {
        assert_eq!(found("setings"), Ok("com.android.settings"));
        assert!(found("seting").is_err());
        assert!(found("nots").is_err());
    }

    proptest! {
        #[test]
        fn a_name_is_an_installed_app_or_has_a_few_installed_candidates(name in "\\PC{0,40}") {
            match found(&name) {
                Ok(package) => prop_assert!(PHONE.contains(&package)),
                Err(
                    AppNameError::Missing { nearest: candidates, .. }
                    | AppNameError::Ambiguous(candidates),
                ) => {
                    prop_assert!(candidates.len() <= 5);
                    let is_installed = |it: &String| PHONE.iter().any(|package| it.contains(package));
                    prop_assert!(candidates.iter().all(is_installed), "{:?}", candidates);
                }
            }
        }
    }
}
