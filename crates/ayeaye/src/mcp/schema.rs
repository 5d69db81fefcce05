//! Schemas that every client can read: no `$ref`, no type arrays, no formats of Rust's.
//!
//! What schemars writes for `Option` and integers is valid JSON Schema, but some gateways and strict
//! checkers refuse it. An optional field is not required instead of nullable; the one exception in
//! results is `final_action`, which is always there and may be null.
use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// The schema of a tool's arguments.
pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    portable::<T>(SchemaSettings::draft2020_12())
}

/// The schema of a tool's structured content. A field that may be skipped is not required: official
/// clients check results against this and throw away what does not fit.
pub fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = portable::<T>(SchemaSettings::draft2020_12().for_serialize());
    Arc::make_mut(&mut schema).values_mut().for_each(drop_implied);
    schema
}

/// Takes out of a result's schema what tells its reader nothing: that a count is no negative number, and that
/// there may be more fields.
fn drop_implied(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("minimum") == Some(&json!(0)) {
                object.remove("minimum");
            }
            if object.get("additionalProperties") == Some(&Value::Bool(true)) {
                object.remove("additionalProperties");
            }
            object.values_mut().for_each(drop_implied);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_implied),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A result's schema in outline: the fields that are always there and their types, and nothing below them. For a result
/// that several tools share and one of them describes: every chat pays for the list of tools.
pub fn outline<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = shallow::<T>();
    let object = Arc::make_mut(&mut schema);
    let always = object.get("required").cloned().unwrap_or_default();
    if let Some(Value::Object(all)) = object.get_mut("properties") {
        all.retain(|name, _| always.as_array().is_some_and(|it| it.iter().any(|it| it == name)));
    }
    for property in properties(object) {
        property.remove("description");
    }
    schema
}

/// Removes the descriptions of a part's fields, if their names say enough.
pub fn names_say_it(schema: &mut Schema) {
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in
        fields.into_iter().flat_map(|all| all.values_mut()).filter_map(Value::as_object_mut)
    {
        field.remove("description");
    }
}

/// A result's schema with the types and descriptions of its fields, and nothing below them.
pub fn shallow<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = output::<T>();
    for property in properties(Arc::make_mut(&mut schema)) {
        // A field that may be null says so; `type` with several names is refused by some gateways.
        if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
            for choice in choices.iter_mut().filter_map(Value::as_object_mut) {
                choice.retain(|keyword, _| keyword == "type");
            }
        }
        property.retain(|keyword, _| matches!(keyword.as_str(), "type" | "anyOf" | "description"));
    }
    schema
}

fn properties(schema: &mut JsonObject) -> impl Iterator<Item = &mut JsonObject> {
    let all = schema.get_mut("properties").and_then(Value::as_object_mut);
    all.into_iter().flat_map(|all| all.values_mut()).filter_map(Value::as_object_mut)
}

fn portable<T: JsonSchema>(settings: SchemaSettings) -> Arc<JsonObject> {
    portable_object(settings, T::json_schema)
}

/// What is the same for all types, apart from them, so that it is compiled once.
fn portable_object(
    mut settings: SchemaSettings,
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> Arc<JsonObject> {
    settings.inline_subschemas = true;
    let mut schema = schema(&mut settings.into_generator()).to_value();
    simplify(&mut schema);
    let mut object = match schema {
        Value::Object(object) => object,
        other => JsonObject::from_iter([("const".to_owned(), other)]),
    };
    // The tool's own description says it.
    object.remove("description");
    object.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
    Arc::new(object)
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.remove("format");
            // google-genai cannot take a schema with this keyword (AttributeError). Unknown fields are refused without it.
            if object.get("additionalProperties") == Some(&Value::Bool(false)) {
                object.remove("additionalProperties");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            let required = object.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                for (name, property) in properties {
                    let is_required = |names: &Vec<Value>| names.iter().any(|it| it == name);
                    if !required.as_array().is_some_and(is_required) {
                        remove_null(property);
                    }
                }
            }
            object.values_mut().for_each(simplify);
            // `"type": ["object", "null"]`
            if let Some(Value::Array(types)) = object.get("type")
                && let [only, null] = types.as_slice()
                && null == "null"
            {
                let only = only.clone();
                object.insert("type".to_owned(), only);
                let description = object.remove("description");
                let value = Value::Object(std::mem::take(object));
                object.insert("anyOf".to_owned(), json!([value, { "type": "null" }]));
                object.extend(description.map(|text| ("description".to_owned(), text)));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes null from the types of a property that may be left out instead.
fn remove_null(property: &mut Value) {
    let Value::Object(object) = property else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|it| it != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|it| it.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Serialize, JsonSchema)]
    struct Sample {
        always: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        sometimes: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rarely: Vec<u32>,
        null_if_absent: Option<Inner>,
    }

    #[derive(serde::Serialize, JsonSchema)]
    #[schemars(transform = names_say_it)]
    struct Inner {
        /// A number.
        number: u32,
    }

    #[test]
    fn an_outline_has_the_fields_that_are_always_there_and_their_types() {
        assert_eq!(
            Value::Object((*outline::<Sample>()).clone()),
            json!({
                "type": "object",
                "properties": {
                    "always": { "type": "integer" },
                    "null_if_absent": { "anyOf": [{ "type": "object" }, { "type": "null" }] },
                },
                "required": ["always", "null_if_absent"],
            })
        );
    }

    #[test]
    fn what_may_be_skipped_is_not_required() {
        let schema = output::<Sample>();
        assert_eq!(schema["required"], json!(["always", "null_if_absent"]));
        assert_eq!(schema["properties"]["null_if_absent"]["anyOf"][1], json!({ "type": "null" }));
        assert_eq!(schema["properties"]["sometimes"], json!({ "type": "string" }));
    }

    #[test]
    fn what_tells_its_reader_nothing_is_left_out_of_results_alone() {
        let fields = |schema: Arc<JsonObject>| schema["properties"].clone();
        assert_eq!(fields(output::<Inner>()), json!({ "number": { "type": "integer" } }));
        let of_input = json!({ "number": { "type": "integer", "minimum": 0 } });
        assert_eq!(fields(input::<Inner>()), of_input);
    }
}
