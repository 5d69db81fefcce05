//! The number of a call that follows a task. It changes nothing: some hosts end a turn at the fifth call in a row that is
//! the same, and see another call each time.
use serde::{Deserialize as _, Deserializer};
use serde_json::Value;

/// Reads one. No call is refused for it, whatever a model writes there.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_i64())
}

/// The number of the call after one with this number, or with none. Any number is taken, and the one that follows it is
/// another one.
pub(super) fn after(call_number: Option<i64>) -> i64 {
    call_number.unwrap_or_default().wrapping_add(1).max(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_call_is_refused_for_its_number() {
        for (given, is_read) in [
            (json!(7), Some(7)),
            (json!(-1), Some(-1)),
            (json!(u64::MAX), None),
            (json!(1e30), None),
            (json!("N"), None),
            (json!(null), None),
            (json!([true]), None),
        ] {
            assert_eq!(read(given.clone()).unwrap(), is_read, "{given}");
        }
    }
}
