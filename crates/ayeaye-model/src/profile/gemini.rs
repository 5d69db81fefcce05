//! Gemini over its own API, with its tool for using a phone (`ENVIRONMENT_MOBILE`).
//!
//! Its functions are known to the model and not declared; those of our own stand beside them. Points
//! are whole numbers of a grid of 1000 by 1000. A call may come with a safety decision that a person
//! has to allow it first.
use std::time::Duration;

use ayeaye_agent::{
    Action, Decision, Gesture, Key, ParseError, Point, Prompt, Question, Reply, StepInput,
};
use serde_json::{Map, Value, json};

use super::calls::{self, Tongue};
use super::coords::CoordSystem;
use super::parse::json::{missing, written};
use super::parse::{excerpt, reject, values};
use super::{CoordContext, Family, ProfileSpec, Sampling, Wire};
use crate::picture::{Encoding, PictureRule, Resize};

/// See the module.
#[derive(Debug)]
pub(super) struct Gemini;

/// Points are parts of the picture, so that its size matters only for what can be read in it.
const PICTURE: PictureRule =
    PictureRule { resize: Resize::MaxPixels(720 * 1600), encoding: Encoding::Jpeg { quality: 85 } };

const SPEC: ProfileSpec = ProfileSpec {
    name: "gemini",
    title: "Gemini (its own API, computer use)",
    patterns: &["gemini"],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: "every step as a call and its result",
    // Its makers advise against any temperature but its own.
    sampling: Sampling { temperature: None, max_tokens: 8192, ..Sampling::GREEDY },
    wire: Wire::Gemini,
};

impl Family for Gemini {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn prompt(&self, view: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let rules = format!("{}{TOOLS}", calls::RULES);
        calls::prompt(view, coords, &rules, tools(), self)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        let (name, arguments) = calls::the_call(reply)?;
        let action = match calls::read_own(name, &arguments) {
            Some(read) => read?,
            None => action(name, &arguments, coords)?,
        };
        let why = calls::said_why(&arguments);
        let action = safe(action, &arguments, why.as_deref())?;
        Ok(calls::decided(action, reply, why))
    }
}

const TOOLS: &str = "
drag_and_drop draws a finger from one place to another at once: use it to swipe, and to see what is \
further down, draw from below to above. To move something that has to be held first, use \
pick_up_and_drop. To write into a field that is not in focus, use type_into. You get a picture after \
every step without asking for one.
";

fn tools() -> Vec<Value> {
    let own = |name: &str, description: &str, properties: &Value, required: &[&str]| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "description": description, "parametersJsonSchema": schema })
    };
    let number = |what: &str| json!({ "type": "integer", "description": what });
    let flag = |what: &str| json!({ "type": "boolean", "description": what });
    let text = json!({ "type": "string", "description": "Exactly what the field is to receive." });
    let mut functions = vec![
        own(
            "type_into",
            "Tap a field and write into it, in one step.",
            &json!({
                "text": text, "x": number("0 to 999."), "y": number("0 to 999."),
                "clear": flag("Empty the field first."),
                "press_enter": flag("Press the keyboard's enter key afterwards."),
            }),
            &["text"],
        ),
        own(
            "pick_up_and_drop",
            "Hold something until it comes loose, move it, and let go.",
            &json!({
                "start_x": number("0 to 999."), "start_y": number("0 to 999."),
                "end_x": number("0 to 999."), "end_y": number("0 to 999."),
            }),
            &["start_x", "start_y", "end_x", "end_y"],
        ),
    ];
    let shared = calls::own_tools().into_iter();
    functions.extend(
        shared.map(|(name, what, properties, required)| own(name, what, &properties, &required)),
    );
    vec![
        json!({ "computerUse": {
            "environment": "ENVIRONMENT_MOBILE",
            // A picture comes with every step, and apps are opened by name.
            "excludedPredefinedFunctions": ["list_apps", "take_screenshot"],
        } }),
        json!({ "functionDeclarations": functions }),
    ]
}

