//! What may be done without asking: profiles, lists and budgets. A policy can be narrowed, never widened.
use super::class::ActClass;
use crate::word_list;

word_list! {
    /// A ready-made policy.
    pub enum PolicyProfile {
        /// Asks about what has consequences and was not asked for; the default.
        Careful = "careful",
        /// Looks and finds; changes, sends and buys nothing.
        ReadOnly = "read-only",
        /// As careful, and refuses everything about money.
        NoCommerce = "no-commerce",
        /// Asks about money and about power over the phone only.
        Trusted = "trusted",
    }
}

/// The treatment of acts of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Treatment {
    /// They are done.
    Allow,
    /// They are asked about unless the user's own words ask for them.
    AskUnlessAsked,
    /// They are asked about.
    Ask,
    /// They are refused.
    Deny,
}

/// The rules for what may be done on a phone. Made from a profile, then narrowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The profiles it was made from.
    pub profiles: Vec<PolicyProfile>,
    /// By class, in the order of [`ActClass::ALL`].
    pub(super) treatments: [Treatment; ActClass::ALL.len()],
    /// Parts of the system that give power over the phone, where the user has not named them.
    pub(super) system_parts: Treatment,
    /// Lists of allowed apps: an app has to be in every one.
    pub allow_apps: Vec<Vec<String>>,
    /// Apps in which nothing may be done.
    pub deny_apps: Vec<String>,
    /// Lists of allowed hosts: a host has to be in every one.
    pub allow_hosts: Vec<Vec<String>>,
    /// Hosts that are not opened.
    pub deny_hosts: Vec<String>,
    /// Apps that are never shown to anybody: no picture and no element of them leaves this machine.
    pub private_apps: Vec<String>,
    /// Bounds on how much may be done.
    pub budgets: PolicyBudgets,
    /// The profiles that narrow the policy for a principal's sessions, by the principal's name; a name may occur
    /// several times.
    pub principals: Vec<(String, PolicyProfile)>,
}

/// How much may be done; `None` is no bound. Steps, time, tokens and money are bounded by
/// [`Limits`](crate::Limits).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PolicyBudgets {
    /// Touches in any 60 seconds.
    pub taps_per_minute: Option<u32>,
    /// Characters typed in one session.
    pub typed_characters: Option<u64>,
}

impl Default for Policy {
    fn default() -> Self {
        Self::of(PolicyProfile::Careful)
    }
}

impl Policy {
    /// The policy of a profile, without lists and budgets.
    pub fn of(profile: PolicyProfile) -> Self {
        use Treatment::{Allow, Ask, AskUnlessAsked, Deny};
        let treat = |class| match (profile, class) {
            (_, ActClass::Marked) | (PolicyProfile::ReadOnly, ActClass::Unreadable) => Ask,
            (PolicyProfile::ReadOnly, ActClass::Open)
            | (PolicyProfile::Trusted, ActClass::Grant) => AskUnlessAsked,
            (PolicyProfile::ReadOnly, _) => Deny,
            (PolicyProfile::NoCommerce, ActClass::Pay | ActClass::Order | ActClass::Transfer) => {
                Deny
            }
            (_, ActClass::Pay | ActClass::Order | ActClass::Transfer | ActClass::Install) => Ask,
            (PolicyProfile::Trusted, _) | (_, ActClass::Change) => Allow,
            (_, ActClass::Grant | ActClass::Unreadable) => Ask,
            (
                _,
                ActClass::Delete
                | ActClass::Call
                | ActClass::Publish
                | ActClass::Send
                | ActClass::Password
                | ActClass::Open,
            ) => AskUnlessAsked,
        };
        Self {
            profiles: vec![profile],
            treatments: ActClass::ALL.map(treat),
            system_parts: if profile == PolicyProfile::Trusted { Ask } else { Deny },
            allow_apps: Vec::new(),
            deny_apps: Vec::new(),
            allow_hosts: Vec::new(),
            deny_hosts: Vec::new(),
            private_apps: Vec::new(),
            budgets: PolicyBudgets::default(),
            principals: Vec::new(),
        }
    }

    /// Whether this app is never shown to anybody.
    pub fn is_private(&self, package: &str) -> bool {
        lists_app(&self.private_apps, package)
    }

    /// Whether a recorded screen of this app may be of an app that is never shown: a screen without an app's name may
    /// be of any.
    pub fn hides(&self, package: &str) -> bool {
        !self.private_apps.is_empty() && (package.is_empty() || self.is_private(package))
    }

    /// The treatment of acts of this class.
    pub fn treatment(&self, class: ActClass) -> Treatment {
        self.treatments[class as usize]
    }

