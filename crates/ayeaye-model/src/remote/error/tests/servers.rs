//! What servers of one's own refuse, in their own words.
use super::*;

#[test]
fn requests_that_fill_the_context_together_are_no_prompt_that_is_too_long() {
    let said = "Context size has been exceeded. [server_error]";
    for error in [
        AttemptError::from_status(500, said, None),
        AttemptError::from_status(500, said, None).behind(true),
    ] {
        let expected = (ModelErrorKind::Overloaded, Recovery::Retry { after: None });
        assert_eq!((error.kind, error.recovery), expected);
        let message = error.message(str::to_owned);
        assert!(message.contains("-np 1"), "{message}");
    }
    let said = "request (620 tokens) exceeds the available context size (512 tokens), try increasing it \
                [exceed_context_size_error]";
    let error = AttemptError::from_status(400, said, None);
    let expected = (ModelErrorKind::PromptTooLong, Recovery::ShorterPrompt);
    assert_eq!((error.kind, error.recovery), expected);
}

#[test]
fn a_model_that_a_server_does_not_know_is_told_as_that() {
    for (status, said) in [
        (400, "model 'gelab-zero' not found [invalid_request_error]"),
        (404, "The model `nope` does not exist. Valid aliases: gelab-zero-4b-preview, tiny."),
        (400, "Server is pinned to '/models/tiny'; requested 'x'."),
    ] {
        let error = AttemptError::from_status(status, said, None);
        assert_eq!((error.kind, error.recovery), (ModelErrorKind::NotFound, Recovery::GiveUp));
        let message = error.message(str::to_owned);
        assert!(message.contains(": the model's name is wrong"), "{message}");
    }
    // It says nothing of the model.
    let message = AttemptError::from_status(404, "Not Found", None).message(str::to_owned);
    assert!(message.contains("either the path or the model's name"), "{message}");
}

#[test]
fn a_reply_as_long_as_the_whole_context_is_asked_to_be_shorter() {
    for name in ["max_tokens", "max_output_tokens", "max_completion_tokens"] {
        let said = format!(
            "{name}=16384 cannot be greater than max_model_len=4096. Please request fewer output tokens. \
             (parameter={name}, value=16384)"
        );
        let error = AttemptError::from_status(400, &said, None);
        assert_eq!(error.recovery, Recovery::FewerTokens { most: 2048 }, "{said}");
        let message = error.message(str::to_owned);
        assert!(message.contains("--max-model-len"), "{message}");
    }
    let odd = "max_tokens=9 cannot be greater than max_model_len=many";
    assert_eq!(AttemptError::from_status(400, odd, None).recovery, Recovery::GiveUp);
}

#[test]
fn a_reply_that_the_server_cannot_read_names_the_profile_that_needs_no_call() {
    let said = "The model produced output that does not match the expected peg-native format [server_error]";
    let error = AttemptError::from_status(500, said, None);
    assert_eq!(error.recovery, Recovery::RetryOnce { after: None });
    assert!(error.is_unparsed_reply());
    assert!(error.message(str::to_owned).contains("generic-text"));
}
