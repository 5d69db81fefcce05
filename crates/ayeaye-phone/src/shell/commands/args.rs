//! Parsing arguments.
use super::CommandOutput;
use crate::device::VirtualPhone;

/// Arguments as slices, for matching.
pub(super) fn split(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Short flags and operands of a Unix command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flags<'a> {
    flags: Vec<char>,
    pub(super) operands: Vec<&'a str>,
}

impl<'a> Flags<'a> {
    /// Takes flags such as `-la`; the error is the first that is not in `known`, without its dashes.
    pub(super) fn parse(words: &[&'a str], known: &str) -> Result<Self, &'a str> {
        let mut flags = Vec::new();
        let mut operands = Vec::new();
        let mut only_operands = false;
        for word in words {
            match word.strip_prefix('-') {
                Some("-") if !only_operands => only_operands = true,
                Some(letters) if !only_operands && !letters.is_empty() => {
                    if let Some(long) = letters.strip_prefix('-') {
                        return Err(long.split('=').next().unwrap_or(long));
                    }
                    if let Some(unknown) = letters.matches(|c| !known.contains(c)).next() {
                        return Err(unknown);
                    }
                    flags.extend(letters.chars());
                }
                _ => operands.push(*word),
            }
        }
        Ok(Self { flags, operands })
    }

    pub(super) fn has(&self, flag: char) -> bool {
        self.flags.contains(&flag)
    }
}

/// The parsed flags, or the output that refuses them, or tells of them.
pub(super) fn flags<'a>(
    device: &VirtualPhone,
    program: &str,
    words: &[&'a str],
    known: &str,
) -> Result<Flags<'a>, CommandOutput> {
    Flags::parse(words, known).map_err(|option| match option {
        // Some clients look there for an option, and otherwise ask again and again.
        "help" if known.is_empty() => CommandOutput::ok(format!("usage: {program}\n")),
        "help" => CommandOutput::ok(format!("usage: {program} [-{known}]\n")),
        option => refused(device, program, 1, option),
    })
}

/// What toybox knows of each command, as of Android 15: its letters, and its long options.
const OF_TOYBOX: [(&str, &str, &[&str]); 17] = [
    ("cat", "etuv", &[]),
    ("chmod", "Rfv", &[]),
    ("cp", "DFHLPRTadfilnprstuv", &["parents", "preserve", "remove-destination", "verbose"]),
    ("date", "DIdrsu", &["iso-8601", "utc"]),
    ("df", "HPahikt", &[]),
    (
        "grep",
        "ABCEFHILMRSZabcefhilmnoqrsvwxz",
        &[
            "byte-offset",
            "color",
            "count",
            "exclude",
            "exclude-dir",
            "files-with-matches",
            "files-without-match",
            "include",
            "line-buffered",
            "no-filename",
            "only-matching",
            "quiet",
            "silent",
        ],
    ),
    ("id", "GZgnru", &[]),
    (
        "ls",
        "1@ACFHLNRSUXZabcdfghiklmnopqrstuwx",
        &[
            "block-size",
            "color",
            "full-time",
            "group-directories-first",
            "show-control-chars",
            "sort",
        ],
    ),
    ("mkdir", "Zmpv", &["parent", "parents"]),
    ("mv", "FTfintvx", &["remove-destination", "swap", "verbose"]),
    ("pidof", "osx", &[]),
    ("rm", "Rfirv", &["force"]),
    ("rmdir", "p", &["ignore-fail-on-non-empty", "parents"]),
    ("sum", "bcs", &["check", "status"]),
    ("touch", "acdfhmrt", &[]),
    ("wc", "Lclmw", &[]),
    ("which", "a", &[]),
];

/// Refuses an option, without its dashes: as one that this phone lacks where toybox has it, in toybox's own words
/// otherwise.
pub(super) fn refused(
    device: &VirtualPhone,
    program: &str,
    status: u8,
    option: &str,
) -> CommandOutput {
    let name = if program.ends_with("sum") { "sum" } else { program };
    let known = OF_TOYBOX.iter().find(|(it, ..)| *it == name);
    let is_letter = option.chars().count() == 1;
    let is_known = matches!(option, "help" | "version")
        || known.is_some_and(|(_, letters, long)| {
            if is_letter { letters.contains(option) } else { long.contains(&option) }
        });
    if is_known {
        let dashes = if is_letter { "-" } else { "--" };
        return CommandOutput::unsupported(device, &format!("{program} {dashes}{option}"));
    }
    let text = format!("{program}: Unknown option '{option}' (see \"{program} --help\")\n");
    CommandOutput::malformed(device, status, text)
}

/// A number of pixels: finite, as Java's parser would read it.
pub(super) fn pixel(word: &str) -> Option<f32> {
    word.parse().ok().filter(|number: &f32| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_operands_are_told_apart() {
        let flags = Flags::parse(&["-la", "x", "--", "-r"], "lar").unwrap();
        assert!(flags.has('l') && flags.has('a') && !flags.has('r'));
        assert_eq!(flags.operands, ["x", "-r"]);
        assert_eq!(Flags::parse(&["-lz"], "l"), Err("z"));
        assert_eq!(Flags::parse(&["-l", "--color=auto"], "l"), Err("color"));
    }
}
