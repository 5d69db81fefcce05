//! The variables of a shell, of which it holds only so much.
use std::collections::BTreeMap;

/// Most bytes of a shell's variables together, and of what one command is expanded to.
pub(super) const MAX_TEXT: usize = 1 << 20;

/// More text than a shell holds, in the words of `mksh` when it gets no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("internal error: can't allocate {0} data bytes: Cannot allocate memory")]
pub(crate) struct OutOfMemory(usize);

impl OutOfMemory {
    /// The status with which the shell ends then.
    pub(crate) const STATUS: u8 = 255;
}

/// Whether so many bytes of text are not too many.
pub(super) fn check_size(bytes: usize) -> Result<(), OutOfMemory> {
    if bytes <= MAX_TEXT { Ok(()) } else { Err(OutOfMemory(bytes)) }
}

/// Variables by their names.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    /// Their values, and whether programs get them.
    values: BTreeMap<String, (String, bool)>,
    /// The bytes of all names and values.
    bytes: usize,
}

impl Variables {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|(value, _)| value.as_str())
    }

    /// Names and values, by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, (value, _))| (name.as_str(), value.as_str()))
    }

    pub(super) fn set(&mut self, name: &str, value: String) -> Result<(), OutOfMemory> {
        let before = self.get(name).map_or(0, |value| name.len() + value.len());
        let bytes = self.bytes - before + name.len() + value.len();
        check_size(bytes)?;
        self.bytes = bytes;
        self.values.entry(name.to_owned()).or_default().0 = value;
        Ok(())
    }

    /// Programs get it from now on; one that is not set is empty.
    pub(super) fn export(&mut self, name: &str) -> Result<(), OutOfMemory> {
        if self.get(name).is_none() {
            self.set(name, String::new())?;
        }
        if let Some((_, exported)) = self.values.get_mut(name) {
            *exported = true;
        }
        Ok(())
    }

    /// Leaves those that a program gets.
    pub(super) fn keep_exported(&mut self) {
        let bytes = &mut self.bytes;
        self.values.retain(|name, (value, exported)| {
            if !*exported {
                *bytes -= name.len() + value.len();
            }
            *exported
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_makes_room() {
        let mut variables = Variables::default();
        let most = "x".repeat(MAX_TEXT - 1);
        variables.set("a", most.clone()).unwrap();
        assert_eq!(variables.set("b", String::new()), Err(OutOfMemory(MAX_TEXT + 1)));
        variables.set("a", String::new()).unwrap();
        variables.set("b", most[1..].to_owned()).unwrap();
        assert_eq!(variables.get("a"), Some(""));
        variables.export("a").unwrap();
        variables.keep_exported();
        assert_eq!((variables.get("a"), variables.get("b"), variables.bytes), (Some(""), None, 1));
    }
}
