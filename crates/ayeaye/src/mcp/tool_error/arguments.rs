//! Arguments of a call that cannot be taken.
use std::borrow::Cow;
use std::fmt;

use ayeaye_agent::InvalidSessionId;

use super::ToolError;
use crate::text::excerpt;

impl ToolError {
    pub(crate) fn not_arguments(err: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let cause: String = without_value(&err.inner().to_string()).chars().take(200).collect();
        let text = match err.path().to_string().as_str() {
            "." => format!("the arguments do not fit: {cause}"),
            path => format!("`{path}` does not fit: {cause}"),
        };
        let hint = if cause.contains("`device_id`") {
            "list_connected_devices shows the phones and their device_id"
        } else {
            "tools/list says what each tool takes"
        };
        Self { text, hint: Cow::Borrowed(hint) }
    }

    /// An unknown field, with the one that was most likely meant, and all that exist.
    pub(in crate::mcp) fn unknown_field(given: &str, meant: Option<&str>, names: &[&str]) -> Self {
        let shown = excerpt(given, 60);
        let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let names = names.join("`, `");
        Self {
            text: format!(
                "the arguments do not fit: unknown field `{shown}`{meant} (this tool takes `{names}`)"
            ),
            hint: Cow::Borrowed("tools/list says what each tool takes"),
        }
    }

    /// Adds the limits of the number that was expected.
    #[must_use]
    pub(in crate::mcp) fn in_range(mut self, range: Option<(u64, u64)>) -> Self {
        if let Some((least, most)) = range {
            self.text = format!("{}, {least} to {most}", self.text);
        }
        self
    }

    pub(in crate::mcp) fn out_of_range(name: &str, given: &dyn fmt::Display, range: &str) -> Self {
        Self {
            text: format!("`{name}` is {given}; it can be {range}"),
            hint: Cow::Borrowed("leave it out to use the default"),
        }
    }

    pub(in crate::mcp) fn empty(name: &str) -> Self {
        let hint = match name {
            "device_id" => "take a device_id from list_connected_devices",
            "reply_from_client" => {
                "say what your user answered, or leave it out to follow the session or to see its question"
            }
            _ => "say in a sentence what to do",
        };
        Self { text: format!("`{name}` is empty"), hint: Cow::Borrowed(hint) }
    }

    pub(in crate::mcp) fn too_long(name: &str, length: usize, most: usize) -> Self {
        Self {
            text: format!("`{name}` has {length} bytes of UTF-8; at most {most} are allowed"),
            hint: Cow::Borrowed(
                "say it in a few sentences, and split a big plan into several tasks",
            ),
        }
    }

    /// `reply`: what the reply is called where it comes from.
    pub(in crate::mcp) fn task_and_reply(reply: &str) -> Self {
        Self {
            text: format!("`task` and `{reply}` cannot be given together"),
            hint: Cow::Borrowed(
                "a reply answers the agent's question or advises it, a task is a new request in the same session; leave \
                   the other one out, or empty",
            ),
        }
    }

