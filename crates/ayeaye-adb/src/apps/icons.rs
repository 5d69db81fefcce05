//! The icons of a phone's apps, as launchers ask for them. An app may have several: on some phones one is for calls and
//! another for contacts.
use crate::parse::components;

pub(super) const LIST: &str = "cmd package query-activities --brief -a android.intent.action.MAIN \
                    -c android.intent.category.LAUNCHER";

/// The same of televisions, whose apps have an icon of their own kind.
pub(super) const LIST_TV: &str = "cmd package query-activities --brief -a android.intent.action.MAIN \
                       -c android.intent.category.LEANBACK_LAUNCHER";

/// Most icons of a phone; a person's has about a hundred.
const MOST_ICONS: usize = 1000;

/// An icon, and what it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Icon {
    pub(crate) package: String,
    pub(crate) activity: String,
    /// It is one of a television.
    pub(crate) tv: bool,
    /// The app has another one before it.
    pub(crate) is_further: bool,
}

impl Icon {
    /// By what its name is kept: the package, of a further icon the component.
    pub(crate) fn key(&self) -> String {
        if self.is_further {
            format!("{}/{}", self.package, self.activity)
        } else {
            self.package.clone()
        }
    }
}

/// The icons in the answers to [`LIST`] and [`LIST_TV`]. Those of a television count where an app has no others.
pub(crate) fn icons([phone, television]: [&str; 2]) -> Vec<Icon> {
    let mut icons: Vec<Icon> = Vec::new();
    for (list, tv) in [(phone, false), (television, true)] {
        for (package, activity) in components(list) {
            if MOST_ICONS <= icons.len() {
                break;
            }
            let mut own = icons.iter().filter(|icon| icon.package == package).peekable();
            let is_further = own.peek().is_some();
            if own.all(|icon| icon.activity != activity && icon.tv == tv) {
                icons.push(Icon { package, activity, tv, is_further });
            }
        }
    }
    icons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_icon_of_an_app_counts_and_those_of_a_television_where_there_are_no_others() {
        let phone =
            "2 activities found:\n    a.b/.First\n    c.d/.Only\n    a.b/.Second\n    a.b/.First\n";
        let television = "    c.d/.Tv\n    e.f/.Tv\n    e.f/.Tv2\n";
        let read: Vec<_> = icons([phone, television])
            .iter()
            .map(|icon| (icon.key(), icon.tv, icon.is_further))
            .collect();
        let icon = |key: &str, tv, is_further| (key.to_owned(), tv, is_further);
        assert_eq!(
            read,
            [
                icon("a.b", false, false),
                icon("c.d", false, false),
                icon("a.b/.Second", false, true),
                icon("e.f", true, false),
                icon("e.f/.Tv2", true, true),
            ]
        );
    }
}
