//! The body of a request.
use ayeaye_agent::{Message, Part, Prompt};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use crate::profile::Sampling;

/// How the reply is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    Stream,
    /// Piece by piece, with the number of tokens at the end.
    StreamWithUsage,
}

pub(super) fn body(model: &str, prompt: &Prompt, sampling: Sampling, how: Delivery) -> Bytes {
    let messages: Vec<Value> = prompt.messages.iter().map(message).collect();
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": how != Delivery::Whole,
    });
    for (name, value) in sampling.params() {
        body[name] = value;
    }
    if !prompt.tools.is_empty() {
        body["tools"] = Value::from(prompt.tools.clone());
    }
    if how == Delivery::StreamWithUsage {
        body["stream_options"] = json!({ "include_usage": true });
    }
    Bytes::from(body.to_string())
}

fn message(message: &Message) -> Value {
    let pictures = message.parts.iter().any(|part| matches!(part, Part::Picture(_)));
    let content = if pictures {
        Value::Array(message.parts.iter().map(part).collect())
    } else {
        // Plain text for those endpoints that take parts only from users.
        let texts = message.parts.iter().filter_map(|part| match part {
            Part::Text(text) | Part::Result { text, .. } => Some(text.as_str()),
            Part::Picture(_) | Part::Call(_) => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        // Some endpoints refuse a message that says nothing, such as an empty reply.
        Value::String(if text.trim().is_empty() { "(empty)".to_owned() } else { text })
    };
    json!({ "role": message.role.name(), "content": content })
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) | Part::Result { text, .. } => json!({ "type": "text", "text": text }),
        Part::Call(call) => {
            json!({ "type": "text", "text": format!("{}({})", call.name, call.arguments) })
        }
        Part::Picture(picture) => {
            let mut url = format!("data:{};base64,", picture.media_type);
            STANDARD.encode_string(&picture.bytes, &mut url);
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::{Picture, Role, ScreenSize, Unreadable};

    use super::*;

    const SAMPLING: Sampling =
        Sampling { temperature: Some(0.1), max_tokens: 4096, ..Sampling::GREEDY };

    #[test]
    fn a_prompt_as_it_is_sent() {
        let picture = Picture {
            bytes: Bytes::from_static(&[0xff, 0xd8, 0xff]),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        };
        let parts = vec![Part::Text("look".to_owned()), Part::Picture(picture)];
        let prompt = Prompt::of(vec![Message { role: Role::User, parts }]);
        let prompt = prompt.asked_again("", &Unreadable("it is empty".to_owned()));
        let sent: Value =
            serde_json::from_slice(&body("m", &prompt, SAMPLING, Delivery::StreamWithUsage))
                .unwrap();
        assert_eq!(sent["messages"][0]["content"][0], json!({"type": "text", "text": "look"}));
        let url = &sent["messages"][0]["content"][1]["image_url"]["url"];
        assert_eq!(url, "data:image/jpeg;base64,/9j/");
        assert_eq!(sent["messages"][1], json!({"role": "assistant", "content": "(empty)"}));
        assert!(sent["messages"][2]["content"].as_str().unwrap().contains("it is empty"));
        assert_eq!((&sent["temperature"], &sent["max_tokens"]), (&json!(0.1), &json!(4096)));
        assert_eq!(sent["stream_options"]["include_usage"], true);
    }

    #[test]
    fn a_whole_reply_is_asked_for_plainly() {
        let sent = body("m", &Prompt::default(), SAMPLING, Delivery::Whole);
        let sent: Value = serde_json::from_slice(&sent).unwrap();
        assert_eq!(sent["stream"], false);
        assert!(sent.get("stream_options").is_none());
    }
}