    /// The treatment of acts in parts of the system that give power over the phone, if the user has not named them.
    pub fn system_parts(&self) -> Treatment {
        self.system_parts
    }

    /// The policy for a principal's sessions: this one, narrowed by the profiles set for the principal.
    #[must_use]
    pub fn of_principal(&self, name: &str) -> Self {
        let mine = self.principals.iter().filter(|(it, _)| it == name);
        mine.fold(self.clone(), |policy, (_, profile)| policy.narrowed(&Self::of(*profile)))
    }

    /// The policy for one session of a principal, narrowed also by the profiles it was started and continued with.
    #[must_use]
    pub fn of_session(&self, owner: &str, profiles: &[String]) -> Self {
        // A profile of a later version is not known to be any wider than the strictest.
        let known =
            |name: &String| PolicyProfile::from_name(name).unwrap_or(PolicyProfile::ReadOnly);
        let narrower = profiles.iter().map(known).map(Self::of);
        narrower.fold(self.of_principal(owner), |policy, other| policy.narrowed(&other))
    }

    /// Both policies at once: the stricter of the two in everything.
    #[must_use]
    pub fn narrowed(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (mine, other) in both.treatments.iter_mut().zip(other.treatments) {
            *mine = (*mine).max(other);
        }
        both.system_parts = both.system_parts.max(other.system_parts);
        for profile in &other.profiles {
            if !both.profiles.contains(profile) {
                both.profiles.push(*profile);
            }
        }
        both.allow_apps.extend(other.allow_apps.iter().cloned());
        both.deny_apps.extend(other.deny_apps.iter().cloned());
        both.allow_hosts.extend(other.allow_hosts.iter().cloned());
        both.deny_hosts.extend(other.deny_hosts.iter().cloned());
        both.private_apps.extend(other.private_apps.iter().cloned());
        both.principals.extend(other.principals.iter().cloned());
        let (mine, other) = (&mut both.budgets, other.budgets);
        mine.taps_per_minute = smaller(mine.taps_per_minute, other.taps_per_minute);
        mine.typed_characters = smaller(mine.typed_characters, other.typed_characters);
        both
    }

    /// Its name: those of the profiles it is made of.
    pub fn name(&self) -> String {
        let names: Vec<_> = self.profiles.iter().map(|it| it.name()).collect();
        names.join("+")
    }
}

fn smaller<T: PartialOrd>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other < one { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Whether an app is in a list of packages; `com.example.*` stands for all that begin so.
pub fn lists_app(list: &[String], package: &str) -> bool {
    list.iter().any(|entry| {
        let entry = entry.trim();
        match entry.strip_suffix('*') {
            Some(start) => starts_with(package, start),
            None => entry.eq_ignore_ascii_case(package),
        }
    })
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing_never_widens() {
        for one in PolicyProfile::ALL {
            for other in PolicyProfile::ALL {
                let both = Policy::of(one).narrowed(&Policy::of(other));
                for class in ActClass::ALL {
                    assert!(Policy::of(one).treatment(class) <= both.treatment(class));
                    assert!(Policy::of(other).treatment(class) <= both.treatment(class));
                }
            }
        }
        let wide = PolicyBudgets { taps_per_minute: Some(9), typed_characters: None };
        let tight = PolicyBudgets { taps_per_minute: Some(20), typed_characters: Some(5) };
        let policy = |budgets| Policy { budgets, ..Policy::default() };
        let both = policy(wide).narrowed(&policy(tight)).budgets;
        assert_eq!((both.taps_per_minute, both.typed_characters), (Some(9), Some(5)));
    }

    #[test]
    fn a_principal_s_policy_is_narrower_and_never_wider() {
        let principals = vec![
            ("anna".to_owned(), PolicyProfile::ReadOnly),
            ("ben".to_owned(), PolicyProfile::Trusted),
        ];
        let policy = Policy { principals, ..Policy::default() };
        assert_eq!(policy.of_principal("anna").treatment(ActClass::Change), Treatment::Deny);
        for class in ActClass::ALL {
            assert_eq!(policy.of_principal("ben").treatment(class), policy.treatment(class));
            assert_eq!(policy.of_principal("eve").treatment(class), policy.treatment(class));
        }
    }

    #[test]
    fn lists_name_apps() {
        let list = |entry: &str| vec![entry.to_owned()];
        assert!(lists_app(&list("com.example.shop"), "com.example.shop"));
        assert!(!lists_app(&list("com.example.shop"), "com.example.shop2"));
        assert!(lists_app(&list("com.example.*"), "com.example.shop"));
    }
}