impl Tongue for Gemini {
    fn say(&self, decision: &Decision, coords: &CoordContext) -> (String, Value) {
        let (name, mut arguments) = match &decision.action {
            Action::Gesture(gesture) => say(gesture, coords),
            Action::Confirm { gesture, question } => {
                let (name, mut arguments) = say(gesture, coords);
                arguments["safety_decision"] =
                    json!({ "decision": "require_confirmation", "explanation": question.text });
                (name, arguments)
            }
            Action::Wait(time) => ("wait", json!({ "seconds": time.as_secs_f64() })),
            other => calls::say_own(other).unwrap_or(("wait", json!({}))),
        };
        let why = decision.explain.trim();
        if !why.is_empty() {
            arguments["intent"] = json!(why);
        }
        (name.to_owned(), arguments)
    }

    fn result(&self, text: &str, allowed: bool) -> String {
        let mut said = json!({ "output": text });
        if allowed {
            said["safety_acknowledgement"] = json!("true");
        }
        said.to_string()
    }
}

fn say(gesture: &Gesture, coords: &CoordContext) -> (&'static str, Value) {
    let numbers = |point: &Point| coords.system.numbers(*point, coords.image);
    let at = |point: &Point| {
        let (x, y) = numbers(point);
        json!({ "x": x, "y": y })
    };
    let way = |from: &Point, to: &Point| {
        let ((start_x, start_y), (end_x, end_y)) = (numbers(from), numbers(to));
        json!({ "start_x": start_x, "start_y": start_y, "end_x": end_x, "end_y": end_y })
    };
    match gesture {
        Gesture::Click { point } => ("click", at(point)),
        Gesture::DoubleClick { point } => ("double_click", at(point)),
        Gesture::LongPress { point, duration } => {
            let mut said = at(point);
            said["seconds"] = json!(duration.as_secs_f64());
            ("long_press", said)
        }
        Gesture::Type { text, point: None, clear: false, submit } => {
            ("type", json!({ "text": text, "press_enter": submit }))
        }
        Gesture::Type { text, point, clear, submit } => {
            let mut said = point.as_ref().map_or_else(|| json!({}), at);
            said["text"] = json!(text);
            said["clear"] = json!(clear);
            said["press_enter"] = json!(submit);
            ("type_into", said)
        }
        Gesture::Slide { from, to, .. } => ("drag_and_drop", way(from, to)),
        Gesture::Drag { from, to } => ("pick_up_and_drop", way(from, to)),
        Gesture::Scroll { direction, at: place } => {
            let mut said = place.as_ref().map_or_else(|| json!({}), at);
            said["direction"] = json!(direction.to_string());
            ("scroll", said)
        }
        Gesture::Awake { app } => ("open_app", json!({ "app_name": app })),
        Gesture::HotKey { key: Key::Back } => ("go_back", json!({})),
        Gesture::HotKey { key } => ("press_key", json!({ "key": key.name().to_lowercase() })),
    }
}

