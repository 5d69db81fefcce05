//! Who is let in: tokens, addresses, pages, an issuer.
use super::*;
use crate::config::IssuerSettings;
use crate::http::issuer::NO_JWT;
use crate::http::issuer::tests::{AUDIENCE, Idp, Pair};

#[tokio::test]
async fn other_machines_need_a_token_that_the_user_chose() {
    let home = tempfile::tempdir().unwrap();
    let mut settings = settings();
    settings.listen = "0.0.0.0:0".parse().unwrap();
    assert!(HttpServer::bind(&settings, home.path()).await.is_ok());
    settings.token = None;
    let refused = HttpServer::bind(&settings, home.path()).await;
    assert!(matches!(refused, Err(HttpError::Open { .. })));
    assert!(!home.path().join(TOKEN_FILE).exists());
    settings.listen = "127.0.0.1:0".parse().unwrap();
    let first = HttpServer::bind(&settings, home.path()).await.unwrap();
    assert_eq!(first.token_file.as_deref(), Some(home.path().join(TOKEN_FILE).as_path()));
    settings.listen = first.address().clone();
    let taken = HttpServer::bind(&settings, home.path()).await;
    assert!(matches!(taken, Err(HttpError::Listen { .. })));
    let told = taken.unwrap_err().to_string();
    assert!(told.contains("another program") && told.contains("--http PORT"), "{told}");
    let _noted = running_server::RunningServer::note(home.path(), &first.page_url()).unwrap();
    let told = HttpServer::bind(&settings, home.path()).await.unwrap_err().to_string();
    assert!(told.contains("`ayeaye ui`") && told.contains(&first.page_url()), "{told}");
}

#[test]
fn a_port_that_windows_has_set_aside_is_told_with_a_way_out() {
    // Windows' words for 10013 are of access permissions, which nobody could give.
    let told = |code| {
        let listen = "127.0.0.1:8642".parse().unwrap();
        way_out(&io::Error::from_raw_os_error(code), &listen, Path::new("/nowhere"))
    };
    let way_out = told(SET_ASIDE);
    assert!(way_out.contains("port aside") && way_out.contains("--http PORT"), "{way_out}");
    assert_eq!(told(2), "");
}

#[tokio::test]
async fn what_listens_everywhere_names_an_address_that_it_answers_to() {
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let mut settings = settings();
        settings.listen = listen.parse().unwrap();
        // Not every machine has IPv6.
        let Ok(server) = HttpServer::bind(&settings, Path::new("/nowhere")).await else { continue };
        let url: url::Url = server.url().parse().unwrap();
        let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
        assert!(server.auth.hosts.allow(&host.parse().unwrap()), "{url}");
        assert!(!server.has_names);
    }
}

#[test]
fn a_policy_for_a_token_that_is_not_there_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut policy = Policy::default();
    let settings = settings();
    let check = |policy: &Policy| check_narrowed(policy, &settings, home.path());
    assert!(check(&policy).is_ok());
    let narrow = ayeaye_agent::gate::PolicyProfile::ReadOnly;
    policy.principals = vec![("token:anna".to_owned(), narrow)];
    let told = check(&policy).unwrap_err().to_string();
    assert!(told.contains("narrows anna, but") && told.contains("http-tokens"), "{told}");
    let file = home.path().join(token_store::FILE);
    std::fs::write(&file, "anna a-token-of-another-one\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert!(check(&policy).is_ok());
    policy.principals.push(("token:ann".to_owned(), narrow));
    assert!(check(&policy).is_err());
    // Of an issuer it is known that it is this one, and nothing of its people.
    let mut settings = settings.clone();
    let name = "https://login.example.com/realms/phones".to_owned();
    settings.issuer = Some(IssuerSettings { name, audience: None, keys: None });
    let mut of = |principal: &str| {
        policy.principals = vec![(principal.to_owned(), narrow)];
        check_narrowed(&policy, &settings, home.path())
    };
    assert!(of("jwt:https://login.example.com/realms/phones#anna").is_ok());
    for other in ["", "/#anna", "#"] {
        let told = of(&format!("jwt:https://login.example.com/realms/phones{other}")).unwrap_err();
        assert!(told.to_string().contains("http.issuer to the letter"), "{told}");
    }
}

