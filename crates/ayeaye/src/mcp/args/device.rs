//! The arguments of the tools that act on a phone directly.
use std::time::Duration;

use ayeaye_agent::{
    Agreed, DeviceId, DirectAction, Gesture, Key, Point, Principal, with_line_feeds,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{device_id, max_size, session_id};
use crate::mcp::tool_error::ToolError;

/// The longest text of one action, in bytes of UTF-8: what a field on a phone may take.
const LONGEST_TEXT: usize = 4 * 1024;
/// The longest reason, in characters; a longer one is cut.
const LONGEST_REASON: usize = 300;
/// The longest name of an app, in bytes.
pub(super) const LONGEST_APP: usize = 256;

/// What all actions have in common: phone, session and reason.
#[derive(Debug)]
pub struct CommonArgs {
    pub(super) device_id: String,
    pub(super) session_id: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) screenshot: Option<i64>,
    pub(super) approval: Option<String>,
}

impl CommonArgs {
    /// The longest side of the picture to add afterwards, if one is wanted.
    pub fn picture(&self) -> Result<Option<u32>, ToolError> {
        self.screenshot.map(|side| max_size("screenshot", Some(side))).transpose()
    }

    /// The phone.
    pub fn device(&self) -> Result<DeviceId, ToolError> {
        device_id(&self.device_id)
    }

    /// The code of an earlier call.
    pub fn approval(&self) -> Option<&str> {
        self.approval.as_deref()
    }

    /// The action with these arguments.
    pub fn act(self, gesture: Gesture, principal: Principal) -> Result<DirectAction, ToolError> {
        let reason = self.reason.unwrap_or_default();
        let clean = reason.chars().map(|c| if c.is_control() { ' ' } else { c });
        let clean: String = clean.take(LONGEST_REASON).collect();
        Ok(DirectAction {
            device_id: device_id(&self.device_id)?,
            session_id: self.session_id.as_deref().map(session_id).transpose()?,
            gesture,
            reason: clean.trim().to_owned(),
            secret: false,
            agreed: Agreed::Nothing,
            by_hand: false,
            principal,
        })
    }
}

/// Arguments with the fields that all actions have.
pub trait HasCommon {
    /// On which phone, in which session, and what for.
    fn into_common(self) -> CommonArgs;
    /// The phone, as it was given.
    fn device_id(&self) -> &str;
}

/// Arguments that determine an act completely.
pub trait ActArgs: HasCommon {
    /// What to do.
    fn gesture(&self) -> Result<Gesture, ToolError>;
}

/// Arguments of an act at a place, which may be that of an element on the screen.
pub trait PlacedArgs: HasCommon {
    /// Where, as it was given.
    fn place(&self) -> Place<'_>;
    /// The act at this place; `None` where none was given, if it needs none.
    fn at(&self, point: Option<Point>) -> Result<Gesture, ToolError>;
    /// What to do, where no element is meant.
    fn gesture(&self) -> Result<Gesture, ToolError> {
        self.at(self.place().point()?)
    }
}

/// A place on the screen as a caller gives it: an element of the last `get_ui_tree`, or two coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// What needs a place, such as "a tap".
    what: &'static str,
    reference: Option<&'a str>,
    x: Option<i64>,
    y: Option<i64>,
}

impl<'a> Place<'a> {
    /// The element's reference, if the place is one.
    pub fn element(self) -> Result<Option<&'a str>, ToolError> {
        match (self.reference, self.x, self.y) {
            // Whoever must give every argument gives 0; there is nothing in the corner to be meant.
            (Some(reference), None | Some(0), None | Some(0)) => Ok(Some(reference.trim())),
            (Some(_), _, _) => Err(ToolError::no_place(self.what, None)),
            (None, _, _) => Ok(None),
        }
    }

    /// The coordinates, of what cannot do without.
    fn point(self) -> Result<Option<Point>, ToolError> {
        match (self.reference, self.x, self.y) {
            (None, Some(x), Some(y)) => point(("x", x), ("y", y)).map(Some),
            (None, Some(_), None) => Err(ToolError::no_place(self.what, Some("y"))),
            (None, None, Some(_)) => Err(ToolError::no_place(self.what, Some("x"))),
            _ => Err(ToolError::no_place(self.what, None)),
        }
    }
}

macro_rules! arguments {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// From `list_connected_devices`.
            pub device_id: String,
            $($(#[$field_doc])* pub $field: $kind,)*
            /// A session to act in; your own if left out.
            pub session_id: Option<String>,
            /// Why, in a few words, for the record.
            pub reason: Option<String>,
            /// Adds a picture afterwards: its longest side.
            #[schemars(range(min = 200, max = 1280))]
            pub screenshot: Option<i64>,
            /// The code of your user's yes.
            pub approval: Option<String>,
        }

        impl HasCommon for $name {
            fn into_common(self) -> CommonArgs {
                CommonArgs {
                    device_id: self.device_id,
                    session_id: self.session_id,
                    reason: self.reason,
                    screenshot: self.screenshot,
                    approval: self.approval,
                }
            }

            fn device_id(&self) -> &str {
                &self.device_id
            }
        }
    };
}

