//! A line becomes a message, or an error that its sender is told.
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::Value;

use super::garbled::mended;
use super::request_id::RequestIdScanner;
use crate::mcp::bad_params;

/// The largest number of characters of a parser's message.
const MAX_REASON: usize = 200;

/// What a line is.
#[derive(Debug)]
pub(super) enum Parsed {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that wants an answer: an empty line, a notification that is not known.
    Nothing,
    /// No message: what to answer, with the id if it is that of a request. By the id of a response the client would take
    /// it for the answer to a request of its own.
    Wrong(ErrorData, Option<RequestId>),
}

/// Reads a line without its end.
pub(super) fn parse(line: &[u8]) -> Parsed {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Parsed::Nothing;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return match bad_params::of_handshake(&message) {
            Some((error, id)) => Parsed::Wrong(error, Some(id)),
            None => Parsed::Message(Box::new(message)),
        };
    }
    if let Some(response) = garbled_response(line) {
        return Parsed::Message(Box::new(response));
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(object)) => {
            let has_method = object.get("method").is_some_and(Value::is_string);
            if has_method && !object.contains_key("id") {
                // A notification is never answered, whatever is wrong with it.
                return Parsed::Nothing;
            }
            let has_params = object.get("params").is_none_or(|it| it.is_object() || it.is_array());
            let text = if has_params || !has_method {
                "the line is no JSON-RPC 2.0 request, notification or response"
            } else {
                "the line is no JSON-RPC 2.0 request: its `params` must be an object, or left out"
            };
            let id = object.get("id").filter(|_| has_method);
            let id = id.and_then(|id| serde_json::from_value(id.clone()).ok());
            Parsed::Wrong(ErrorData::invalid_request(text, None), id)
        }
        Ok(Value::Array(_)) => {
            let text = "batches are not taken: send each message on a line of its own";
            Parsed::Wrong(ErrorData::invalid_request(text, None), None)
        }
        Ok(_) => {
            let text = "the line is no JSON-RPC 2.0 message";
            Parsed::Wrong(ErrorData::invalid_request(text, None), None)
        }
        Err(err) => {
            let why: String = err.to_string().chars().take(MAX_REASON).collect();
            let error = ErrorData::new(
                ErrorCode::PARSE_ERROR,
                format!("the line is not JSON: {why}"),
                None,
            );
            let mut scanner = RequestIdScanner::default();
            for byte in line {
                scanner.scan(*byte);
            }
            let is_object = line.first() == Some(&b'{');
            Parsed::Wrong(error, scanner.id().filter(|_| is_object))
        }
    }
}

/// A response with a text that is none, which is read as far as it goes: what waits for it would wait for ever. A request
/// is refused instead, and can be sent again.
fn garbled_response(line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
    let message = serde_json::from_str(&mended(line)?).ok()?;
    matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(line: impl AsRef<[u8]>) -> (i32, Option<RequestId>) {
        match parse(line.as_ref()) {
            Parsed::Wrong(error, id) => (error.code.0, id),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_not_json_is_told_with_its_id() {
        let seven = Some(RequestId::Number(7));
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        for params in ["\"\\ud83d\"", "1e400", "NaN", &deep] {
            let line =
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"x":{params}}}}}"#);
            assert_eq!(wrong(&line), (-32700, seven.clone()), "{line}");
        }
        let mut line = br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":""#.to_vec();
        line.extend_from_slice(b"\xff\xfe\"}}");
        assert_eq!(wrong(line), (-32700, seven));
        for none in ["not json", "null}", "{{{{", "{\"jsonrpc\":"] {
            assert_eq!(wrong(none), (-32700, None), "{none}");
        }
    }

    #[test]
    fn what_is_json_and_no_message_is_an_invalid_request() {
        for (line, id) in [
            ("[]", None),
            ("7", None),
            ("{}", None),
            (r#"{"id":1.5,"jsonrpc":"2.0","method":"x"}"#, None),
            (r#"{"id":7,"jsonrpc":"1.0","method":"x"}"#, Some(RequestId::Number(7))),
            // A response, or who knows what: its id is not one of a request.
            (r#"{"id":7,"jsonrpc":"1.0","result":{}}"#, None),
            (r#"{"id":7,"jsonrpc":"2.0"}"#, None),
        ] {
            assert_eq!(wrong(line), (-32600, id), "{line}");
        }
    }

    #[test]
    fn params_that_are_no_object_are_named() {
        for params in ["\"x\"", "5"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{params}}}"#);
            let Parsed::Wrong(error, Some(_)) = parse(line.as_bytes()) else { panic!("{line}") };
            assert!(error.message.contains("`params` must be an object"), "{error:?}");
        }
    }

    #[test]
    fn a_response_with_a_garbled_text_is_still_one() {
        for line in [
            &br#"{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"reply":"ok \ud83d"}}}"#[..],
            b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"action\":\"accept\",\"content\":{\"reply\":\"ok \xff\"}}}",
        ] {
            let Parsed::Message(message) = parse(line) else { panic!("{line:?}") };
            let message = serde_json::to_value(&*message).unwrap();
            assert_eq!(message["id"], 0);
            assert_eq!(message["result"]["content"]["reply"], "ok \u{fffd}");
        }
        let error = br#"{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"\udc00"}}"#;
        assert!(matches!(parse(error), Parsed::Message(_)));
        // What cannot be read at all is not answered as a request would be.
        assert_eq!(wrong(br#"{"jsonrpc":"2.0","id":0,"result":{"a":"\ud83d""#), (-32700, None));
        assert_eq!(wrong(b"{\"id\":0,\"result\":{\"method\":\"x\",\"a\":NaN}}"), (-32700, None));
    }

    #[test]
    fn what_wants_no_answer_gets_none() {
        for quiet in ["", "  \r", "\u{feff}", r#"{"jsonrpc":"1.0","method":"notifications/x"}"#] {
            assert!(matches!(parse(quiet.as_bytes()), Parsed::Nothing), "{quiet}");
        }
        let bom = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(parse(bom.as_bytes()), Parsed::Message(_)));
    }
}