#[tokio::test]
async fn an_allowed_page_may_read_and_no_other_is_told_anything() {
    let running = start().await;
    let host = format!("Host: {}\r\nConnection: close\r\n", running.address);
    let asks = "Access-Control-Request-Method: POST\r\n\
                Access-Control-Request-Headers: authorization,content-type\r\n\
                Access-Control-Request-Private-Network: true\r\n";
    let listed = format!("Origin: {LISTED}\r\n");
    let ask = |origin: &str| format!("OPTIONS /mcp HTTP/1.1\r\n{host}{origin}{asks}\r\n");
    let (status, answer) = raw(running.address, &ask(&listed)).await;
    assert_eq!(status, 204, "{answer}");
    for said in [
        &format!("access-control-allow-origin: {LISTED}\r\n"),
        "access-control-allow-methods: GET, POST, DELETE\r\n",
        "authorization, content-type",
        "access-control-allow-private-network: true\r\n",
        "vary: Origin\r\n",
    ] {
        assert!(answer.contains(said), "{said}: {answer}");
    }
    for stranger in ["Origin: https://evil.example\r\n", "Origin: null\r\n"] {
        let (status, answer) = raw(running.address, &ask(stranger)).await;
        assert_eq!(status, 403);
        assert!(!answer.contains("access-control"), "{answer}");
    }
    // A browser of no page asks nothing beforehand.
    let (status, _) = raw(running.address, &ask("")).await;
    assert_eq!(status, 401);
    // Refusals are for the page's eyes too, and so is the session.
    let (status, answer) =
        raw(running.address, &format!("GET /mcp HTTP/1.1\r\n{host}{listed}\r\n")).await;
    assert_eq!(status, 401);
    assert!(answer.contains("access-control-expose-headers: Mcp-Session-Id, WWW-Authenticate"));
    let opened = post(&running, INITIALIZE).header("origin", LISTED).send().await.unwrap();
    assert_eq!(opened.headers()["access-control-allow-origin"], LISTED);
    assert!(opened.headers().contains_key("mcp-session-id"));
    assert!(!opened.headers().contains_key("access-control-allow-credentials"));
}

#[tokio::test]
async fn wrong_tokens_become_too_many_and_the_right_one_is_still_let_in() {
    let mut settings = settings();
    settings.wrong_tokens = 3;
    settings.rate_limit = 5;
    let running = start_with(&settings, Path::new("/nowhere")).await;
    let url = format!("http://{}/mcp", running.address);
    let wrong = async |token: &str| http().post(&url).bearer_auth(token).send().await.unwrap();
    for _ in 0..3 {
        let answer = wrong("wrong").await;
        assert_eq!(answer.status(), 401);
        let text = answer.text().await.unwrap();
        assert!(text.contains("not one of this server's") && !text.contains("is needed"), "{text}");
    }
    let answer = wrong("wrong").await;
    assert_eq!(answer.status(), 429);
    let wait: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=21).contains(&wait), "{wait}");
    // No token at all is no guess: such a client must hear how to get one.
    assert_eq!(http().post(&url).send().await.unwrap().status(), 401);
    for _ in 0..5 {
        assert_eq!(post(&running, INITIALIZE).send().await.unwrap().status(), 200);
    }
    let answer = post(&running, INITIALIZE).send().await.unwrap();
    assert_eq!(answer.status(), 429);
    assert!(answer.headers().contains_key("retry-after"));
    assert!(answer.text().await.unwrap().contains("http.rate-limit"));
}

fn issued_by(name: String) -> HttpSettings {
    let mut settings = settings();
    settings.public_url = Some("https://phones.example.com".parse().expect("a URL"));
    let audience = Some(AUDIENCE.to_owned());
    settings.issuer = Some(IssuerSettings { name, audience, keys: None });
    settings
}

