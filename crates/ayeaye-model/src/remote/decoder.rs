//! Bytes in, an answer out: whole JSON or an event stream, judged by what comes.
use super::completion::{self, Completion, TRUNCATED};
use super::failure::AttemptError;
use super::wire::Api;
use crate::Limits;
use crate::profile::strict_json;

/// What has come of an answer.
#[derive(Debug)]
pub(super) struct ResponseDecoder {
    api: &'static dyn Api,
    limits: Limits,
    /// As the answer's header says; used where the bytes do not tell.
    content_type: String,
    /// Bytes so far, unpacked.
    received: usize,
    kind: BodyKind,
}

#[derive(Debug)]
enum BodyKind {
    /// Nothing but blanks so far.
    Unknown,
    Json(Vec<u8>),
    EventStream(EventStream),
}

impl ResponseDecoder {
    pub(super) fn new(api: &'static dyn Api, limits: Limits, content_type: &str) -> Self {
        let content_type = content_type.split(';').next().unwrap_or_default().trim();
        let content_type = content_type.to_ascii_lowercase();
        Self { api, limits, content_type, received: 0, kind: BodyKind::Unknown }
    }

    /// Takes in the next bytes. `true` when the reply is whole and nothing more needs to come.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<bool, AttemptError> {
        self.received += bytes.len();
        if self.limits.body < self.received {
            return Err(AttemptError::fatal(format!(
                "answered with more than {} bytes: no reply is that long",
                self.limits.body
            )));
        }
        if let BodyKind::Unknown = self.kind {
            let start = bytes.iter().find(|byte| !b" \t\r\n\xef\xbb\xbf".contains(byte));
            self.kind = match start {
                None => return Ok(false),
                Some(b'{' | b'[' | b'"') => BodyKind::Json(Vec::new()),
                Some(b'<') => return Err(AttemptError::wrong_api("a web page")),
                Some(b'd' | b'e' | b'i' | b'r' | b':') => {
                    BodyKind::EventStream(EventStream::default())
                }
                Some(_) if self.content_type == "text/event-stream" => {
                    BodyKind::EventStream(EventStream::default())
                }
                Some(_) => {
                    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
                    let text = super::failure::excerpt(&text);
                    return Err(AttemptError::wrong_api(&format!(
                        "{text} ({})",
                        self.content_type
                    )));
                }
            };
        }
        match &mut self.kind {
            BodyKind::Unknown => Ok(false),
            BodyKind::Json(body) => {
                body.extend_from_slice(bytes);
                Ok(false)
            }
            BodyKind::EventStream(events) => events.push(self.api, bytes, self.limits.reply),
        }
    }

    /// Whether the first words of the reply have come. Only a stream can tell.
    pub(super) fn has_begun(&self) -> bool {
        match &self.kind {
            BodyKind::EventStream(EventStream { answer, .. }) => answer.has_begun(),
            BodyKind::Unknown | BodyKind::Json(_) => false,
        }
    }

    /// The answer when no more bytes will come.
    pub(super) fn finish(self) -> Result<Completion, AttemptError> {
        match self.kind {
            BodyKind::Unknown => Err(AttemptError::retryable("answered with nothing at all")),
            BodyKind::Json(body) => {
                let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&body);
                completion::parse_body(self.api, body, self.limits.reply)
            }
            BodyKind::EventStream(events) => events.finish(self.api, self.limits.reply),
        }
    }
}

/// The most lines of one event.
const MAX_DATA_LINES: usize = 100;

/// Server-sent events, of which only the `data` lines matter here.
#[derive(Debug, Default)]
struct EventStream {
    /// The start of a line that has not ended.
    line: Vec<u8>,
    /// Data of an event that is not whole JSON by itself: it goes on in the next line.
    data: String,
    /// Lines of it.
    lines: usize,
    answer: Completion,
    /// Anything at all was said.
    has_data: bool,
    /// The end has come: `[DONE]`, or what the API says instead.
    done: bool,
}

