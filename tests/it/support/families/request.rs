//! A request, as a family's server sees it: turns with words, pictures and calls of tools, whatever
//! the API.
use axum::http::HeaderMap;
use base64::Engine as _;
use serde_json::Value;

/// One request.
#[derive(Debug, Clone)]
pub struct FamilyRequest {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
    /// In order; a system prompt outside the messages comes first.
    pub turns: Vec<Turn>,
}

/// One message.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub role: String,
    pub text: String,
    /// Width and height of each, by the JPEG's own header.
    pub pictures: Vec<(u32, u32)>,
    /// Calls in it: id, name and arguments.
    pub calls: Vec<(String, String, Value)>,
    /// Ids (where there are none, names) of the calls that it holds the results of.
    pub results: Vec<String>,
}

impl FamilyRequest {
    /// A request that says nothing, for what has to be said without one.
    pub fn nothing() -> Self {
        let (path, headers) = (String::new(), HeaderMap::new());
        Self { path, headers, body: Value::Null, turns: Vec::new() }
    }

    pub fn pictures(&self) -> Vec<(u32, u32)> {
        self.turns.iter().flat_map(|turn| turn.pictures.iter().copied()).collect()
    }

    /// The picture of the screen as it is now: the last.
    pub fn picture(&self) -> Option<(u32, u32)> {
        self.pictures().pop()
    }