pub(super) use arguments;

arguments! {
    /// Arguments of `tap`.
    TapArgs {
        /// An element, by its `ref` in your last `get_ui_tree`; instead of `x` and `y`.
        #[schemars(length(max = 20))]
        r#ref: Option<String>,
        /// Thousandths of the width, from the left.
        #[schemars(range(min = 0, max = 1000))]
        x: Option<i64>,
        /// Thousandths of the height, from the top.
        #[schemars(range(min = 0, max = 1000))]
        y: Option<i64>,
        /// Whether to tap twice in quick succession.
        double: Option<bool>,
    }
}

arguments! {
    /// Arguments of `long_press`.
    LongPressArgs {
        /// An element, as in `tap`.
        #[schemars(length(max = 20))]
        r#ref: Option<String>,
        /// Thousandths of the width, from the left.
        #[schemars(range(min = 0, max = 1000))]
        x: Option<i64>,
        /// Thousandths of the height, from the top.
        #[schemars(range(min = 0, max = 1000))]
        y: Option<i64>,
        /// How long the finger stays, in milliseconds. 1000 if left out.
        #[schemars(range(min = 500, max = 10000))]
        duration_ms: Option<i64>,
    }
}

arguments! {
    /// Arguments of `swipe`.
    SwipeArgs {
        /// Where the finger goes down, from the left.
        #[schemars(range(min = 0, max = 1000))]
        from_x: i64,
        /// Where the finger goes down, from the top.
        #[schemars(range(min = 0, max = 1000))]
        from_y: i64,
        /// Where it is lifted, from the left.
        #[schemars(range(min = 0, max = 1000))]
        to_x: i64,
        /// Where it is lifted, from the top.
        #[schemars(range(min = 0, max = 1000))]
        to_y: i64,
        /// How long it takes, in milliseconds. 500 if left out; a shorter swipe flings.
        #[schemars(range(min = 50, max = 10000))]
        duration_ms: Option<i64>,
    }
}

arguments! {
    /// Arguments of `type_text`.
    TypeArgs {
        /// Exactly what the field is to receive; may be empty with `clear`. At most 4 KiB of UTF-8.
        #[schemars(length(max = 4096))]
        text: String,
        /// The field to tap first, by its `ref`.
        #[schemars(length(max = 20))]
        r#ref: Option<String>,
        /// The field to tap first, from the left; together with `y`.
        #[schemars(range(min = 0, max = 1000))]
        x: Option<i64>,
        /// The field to tap first, from the top; together with `x`.
        #[schemars(range(min = 0, max = 1000))]
        y: Option<i64>,
        /// Whether to empty the field first.
        clear: Option<bool>,
        /// Whether to press the keyboard's enter key afterwards.
        submit: Option<bool>,
        /// Whether it is a secret, such as a password; anything typed into a password field is one.
        secret: Option<bool>,
    }
}

arguments! {
    /// Arguments of `press_key`.
    KeyArgs {
        /// The key.
        #[schemars(extend("enum" = [
            "BACK", "HOME", "ENTER", "RECENTS", "DELETE", "TAB", "MENU", "SEARCH", "POWER",
            "VOLUME_UP", "VOLUME_DOWN", "VOLUME_MUTE"
        ]))]
        key: String,
    }
}

arguments! {
    /// Arguments of `launch_app`.
    LaunchArgs {
        /// The app, by the name under its icon or by its package, such as `com.android.settings`.
        #[schemars(length(min = 1, max = 256))]
        app: String,
    }
}

impl PlacedArgs for TapArgs {
    fn place(&self) -> Place<'_> {
        Place { what: "a tap", reference: self.r#ref.as_deref(), x: self.x, y: self.y }
    }

    fn at(&self, point: Option<Point>) -> Result<Gesture, ToolError> {
        let point = point.ok_or_else(|| ToolError::no_place("a tap", None))?;
        Ok(if self.double.unwrap_or_default() {
            Gesture::DoubleClick { point }
        } else {
            Gesture::Click { point }
        })
    }
}

impl PlacedArgs for LongPressArgs {
    fn place(&self) -> Place<'_> {
        Place { what: "a long press", reference: self.r#ref.as_deref(), x: self.x, y: self.y }
    }

    fn at(&self, point: Option<Point>) -> Result<Gesture, ToolError> {
        let point = point.ok_or_else(|| ToolError::no_place("a long press", None))?;
        Ok(Gesture::LongPress { point, duration: millis(self.duration_ms, 1000, 500)? })
    }
}

