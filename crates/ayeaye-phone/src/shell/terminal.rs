//! Line editing, as a terminal driver does it before the shell reads a line.
use bytes::Bytes;

/// Most bytes of a typed line; more are dropped, as a terminal's driver does.
const MAX_LINE: usize = 4096;

/// The effect of typed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TerminalEvent {
    /// To be shown on the terminal.
    Echo(Vec<u8>),
    /// A whole line, with its end.
    Line(Bytes),
    /// Ctrl+C.
    Interrupt,
    /// Ctrl+D at the start of a line.
    End,
}

/// Edits the line being typed.
#[derive(Debug, Default)]
pub(crate) struct LineEditor {
    line: Vec<u8>,
    escape: Escape,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    LaunchState,
    Within,
}

impl LineEditor {
    /// Processes typed bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<TerminalEvent> {
        let mut typed = Vec::new();
        for byte in bytes {
            self.feed_byte(*byte, &mut typed);
        }
        typed
    }

    fn feed_byte(&mut self, byte: u8, typed: &mut Vec<TerminalEvent>) {
        // Escape sequences of arrow keys and the like are ignored.
        match (self.escape, byte) {
            (Escape::LaunchState, b'[' | b'O') => return self.escape = Escape::Within,
            (Escape::LaunchState, _) | (Escape::Within, 0x40..=0x7e) => {
                return self.escape = Escape::None;
            }
            (Escape::Within, _) => return,
            (Escape::None, _) => {}
        }
        match byte {
            0x1b => self.escape = Escape::LaunchState,
            b'\r' | b'\n' => {
                self.line.push(b'\n');
                typed.push(TerminalEvent::Echo(b"\n".to_vec()));
                typed.push(TerminalEvent::Line(Bytes::from(std::mem::take(&mut self.line))));
            }
            0x03 => {
                self.line.clear();
                typed.push(TerminalEvent::Echo(b"^C\n".to_vec()));
                typed.push(TerminalEvent::Interrupt);
            }
            0x04 if self.line.is_empty() => typed.push(TerminalEvent::End),
            0x15 => {
                let width = String::from_utf8_lossy(&self.line).chars().count();
                self.line.clear();
                typed.push(TerminalEvent::Echo(b"\x08 \x08".repeat(width)));
            }
            0x08 | 0x7f => {
                // Delete all bytes of a UTF-8 character.
                while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
                typed.push(TerminalEvent::Echo(b"\x08 \x08".to_vec()));
            }
            0..=0x1f => {}
            byte if self.line.len() < MAX_LINE => {
                self.line.push(byte);
                typed.push(TerminalEvent::Echo(vec![byte]));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<TerminalEvent> {
        let mut editor = LineEditor::default();
        let mut typed = editor.feed(bytes);
        typed.retain(|it| !matches!(it, TerminalEvent::Echo(_)));
        typed
    }

    #[test]
    fn typing_is_edited() {
        let line = |text: &'static str| TerminalEvent::Line(Bytes::from_static(text.as_bytes()));
        assert_eq!(lines(b"lx\x7fs\r"), [line("ls\n")]);
        assert_eq!(lines("aä\x7f\n".as_bytes()), [line("a\n")]);
        assert_eq!(lines(b"abc\x15d\x1b[A\x1bOB\r"), [line("d\n")]);
        assert_eq!(lines(b"abc\x03\x04"), [TerminalEvent::Interrupt, TerminalEvent::End]);
        assert_eq!(lines(b"abc\x04"), []);
    }

    #[test]
    fn a_line_is_bounded() {
        let typed = lines(&[&[b'a'; 10_000][..], b"\n"].concat());
        let [TerminalEvent::Line(line)] = &typed[..] else { panic!("{typed:?}") };
        assert_eq!(line.len(), MAX_LINE + 1);
    }
}
