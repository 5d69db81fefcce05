//! `[policy]`: what may be done on phones without asking.
use std::str::FromStr;

use ayeaye_agent::gate::{Policy, PolicyBudgets, PolicyProfile};

use super::reader::Reader;
use super::{ConfigError, ValueError, value};

/// Reads the policy that every run is bound by.
pub(super) fn read(reader: &Reader<'_>) -> Result<Policy, ConfigError> {
    let profiles = PolicyProfile::ALL.map(|profile| (profile.name(), profile));
    let list = |key| -> Result<Vec<String>, ConfigError> {
        Ok(reader.list::<Name>(key)?.into_iter().map(|it| it.0).collect())
    };
    // An empty list of what is allowed allows everything: it is not set.
    let bound = |list: Vec<String>| if list.is_empty() { Vec::new() } else { vec![list] };
    let mut policy = Policy::of(reader.choice("policy.profile", &profiles)?);
    let apps = |key| -> Result<Vec<String>, ConfigError> {
        Ok(reader.list::<Package>(key)?.into_iter().map(|it| it.0).collect())
    };
    policy.allow_apps = bound(apps("policy.allow-apps")?);
    policy.deny_apps = apps("policy.deny-apps")?;
    policy.allow_hosts = bound(list("policy.allow-hosts")?);
    policy.deny_hosts = list("policy.deny-hosts")?;
    policy.private_apps = apps("policy.private-apps")?;
    policy.principals =
        reader.list::<Narrowed>("policy.tokens")?.into_iter().map(|it| it.0).collect();
    policy.budgets = PolicyBudgets {
        taps_per_minute: reader.optional("policy.taps-per-minute", value::number(1..=10_000))?,
        typed_characters: reader
            .optional("policy.typed-characters", value::number(1..=10_000_000))?,
    };
    Ok(policy)
}

/// A package or a host, with `*` for any beginning or end.
struct Name(String);

impl FromStr for Name {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '*');
        let text = text.trim();
        if !text.is_empty() && text.len() <= 253 && text.chars().all(inner) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ValueError::NotAPackageOrHost)
        }
    }
}

/// A package, or the beginning of some: a name that no package can have would protect nothing, unseen.
struct Package(String);

impl FromStr for Package {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let Name(name) = text.parse().map_err(|_| ValueError::NotAPackage)?;
        let ends = name.find('*').is_none_or(|at| at + 1 == name.len());
        if ends && (name == "android" || name.contains(['.', '*'])) {
            Ok(Self(name))
        } else {
            Err(ValueError::NotAPackage)
        }
    }
}

/// `NAME=PROFILE`: a named token, and by what the policy is narrowed for it.
struct Narrowed((String, PolicyProfile));

impl FromStr for Narrowed {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let (name, profile) = text.trim().split_once('=').ok_or(ValueError::NotANarrowedToken)?;
        let profile = PolicyProfile::from_name(profile.trim());
        match (name.trim(), profile) {
            ("", _) | (_, None) => Err(ValueError::NotANarrowedToken),
            (name, Some(profile)) => Ok(Self((format!("token:{name}"), profile))),
        }
    }
}
