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
    /// Takes flags such as `-la`; the error is the first that is not in `known`.
    pub(super) fn parse(words: &[&'a str], known: &str) -> Result<Self, char> {
        let mut flags = Vec::new();
        let mut operands = Vec::new();
        let mut only_operands = false;
        for word in words {
            match word.strip_prefix('-') {
                Some("-") if !only_operands => only_operands = true,
                Some(letters) if !only_operands && !letters.is_empty() => {
                    if let Some(unknown) = letters.chars().find(|c| !known.contains(*c)) {
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

/// The parsed flags, or the output that refuses them.
pub(super) fn flags<'a>(
    device: &VirtualPhone,
    program: &str,
    words: &[&'a str],
    known: &str,
) -> Result<Flags<'a>, CommandOutput> {
    Flags::parse(words, known)
        .map_err(|flag| CommandOutput::malformed(device, 1, unknown_option(program, flag)))
}

/// What toybox prints for a flag it does not know.
pub(super) fn unknown_option(program: &str, flag: char) -> String {
    format!("{program}: Unknown option '{flag}' (see \"{program} --help\")\n")
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
        assert_eq!(Flags::parse(&["-lz"], "l"), Err('z'));
    }
}
