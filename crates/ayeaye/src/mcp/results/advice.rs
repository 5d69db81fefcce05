//! What a result tells the client's model to do, with the number of the call that it asks for.
use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::mcp::call_number;

/// In the texts of `next`: the number of a call that may be asked for again and again.
const NUMBER: &str = "call_number N";

/// A text of `next`. Where it asks for a call that earlier results may have asked for too, that call has a number of its
/// own: some hosts end a turn at the fifth call in a row that is the same.
#[derive(Debug)]
pub struct Advice {
    /// With [`NUMBER`] as it stands.
    text: &'static str,
    call_number: i64,
}

impl Advice {
    /// After a call with this number, or with none.
    #[must_use]
    pub(super) fn after(self, call_number: Option<i64>) -> Self {
        Self { call_number: call_number::after(call_number), ..self }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

impl From<&'static str> for Advice {
    fn from(text: &'static str) -> Self {
        Self { text, call_number: 1 }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text.split_once(NUMBER) {
            Some((before, after)) => write!(f, "{before}call_number {}{after}", self.call_number),
            None => f.write_str(self.text),
        }
    }
}

impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Advice {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Advice".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        str::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_number_a_call_had_the_next_one_has_another() {
        let text = "Call x with this session_id and call_number N to follow it.";
        let after = |given| Advice::from(text).after(given).to_string();
        assert_eq!(after(None), "Call x with this session_id and call_number 1 to follow it.");
        assert_eq!(Advice::from(text).to_string(), after(None));
        assert_eq!(after(Some(6)), "Call x with this session_id and call_number 7 to follow it.");
        for odd in [0, 1, -1, -7, i64::MIN, i64::MAX] {
            assert!(!after(Some(odd)).contains(&format!("call_number {odd} ")), "{odd}");
        }
        assert_eq!(Advice::from("Done.").after(Some(2)).to_string(), "Done.");
    }
}