impl EventStream {
    fn push(&mut self, api: &dyn Api, bytes: &[u8], most: usize) -> Result<bool, AttemptError> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.take_line(api, &line, most)?;
        }
        self.line.extend_from_slice(rest);
        Ok(self.done)
    }

    fn take_line(&mut self, api: &dyn Api, line: &[u8], most: usize) -> Result<(), AttemptError> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
        if self.done {
            return Ok(());
        }
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return if data.is_empty() { Ok(()) } else { Err(broken()) };
        }
        // Comments keep the line open; `event`, `id` and `retry` say nothing we need.
        let Some(data) = line.strip_prefix("data:").map(|data| data.trim_start_matches(' ')) else {
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
        // Every endpoint seen writes an event in one line, not all of them the blank line after it.
        if let Ok(said) = strict_json(self.data.as_bytes()) {
            self.data.clear();
            self.lines = 0;
            self.has_data = true;
            self.answer.merge(api, &said, most)?;
            self.done = self.answer.ended;
        } else {
            self.data.push('\n');
            self.lines += 1;
        }
        // Each line more is another look at all of them.
        if MAX_DATA_LINES < self.lines { Err(broken()) } else { Ok(()) }
    }

    fn finish(mut self, api: &dyn Api, most: usize) -> Result<Completion, AttemptError> {
        let line = std::mem::take(&mut self.line);
        self.take_line(api, &line, most)?;
        if !self.data.is_empty() {
            return Err(broken());
        }
        if !self.has_data {
            return Err(AttemptError::retryable("answered with a stream that says nothing"));
        }
        let mut answer = self.answer;
        if answer.finish_reason.is_none() && !self.done {
            answer.finish_reason = Some(TRUNCATED.to_owned());
        }
        Ok(answer.finished(api))
    }
}

