//! What llama.cpp's server says of its models in `/props` and `/v1/models`.
use serde_json::Value;

use super::Offered;

/// Whether it loads models by their names (`--models-dir`). Its properties are then of none of them.
pub(super) fn is_router(props: &Value) -> bool {
    props["role"] == "router"
}

/// The models of its list, each with its name.
pub(super) fn models<'a>(
    props: &Value,
    list: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Vec<Offered> {
    let sees = props["modalities"]["vision"].as_bool();
    let context = props["default_generation_settings"]["n_ctx"].as_u64();
    let offered = |(name, listed): (&str, &Value)| Offered {
        aliases: texts(&listed["aliases"]).map(str::to_owned).collect(),
        sees: sees.or_else(|| sees_by_list(listed)),
        context: context.filter(|it| *it != 0).or_else(|| context_by_list(listed)),
        ..Offered::named(name.to_owned())
    };
    list.map(offered).collect()
}

fn sees_by_list(listed: &Value) -> Option<bool> {
    let inputs = &listed["architecture"]["input_modalities"];
    inputs.is_array().then(|| texts(inputs).any(|it| it == "image"))
}

/// What one request may take of the context: as it is loaded, or will be.
fn context_by_list(listed: &Value) -> Option<u64> {
    let loaded = listed["meta"]["n_ctx"].as_u64().filter(|it| *it != 0);
    loaded.or_else(|| {
        let args: Vec<&str> = texts(&listed["status"]["args"]).collect();
        let number = |name| {
            let at = args.iter().position(|it| *it == name)?;
            args.get(at + 1)?.parse::<u64>().ok().filter(|it| *it != 0)
        };
        let all = number("--ctx-size")?;
        // Slots of a number that was set get equal parts of it, unless they are told to share it.
        let parts =
            if args.contains(&"--kv-unified") { 1 } else { number("--parallel").unwrap_or(1) };
        Some(all / parts)
    })
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(props: &Value, list: &[Value]) -> Vec<Offered> {
        models(props, list.iter().map(|it| (it["id"].as_str().unwrap(), it)))
    }

    /// `--alias a,b -c 4096`.
    #[test]
    fn one_model_is_as_its_properties_say() {
        let props = json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 1,
            "modalities": { "vision": true, "video": true, "audio": false }, "build_info": "b0-unknown" });
        let list = [
            json!({ "id": "a", "aliases": ["a", "b"], "object": "model", "owned_by": "llamacpp",
            "architecture": { "input_modalities": ["text", "image", "video"], "output_modalities": ["text"] },
            "meta": { "n_ctx": 4096, "n_ctx_train": 131_072 } }),
        ];
        let found = read(&props, &list);
        assert_eq!((found[0].sees, found[0].context), (Some(true), Some(4096)));
        assert!(found[0].is_called("a") && found[0].is_called("b") && !found[0].is_called("c"));
        assert!(!is_router(&props));
    }

    /// `--models-dir`.
    #[test]
    fn models_of_a_router_are_as_the_list_says() {
        let props = json!({ "role": "router", "models_autoload": true, "model_alias": "llama-server",
            "default_generation_settings": { "params": null, "n_ctx": 0 }, "build_info": "b1-7e4c0a9" });
        let entry = |id: &str, inputs: &[&str], args: &str| {
            json!({ "id": id, "aliases": [], "object": "model", "owned_by": "llamacpp",
                "status": { "value": "unloaded", "args": args.split(' ').collect::<Vec<_>>() },
                "architecture": { "input_modalities": inputs, "output_modalities": ["text"] } })
        };
        let mut loaded = entry("loaded", &["text"], "--ctx-size 16384");
        loaded["meta"] = json!({ "n_ctx": 8192, "n_ctx_train": 131_072 });
        let found = read(
            &props,
            &[
                entry("GELab-Zero-text", &["text"], "llama-server --ctx-size 16384 --parallel 1"),
                entry("tiny-vl", &["text", "image"], "llama-server --ctx-size 16384 --parallel 2"),
                entry("shared", &["text"], "--ctx-size 16384 --parallel 2 --kv-unified"),
                entry("its-own", &["text"], "--ctx-size 0"),
                entry("cut", &["text"], "--ctx-size"),
                loaded,
            ],
        );
        let told: Vec<_> = found.iter().map(|it| (it.sees, it.context)).collect();
        assert_eq!(
            told,
            [
                (Some(false), Some(16384)),
                (Some(true), Some(8192)),
                (Some(false), Some(16384)),
                (Some(false), None),
                (Some(false), None),
                (Some(false), Some(8192)),
            ]
        );
        assert!(is_router(&props));
    }
}
