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

impl KnownApp {
    /// Whether this comparable name is one of it.
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| normalize(own) == name)
    }
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

/// An installed app, by all its own names; of one with several icons each icon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AppNames {
    pub(crate) package: String,
    /// As the phone shows it; empty as long as that has not been read.
    pub(crate) labels: Labels,
    /// What it starts, where that is known.
    activity: Option<String>,
    /// It is not the app's first icon, and goes by the name under it alone.
    is_further: bool,
    /// The names of the app's further icons, comparable; of the first one only.
    others: Vec<String>,
}

impl AppNames {
    pub(crate) fn of(package: &str, labels: Labels) -> Self {
        Self { package: package.to_owned(), labels, ..Self::default() }
    }

    /// The same, for an icon of the app.
    pub(crate) fn of_icon(self, activity: Option<String>, is_further: bool) -> Self {
        Self { activity, is_further, ..self }
    }

    pub(crate) fn is_further(&self) -> bool {
        self.is_further
    }

    /// Whether it starts this activity, which may be written with its package or without.
    fn starts(&self, activity: &str) -> bool {
        let short = |it: &str| match it.strip_prefix(&self.package) {
            Some(rest) if rest.starts_with('.') => rest.to_owned(),
            _ => it.to_owned(),
        };
        self.activity.as_deref().is_some_and(|own| short(own) == short(activity))
    }

    /// Whether a name means this icon and no other of the app: its package or component, or what stands under it.
    pub(crate) fn is_meant_by(&self, name: &str) -> bool {
        let (bare, activity) = match name.trim().split_once('/') {
            Some((bare, activity)) => (bare, Some(activity)),
            None => (name.trim(), None),
        };
        let is_activity = activity.is_none_or(|it| self.starts(it));
        let wanted = normalize(name);
        self.package.eq_ignore_ascii_case(bare) && is_activity
            || self.given().any(|own| own == wanted)
    }

    /// The name under its icon, else the one by which the app is well known.
    pub(crate) fn label(&self) -> Option<String> {
        let own = self.labels.label.clone().or_else(|| self.labels.original.clone());
        let well_known = || label(&self.package).filter(|_| !self.is_further());
        own.or_else(|| well_known().map(ToOwned::to_owned))
    }

    /// The names that the app has given itself, comparable.
    fn given(&self) -> impl Iterator<Item = String> {
        let Labels { label, original } = &self.labels;
        [label, original].into_iter().flatten().map(|name| normalize(name))
    }

    /// Whether its icon has a name of this row.
    fn is_given(&self, known: &KnownApp) -> bool {
        self.given().any(|own| known.has(&own))
    }

    /// Whether the app is known by this row, and not another icon of it.
    fn is_known_by(&self, known: &KnownApp) -> bool {
        known.packages.contains(&self.package.as_str())
            && !self.is_further()
            && (self.is_given(known) || !self.others.iter().any(|other| known.has(other)))
    }

    /// The names that the app or its users have given it.
    fn own(&self) -> impl Iterator<Item = String> {
        let known = TABLE.iter().filter(|known| self.is_known_by(known));
        let known: Vec<String> =
            known.flat_map(|known| &known.names).map(|name| normalize(name)).collect();
        self.given().chain(known)
    }

    fn all(&self) -> impl Iterator<Item = String> {
        self.own().chain(self.name_from_package())
    }

    fn name_from_package(&self) -> Option<String> {
        name_from_package(&self.package).filter(|_| !self.is_further())
    }

