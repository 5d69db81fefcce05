//! The film of a session, as the command exports it.
use serde_json::Value;

use crate::support::Binary;

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_exported_as_a_film_that_is_small_and_the_same_each_time() {
    let binary = Binary::alone().without_model();
    let ran = binary.run(&["run", "Turn Wi-Fi off", "--virtual", "--json"]).await;
    let result: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|err| panic!("{err}: {ran:?}"));
    let steps = result["intermediate_logs"].as_array().unwrap().len();
    let out = binary.data.path().join("out");
    let export = ["sessions", "export", "last", "--format", "film", "--out", out.to_str().unwrap()];
    let mut films = Vec::new();
    for _ in 0..2 {
        let exported = binary.run(&export).await;
        assert_eq!(exported.code, 0, "{exported:?}");
        let file = out.join(format!("{}.gif", result["session_id"].as_str().unwrap()));
        films.push(std::fs::read(file).unwrap());
    }
    assert_eq!(&films[0][..6], b"GIF89a");
    assert!(films[0] == films[1], "the same record gives the same bytes");
    let each = films[0].len() / steps;
    assert!(each < 25_000, "{each} bytes a step, for {steps} steps");
    assert!(!binary.data.path().join("films").exists(), "none is made while it runs");
}
