//! Headers that a gateway wants with every request.
use ayeaye_agent::Model as _;

use super::fake::{Fake, JSON, http, says};
use super::{BACK, KEY, LIMIT, config, prompt};
use crate::{ModelConfig, Profile, RemoteModel};

const TEAM: &str = "team-canary-of-some-length";

#[tokio::test]
async fn extra_headers_go_with_every_request_and_into_no_text() {
    for (profile, auth) in [
        (Profile::GELAB, format!("authorization: bearer {KEY}\r\n")),
        (Profile::CLAUDE, format!("x-api-key: {KEY}\r\n")),
    ] {
        let list = http("200 OK", JSON, r#"{"data":[]}"#);
        let refused = http(
            "400 Bad Request",
            JSON,
            format!(r#"{{"message":"{TEAM} is no team, {KEY} no key"}}"#),
        );
        let fake = Fake::start(vec![list, refused, says(BACK)]).await;
        let extra_headers =
            format!(r#"{{"X-Team": "{TEAM}", "x-portkey-provider": "openai"}}"#).parse().unwrap();
        let config = ModelConfig { extra_headers, profile: Some(profile), ..config(&fake) };
        let model = RemoteModel::new(config).unwrap();
        assert!(!format!("{model:?}").contains(TEAM), "{model:?}");
        model.reach(LIMIT).await;
        let error = model.call(&prompt(), LIMIT).await.unwrap_err();
        let told = format!("{error:?}");
        assert!(told.contains("[key] is no team, [key] no key"), "{told}");
        assert!(!told.contains(TEAM) && !told.contains(KEY), "{told}");
        for request in fake.seen() {
            for part in [&format!("x-team: {TEAM}\r\n"), "x-portkey-provider: openai\r\n", &auth] {
                assert_eq!(request.head.matches(part).count(), 1, "{part}: {}", request.head);
            }
            assert!(!request.body.to_string().contains(TEAM));
        }
    }
}

#[tokio::test]
async fn a_gateway_that_wants_a_header_is_told_apart() {
    let said = r#"{"status":"failure","message":"Either x-portkey-config or x-portkey-provider header is required"}"#;
    let fake = Fake::start(vec![http("400 Bad Request", JSON, said)]).await;
    let error = RemoteModel::new(config(&fake)).unwrap().call(&prompt(), LIMIT).await.unwrap_err();
    assert!(error.message.contains("model.extra-headers"), "{error}");
}