    /// Whether one of its names is near to the one that is wanted.
    fn is_near(&self, wanted: &str, words: &[String]) -> bool {
        if self.own().any(|own| is_similar(&own, wanted, words)) {
            return true;
        }
        // A word of a package's name alone says little: of "Apple Music" it is in every player's.
        let parts: Vec<String> = self.package.split('.').map(normalize).collect();
        let is_told = |word: &String| is_generic(word) || parts.contains(word);
        let told: &[String] = if words.iter().all(is_told) { words } else { &[] };
        self.name_from_package().is_some_and(|own| is_similar(&own, wanted, told))
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

/// How the refusal of an app begins that is not there.
pub const NO_SUCH_APP: &str = "no app of this name is installed";

/// Why a name does not resolve, with up to five candidates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AppNameError {
    /// With the nearest; where none is near, with some that are there, and how many there are.
    #[error("{NO_SUCH_APP}{}", what_is_there(nearest, some, *count))]
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
/// letter from 5 letters on, by two from 9 on. Words such as "mobile", which say nothing of an app, do not count, and
/// a word of a package's name only where the other words are in it too.
pub(crate) fn resolve(
    name: &str,
    installed: &[AppNames],
) -> Result<(usize, Certainty), AppNameError> {
    let name = name.trim();
    // A component starts with its package.
    let bare = name.split('/').next().unwrap_or_default();
    let is_own = |app: &&AppNames| app.package.eq_ignore_ascii_case(bare);
    if installed.iter().any(|app| is_own(&app)) {
        let activity = name.split_once('/').map(|(_, activity)| activity);
        let meant = |app: &AppNames| is_own(&app) && activity.is_some_and(|it| app.starts(it));
        let index = installed.iter().position(meant);
        let index = index.or_else(|| installed.iter().position(|app| is_own(&app)));
        return Ok((index.unwrap_or_default(), Certainty::Named));
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
        let ends_so = |app: &AppNames| app.name_from_package().is_some_and(|own| own == wanted);
        match matching(installed, ends_so).as_slice() {
            [] => {}
            [index] => return Ok((*index, Certainty::Near)),
            several => return Err(AppNameError::Ambiguous(candidates(several, installed))),
        }
    }
    let words: Vec<String> = name.split_whitespace().map(normalize).collect();
    match matching(installed, |app| app.is_near(&wanted, &words)).as_slice() {
        [] => Err(missing(&wanted, installed)),
        [index] => Ok((*index, Certainty::Near)),
        several => Err(AppNameError::Ambiguous(candidates(several, installed))),
    }
}

/// The first installed package of a row that has exactly this name, by the icon with a name of that row if there is
/// one. Rows and packages are in order of preference.
fn well_known(wanted: &str, installed: &[AppNames]) -> Option<usize> {
    let rows = TABLE.iter().filter(|known| known.has(wanted));
    rows.flat_map(|known| known.packages.iter().map(move |package| (known, *package))).find_map(
        |(known, package)| {
            let of = |app: &&AppNames| app.package == package;
            let by_icon = installed.iter().position(|app| of(&app) && app.is_given(known));
            by_icon.or_else(|| installed.iter().position(|app| of(&app)))
        },
    )
}

/// Those that match, each app by the first of its icons that does.
fn matching(installed: &[AppNames], matches: impl Fn(&AppNames) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (index, app) in installed.iter().enumerate().filter(|(_, app)| matches(app)) {
        if found.iter().all(|earlier| installed[*earlier].package != app.package) {
            found.push(index);
        }
    }
    found
}

/// The same icons, where the first one of an app knows what the others are called.
pub(crate) fn apart(mut icons: Vec<AppNames>) -> Vec<AppNames> {
    let further: Vec<AppNames> = icons.iter().filter(|icon| icon.is_further()).cloned().collect();
    for icon in icons.iter_mut().filter(|icon| !icon.is_further()) {
        let own = further.iter().filter(|other| other.package == icon.package);
        icon.others = own.flat_map(AppNames::given).collect();
    }
    icons
}

/// The name of an icon, where its app has others with other names.
pub(crate) fn name_of_icon(index: usize, icons: &[AppNames]) -> Option<String> {
    let icon = &icons[index];
    let name = icon.labels.label.as_ref()?;
    let is_other = |other: &AppNames| {
        other.package == icon.package && other.labels.label.as_ref().is_some_and(|it| it != name)
    };
    icons.iter().any(is_other).then(|| name.clone())
}

fn missing(wanted: &str, installed: &[AppNames]) -> AppNameError {
    let all = matching(installed, |_| true);
    AppNameError::Missing {
        nearest: similar_apps(wanted, installed),
        some: some_of(&all, installed),
        count: all.len(),
    }
}

/// The last part of a package name that may be the app's name: the last but for `android` and the like. The first
/// part is whose it is.
fn name_from_package(package: &str) -> Option<String> {
    let parts = package.split('.').skip(1).collect::<Vec<_>>();
    parts.into_iter().rev().map(normalize).find(|part| !is_generic(part))
}

/// Whether a word says nothing of which app is meant.
fn is_generic(word: &str) -> bool {
    const WORDS: [&str; 10] =
        ["android", "app", "application", "apps", "client", "lite", "main", "mobile", "my", "the"];
    WORDS.contains(&word)
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
    if (says_enough(own) && !is_generic(own) && named(own))
        || (says_enough(wanted) && begun(wanted))
    {
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

/// Most candidates that are named.
const MOST_NAMED: usize = 5;

fn candidates(indices: &[usize], installed: &[AppNames]) -> Vec<String> {
    named(&indices[..indices.len().min(MOST_NAMED)], installed)
}

/// The same where the others are counted: that one more is there is no shorter than its name.
fn some_of(indices: &[usize], installed: &[AppNames]) -> Vec<String> {
    let all_but_one = indices.len() == MOST_NAMED + 1;
    if all_but_one { named(indices, installed) } else { candidates(indices, installed) }
}

fn named(indices: &[usize], installed: &[AppNames]) -> Vec<String> {
    let with_label = |index: &usize| {
        let app = &installed[*index];
        // By which a further icon can be named.
        let key = match &app.activity {
            Some(activity) if app.is_further => format!("{}/{activity}", app.package),
            _ => app.package.clone(),
        };
        match app.label() {
            Some(label) => format!("{label} ({key})"),
            None => key,
        }
    };
    indices.iter().map(with_label).collect()
}

/// Letters and digits only, in lower case.
fn normalize(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

#[cfg(test)]
mod tests;