fn broken() -> AttemptError {
    AttemptError::retryable("sent a stream with broken JSON in it")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::failure::Recovery;
    use super::super::wire::api;
    use super::*;
    use crate::profile::Wire;

    fn decoder(content_type: &str, pieces: &[&[u8]]) -> Result<Completion, AttemptError> {
        take(Wire::Chat, content_type, pieces)
    }

    fn take(wire: Wire, content_type: &str, pieces: &[&[u8]]) -> Result<Completion, AttemptError> {
        let limits = Limits { body: 4000, reply: 1000, ..Limits::DEFAULT };
        let mut decoder = ResponseDecoder::new(api(wire), limits, content_type);
        for piece in pieces {
            decoder.push(piece)?;
        }
        decoder.finish()
    }

    const STREAM: &str = ": keep-alive\n\n\
        data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"想\"}}]}\n\n\
        event: message\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"你\"}}]}\r\n\r\n\
        data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"好\"},\"finish_reason\":null}]}\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n\
        data: [DONE]\n\n";

    #[test]
    fn a_stream_is_put_together() {
        let answer = decoder("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("你好", "想"));
        assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
        assert_eq!((answer.tokens.prompt, answer.tokens.completion), (7, 2));
        let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
        assert_eq!(decoder("application/json", &bytes).unwrap(), answer, "byte by byte");
    }

    #[test]
    fn a_stream_that_does_not_end_is_cut_or_an_error_and_never_whole() {
        let whole = decoder("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        let end = STREAM.find("\"finish_reason\":\"stop\"").unwrap();
        for at in 0..end {
            match decoder("text/event-stream", &[&STREAM.as_bytes()[..at]]) {
                Ok(answer) => assert_eq!(answer.finish_reason.as_deref(), Some(TRUNCATED), "{at}"),
                Err(failure) => assert_ne!(failure.next, Recovery::GiveUp, "{}", failure.text),
            }
        }
        // `[DONE]` alone ends it too, for endpoints that give no reason.
        let plain = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]";
        assert_eq!(decoder("", &[plain.as_bytes()]).unwrap().finish_reason, None);
        assert_eq!(whole.text, "你好");
    }

    /// A call of a tool in each wire's events, and where its end begins.
    const CALLS: [(Wire, &str, &str); 3] = [
        (
            Wire::Chat,
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"done\",\"arguments\":\"\"}}]}}]}\n\n\
             data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"message\\\":\\\"ok\\\"}\"}}]}}]}\n\n\
             data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
            "\"finish_reason\":\"tool_calls\"",
        ),
        (
            Wire::Anthropic,
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"c\"}}\n\n\
             event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"done\",\"input\":{}}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"message\\\":\\\"ok\\\"}\"}}\n\n\
             data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
             data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n\
             data: {\"type\":\"message_stop\"}\n\n",
            "\"stop_reason\":\"tool_use\"",
        ),
        (
            Wire::Gemini,
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"so\",\"thought\":true}]}}]}\n\n\
             data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"done\",\"args\":{\"message\":\"ok\"}}}]}}]}\n\n\
             data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}]}\n\n",
            "\"finishReason\":\"STOP\"",
        ),
    ];

    #[test]
    fn a_streamed_call_cut_at_any_byte_is_no_whole_answer_in_any_wire() {
        for (wire, stream, end) in CALLS {
            let mut whole = take(wire, "text/event-stream", &[stream.as_bytes()]).unwrap();
            let calls = whole.take_tool_calls();
            assert_eq!(
                (calls[0].name.as_str(), calls[0].arguments.as_str()),
                ("done", "{\"message\":\"ok\"}")
            );
            assert_ne!(whole.finish_reason.as_deref(), Some(TRUNCATED), "{wire:?}");
            for at in 0..stream.find(end).unwrap() {
                match take(wire, "text/event-stream", &[&stream.as_bytes()[..at]]) {
                    Ok(answer) => {
                        assert_eq!(
                            answer.finish_reason.as_deref(),
                            Some(TRUNCATED),
                            "{wire:?} {at}"
                        );
                    }
                    Err(failure) => assert_ne!(failure.next, Recovery::GiveUp, "{}", failure.text),
                }
            }
            let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
            let mut apart = take(wire, "", &bytes).unwrap();
            assert_eq!(apart.take_tool_calls(), calls, "{wire:?}: byte by byte");
        }
    }

    #[test]
    fn the_bytes_tell_more_than_the_header() {
        let json = br#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#;
        for content_type in
            ["text/event-stream", "text/html", "application/json; charset=utf-8", ""]
        {
            assert_eq!(decoder(content_type, &[b"\n ", json]).unwrap().text, "a", "{content_type}");
        }
    }

    #[test]
    fn what_is_no_answer_says_what_it_is() {
        for (body, part) in [
            ("", "nothing at all"),
            (" \n", "nothing at all"),
            ("<!DOCTYPE html>", "a web page"),
            ("Hello", "“Hello” (text/plain)"),
            ("data: [DONE]\n\n", "says nothing"),
            ("data: {\"choices\"\n\n", "broken JSON"),
            ("data: {\"error\":{\"message\":\"gone\",\"code\":500}}\n\n", "“gone”"),
        ] {
            let failure = decoder("text/plain", &[body.as_bytes()]).unwrap_err();
            assert!(failure.text.contains(part), "{body:?}: {}", failure.text);
        }
    }

    #[test]
    fn too_much_is_refused() {
        assert_eq!(decoder("", &[b"{", &[b' '; 4000]]).unwrap_err().next, Recovery::GiveUp);
        let long = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n",
            "x".repeat(600)
        );
        let failure = decoder("", &[long.as_bytes(), long.as_bytes()]).unwrap_err();
        assert!(failure.text.contains("1000 bytes"), "{}", failure.text);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(pieces in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..20),
                Just(b"data: ".to_vec()), Just(b"\n".to_vec()), Just(b"{\"choices\":[{\"delta\":".to_vec()),
                Just(b"{\"content\":\"x\"}}]}".to_vec()),
                Just(br#"{"type":"message_stop"}"#.to_vec()),
                Just(br#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"a"}}"#.to_vec()),
                Just(br#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a"}}]}}]}"#.to_vec()),
                Just(b"[DONE]".to_vec()), Just(b":".to_vec()),
            ],
            0..20,
        )) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let whole = pieces.concat();
            for wire in [Wire::Chat, Wire::Anthropic, Wire::Gemini] {
                let apart = take(wire, "text/event-stream", &pieces);
                let whole = take(wire, "text/event-stream", &[&whole]);
                prop_assert_eq!(apart.ok(), whole.ok());
            }
        }
    }
}
