//! `test` and `[`, as mksh has them.
use super::{CommandOutput, UNSUPPORTED, files::stat_of};
use crate::{
    files::{Stat, normalize_path},
    shell::process::{SHELL_PATH, Shell},
};

/// The status is 0 for what is true, 1 for what is not, and 2 for what is no condition.
pub(super) fn test(shell: &Shell, name: &str, words: &[&str]) -> CommandOutput {
    let words = match (name, words) {
        ("[", [words @ .., "]"]) => words,
        ("[", _) => return refusal(shell, "[: missing ]"),
        (_, words) => words,
    };
    let mut condition = Condition { shell, words };
    match condition.any() {
        Ok(holds) => match condition.words.first() {
            None => CommandOutput::status(u8::from(!holds)),
            Some(word) => refusal(shell, &format!("{name}: {word}: unexpected operator/operand")),
        },
        Err(why) => refusal(shell, &format!("{name}: {why}")),
    }
}

fn refusal(shell: &Shell, why: &str) -> CommandOutput {
    CommandOutput::malformed(shell.device(), 2, format!("{SHELL_PATH}: {why}\n"))
}

const BINARY: [&str; 12] =
    ["=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];
const UNARY: [&str; 11] = ["-e", "-f", "-d", "-s", "-n", "-z", "-r", "-w", "-x", "-L", "-h"];
/// Those of `mksh` that are not here, for one operand and for two.
const LACKING_UNARY: [&str; 13] =
    ["-G", "-H", "-O", "-S", "-a", "-b", "-c", "-g", "-k", "-o", "-p", "-t", "-u"];
const LACKING_BINARY: [&str; 2] = ["<", ">"];

#[derive(Debug)]
struct Condition<'a> {
    shell: &'a Shell,
    /// Those that are not yet read.
    words: &'a [&'a str],
}

impl Condition<'_> {
    fn any(&mut self) -> Result<bool, String> {
        let mut holds = self.all()?;
        while let ["-o", rest @ ..] = self.words {
            self.words = rest;
            holds |= self.all()?;
        }
        Ok(holds)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut holds = self.one()?;
        while let ["-a", rest @ ..] = self.words {
            self.words = rest;
            holds &= self.one()?;
        }
        Ok(holds)
    }

    fn one(&mut self) -> Result<bool, String> {
        let mut negated = false;
        let holds = loop {
            match *self.words {
                [left, operator, right, ref rest @ ..] if BINARY.contains(&operator) => {
                    self.words = rest;
                    break self.compared(left, operator, right)?;
                }
                [_, operator, _, ..] if LACKING_BINARY.contains(&operator) => {
                    return Err(format!("{operator}: {UNSUPPORTED}"));
                }
                ["!", ref rest @ ..] if !rest.is_empty() => {
                    self.words = rest;
                    negated = !negated;
                }
                [operator, operand, ref rest @ ..] if UNARY.contains(&operator) => {
                    self.words = rest;
                    break self.is(operator, operand);
                }
                [operator, _, ..] if operator == "(" || LACKING_UNARY.contains(&operator) => {
                    return Err(format!("{operator}: {UNSUPPORTED}"));
                }
                [word, ref rest @ ..] => {
                    self.words = rest;
                    break !word.is_empty();
                }
                [] => break false,
            }
        };
        Ok(holds != negated)
    }

    fn is(&self, operator: &str, operand: &str) -> bool {
        let stat = || self.stat(operand);
        let is_null = || normalize_path(self.shell.cwd(), operand) == "/dev/null";
        match operator {
            "-n" => !operand.is_empty(),
            "-z" => operand.is_empty(),
            // No file has no name.
            _ if operand.is_empty() => false,
            "-d" => stat().is_some_and(|stat| stat.is_dir()),
            "-f" => stat().is_some_and(|stat| !stat.is_dir()),
            "-s" => stat().is_some_and(|stat| stat.size > 0),
            "-w" => self.is_writable(operand) || is_null(),
            "-x" => stat().is_some_and(|stat| stat.mode & 0o111 != 0),
            // This phone has no links.
            "-L" | "-h" => false,
            _ => stat().is_some() || is_null(),
        }
    }

    fn stat(&self, operand: &str) -> Option<Stat> {
        stat_of(self.shell.device(), self.shell.cwd(), operand).ok()
    }

    fn is_writable(&self, operand: &str) -> bool {
        let path = normalize_path(self.shell.cwd(), operand);
        self.stat(operand).is_some() && self.shell.device().files().is_writable(&path)
    }

    fn compared(&self, left: &str, operator: &str, right: &str) -> Result<bool, String> {
        match operator {
            "=" | "==" => return Ok(left == right),
            "!=" => return Ok(left != right),
            // A file is newer than none.
            "-nt" | "-ot" => {
                let time = |operand| self.stat(operand).map(|stat| stat.modified);
                let (left, right) = (time(left), time(right));
                return Ok(if operator == "-nt" { left > right } else { left < right });
            }
            "-ef" => {
                let file = |operand| self.stat(operand).map(|stat| stat.inode);
                return Ok(file(left).is_some() && file(left) == file(right));
            }
            _ => {}
        }
        let (left, right) = (self.number(left)?, self.number(right)?);
        Ok(match operator {
            "-eq" => left == right,
            "-ne" => left != right,
            "-lt" => left < right,
            "-le" => left <= right,
            "-gt" => left > right,
            _ => left >= right,
        })
    }

    /// A number, or a variable that has one. Nothing is 0.
    fn number(&self, word: &str) -> Result<i64, String> {
        let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let text = if is_name { self.shell.variable(word) } else { word.to_owned() };
        match text.trim() {
            "" => Ok(0),
            text => text.parse().map_err(|_| format!("{text}: bad number")),
        }
    }
}