    pub(in crate::mcp) fn not_a_device(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not a device_id"),
            hint: Cow::Borrowed("take a device_id from list_connected_devices"),
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "used as a function in map_err")]
    pub(in crate::mcp) fn not_a_session(err: InvalidSessionId) -> Self {
        Self { text: err.to_string(), hint: Cow::Borrowed("list_sessions shows all sessions") }
    }

    /// A place given in fractions of the screen.
    pub(in crate::mcp) fn fraction(name: &str, given: f64) -> Self {
        Self {
            text: format!(
                "`{name}` is {given}; coordinates are thousandths of the screen, 0 to 1000, not fractions of it"
            ),
            hint: Cow::Borrowed("multiply them by 1000: the middle of the screen is 500, 500"),
        }
    }

    /// A coordinate off the screen.
    pub(in crate::mcp) fn outside_screen(name: &str, given: i64) -> Self {
        Self {
            text: format!("`{name}` is {given}; it can be 0 to 1000"),
            hint: Cow::Borrowed(
                "coordinates are thousandths of the screen's width and height, from the top left, not \
                   pixels: divide a pixel position by the picture's width or height and multiply by 1000",
            ),
        }
    }

    pub(in crate::mcp) fn incomplete_point(missing: &str) -> Self {
        Self {
            text: format!("`{missing}` is missing: a field is given by `x` and `y` together"),
            hint: Cow::Borrowed("leave both out to type into the focused field"),
        }
    }

    /// `what`, such as "a tap", without a place, or with two.
    pub(in crate::mcp) fn no_place(what: &str, missing: Option<&str>) -> Self {
        let missing = missing.map(|name| format!("missing field `{name}`: ")).unwrap_or_default();
        Self {
            text: format!("{missing}{what} needs either `ref`, or `x` and `y`"),
            hint: Cow::Borrowed(
                "get_ui_tree gives a `ref` for each element; get_screenshot shows places; leave the other out, or empty",
            ),
        }
    }

    /// A key that phones do not have.
    pub(in crate::mcp) fn not_a_key(given: &str, keys: &str) -> Self {
        let shown = excerpt(given, 40);
        Self {
            text: format!("`key` is `{shown}`; it can be {keys}"),
            hint: Cow::Borrowed("letters and digits are typed with type_text"),
        }
    }

    pub(in crate::mcp) fn nothing_to(verb: &str, name: &str) -> Self {
        Self {
            text: format!("there is nothing to {verb}: `{name}` is empty"),
            hint: Cow::Borrowed("get_screenshot shows what is there"),
        }
    }

    pub(in crate::mcp) fn nothing_to_type() -> Self {
        Self {
            text: "there is nothing to type: `text` is empty".to_owned(),
            hint: Cow::Borrowed(
                "to empty the field set `clear`; ENTER and other keys are pressed with press_key",
            ),
        }
    }

    pub(in crate::mcp) fn long_text(length: usize, most: usize) -> Self {
        Self {
            text: format!("`text` has {length} bytes of UTF-8; at most {most} are allowed"),
            hint: Cow::Borrowed("type it in several parts"),
        }
    }

    pub(in crate::mcp) fn not_typable(odd: char) -> Self {
        Self {
            text: format!(
                "`text` has a control character, U+{:04X}, which no phone can type",
                u32::from(odd)
            ),
            hint: Cow::Borrowed(
                "leave it out; enter, delete and others are pressed with press_key",
            ),
        }
    }

    pub(in crate::mcp) fn not_an_app(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not the name of an app"),
            hint: Cow::Borrowed(
                "give the name under its icon, or its package such as com.android.settings",
            ),
        }
    }

    /// An address that may not be opened.
    pub(in crate::mcp) fn not_an_url(given: &str, schemes: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not an address with one of these schemes: {schemes}"),
            hint: Cow::Borrowed(
                "give a whole address such as https://example.com/; mcp.url-schemes in ayeaye.toml says \
                   which schemes are allowed",
            ),
        }
    }

    /// An address that is too long.
    pub(in crate::mcp) fn too_long_url(given: &str, most: usize) -> Self {
        let (shown, length) = (excerpt(given, 60), given.len());
        Self {
            text: format!("`{shown}` has {length} bytes; at most {most} are allowed"),
            hint: Cow::Borrowed("give a shorter address"),
        }
    }

    /// An address with a space or the like.
    pub(in crate::mcp) fn odd_url(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!(
                "`{shown}` contains a space or a control character, which no address may"
            ),
            hint: Cow::Borrowed("write a space as %20; use type_text to type into a page"),
        }
    }

    /// An address of a page without a host.
    pub(in crate::mcp) fn url_without_host(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` has no host"),
            hint: Cow::Borrowed("give a whole address such as https://example.com/"),
        }
    }

    /// A name of a file, or a path.
    pub(in crate::mcp) fn not_a_file(name: &str, given: &str) -> Self {
        let shown = excerpt(given, 60);
        let why = if given.is_empty() {
            "is not the name of a file"
        } else if given.contains(char::is_control) {
            "has a line break or another control character in it"
        } else {
            "is too long"
        };
        Self {
            text: format!("`{name}` is `{shown}`, which {why}"),
            hint: Cow::Borrowed(
                "`file` is a name in this server's folder for files (adb.files); paths on the phone begin \
                   with /sdcard/",
            ),
        }
    }
}

/// A message of serde's without the value it quotes: the value may be long, and a code sent as a number
/// is as secret as one sent as text.
pub(in crate::mcp) fn without_value(message: &str) -> Cow<'_, str> {
    let found = ["invalid type: ", "invalid value: "].iter().find_map(|what| {
        let (given, expected) = message.strip_prefix(what)?.rsplit_once(", expected ")?;
        let kind = given.split(['`', '"']).next()?.trim_end();
        Some(format!("{what}{kind}, expected {}", in_words(expected)))
    });
    found.map_or(Cow::Borrowed(message), Cow::Owned)
}

/// What serde expects, without Rust's names for it.
fn in_words(expected: &str) -> &str {
    match expected {
        "i64" | "u64" | "i32" | "u32" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        other => other,
    }
}