impl ActArgs for SwipeArgs {
    fn gesture(&self) -> Result<Gesture, ToolError> {
        Ok(Gesture::Slide {
            from: point(("from_x", self.from_x), ("from_y", self.from_y))?,
            to: point(("to_x", self.to_x), ("to_y", self.to_y))?,
            duration: millis(self.duration_ms, 500, 50)?,
        })
    }
}

impl PlacedArgs for TypeArgs {
    fn place(&self) -> Place<'_> {
        Place { what: "a field", reference: self.r#ref.as_deref(), x: self.x, y: self.y }
    }

    fn gesture(&self) -> Result<Gesture, ToolError> {
        if self.r#ref.is_some() {
            // It would be typed into whatever is in focus.
            return Err(ToolError::no_place("a field", None));
        }
        self.at(match (self.x, self.y) {
            // As with a reference: no field is in the corner.
            (Some(0), Some(0)) | (None, None) => None,
            (Some(x), Some(y)) => Some(point(("x", x), ("y", y))?),
            (Some(_), None) => return Err(ToolError::incomplete_point("y")),
            (None, Some(_)) => return Err(ToolError::incomplete_point("x")),
        })
    }

    fn at(&self, point: Option<Point>) -> Result<Gesture, ToolError> {
        if LONGEST_TEXT < self.text.len() {
            return Err(ToolError::long_text(self.text.len(), LONGEST_TEXT));
        }
        let text = with_line_feeds(&self.text);
        let fits = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
        if let Some(odd) = text.chars().find(|c| !fits(*c)) {
            return Err(ToolError::not_typable(odd));
        }
        if text.is_empty() && !self.clear.unwrap_or_default() {
            return Err(ToolError::nothing_to_type());
        }
        Ok(Gesture::Type {
            text,
            point,
            clear: self.clear.unwrap_or_default(),
            submit: self.submit.unwrap_or_default(),
        })
    }
}

impl ActArgs for KeyArgs {
    fn gesture(&self) -> Result<Gesture, ToolError> {
        let key = Key::from_name(&self.key).ok_or_else(|| {
            let keys = Key::ALL.map(Key::name).join(", ");
            ToolError::not_a_key(&self.key, &keys)
        })?;
        Ok(Gesture::HotKey { key })
    }
}

impl ActArgs for LaunchArgs {
    fn gesture(&self) -> Result<Gesture, ToolError> {
        let app = self.app.trim();
        if app.is_empty() {
            return Err(ToolError::nothing_to("open", "app"));
        }
        if LONGEST_APP < app.len() || app.contains(char::is_control) {
            return Err(ToolError::not_an_app(app));
        }
        Ok(Gesture::Awake { app: app.to_owned() })
    }
}

fn point(x: (&str, i64), y: (&str, i64)) -> Result<Point, ToolError> {
    Point::new(x.1, y.1).map_err(|_| {
        let (name, given) = if (0..=1000).contains(&x.1) { y } else { x };
        ToolError::outside_screen(name, given)
    })
}

