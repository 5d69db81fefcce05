//! Which installed app a name means.
//!
//! Asking every app for its label takes a phone half a minute. What people call well-known apps is
//! in `apps.tsv`; for the others the last parts of the package's name must do.
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

/// Why a name means no app, with up to five that it might.
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

/// What an app is called, if it is well known.
pub(super) fn label(package: &str) -> Option<&'static str> {
    let first = TABLE.iter().find(|known| known.packages.first() == Some(&package));
    let row = first.or_else(|| TABLE.iter().find(|known| known.packages.contains(&package)))?;
    row.names.first().copied()
}

/// The installed package that a name means: itself, a well-known name, its own last part, or the
/// only one that is anything like it.
pub(crate) fn resolve<'a>(name: &str, installed: &[&'a str]) -> Result<&'a str, AppNameError> {
    let name = name.trim();
    // A component names its package.
    let bare = name.split('/').next().unwrap_or_default();
    if let Some(package) = installed.iter().find(|p| p.eq_ignore_ascii_case(bare)) {
        return Ok(package);
    }
    let wanted = normalize(name);
    if crate::quote::is_package(bare) || wanted.is_empty() {
        return Err(AppNameError::Missing(similar_apps(&wanted, installed)));
    }
    // "Settings app" is Settings, unless something is really called so.
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

/// The first installed package of a row that has exactly this name. Rows and packages stand in the
/// order of preference.
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

/// The parts of a package's name that may be a name: the last, or the one before an `android`.
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

/// One is part of the other, or they differ by a slip of the pen.
///
/// Letters of an alphabet count only as whole words or as the beginning of a name: "Fotoshop" is no
/// shop. Chinese is written without blanks, and two signs of it are a word.
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
    0 < allowed && distance_within(own, wanted, allowed)
}

/// Whether so many letters changed, left out or put in make one of the other.
fn distance_within(a: &str, b: &str, most: usize) -> bool {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    if most < a.len().abs_diff(b.len()) {
        return false;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = corner + usize::from(from != to);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()] <= most
}

/// Up to five installed apps that share the most letters with a name.
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

/// Letters and digits only, small.
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
    fn slips_are_counted() {
        assert!(distance_within("settings", "setings", 1));
        assert!(!distance_within("settings", "seting", 1));
        assert!(distance_within("", "ab", 2));
    }

    proptest! {
        #[test]
        fn any_name_is_answered(name in "\\PC{0,40}") {
            drop(found(&name));
        }
    }
}