#[tokio::test]
async fn an_issuer_is_told_of_and_its_tokens_are_taken() {
    let pair = Pair::ed();
    let idp = Idp::start(serde_json::json!([pair.jwk("a")])).await;
    let running = start_with(&issued_by(idp.name()), Path::new("/nowhere")).await;
    let at = |path: &str| format!("http://{}{path}", running.address);
    for path in
        ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]
    {
        let answer = http().get(at(path)).send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "application/json");
        let told: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(told["resource"], "https://phones.example.com/mcp");
        assert_eq!(told["authorization_servers"], serde_json::json!([idp.name()]));
        assert_eq!(told["scopes_supported"], serde_json::json!(["phone:control"]));
        assert_eq!(told["bearer_methods_supported"], serde_json::json!(["header"]));
        let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        let evil = format!("{request}Host: evil.example\r\n\r\n");
        assert_eq!(raw(running.address, &evil).await.0, 403);
        let public = format!("{request}Host: phones.example.com\r\n\r\n");
        assert_eq!(raw(running.address, &public).await.0, 200);
    }
    let challenge = |answer: &reqwest::Response| {
        answer.headers()["www-authenticate"].to_str().unwrap().to_owned()
    };
    let place = "scope=\"phone:control\", resource_metadata=\"https://phones.example.com/\
                 .well-known/oauth-protected-resource/mcp\"";
    let answer = http().post(at("/mcp")).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(challenge(&answer), format!("Bearer realm=\"ayeaye\", {place}"));
    let mut claims = idp.claims();
    claims["exp"] = serde_json::json!(1);
    let answer =
        http().post(at("/mcp")).bearer_auth(pair.token("a", &claims)).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert!(challenge(&answer).contains("error=\"invalid_token\", scope="));
    claims = idp.claims();
    claims["scope"] = serde_json::json!("openid");
    let answer =
        http().post(at("/mcp")).bearer_auth(pair.token("a", &claims)).send().await.unwrap();
    assert_eq!(answer.status(), 403);
    assert_eq!(
        challenge(&answer),
        format!("Bearer realm=\"ayeaye\", error=\"insufficient_scope\", {place}")
    );
    let config = StreamableHttpClientTransportConfig::with_uri(at("/mcp"))
        .auth_header(pair.token("a", &idp.claims()));
    let transport = StreamableHttpClientTransport::with_client(http(), config);
    let client = ().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await.unwrap();
    let principal = client.call_tool(CallToolRequestParams::new("who")).await.unwrap();
    let expected = format!("jwt:{}#anna", idp.name());
    assert_eq!(principal.content[0].as_text().unwrap().text, expected);
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn without_its_issuer_the_servers_own_token_still_works() {
    let running =
        start_with(&issued_by("http://127.0.0.1:1".to_owned()), Path::new("/nowhere")).await;
    let pair = Pair::ed();
    let claims = serde_json::json!({ "iss": "http://127.0.0.1:1" });
    let url = format!("http://{}/mcp", running.address);
    let answer = http().post(url).bearer_auth(pair.token("a", &claims)).send().await.unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(post(&running, INITIALIZE).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_client_is_led_by_the_name_that_it_used_and_by_no_other() {
    let pair = Pair::ed();
    let idp = Idp::start(serde_json::json!([pair.jwk("a")])).await;
    let mut settings = settings();
    settings.allowed_hosts = ["127.0.0.1:9000", "phones.lan"].map(|it| it.parse().unwrap()).into();
    settings.issuer = Some(IssuerSettings { name: idp.name(), audience: None, keys: None });
    let running = start_with(&settings, Path::new("/nowhere")).await;
    let port = running.address.port();
    let metadata = "/.well-known/oauth-protected-resource/mcp";
    let read = async |request: reqwest::RequestBuilder, host: &str| {
        let answer = request.header("host", host).send().await.unwrap();
        let challenge = answer.headers().get("www-authenticate");
        let challenge = challenge.map_or("", |it| it.to_str().unwrap()).to_owned();
        (answer.status().as_u16(), challenge, answer.text().await.unwrap())
    };
    let url = |path: &str| format!("http://{}{path}", running.address);
    let asked = async |host: &str| read(http().get(url(metadata)), host).await;
    let called = async |host: &str| read(http().post(url("/mcp")), host).await;
    let called_for = async |audience: &str, host: &str| {
        let mut claims = idp.claims();
        claims["aud"] = serde_json::json!(audience);
        read(http().post(url("/mcp")).bearer_auth(pair.token("a", &claims)), host).await
    };
    let own = [
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "127.0.0.1:9000".to_owned(),
        "phones.lan".to_owned(),
        format!("phones.lan:{port}"),
    ];
    for host in &own {
        let (status, _, told) = asked(host).await;
        assert_eq!(status, 200, "{host}: {told}");
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["resource"], format!("http://{host}/mcp"));
        let (status, challenge, _) = called(host).await;
        assert_eq!(status, 401);
        let place = format!("resource_metadata=\"http://{host}{metadata}\"");
        assert!(challenge.contains(&place), "{host}: {challenge}");
        // No media type is named: the token is taken.
        let (status, _, told) = called_for(&format!("http://{host}/mcp"), host).await;
        assert_eq!(status, 415, "{host}: {told}");
    }
    for evil in ["evil.example", "phones.lan:9000", "localhost:9000", "127.0.0.1"] {
        for (status, challenge, told) in [asked(evil).await, called(evil).await] {
            assert_eq!((status, challenge.as_str()), (403, ""), "{evil}");
            assert!(!told.contains("/mcp") && !told.contains("well-known"), "{evil}: {told}");
        }
        let (status, challenge, _) = called_for(&format!("http://{evil}/mcp"), &own[0]).await;
        assert!(status == 401 && challenge.contains("another audience"), "{evil}: {challenge}");
    }
    let encrypted = format!("https://{}/mcp", own[0]);
    assert_eq!(called_for(&encrypted, &own[0]).await.0, 401);
}

#[tokio::test]
async fn an_audience_or_a_public_url_of_the_settings_decides_alone() {
    let pair = Pair::ed();
    let idp = Idp::start(serde_json::json!([pair.jwk("a")])).await;
    let told_at = async |settings: &HttpSettings, audience: &str| {
        let running = start_with(settings, Path::new("/nowhere")).await;
        let base = format!("http://{}", running.address);
        let mut claims = idp.claims();
        claims["aud"] = serde_json::json!(audience.replace("BASE", &base));
        let token = pair.token("a", &claims);
        let answer =
            http().post(format!("{base}/mcp")).bearer_auth(token).send().await.unwrap().status();
        let metadata = format!("{base}/.well-known/oauth-protected-resource");
        let told: serde_json::Value =
            http().get(metadata).send().await.unwrap().json().await.unwrap();
        (answer != 401, told["resource"].as_str().unwrap().replace(&base, "BASE"))
    };
    let mut settings = settings();
    settings.issuer =
        Some(IssuerSettings { name: idp.name(), audience: Some("phones".to_owned()), keys: None });
    let by_name = "BASE/mcp".to_owned();
    assert_eq!(told_at(&settings, "phones").await, (true, by_name.clone()));
    assert_eq!(told_at(&settings, "BASE/mcp").await, (false, by_name));
    settings.issuer = Some(IssuerSettings { name: idp.name(), audience: None, keys: None });
    settings.public_url = Some("https://phones.example.com".parse().unwrap());
    let public = "https://phones.example.com/mcp".to_owned();
    assert_eq!(told_at(&settings, &public).await, (true, public.clone()));
    assert_eq!(told_at(&settings, "BASE/mcp").await, (false, public));
}

#[derive(Clone, Default)]
struct Lines(Arc<std::sync::Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn why_a_token_is_refused_is_told_to_its_client_and_in_the_log() {
    let lines = Lines::default();
    let writer = lines.clone();
    // With one subscriber alone, a line that another test's thread comes to first would stay off here too.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _log = tracing::subscriber::set_default(subscriber);
    tracing::callsite::rebuild_interest_cache();
    let pair = Pair::ed();
    let idp = Idp::start(serde_json::json!([pair.jwk("a")])).await;
    let running = start_with(&issued_by(idp.name()), Path::new("/nowhere")).await;
    let url = format!("http://{}/mcp", running.address);
    let refused = async |token: &str| {
        let answer = http().post(&url).bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status(), 401);
        let challenge = answer.headers()["www-authenticate"].to_str().unwrap().to_owned();
        (challenge, answer.text().await.unwrap())
    };
    let mut claims = idp.claims();
    claims["exp"] = serde_json::json!(1);
    for (token, why) in [
        ("an-opaque-token-of-the-issuer", NO_JWT),
        (&pair.token("a", &claims), "the token has expired"),
    ] {
        let (challenge, text) = refused(token).await;
        assert!(challenge.contains(", error=\"invalid_token\", scope="), "{challenge}");
        assert!(challenge.ends_with(&format!(", error_description=\"{why}\"")), "{challenge}");
        assert!(text.contains(why), "{text}");
        let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(log.contains(&format!("was refused: {why}")), "{log}");
        assert!(!log.contains(token), "{log}");
    }
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    // Clients log in at an issuer: nobody is handed the main token.
    let added = log.lines().find(|line| line.contains("claude mcp add")).expect("the line");
    assert!(!added.contains("Authorization"), "{added}");
}

#[tokio::test]
async fn an_issuer_is_looked_at_before_the_first_client_comes() {
    let idp = Idp::start(serde_json::json!([Pair::ed().jwk("a")])).await;
    let _running = start_with(&issued_by(idp.name()), Path::new("/nowhere")).await;
    let looked = async {
        while idp.fetched() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looked).await.expect("it fetches the keys");
}
