use super::*;

#[test]
fn bearer_tokens_are_read_as_the_rfc_says() {
    assert_eq!(bearer("Bearer abc"), Some("abc"));
    assert_eq!(bearer("bearer  abc "), Some("abc"));
    for wrong in ["abc", "Basic abc", "Bearerabc", ""] {
        assert_eq!(bearer(wrong), None, "{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_given_up() {
    let body = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
    let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
    assert_eq!(refusal.status(), StatusCode::REQUEST_TIMEOUT);
}

#[tokio::test]
async fn an_endless_body_is_read_no_further_than_it_helps() {
    let chunk = Bytes::from(vec![b' '; 1 << 20]);
    let body = Body::from_stream(futures::stream::repeat_with(move || {
        Ok::<_, std::io::Error>(chunk.clone())
    }));
    let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
    assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_passes() {
    let body = Body::from(vec![b'x'; 1024]);
    assert_eq!(read(&HeaderMap::new(), body, 1024).await.unwrap().len(), 1024);
    let body = Body::from(vec![b'x'; 1025]);
    let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
    assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
}
