//! Server-sent events, of which only the `data` lines matter here, whether an event is called `error`, and the
//! `error` lines that some servers add.
//!
//! Not by the letter of the standard, which drops an event that no blank line follows: not every
//! endpoint writes one, and a stream that is cut off must be told from one that has ended.
use serde_json::Value;

use super::error::AttemptError;
use super::surrogates::json_with_halves;

/// The most lines that one event's data may take. Each is another attempt to parse all of them.
const MAX_DATA_LINES: usize = 100;

/// Bytes in, the events' JSON out.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    /// The beginning of a line that has not ended.
    line: Vec<u8>,
    /// The last line ended with a carriage return: a line feed after it belongs to the same end.
    after_return: bool,
    /// Data that is not whole JSON yet; the event goes on in the next line.
    data: String,
    data_lines: usize,
    /// The event says that it is an error.
    is_error: bool,
    /// `[DONE]` has come, or `on_event` has said that nothing more will.
    done: bool,
}

impl EventReader {
    /// Reads the next bytes and hands each event to `on_event`, which returns whether it was the
    /// last one. `true` when the stream is over.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        on_event: &mut impl FnMut(&Value) -> Result<bool, AttemptError>,
    ) -> Result<bool, AttemptError> {
        let mut rest = bytes;
        // Lines end in a line feed, a carriage return or both.
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_feed = rest[end] == b'\n';
            let is_second_half = self.after_return && is_feed && end == 0 && self.line.is_empty();
            self.after_return = !is_feed;
            self.line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            if is_second_half {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            self.read_line(&line, on_event)?;
        }
        self.line.extend_from_slice(rest);
        Ok(self.done)
    }

    /// Reads what is left when no more bytes come. `true` when the stream had said that it was over.
    pub(super) fn finish(
        mut self,
        on_event: &mut impl FnMut(&Value) -> Result<bool, AttemptError>,
    ) -> Result<bool, AttemptError> {
        let line = std::mem::take(&mut self.line);
        self.read_line(&line, on_event)?;
        self.end_event(on_event)?;
        Ok(self.done)
    }

    /// The event is over, so that what it holds and is no JSON will not become any.
    fn end_event(
        &mut self,
        on_event: &mut impl FnMut(&Value) -> Result<bool, AttemptError>,
    ) -> Result<(), AttemptError> {
        let is_error = std::mem::take(&mut self.is_error);
        let data = std::mem::take(&mut self.data);
        self.data_lines = 0;
        match data.trim_end() {
            "" => Ok(()),
            // Some tell it in words, also such as begin with a bracket.
            words if is_error => {
                self.done = on_event(&as_error(words.into()))?;
                Ok(())
            }
            // Written by hand around words with quotes and ends of lines in them (`transformers serve`).
            held => {
                let words = error_words(held).ok_or_else(broken_json)?;
                let words = words.trim_end_matches('}').trim_end_matches('"');
                self.done = on_event(&as_error(words.into()))?;
                Ok(())
            }
        }
    }

    fn read_line(
        &mut self,
        line: &[u8],
        on_event: &mut impl FnMut(&Value) -> Result<bool, AttemptError>,
    ) -> Result<(), AttemptError> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start_matches('\u{feff}');
        if self.done {
            return Ok(());
        }
        if line.is_empty() {
            return self.end_event(on_event);
        }
        // As llama.cpp's server reports what fails in a stream.
        if let Some(error) = line.strip_prefix("error:").map(str::trim).filter(|it| !it.is_empty())
        {
            let error = json_with_halves(error.as_bytes()).unwrap_or_else(|_| error.into());
            self.done = on_event(&as_error(error))?;
            return Ok(());
        }
        if let Some(event) = line.strip_prefix("event:") {
            self.is_error = event.trim() == "error";
        }
        let Some(data) = line.strip_prefix("data:").map(|data| data.trim_start_matches(' ')) else {
            // Comments keep the connection open; `id`, `retry` and other events hold nothing that we need. But words of
            // an error go on in lines of their own.
            let is_field = [":", "event:", "id:", "retry:"].iter().any(|it| line.starts_with(it));
            if !is_field && error_words(&self.data).is_some() {
                self.hold(line)?;
            }
            return Ok(());
        };
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if data.trim().is_empty() {
            return Ok(());
        }
        self.data.push_str(data);
        if let Ok(event) = json_with_halves(self.data.as_bytes()) {
            self.data.clear();
            self.data_lines = 0;
            let event = if self.is_error { as_error(event) } else { event };
            self.done = on_event(&event)?;
        } else if self.is_error && !self.data.starts_with(['{', '[', '"']) {
            // Some tell it in plain words.
            self.done = on_event(&as_error(std::mem::take(&mut self.data).into()))?;
        } else {
            self.hold("")?;
        }
        Ok(())
    }

    /// Ends a line of data that goes on.
    fn hold(&mut self, more: &str) -> Result<(), AttemptError> {
        self.data.push_str(more);
        self.data.push('\n');
        self.data_lines += 1;
        if MAX_DATA_LINES < self.data_lines { Err(broken_json()) } else { Ok(()) }
    }
}

/// What data says that reports an error in words, whole or not.
fn error_words(data: &str) -> Option<&str> {
    data.strip_prefix("{\"error\":")?.trim_start().strip_prefix('"')
}

/// An error that a stream marks as one, as an answer that reports it.
fn as_error(error: Value) -> Value {
    if error["error"].is_null() { serde_json::json!({ "error": error }) } else { error }
}

fn broken_json() -> AttemptError {
    AttemptError::invalid_response("sent a stream with broken JSON in it")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The events of a stream that comes in pieces of this many bytes.
    fn events(stream: &str, piece: usize) -> Vec<Value> {
        let mut reader = EventReader::default();
        let mut events = Vec::new();
        let mut take = |event: &Value| {
            events.push(event.clone());
            Ok(false)
        };
        for piece in stream.as_bytes().chunks(piece) {
            reader.push(piece, &mut take).unwrap();
        }
        reader.finish(&mut take).unwrap();
        events
    }

    #[test]
    fn lines_end_in_a_line_feed_a_carriage_return_or_both() {
        let stream = ": hello\nevent: x\ndata: {\"a\":\ndata: 1}\n\ndata: {\"b\":2}\n\n";
        for end in ["\n", "\r", "\r\n"] {
            let stream = stream.replace('\n', end);
            for piece in 1..=stream.len() {
                assert_eq!(
                    events(&stream, piece),
                    [json!({"a": 1}), json!({"b": 2})],
                    "{stream:?}"
                );
            }
        }
    }
}