fn action(
    name: &str,
    said: &Map<String, Value>,
    coords: &CoordContext,
) -> Result<Action, ParseError> {
    let number = |what: &str| match said.get(what) {
        Some(Value::Number(number)) => number.as_f64().map_or_else(|| missing(what, name), Ok),
        Some(Value::String(text)) => match text.trim().parse::<f64>() {
            Ok(number) => Ok(number),
            Err(_) => reject(format!("{what} must be a number, not {}", excerpt(text))),
        },
        _ => missing(what, name),
    };
    let place = |x: &str, y: &str| {
        let (x, y) = (number(x)?, number(y)?);
        let (first, second) = if coords.system.y_first { (y, x) } else { (x, y) };
        coords.system.point(first, second, coords.image)
    };
    let maybe = || {
        let there = said.contains_key("x") || said.contains_key("y");
        if there { place("x", "y").map(Some) } else { Ok(None) }
    };
    let text = |what: &str| match said.get(what) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => missing(what, name),
    };
    let flag = |what: &str| match said.get(what) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is)) => Ok(*is),
        Some(other) => reject(format!("{what} must be true or false, not {other}")),
    };
    Ok(match name {
        "click" => Gesture::Click { point: place("x", "y")? }.into(),
        "double_click" => Gesture::DoubleClick { point: place("x", "y")? }.into(),
        "long_press" => {
            let seconds = written(said, &["seconds"]).unwrap_or_else(|| "2".to_owned());
            Gesture::LongPress { point: place("x", "y")?, duration: values::press(Some(&seconds)) }
                .into()
        }
        "type" | "type_into" => Gesture::Type {
            text: text("text")?,
            point: maybe()?,
            clear: flag("clear")?,
            submit: flag("press_enter")?,
        }
        .into(),
        "drag_and_drop" | "pick_up_and_drop" => {
            let (from, to) = (place("start_x", "start_y")?, place("end_x", "end_y")?);
            match name {
                "drag_and_drop" => Gesture::Slide { from, to, duration: values::SLIDE }.into(),
                _ => Gesture::Drag { from, to }.into(),
            }
        }
        "scroll" => {
            let direction = values::direction(&text("direction")?)?;
            Gesture::Scroll { direction, at: maybe()? }.into()
        }
        "open_app" => {
            let app = text("app_name")?;
            if app.trim().is_empty() {
                return missing("app_name", name);
            }
            Gesture::Awake { app }.into()
        }
        "go_back" => Gesture::HotKey { key: Key::Back }.into(),
        "press_key" => Gesture::HotKey { key: values::key(&text("key")?)? }.into(),
        "wait" => {
            let seconds = written(said, &["seconds"]).unwrap_or_else(|| "1".to_owned());
            Action::Wait(values::wait(Some(&seconds))?)
        }
        // A picture comes with every step anyway.
        "take_screenshot" => Action::Wait(Duration::ZERO),
        "list_apps" => {
            return reject("there is no list of apps; call open_app with the name of the one");
        }
        _ => return reject(format!("there is no function {}", excerpt(name))),
    })
}

/// The action with what the API has to say of its safety.
fn safe(
    action: Action,
    said: &Map<String, Value>,
    why: Option<&str>,
) -> Result<Action, ParseError> {
    let safety = match said.get("safety_decision") {
        None | Some(Value::Null) => return Ok(action),
        Some(Value::Object(safety)) => safety,
        Some(_) => return reject("its safety_decision is not an object"),
    };
    let decision = written(safety, &["decision"]).unwrap_or_default();
    match values::fold_name(&decision).as_str() {
        "regular" | "allowed" | "allow" => Ok(action),
        "requireconfirmation" => match action {
            Action::Gesture(gesture) => {
                let told = written(safety, &["explanation"]);
                let told = told.as_deref().map(str::trim).filter(|text| !text.is_empty());
                let told = told.or(why).unwrap_or("The model's maker wants your leave for this.");
                Ok(Action::Confirm { gesture, question: Question::confirm(told) })
            }
            // Nothing of it reaches the phone.
            other => Ok(other),
        },
        _ => reject(format!(
            "its safety decision is {}: it is not done; go another way or ask the user",
            excerpt(&decision)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::*;
    use crate::Endpoint;

    #[test]
    fn its_own_api_is_spoken_only_where_it_is() {
        let google = "https://generativelanguage.googleapis.com";
        for (base, wire) in
            [("", Wire::Gemini), ("/v1beta", Wire::Gemini), ("/v1beta/openai", Wire::Chat)]
        {
            let endpoint = Endpoint::parse(&format!("{google}{base}")).unwrap();
            let profile = Profile::for_model("gemini-3.5-flash", &endpoint);
            assert_eq!(profile.spec().wire, wire, "{base}");
        }
        let router = Endpoint::parse("https://router.example/api/v1").unwrap();
        let profile = Profile::for_model("google/gemini-3-pro", &router);
        assert_eq!(profile.spec().wire, Wire::Chat);
    }
}