    /// All words.
    pub fn text(&self) -> String {
        self.turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub fn of_role(&self, role: &str) -> Vec<&Turn> {
        self.turns.iter().filter(|turn| turn.role == role).collect()
    }

    /// Complains unless the turns are of these roles, each of which may repeat where it ends in `+`.
    pub fn roles(&self) -> Vec<&str> {
        self.turns.iter().map(|turn| turn.role.as_str()).collect()
    }

    /// Complains unless a parameter is this number; `None`: unless it is not said.
    pub fn expect_param(&self, name: &str, expected: Option<f64>) -> Result<(), String> {
        let value = self.body[name].as_f64();
        if value == expected && (expected.is_some() || self.body.get(name).is_none()) {
            return Ok(());
        }
        Err(format!("{name} is {}, not {expected:?}", self.body[name]))
    }

    /// Complains unless there are so many pictures.
    pub fn expect_pictures(&self, fits: impl Fn(usize) -> bool) -> Result<(), String> {
        let count = self.pictures().len();
        if fits(count) { Ok(()) } else { Err(format!("{count} pictures")) }
    }

    /// Complains unless the words hold this.
    pub fn expect_text(&self, part: &str) -> Result<(), String> {
        let words = self.text();
        if words.contains(part) { Ok(()) } else { Err(format!("nothing says {part:?}: {words}")) }
    }

    /// The parameters of a tool that the request offers, by its name.
    pub fn tool(&self, name: &str) -> Result<&Value, String> {
        let tools = self.body["tools"].as_array();
        let mut functions = tools.into_iter().flatten().map(|tool| &tool["function"]);
        let tool = functions.find(|function| function["name"] == name);
        tool.map(|tool| &tool["parameters"]).ok_or_else(|| format!("no tool {name}"))
    }
}

/// The turns of a chat of OpenAI's kind.
pub fn chat(body: &Value) -> Result<Vec<Turn>, String> {
    let messages = body["messages"].as_array().ok_or("no messages")?;
    messages.iter().map(chat_turn).collect()
}

fn chat_turn(message: &Value) -> Result<Turn, String> {
    let role = message["role"].as_str().ok_or("a message without a role")?;
    if !["system", "user", "assistant", "tool"].contains(&role) {
        return Err(format!("there is no role {role}"));
    }
    let mut turn = Turn { role: role.to_owned(), ..Turn::default() };
    match &message["content"] {
        Value::String(text) => turn.text.clone_from(text),
        Value::Null if message["tool_calls"].is_array() => {}
        Value::Array(parts) => {
            for part in parts {
                match part["type"].as_str() {
                    Some("text") => push(&mut turn.text, &part["text"])?,
                    Some("image_url") => {
                        // Only users show pictures; vLLM, llama.cpp and OpenAI all say so.
                        if role != "user" {
                            return Err(format!("a picture from the {role}"));
                        }
                        turn.pictures.push(data_url(&part["image_url"]["url"])?);
                    }
                    other => return Err(format!("a part of type {other:?}")),
                }
            }
        }
        other => return Err(format!("content that is {other}")),
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let name = call["function"]["name"].as_str().ok_or("a call without a name")?;
        let arguments = call["function"]["arguments"].as_str().ok_or("arguments are a string")?;
        let arguments = serde_json::from_str(arguments).map_err(|err| err.to_string())?;
        let id = call["id"].as_str().ok_or("a call without an id")?;
        turn.calls.push((id.to_owned(), name.to_owned(), arguments));
    }
    if role == "tool" {
        turn.results
            .push(message["tool_call_id"].as_str().ok_or("a result of no call")?.to_owned());
    } else if role == "user" && message["content"] == "" {
        // Some families' own clients send that; the server complains for all others.
    } else if turn.text.trim().is_empty() && turn.pictures.is_empty() && turn.calls.is_empty() {
        return Err(format!("an empty message from the {role}"));
    }
    Ok(turn)
}

/// The turns of Anthropic's Messages API.
pub fn anthropic(body: &Value) -> Result<Vec<Turn>, String> {
    let mut turns = Vec::new();
    if !body["system"].is_null() {
        let mut turn = Turn { role: "system".to_owned(), ..Turn::default() };
        match &body["system"] {
            Value::String(text) => turn.text.clone_from(text),
            parts => {
                for part in parts.as_array().ok_or("system is neither text nor blocks")? {
                    push(&mut turn.text, &part["text"])?;
                }
            }
        }
        turns.push(turn);
    }
    for message in body["messages"].as_array().ok_or("no messages")? {
        let role = message["role"].as_str().ok_or("a message without a role")?;
        if !["user", "assistant"].contains(&role) {
            return Err(format!("there is no role {role}"));
        }
        let mut turn = Turn { role: role.to_owned(), ..Turn::default() };
        if let Value::String(text) = &message["content"] {
            turn.text.clone_from(text);
        } else {
            let parts =
                message["content"].as_array().ok_or("content is neither text nor blocks")?;
            anthropic_parts(&mut turn, parts)?;
        }
        turns.push(turn);
    }
    Ok(turns)
}

/// The name of a call, behind that of its toolset.
fn anthropic_name(part: &Value) -> Result<String, String> {
    let name = part["name"].as_str().ok_or("a call without a name")?;
    Ok(match part["toolset_name"].as_str() {
        Some(toolset) => format!("{toolset}.{name}"),
        None => name.to_owned(),
    })
}

fn anthropic_parts(turn: &mut Turn, parts: &[Value]) -> Result<(), String> {
    for part in parts {
        match part["type"].as_str() {
            Some("text") => {
                if part["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
                    return Err("text content blocks must be non-empty".to_owned());
                }
                push(&mut turn.text, &part["text"])?;
            }
            Some("image") => {
                let source = &part["source"];
                if source["type"] != "base64" || source["media_type"] != "image/jpeg" {
                    return Err(format!("a picture as {}", source["media_type"]));
                }
                turn.pictures.push(jpeg(source["data"].as_str().ok_or("a picture with no data")?)?);
            }
            Some("tool_use") if turn.role == "assistant" => {
                let text = |name: &str| part[name].as_str().map(str::to_owned).ok_or("tool_use");
                if !part["input"].is_object() {
                    return Err("tool_use.input is no object".to_owned());
                }
                turn.calls.push((text("id")?, anthropic_name(part)?, part["input"].clone()));
            }
            Some("tool_result") if turn.role == "user" => {
                turn.results.push(part["tool_use_id"].as_str().ok_or("tool_use_id")?.to_owned());
                match &part["content"] {
                    Value::String(text) => push(&mut turn.text, &Value::from(text.as_str()))?,
                    Value::Array(inner) => anthropic_parts(turn, inner)?,
                    Value::Null => {}
                    other => return Err(format!("a result that is {other}")),
                }
            }
            other => return Err(format!("a block of type {other:?} from the {}", turn.role)),
        }
    }
    Ok(())
}

/// The turns of Gemini's `generateContent`.
pub fn gemini(body: &Value) -> Result<Vec<Turn>, String> {
    let mut turns = Vec::new();
    let either = |value: &Value, camel: &str, snake: &str| {
        value.get(camel).or_else(|| value.get(snake)).cloned().unwrap_or(Value::Null)
    };
    let system = either(body, "systemInstruction", "system_instruction");
    let contents = body["contents"].as_array().ok_or("no contents")?;
    for (content, role) in std::iter::once((&system, Some("system")))
        .filter(|(system, _)| !system.is_null())
        .chain(contents.iter().map(|content| (content, content["role"].as_str())))
    {
        let role = role.ok_or("a content without a role")?;
        if !["system", "user", "model"].contains(&role) {
            return Err(format!("there is no role {role}"));
        }
        let mut turn = Turn { role: role.to_owned(), ..Turn::default() };
        for part in content["parts"].as_array().ok_or("a content without parts")? {
            let picture = either(part, "inlineData", "inline_data");
            let call = either(part, "functionCall", "function_call");
            let response = either(part, "functionResponse", "function_response");
            if part["text"].is_string() {
                push(&mut turn.text, &part["text"])?;
            } else if !picture.is_null() {
                turn.pictures.push(gemini_picture(&picture)?);
            } else if !call.is_null() {
                let name = call["name"].as_str().ok_or("a call without a name")?.to_owned();
                turn.calls.push((name.clone(), name, call["args"].clone()));
            } else if !response.is_null() {
                turn.results
                    .push(response["name"].as_str().ok_or("a response to nothing")?.to_owned());
                if !response["response"].is_object() {
                    return Err("functionResponse.response is no object".to_owned());
                }
                turn.text.push_str(&response["response"].to_string());
                turn.text.push('\n');
                for inner in response["parts"].as_array().into_iter().flatten() {
                    turn.pictures.push(gemini_picture(&either(
                        inner,
                        "inlineData",
                        "inline_data",
                    ))?);
                }
            } else {
                return Err(format!("a part that is nothing: {part}"));
            }
        }
        turns.push(turn);
    }
    Ok(turns)
}

fn gemini_picture(picture: &Value) -> Result<(u32, u32), String> {
    let kind = picture.get("mimeType").or_else(|| picture.get("mime_type"));
    if kind != Some(&Value::from("image/jpeg")) {
        return Err(format!("a picture as {kind:?}"));
    }
    jpeg(picture["data"].as_str().ok_or("a picture with no data")?)
}

fn push(words: &mut String, text: &Value) -> Result<(), String> {
    let text = text.as_str().ok_or("a text that is none")?;
    if !words.is_empty() {
        words.push('\n');
    }
    words.push_str(text);
    Ok(())
}

/// Width and height of the picture in a data URL.
pub fn data_url(url: &Value) -> Result<(u32, u32), String> {
    let url = url.as_str().ok_or("a picture with no URL")?;
    if let Some(data) = url.strip_prefix("data:image/png;base64,") {
        return png(data);
    }
    jpeg(url.strip_prefix("data:image/jpeg;base64,").ok_or("not a JPEG or PNG data URL")?)
}

/// Width and height of a PNG in base64.
fn png(data: &str) -> Result<(u32, u32), String> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|err| format!("not base64: {err}"))?;
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .map_err(|err| format!("not a PNG: {err}"))?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut pixels).map_err(|err| format!("not a whole PNG: {err}"))?;
    Ok((info.width, info.height))
}

/// Width and height of a JPEG in base64, by its frame header (ITU T.81, B.2.2).
fn jpeg(data: &str) -> Result<(u32, u32), String> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|err| format!("not base64: {err}"))?;
    if !bytes.starts_with(&[0xff, 0xd8]) || !bytes.ends_with(&[0xff, 0xd9]) {
        return Err("not a whole JPEG".to_owned());
    }
    let mut at = 2;
    while let Some([0xff, marker, high, low]) = bytes.get(at..at + 4) {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if matches!(marker, 0xc0..=0xc2)
            && let Some([h1, h0, w1, w0]) = bytes.get(at + 5..at + 9)
        {
            let side = |high: u8, low: u8| u32::from(u16::from_be_bytes([high, low]));
            return Ok((side(*w1, *w0), side(*h1, *h0)));
        }
        at += 2 + length;
    }
    Err("a JPEG without a frame".to_owned())
}
