//! Resolves the name of an app to an installed package.
//!
//! Reading every app's label takes a phone half a minute. The names of well-known apps are in
//! `apps.tsv`; of the others only the last parts of the package name are known.
use std::sync::LazyLock;

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

/// Why a name does not resolve, with up to five candidates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AppNameError {
    #[error("no app of this name is installed{}", candidates_hint(.0))]
    Missing(Vec<String>),
    #[error("several apps may be meant: {}; name the package", .0.join(", "))]
    Ambiguous(Vec<String>),
}

fn candidates_hint(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    format!("; nearest are {}", candidates.join(", "))
}

/// The label of a well-known app.
pub(super) fn label(package: &str) -> Option<&'static str> {
    let first = TABLE.iter().find(|known| known.packages.first() == Some(&package));
    let row = first.or_else(|| TABLE.iter().find(|known| known.packages.contains(&package)))?;
    row.names.first().copied()
}

/// The installed package for a name: the package itself, the app of that well-known name, the one
/// whose package ends with it, or the only similar one.
pub(crate) fn resolve<'a>(name: &str, installed: &[&'a str]) -> Result<&'a str, AppNameError> {
    let name = name.trim();
    // A component starts with its package.
    let bare = name.split('/').next().unwrap_or_default();
    if let Some(package) = installed.iter().find(|p| p.eq_ignore_ascii_case(bare)) {
        return Ok(package);
    }
    let wanted = normalize(name);
    if crate::quote::is_package(bare) || wanted.is_empty() {
        return Err(AppNameError::Missing(similar_apps(&wanted, installed)));
    }
    // "Settings app" means Settings, unless an app is really called that.
    let short = wanted.strip_suffix("app").or_else(|| wanted.strip_suffix("应用"));
    for wanted in [Some(wanted.as_str()), short.filter(|s| !s.is_empty())].into_iter().flatten() {
        if let Some(package) = well_known(wanted, installed) {
            return Ok(package);
        }
        match matching(installed, |package| names_from_package(package).any(|own| own == wanted))
            .as_slice()
        {
            [] => {}
            [package] => return Ok(package),
            several => return Err(AppNameError::Ambiguous(candidates(several))),
        }
    }
    let words: Vec<String> = name.split_whitespace().map(normalize).collect();
    match matching(installed, |package| {
        all_names(package).any(|own| is_similar(&own, &wanted, &words))
    })
    .as_slice()
    {
        [] => Err(AppNameError::Missing(similar_apps(&wanted, installed))),
        [package] => Ok(package),
        several => Err(AppNameError::Ambiguous(candidates(several))),
    }
}

/// The first installed package of a row that has exactly this name. Rows and packages are in order
/// of preference.
fn well_known<'a>(wanted: &str, installed: &[&'a str]) -> Option<&'a str> {
    TABLE
        .iter()
        .filter(|known| known.names.iter().any(|name| normalize(name) == wanted))
        .flat_map(|known| &known.packages)
        .find_map(|package| installed.iter().find(|there| *there == package).copied())
}

fn matching<'a>(installed: &[&'a str], matches: impl Fn(&str) -> bool) -> Vec<&'a str> {
    installed.iter().copied().filter(|package| matches(package)).collect()
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

fn all_names(package: &str) -> impl Iterator<Item = String> {
    let known = TABLE.iter().filter(move |known| known.packages.contains(&package));
    let known: Vec<String> = known.flat_map(|known| &known.names).map(|n| normalize(n)).collect();
    known.into_iter().chain(names_from_package(package))
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
fn similar_apps(wanted: &str, installed: &[&str]) -> Vec<String> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let pairs =
        |text: &str| -> Vec<(char, char)> { text.chars().zip(text.chars().skip(1)).collect() };
    let sought = pairs(wanted);
    let mut scored: Vec<(usize, &str)> = installed
        .iter()
        .map(|package| {
            let shared = |own: String| pairs(&own).iter().filter(|p| sought.contains(p)).count();
            (all_names(package).map(shared).max().unwrap_or(0), *package)
        })
        .filter(|(score, _)| 1 < *score)
        .collect();
    scored.sort_by_key(|(score, package)| (std::cmp::Reverse(*score), *package));
    candidates(&scored.into_iter().map(|(_, package)| package).collect::<Vec<_>>())
}

fn candidates(packages: &[&str]) -> Vec<String> {
    let with_label = |package: &&str| match label(package) {
        Some(label) => format!("{label} ({package})"),
        None => (*package).to_owned(),
    };
    packages.iter().take(5).map(with_label).collect()
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

    fn found(name: &str) -> Result<&'static str, AppNameError> {
        resolve(name, &PHONE)
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
        assert!(matches!(found("mm"), Ok("com.tencent.mm")));
        assert!(matches!(found("'; reboot"), Err(AppNameError::Missing(_))));
        assert!(matches!(found(""), Err(AppNameError::Missing(_))));
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
                Err(AppNameError::Missing(candidates) | AppNameError::Ambiguous(candidates)) => {
                    prop_assert!(candidates.len() <= 5);
                    let is_installed = |it: &String| PHONE.iter().any(|package| it.contains(package));
                    prop_assert!(candidates.iter().all(is_installed), "{:?}", candidates);
                }
            }
        }
    }
}
