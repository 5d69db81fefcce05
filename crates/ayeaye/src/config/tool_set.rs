//! Which tools clients are offered.
use std::fmt;
use std::str::FromStr;

use super::ValueError;

/// Which tools are offered. What only looks always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSet {
    /// Tasks for the agent.
    pub agent: bool,
    /// The phone itself: taps, texts and keys, one at a time.
    pub device: bool,
    /// What needs no finger: addresses, apps, packages, files, logs. Only for those who ask for it: every
    /// chat pays for the list of tools.
    pub manage: bool,
}

impl ToolSet {
    /// Nothing that changes a phone.
    pub const READ_ONLY: Self = Self { agent: false, device: false, manage: false };
    /// What a server with a model offers unless it is told otherwise.
    pub const USUAL: Self = Self { agent: true, device: false, manage: false };
    /// What a server without a model offers unless it is told otherwise.
    pub const DIRECT: Self = Self { agent: false, device: true, manage: false };
    /// Tasks, and the phone itself; not `manage`, which is offered to those alone who name it.
    pub const ALL: Self = Self { agent: true, device: true, manage: false };
}

/// Which tools the settings want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoice {
    /// Those that fit: tasks where there is a model, and the phone itself where there is none.
    Auto,
    /// These, whatever there is.
    Only(ToolSet),
}

impl FromStr for ToolChoice {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Only) }
    }
}

impl FromStr for ToolSet {
    type Err = ValueError;

    /// Reads names with commas between.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let mut tools = Self::READ_ONLY;
        for name in text.split(',').map(str::trim) {
            match name {
                "read-only" => {}
                "agent" => tools.agent = true,
                "device" => tools.device = true,
                "manage" => tools.manage = true,
                "all" => tools = Self { manage: tools.manage, ..Self::ALL },
                _ => return Err(ValueError::NotATool),
            }
        }
        Ok(tools)
    }
}

impl fmt::Display for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.agent, self.device) {
            (false, false) => "read-only",
            (true, false) => "agent",
            (false, true) => "device",
            (true, true) => "all",
        })?;
        if self.manage { f.write_str(",manage") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ToolSet {
        text.parse().unwrap()
    }

    #[test]
    fn names_are_read_and_written() {
        for tools in [
            ToolSet::READ_ONLY,
            ToolSet::USUAL,
            ToolSet::ALL,
            ToolSet { agent: false, device: true, manage: false },
            ToolSet { manage: true, ..ToolSet::DIRECT },
            ToolSet { manage: true, ..ToolSet::READ_ONLY },
            ToolSet { manage: true, ..ToolSet::ALL },
        ] {
            assert_eq!(parse(&tools.to_string()), tools);
        }
        assert_eq!(parse("agent, device"), ToolSet::ALL);
        assert_eq!(parse("read-only,agent"), ToolSet::USUAL);
        assert_eq!("auto".parse::<ToolChoice>().unwrap(), ToolChoice::Auto);
        assert_eq!("all".parse::<ToolChoice>().unwrap(), ToolChoice::Only(ToolSet::ALL));
        for wrong in ["", "agents", "agent,", "ALL", "auto,device"] {
            assert!(wrong.parse::<ToolChoice>().is_err(), "{wrong}");
        }
    }
}
