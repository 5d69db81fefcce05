//! `[policy]`: what may be done on phones without asking.
use std::str::FromStr;

use ayeaye_agent::as_listed;
use ayeaye_agent::gate::{Policy, PolicyBudgets, PolicyProfile};

use super::reader::Reader;
use super::{ConfigError, ValueError, value};

/// Reads the policy that every run is bound by.
pub(super) fn read(reader: &Reader<'_>) -> Result<Policy, ConfigError> {
    let profiles = PolicyProfile::ALL.map(|profile| (profile.name(), profile));
    let hosts = |key| -> Result<Vec<String>, ConfigError> {
        Ok(reader.list::<Host>(key)?.into_iter().map(|it| it.0).collect())
    };
    // An empty list of what is allowed allows everything: it is not set.
    let bound = |list: Vec<String>| if list.is_empty() { Vec::new() } else { vec![list] };
    let mut policy = Policy::of(reader.choice("policy.profile", &profiles)?);
    let apps = |key| -> Result<Vec<String>, ConfigError> {
        Ok(reader.list::<Package>(key)?.into_iter().map(|it| it.0).collect())
    };
    policy.allow_apps = bound(apps("policy.allow-apps")?);
    policy.deny_apps = apps("policy.deny-apps")?;
    policy.allow_hosts = bound(hosts("policy.allow-hosts")?);
    policy.deny_hosts = hosts("policy.deny-hosts")?;
    policy.private_apps = apps("policy.private-apps")?;
    let narrowed = reader.list_checked("policy.tokens", one_profile_each)?;
    policy.principals = narrowed.into_iter().map(|it| it.0).collect();
    policy.budgets = PolicyBudgets {
        taps_per_minute: reader.bound("policy.taps-per-minute", value::number(1..=10_000))?,
        typed_characters: reader.bound("policy.typed-characters", value::number(1..=10_000_000))?,
    };
    Ok(policy)
}

/// Whether a text has the letters of a package or a host, and no more of them.
fn is_name(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    !text.is_empty() && text.len() <= 253 && text.chars().all(inner)
}

/// A host, which stands for those below it too, with or without `*.` in front. Another `*`, or another way to write it,
/// would bind nothing, unseen.
struct Host(String);

impl FromStr for Host {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let text = text.trim();
        let domain = text.strip_prefix("*.").unwrap_or(text);
        match as_listed(domain).filter(|_| is_name(domain)) {
            None => Err(ValueError::NotAListedHost(text.to_owned())),
            Some(host) if host == domain => Ok(Self(text.to_owned())),
            Some(host) => Err(ValueError::NotAsListed { given: text.to_owned(), host }),
        }
    }
}

/// A package, or the beginning of some: a name that no package can have would protect nothing, unseen.
struct Package(String);

impl FromStr for Package {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let name = text.trim();
        let start = name.strip_suffix('*');
        let is_whole = name == "android" || name.contains('.') || start.is_some();
        if is_whole && (name == "*" || is_name(start.unwrap_or(name))) {
            Ok(Self(name.to_owned()))
        } else {
            Err(ValueError::NotAPackage(name.to_owned()))
        }
    }
}

/// With two profiles nobody could tell which was meant, and which holds.
fn one_profile_each(all: &[Narrowed]) -> Result<(), ValueError> {
    for (at, Narrowed((name, profile))) in all.iter().enumerate() {
        let mut earlier = all[..at].iter().map(|it| &it.0);
        if let Some((_, other)) = earlier.find(|(it, other)| it == name && other != profile) {
            let name = name.strip_prefix("token:").unwrap_or(name).to_owned();
            return Err(ValueError::NarrowedTwice { name, profiles: [*other, *profile] });
        }
    }
    Ok(())
}

/// `NAME=PROFILE`: a named token, and by what the policy is narrowed for it; or `jwt:ISSUER#SUBJECT=PROFILE`, as the
/// principal is called whom an issuer's tokens name.
struct Narrowed((String, PolicyProfile));

impl FromStr for Narrowed {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let (name, profile) = text.trim().rsplit_once('=').ok_or(ValueError::NotANarrowedToken)?;
        let name = name.trim();
        let of_issuer = name.starts_with("jwt:");
        match PolicyProfile::from_name(profile.trim()) {
            // Only a subject of an issuer may have a `=` in its name.
            Some(profile) if of_issuer => Ok(Self((name.to_owned(), profile))),
            Some(profile) if !name.is_empty() && !name.contains('=') => {
                Ok(Self((format!("token:{name}"), profile)))
            }
            _ => Err(ValueError::NotANarrowedToken),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_profile() {
        let check = |words: &[&str]| {
            let all: Vec<Narrowed> = words
                .iter()
                .map(|word| word.parse().unwrap_or_else(|err| panic!("{word}: {err}")))
                .collect();
            one_profile_each(&all).map_err(|err| err.to_string())
        };
        assert_eq!(check(&["anna=read-only", "ben=trusted", "anna=read-only"]), Ok(()));
        let told = check(&["ben=careful", "anna=read-only", " anna = trusted"]).unwrap_err();
        assert!(told.starts_with("`anna` is there twice, with read-only and trusted"), "{told}");
    }

    #[test]
    fn a_subject_of_an_issuer_is_named_as_its_principal_is() {
        let read = |text: &str| text.parse::<Narrowed>().map(|it| it.0).ok();
        let named = |name: &str| Some((name.to_owned(), PolicyProfile::ReadOnly));
        assert_eq!(read("anna = read-only"), named("token:anna"));
        let subject = "jwt:https://login.example.com/realms/phones#cn=anna,dc=example";
        assert_eq!(read(&format!("{subject}=read-only")), named(subject));
        for wrong in ["anna", "=read-only", "a=b=read-only", "jwt:https://a#b=nothing", "jwt:a#b"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_host_that_binds_nothing_as_it_is_written_is_refused_with_what_would() {
        let taken = ["127.0.0.1", "*.Example.com", "xn--mller-kva.de", "a_b.example", "müller.de"];
        for text in taken {
            assert!(text.parse::<Host>().is_ok(), "{text}");
        }
        for (text, meant) in [
            (".evil.com", "write evil.com"),
            ("evil.com.", "write evil.com"),
            ("*.evil.com.", "write evil.com"),
            (".müller.de", "write xn--mller-kva.de"),
            ("127.1", "write 127.0.0.1"),
            ("2130706433", "write 127.0.0.1"),
            ("a..b", "is not a host"),
            ("...", "is not a host"),
            ("evil.256", "is not a host"),
        ] {
            let refused = text.parse::<Host>().err().expect(text).to_string();
            let named = refused.starts_with(&format!("`{text}` "));
            assert!(named && refused.contains(meant), "{text}: {refused}");
        }
    }
}
