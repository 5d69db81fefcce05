//! Finds the `id` of a JSON-RPC request while it is streamed, in a few bytes of memory.
use rmcp::model::RequestId;

/// Longer keys and ids are not kept; an id is a number or a short text.
const MAX_ID: usize = 256;

/// Reads a JSON object byte by byte and keeps the value of its top-level `id`, if it has a `method` as well. For input that is not JSON
/// the result is arbitrary.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Default)]
pub(super) struct RequestIdScanner {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The key or value at the outer level that is being read, up to [`MAX_ID`].
    token: Vec<u8>,
    token_is_id: bool,
    id: Option<Vec<u8>>,
    has_method: bool,
}

impl RequestIdScanner {
    pub(super) fn scan(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                // A value that is an object or an array is not an id.
                self.keep(byte);
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_of_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.token_is_id = self.token == b"\"id\"";
                self.has_method |= self.token == b"\"method\"";
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_of_member(),
            b' ' | b'\t' | b'\r' => {}
            _ => self.keep(byte),
        }
    }

    /// The id, if a valid one was found, and it is no response's.
    pub(super) fn id(self) -> Option<RequestId> {
        self.id.as_ref().filter(|_| self.has_method)?;
        serde_json::from_slice(&self.id?).ok()
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= MAX_ID {
            self.token.push(byte);
        }
    }

    fn end_of_member(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.token_is_id) && token.len() <= MAX_ID {
            self.id = Some(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<RequestId> {
        let mut scanner = RequestIdScanner::default();
        text.bytes().for_each(|byte| scanner.scan(byte));
        scanner.id()
    }

    #[test]
    fn ids_are_found_wherever_they_stand() {
        let number = Some(RequestId::Number(7));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#), number);
        assert_eq!(id(r#"{"method":"x","params":{"a":[1,2]}, "id" : 7 }"#), number);
        assert_eq!(id(r#"{"params":{"id":9},"method":"\",\"id\":8","id":7}"#), number);
        assert_eq!(
            id(r#"{"method":"x","id":"a\"b, {"}"#),
            Some(RequestId::String("a\"b, {".into()))
        );
    }

    #[test]
    fn what_is_no_id_is_none() {
        let long = format!(r#"{{"method":"x","id":"{}"}}"#, "x".repeat(1000));
        for none in [
            "",
            "{}",
            r#"{"method":"x"}"#,
            r#"{"method":"x","id":null}"#,
            r#"{"method":"x","id":{"id":7}}"#,
            r#"[{"method":"x","id":7}]"#,
            // A response has the id of a request of ours.
            r#"{"id":7,"result":{}}"#,
            r#"{"id":7,"result":{"method":"x"}}"#,
            r#"{"id":7,"result":"method"}"#,
            &long,
        ] {
            assert_eq!(id(none), None, "{none}");
        }
    }

    proptest::proptest! {
        #[test]
        fn it_agrees_with_a_parser(number in proptest::num::i64::ANY, key in "\\PC{0,8}", text in "\\PC{0,40}") {
            let message = serde_json::json!({ "params": { key: text.as_str(), "id": 1 }, "id": number, "x": text,
                "method": "y" });
            proptest::prop_assert_eq!(id(&message.to_string()), Some(RequestId::Number(number)));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let mut scanner = RequestIdScanner::default();
            for byte in bytes {
                scanner.scan(byte);
            }
            drop(scanner.id());
        }
    }
}