/// The duration of a touch in milliseconds, at most ten seconds.
fn millis(given: Option<i64>, usual: u64, least: u64) -> Result<Duration, ToolError> {
    let Some(given) = given else { return Ok(Duration::from_millis(usual)) };
    u64::try_from(given)
        .ok()
        .filter(|ms| (least..=10_000).contains(ms))
        .map(Duration::from_millis)
        .ok_or_else(|| ToolError::out_of_range("duration_ms", &given, &format!("{least} to 10000")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn tap(x: i64, y: i64) -> Result<Gesture, ToolError> {
        let args = json!({ "device_id": "a", "x": x, "y": y });
        serde_json::from_value::<TapArgs>(args).unwrap().gesture()
    }

    #[test]
    fn a_place_off_the_screen_is_named() {
        assert!(tap(0, 1000).is_ok());
        let text = |x, y| tap(x, y).unwrap_err().to_string();
        assert!(text(540, 1200).starts_with("`y` is 1200; it can be 0 to 1000"));
        assert!(text(-1, 1200).starts_with("`x` is -1"));
        assert!(text(1001, 5).contains("thousandths"), "{}", text(1001, 5));
    }

    #[test]
    fn what_cannot_be_typed_is_refused() {
        let typed = |more: Value| {
            let mut args = json!({ "device_id": "a", "text": "hi" });
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value::<TypeArgs>(args).unwrap().gesture().map_err(|it| it.to_string())
        };
        assert!(typed(json!({ "text": "  " })).is_ok(), "blanks are a text");
        assert!(typed(json!({ "text": "", "clear": true })).is_ok(), "it empties the field");
        for (wrong, says) in [
            (json!({ "text": "" }), "`text` is empty\nhint: to empty the field set `clear`"),
            (json!({ "text": "a\u{1b}[2J" }), "U+001B"),
            (json!({ "text": "x".repeat(5000) }), "5000 bytes"),
            (json!({ "x": 5 }), "`y` is missing"),
            (json!({ "y": 5 }), "`x` is missing"),
            (json!({ "x": 5, "y": 5000 }), "`y` is 5000"),
            (json!({ "ref": "7a-1" }), "a field needs either `ref`, or `x` and `y`"),
        ] {
            let said = typed(wrong).unwrap_err();
            assert!(said.contains(says), "{said}");
            assert!(said.contains("hint: "), "{said}");
        }
    }

    #[test]
    fn a_corner_that_is_given_because_it_must_is_no_place() {
        let typed = |x: i64, y: i64| {
            let args = json!({ "device_id": "a", "text": "hi", "x": x, "y": y });
            match serde_json::from_value::<TypeArgs>(args).unwrap().gesture().unwrap() {
                Gesture::Type { point, .. } => point,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(typed(0, 0), None);
        assert!(typed(0, 1).is_some() && typed(1, 0).is_some());
        let named = |x: Value, y: Value| {
            let args = json!({ "device_id": "a", "ref": " 7a ", "x": x, "y": y });
            let args: TapArgs = serde_json::from_value(args).unwrap();
            args.place().element().map(|it| it.map(str::to_owned)).map_err(|it| it.to_string())
        };
        assert_eq!(named(json!(0), json!(0)), Ok(Some("7a".to_owned())));
        assert_eq!(named(Value::Null, Value::Null), Ok(Some("7a".to_owned())));
        assert!(named(json!(5), json!(0)).is_err());
    }

    #[test]
    fn a_place_is_an_element_or_two_coordinates_and_not_both() {
        let press = |more: Value| {
            let mut args = json!({ "device_id": "a" });
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let args: LongPressArgs = serde_json::from_value(args).unwrap();
            match args.place().element() {
                Ok(None) => args.gesture().map(|_| None).map_err(|it| it.to_string()),
                element => element.map(|it| it.map(str::to_owned)).map_err(|it| it.to_string()),
            }
        };
        assert_eq!(press(json!({ "ref": "7a-1" })), Ok(Some("7a-1".to_owned())));
        assert_eq!(press(json!({ "x": 1, "y": 1 })), Ok(None));
        let needs = "a long press needs either `ref`, or `x` and `y`";
        for wrong in [json!({}), json!({ "ref": "7a-1", "x": 5, "y": 5 })] {
            assert!(press(wrong).unwrap_err().starts_with(needs));
        }
        let half = press(json!({ "x": 5 })).unwrap_err();
        assert!(half.starts_with(&format!("missing field `y`: {needs}")), "{half}");
        let typed = json!({ "device_id": "a", "text": "hi", "ref": "7a-1", "x": 5, "y": 5 });
        let typed: TypeArgs = serde_json::from_value(typed).unwrap();
        assert!(typed.place().element().is_err());
    }

    #[test]
    fn line_breaks_of_every_system_are_typed_as_those_of_phones() {
        let typed = |text: &str| {
            let args = json!({ "device_id": "a", "text": text });
            serde_json::from_value::<TypeArgs>(args).unwrap().gesture()
        };
        let Gesture::Type { text, .. } = typed("one\r\ntwo\rthree\nfour").unwrap() else {
            panic!()
        };
        assert_eq!(text, "one\ntwo\nthree\nfour");
        assert!(typed("bell\u{7}").unwrap_err().to_string().contains("U+0007"));
    }

    #[test]
    fn every_key_of_the_schema_is_a_key() {
        let schema = crate::mcp::schema::input::<KeyArgs>();
        let names: Vec<&str> = schema["properties"]["key"]["enum"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(names, Key::ALL.map(Key::name));
    }

    proptest! {
        #[test]
        fn no_number_and_no_text_breaks_anything(
            x in any::<i64>(), y in any::<i64>(), ms in any::<i64>(), text in any::<String>()
        ) {
            let given = json!({ "device_id": text, "x": x, "y": y, "duration_ms": ms });
            let args: LongPressArgs = serde_json::from_value(given).unwrap();
            let inside = (0..=1000).contains(&x) && (0..=1000).contains(&y);
            prop_assert_eq!(args.gesture().is_ok(), inside && (500..=10_000).contains(&ms));
            if let Ok(gesture) = args.gesture() {
                let _act = args.into_common().act(gesture, Principal::local());
            }
            let given = json!({ "device_id": "a", "key": text });
            let key: KeyArgs = serde_json::from_value(given).unwrap();
            prop_assert_eq!(key.gesture().is_ok(), Key::from_name(&text).is_some());
        }
    }
}
