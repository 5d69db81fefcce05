//! The generations of Anthropic's tool for computers, and which of them a model is offered.
//!
//! Newer models take only the newest and answer 400 to another, older ones and some other hosts the
//! reverse. The first choice goes by the model's name; a refusal that names the tool moves on to the next
//! generation, which is then offered for as long as the process runs.
use serde_json::Value;

/// One generation of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComputerTool {
    /// `computer_toolset_20260801`: every action is a tool of its own, called with `toolset_name`.
    Toolset,
    /// `computer_20251124`: one tool with an argument `action`, behind a beta header.
    Tool20251124,
    /// `computer_20250124`: the same with fewer actions, behind an older beta header.
    Tool20250124,
}

impl ComputerTool {
    pub(super) const ALL: [Self; 3] = [Self::Toolset, Self::Tool20251124, Self::Tool20250124];

    /// Its type in requests.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Toolset => "computer_toolset_20260801",
            Self::Tool20251124 => "computer_20251124",
            Self::Tool20250124 => "computer_20250124",
        }
    }

    /// The beta header that it needs.
    pub(super) fn beta(self) -> Option<&'static str> {
        match self {
            Self::Toolset => None,
            Self::Tool20251124 => Some("computer-use-2025-11-24"),
            Self::Tool20250124 => Some("computer-use-2025-01-24"),
        }
    }

    /// The one that a list of tools declares, of whatever generation.
    pub(super) fn declared(tools: &[Value]) -> Option<Self> {
        let kinds = || tools.iter().filter_map(|tool| tool["type"].as_str());
        Self::ALL.into_iter().find(|it| kinds().any(|kind| kind == it.kind()))
    }

    /// The one to begin with for a model of this name whose profile declares `self`. Where a name takes
    /// several, the one that needs no beta header.
    pub(super) fn first_for(self, model: &str) -> Self {
        match self {
            Self::Tool20251124 if takes_toolset(model) => Self::Toolset,
            declared => declared,
        }
    }

    /// The next one to offer after refusals of those in `refused`, nearest in time first.
    pub(super) fn next(refused: ComputerTools, after: Self) -> Option<Self> {
        let order = match after {
            Self::Toolset => [Self::Tool20251124, Self::Tool20250124, Self::Toolset],
            Self::Tool20251124 => [Self::Toolset, Self::Tool20250124, Self::Tool20251124],
            Self::Tool20250124 => [Self::Tool20251124, Self::Toolset, Self::Tool20250124],
        };
        order.into_iter().find(|it| !refused.contains(*it))
    }

    /// As a number that is not zero.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Toolset => 1,
            Self::Tool20251124 => 2,
            Self::Tool20250124 => 4,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.code() == code)
    }
}

/// A set of generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ComputerTools(u8);

impl ComputerTools {
    pub(super) fn insert(&mut self, tool: ComputerTool) {
        self.0 |= tool.code();
    }

    fn contains(self, tool: ComputerTool) -> bool {
        self.0 & tool.code() != 0
    }
}

/// Whether a model of this name is known to take the toolset: Opus 4.8, and all of version 5 and later.
fn takes_toolset(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    let Some((_, version)) = model.split_once("claude") else { return false };
    // A number of more digits is a date.
    let mut numbers = version
        .split(|c: char| !c.is_ascii_alphanumeric())
        .skip_while(|part| !part.starts_with(|c: char| c.is_ascii_digit()))
        .map_while(|part| (part.len() <= 2).then(|| part.parse::<u32>().ok()).flatten());
    let Some(major) = numbers.next() else { return false };
    (4, 8) <= (major, numbers.next().unwrap_or(0))
}

/// Whether an endpoint's refusal is about the tool.
pub(super) fn is_named_in(reason: &str) -> bool {
    ["computer_20", "computer_toolset", "computer-use-20", "toolset_name"]
        .iter()
        .any(|word| reason.contains(word))
}

/// Whether a refusal points at the tools, of which the first is this one: not every server names it then.
pub(super) fn is_pointed_at_in(reason: &str) -> bool {
    // As paths, and as servers in Python write one: `('body', 'tools', 0, 'name')`.
    let paths =
        ["tools.0", "tools[0]", "'tools', 0", "\"tools\",0", "`tools`", "'tools'", "tools:"];
    paths.iter().any(|path| reason.contains(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_generation_to_begin_with() {
        let first = |name| ComputerTool::Tool20251124.first_for(name);
        for name in [
            "claude-opus-5-5",
            "claude-sonnet-5",
            "claude-haiku-5-5-20260901",
            "claude-opus-4-8",
            "claude-fable-5-1",
            "anthropic/claude-opus-5.5",
            "anthropic.claude-sonnet-5-5-v1:0",
            "claude-6-opus",
        ] {
            assert_eq!(first(name), ComputerTool::Toolset, "{name}");
        }
        for name in [
            "claude-opus-4-7",
            "claude-opus-4-5-20251101",
            "claude-sonnet-4-6",
            "claude-opus-4-20250514",
            "claude-3-7-sonnet-20250219",
            "claude-fake",
            "opus-5",
        ] {
            assert_eq!(first(name), ComputerTool::Tool20251124, "{name}");
        }
        assert_eq!(
            ComputerTool::Tool20250124.first_for("claude-opus-5-5"),
            ComputerTool::Tool20250124
        );
    }

    #[test]
    fn every_generation_is_offered_once() {
        for first in ComputerTool::ALL {
            let (mut refused, mut at, mut offered) = (ComputerTools::default(), first, vec![first]);
            refused.insert(at);
            while let Some(next) = ComputerTool::next(refused, at) {
                at = next;
                refused.insert(at);
                offered.push(at);
            }
            assert_eq!(offered.len(), ComputerTool::ALL.len(), "{first:?}: {offered:?}");
            assert_eq!(ComputerTool::from_code(first.code()), Some(first));
        }
    }
}
