//! Who is signed in, and the policy and settings in effect, read-only.
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use ayeaye_agent::Principal;
use ayeaye_agent::gate::{ActClass, Policy};
use serde_json::{Value, json};

use super::Page;
use super::answer::Refusal;
use crate::config::Config;
use crate::policy_words;

/// `GET /page/api/me`.
pub(super) async fn me(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
) -> Json<Value> {
    let presence = &page.0.presence;
    let state = presence.state().await;
    let name = if principal == Principal::local() {
        "this machine"
    } else {
        principal.name().trim_start_matches("token:")
    };
    Json(json!({
        "name": name,
        "version": env!("CARGO_PKG_VERSION"),
        "read_only": page.is_read_only(),
        "report_only": page.private_screens(&principal).is_some(),
        "model": presence.describe(state),
    }))
}

/// `GET /page/api/policy`: what holds for whoever asks.
pub(super) async fn policy(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
) -> Json<Value> {
    let whole = &page.0.live.rules().policy;
    let policy = if principal == Principal::local() {
        whole.clone()
    } else {
        let mut own: Policy = whole.of_principal(principal.name());
        // How others are narrowed is theirs.
        own.principals.clear();
        own
    };
    let lines = policy_words::lines(&policy).into_iter();
    let text: Vec<String> = lines.map(|(name, text)| format!("{name:<12} {text}")).collect();
    let rules = ActClass::ALL.into_iter().map(|class| {
        let treatment = policy_words::word(policy.treatment(class));
        json!({ "class": class.name(), "treatment": treatment })
    });
    let mut rules: Vec<Value> = rules.collect();
    // No kind of act, but a rule of its own.
    let system_parts = policy_words::word(policy.system_parts());
    rules.push(json!({ "class": "system-parts", "treatment": system_parts }));
    Json(json!({ "profile": policy.name(), "text": text.join("\n"), "rules": rules }))
}

/// The settings as they are shown: secrets as `set`.
pub(super) fn of(config: &Config) -> Value {
    let mut told = config.explain_json();
    let settings = told["settings"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let settings = settings.into_iter().map(|mut setting| {
        let about = Config::about(setting["key"].as_str().unwrap_or_default());
        if setting["secret"] == true && !setting["value"].is_null() {
            setting["value"] = "set".into();
        }
        setting["about"] = about.into();
        setting
    });
    json!({ "settings": settings.collect::<Vec<_>>() })
}

/// `GET /page/api/settings`. They name folders, endpoints and other people: for the person of this machine.
pub(super) async fn list(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
) -> Result<Json<Value>, Refusal> {
    if principal != Principal::local() {
        let text = "the settings are for the person of this server: ask them";
        return Err(Refusal::new(StatusCode::FORBIDDEN, text));
    }
    Ok(Json(page.0.settings.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_with_what_they_are_for_and_without_secrets() {
        let home = tempfile::tempdir().unwrap();
        let told = of(&Config::isolated(home.path()));
        let settings = told["settings"].as_array().unwrap();
        let find = |key: &str| settings.iter().find(|it| it["key"] == key).unwrap();
        let url = find("model.base-url");
        assert_eq!(
            url["about"],
            "Any endpoint that speaks the OpenAI chat API and accepts pictures."
        );
        assert_eq!(url["origin"], "default");
        assert!(find("model.api-key")["about"].as_str().unwrap().contains("AYEAYE_MODEL_API_KEY"));
        assert!(find("model.coordinates")["value"].is_null());
    }
}
