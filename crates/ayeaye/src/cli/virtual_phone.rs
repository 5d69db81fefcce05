//! What the virtual phone is like: a maker's phones, faults, and how fast it is.
use std::fmt::Write as _;

use ayeaye_phone::{FaultError, FaultPlan, Maker, Profile, VirtualPhone};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::config::socket_address;

/// `ayeaye phone`.
#[derive(Debug, Args)]
pub struct Phone {
    /// The port for `adb connect 127.0.0.1:PORT`
    #[arg(long, value_name = "N", default_value_t = 5555)]
    pub port: u16,
    /// Listen here for commands that control the phone in tests
    #[arg(long, value_name = "ADDR", value_parser = socket_address)]
    pub control: Option<std::net::SocketAddr>,
    /// Behave like a new phone from this maker
    #[arg(long, value_name = "MAKER", value_parser = makers())]
    pub like: Option<Maker>,
    /// Have this fault too; may be given several times
    #[arg(long = "fault", value_name = "NAME[=VALUE]", value_parser = FaultFlag::parse)]
    pub faults: Vec<FaultFlag>,
    /// Be as fast as a phone on this kind of link
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), default_value = "as-is")]
    pub profile: Profile,
    /// Serve the stand-in for a model here, for checks from outside
    #[arg(long, value_name = "ADDR", value_parser = socket_address, hide = true)]
    pub model: Option<std::net::SocketAddr>,
}

/// A fault by its name, known to fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultFlag(String);

impl FaultFlag {
    /// Reads `NAME` or `NAME=VALUE`.
    pub fn parse(words: &str) -> Result<Self, FaultError> {
        FaultPlan::default().set_by_name(words)?;
        Ok(Self(words.to_owned()))
    }
}

/// What goes with `--virtual`.
#[derive(Debug, Clone, Default, Args)]
pub struct VirtualTraits {
    /// Let the virtual phone behave like a new phone from this maker
    #[arg(long, value_name = "MAKER", value_parser = makers(), requires = "virtual_phone")]
    pub like: Option<Maker>,
    /// Give the virtual phone this fault, by a name that `ayeaye phone --help` lists
    #[arg(long = "fault", value_name = "NAME[=VALUE]", value_parser = FaultFlag::parse,
        requires = "virtual_phone")]
    pub faults: Vec<FaultFlag>,
    /// Let the virtual phone be as fast as a phone on this kind of link
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), requires = "virtual_phone")]
    pub profile: Option<Profile>,
}

impl VirtualTraits {
    /// A phone like that.
    pub fn phone(&self) -> VirtualPhone {
        phone(self.like, &self.faults, self.profile.unwrap_or_default())
    }
}

/// A phone like that maker's, with these faults, as fast as this profile. Without a maker and faults it is the
/// one of the documentation, which has all that a task may need.
pub fn phone(like: Option<Maker>, faults: &[FaultFlag], profile: Profile) -> VirtualPhone {
    let device = match like {
        Some(maker) => VirtualPhone::like_on(maker, profile),
        None => VirtualPhone::on(profile),
    };
    device.inject(|plan| {
        for FaultFlag(words) in faults {
            plan.set_by_name(words).expect("it was tried when it was read");
        }
    });
    device
}

/// The makers that can be named.
pub(super) fn makers() -> impl TypedValueParser<Value = Maker> {
    let values = Maker::ALL.map(|maker| PossibleValue::new(maker.name()).help(maker.about()));
    PossibleValuesParser::new(values)
        .map(|name| Maker::from_name(&name).expect("clap takes only these names"))
}

/// The profiles that can be named.
pub(super) fn profiles() -> impl TypedValueParser<Value = Profile> {
    let values =
        Profile::ALL.map(|profile| PossibleValue::new(profile.name()).help(profile.about()));
    PossibleValuesParser::new(values)
        .map(|name| Profile::from_name(&name).expect("clap takes only these names"))
}

/// The faults, for the end of the help. The makers and profiles are with their flags.
pub(super) fn help() -> String {
    let mut text =
        "Examples:\n  ayeaye phone --like coloros\n  ayeaye phone --fault no-keyboard --fault \
                    capture-delay-ms=3000\n"
            .to_owned();
    text.push_str("\nFaults (`-` and `_` are the same in their names):\n");
    for (name, about) in FaultPlan::names() {
        _ = writeln!(text, "  {name:<21} {about}");
    }
    text.trim_end().to_owned()
}
