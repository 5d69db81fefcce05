//! An issuer on a socket, whose keys are made here.
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};

use super::*;

pub(in crate::http) const AUDIENCE: &str = "http://127.0.0.1:8642/mcp";

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A key pair of the issuer.
pub(in crate::http) enum Pair {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair),
}

impl Pair {
    pub(in crate::http) fn ed() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    fn ec() -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Ed(_) => "EdDSA",
            Self::Ec(_) => "ES256",
        }
    }

    fn public(&self) -> Vec<u8> {
        match self {
            Self::Ed(pair) => pair.public_key().as_ref().to_vec(),
            Self::Ec(pair) => pair.public_key().as_ref().to_vec(),
        }
    }

    pub(in crate::http) fn jwk(&self, id: &str) -> Value {
        let key = self.public();
        match self {
            Self::Ed(_) => json!({ "kty": "OKP", "crv": "Ed25519", "x": b64(key), "kid": id }),
            Self::Ec(_) => json!({ "kty": "EC", "crv": "P-256", "x": b64(&key[1..33]),
                "y": b64(&key[33..]), "kid": id, "use": "sig", "alg": "ES256" }),
        }
    }

    fn signed(&self, header: &Value, claims: &Value) -> String {
        let text = format!("{}.{}", b64(header.to_string()), b64(claims.to_string()));
        let signature = match self {
            Self::Ed(pair) => pair.sign(text.as_bytes()).as_ref().to_vec(),
            Self::Ec(pair) => {
                pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap().as_ref().to_vec()
            }
        };
        format!("{text}.{}", b64(signature))
    }

    /// A token with the key's own algorithm and this `kid`.
    pub(in crate::http) fn token(&self, id: &str, claims: &Value) -> String {
        self.signed(&json!({ "alg": self.algorithm(), "kid": id, "typ": "at+jwt" }), claims)
    }
}

/// The issuer's own server.
pub(in crate::http) struct Idp {
    address: SocketAddr,
    keys: Arc<Mutex<Value>>,
    fetched: Arc<AtomicUsize>,
    down: Arc<AtomicBool>,
}

impl Idp {
    pub(in crate::http) async fn start(keys: Value) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let keys = Arc::new(Mutex::new(keys));
        let (fetched, down) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let metadata = json!({ "issuer": format!("http://{address}/realm"),
            "jwks_uri": format!("http://{address}/keys") });
        let served = (Arc::clone(&keys), Arc::clone(&fetched), Arc::clone(&down));
        let router = Router::new()
            .route(
                // Only the last of the places where metadata may be.
                "/realm/.well-known/openid-configuration",
                get(async move || Json(metadata.clone())),
            )
            .route(
                "/keys",
                get(async move || {
                    served.1.fetch_add(1, Ordering::SeqCst);
                    if served.2.load(Ordering::SeqCst) {
                        return Err(StatusCode::BAD_GATEWAY);
                    }
                    Ok(Json(json!({ "keys": served.0.lock().unwrap().clone() })))
                }),
            );
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, keys, fetched, down }
    }

    pub(in crate::http) fn name(&self) -> String {
        format!("http://{}/realm", self.address)
    }

    fn issuer(&self) -> Issuer {
        Issuer::new(&self.name(), vec![AUDIENCE.to_owned()], None).unwrap()
    }

    pub(in crate::http) fn fetched(&self) -> usize {
        self.fetched.load(Ordering::SeqCst)
    }

    pub(in crate::http) fn claims(&self) -> Value {
        let now = jsonwebtoken::get_current_timestamp();
        json!({ "iss": self.name(), "sub": "anna", "aud": [AUDIENCE, "another"],
            "exp": now + 300, "nbf": now - 10, "scope": "openid phone:control" })
    }
}

#[tokio::test]
async fn good_tokens_of_either_key_name_their_subject() {
    let (ed, ec) = (Pair::ed(), Pair::ec());
    let odd = json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "shared" });
    let unheard_of = json!({ "kty": "PQ", "kid": "later", "x": 1 });
    let idp = Idp::start(json!([odd, unheard_of, ed.jwk("a"), ec.jwk("b")])).await;
    let issuer = idp.issuer();
    let expected = format!("jwt:{}#anna", idp.name());
    for token in [ed.token("a", &idp.claims()), ec.token("b", &idp.claims())] {
        assert_eq!(issuer.principal_of(&token).await.unwrap().name(), expected);
    }
    // Without a key's name all that fit are tried.
    let nameless = ec.signed(&json!({ "alg": "ES256" }), &idp.claims());
    assert_eq!(issuer.principal_of(&nameless).await.unwrap().name(), expected);
    let mut listed = idp.claims();
    listed["scope"] = json!(null);
    listed["scp"] = json!(["a", "phone:control"]);
    listed["aud"] = json!(AUDIENCE);
    assert_eq!(issuer.principal_of(&ed.token("a", &listed)).await.unwrap().name(), expected);
    // As Spring Authorization Server and Duende IdentityServer write it.
    listed["scp"] = json!(null);
    listed["scope"] = json!(["openid", "phone:control"]);
    assert_eq!(issuer.principal_of(&ed.token("a", &listed)).await.unwrap().name(), expected);
    listed["scope"] = json!(["openid", "phone"]);
    assert_eq!(issuer.principal_of(&ed.token("a", &listed)).await, Err(Denied::Scope));
    assert_eq!(idp.fetched(), 1, "the keys are kept");
}

#[tokio::test]
async fn what_is_not_as_it_must_be_is_refused() {
    let (ed, other) = (Pair::ed(), Pair::ed());
    let idp = Idp::start(json!([ed.jwk("a")])).await;
    let issuer = idp.issuer();
    let now = jsonwebtoken::get_current_timestamp();
    let with = |name: &str, value: Value| {
        let mut claims = idp.claims();
        claims[name] = value;
        ed.token("a", &claims)
    };
    let without = |name: &str| {
        let mut claims = idp.claims();
        claims.as_object_mut().unwrap().remove(name);
        ed.token("a", &claims)
    };
    assert!(issuer.principal_of(&with("exp", json!(now - 30))).await.is_ok(), "clocks may differ");
    assert!(issuer.principal_of(&with("nbf", json!(now + 30))).await.is_ok());
    for (what, token) in [
        ("expired", with("exp", json!(now - 90))),
        ("expires in words", with("exp", json!((now + 300).to_string()))),
        ("not yet", with("nbf", json!(now + 90))),
        ("not yet, in words", with("nbf", json!((now + 900).to_string()))),
        ("for another", with("aud", json!("https://other.example/mcp"))),
        ("for nobody", with("aud", json!([]))),
        ("of another", with("iss", json!("http://evil.example"))),
        ("of two", with("iss", json!([idp.name(), "http://evil.example"]))),
        ("of somebody without name", with("sub", json!(""))),
        ("of a number", with("sub", json!(7))),
        ("of a long name", with("sub", json!("x".repeat(256)))),
        ("of two lines", with("sub", json!("anna\nroot"))),
        ("without exp", without("exp")),
        ("without aud", without("aud")),
        ("without iss", without("iss")),
        ("without sub", without("sub")),
        ("another's key", other.token("a", &idp.claims())),
        ("too long", with("x", json!("x".repeat(MAX_TOKEN)))),
    ] {
        let refused = issuer.principal_of(&token).await;
        assert_in_plain_words(&refused);
        assert!(matches!(refused, Err(Denied::Wrong(_))), "{what}: {refused:?}");
    }
    for scope in [json!("openid"), json!("phone:control2 xphone:control"), json!(null)] {
        assert_eq!(issuer.principal_of(&with("scope", scope)).await, Err(Denied::Scope));
    }
    for header in [
        json!({ "alg": "none", "kid": "a" }),
        json!({ "alg": "HS256", "kid": "a" }),
        json!({ "alg": "ES256", "kid": "a" }),
        json!({ "alg": "EdDSA", "kid": "a", "crit": ["b64"], "b64": false }),
        json!({ "alg": "EdDSA", "kid": "a", "typ": "logout+jwt" }),
        json!({ "kid": "a" }),
    ] {
        let refused = issuer.principal_of(&ed.signed(&header, &idp.claims())).await;
        assert_in_plain_words(&refused);
        assert!(matches!(refused, Err(Denied::Wrong(_))), "{header}: {refused:?}");
    }
    // The public key taken for a shared secret.
    let text = ed.signed(&json!({ "alg": "HS256", "kid": "a" }), &idp.claims());
    let (message, _) = text.rsplit_once('.').unwrap();
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &ed.public());
    let forged = format!("{message}.{}", b64(ring::hmac::sign(&secret, message.as_bytes())));
    assert!(issuer.principal_of(&forged).await.is_err());
    let good = ed.token("a", &idp.claims());
    let (message, signature) = good.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let mut root = idp.claims();
    root["sub"] = json!("root");
    for forged in [
        format!("{header}.{}.{signature}", b64(root.to_string())),
        format!("{message}."),
        format!("{message}.{signature}AA"),
        "..".to_owned(),
        "a.b.c".to_owned(),
    ] {
        assert!(issuer.principal_of(&forged).await.is_err(), "{forged}");
    }
}

/// What is said of a token fits into `error_description` (RFC 6750, 3).
fn assert_in_plain_words(refused: &Result<Principal, Denied>) {
    let Err(Denied::Wrong(why)) = refused else { return };
    assert!(why.bytes().all(|b| matches!(b, b' '..=b'~') && !matches!(b, b'"' | b'\\')), "{why}");
}

#[tokio::test]
async fn the_reason_is_told_and_nothing_of_the_token() {
    let ed = Pair::ed();
    let idp = Idp::start(json!([ed.jwk("a")])).await;
    let issuer = idp.issuer();
    let with = |name: &str, value: Value| {
        let mut claims = idp.claims();
        claims[name] = value;
        ed.token("a", &claims)
    };
    let header = |alg: &str| ed.signed(&json!({ "alg": alg, "kid": "a" }), &idp.claims());
    for (token, told) in [
        (with("aud", json!("https://evil.example/mcp")), "another audience"),
        (with("iss", json!(format!("{}/", idp.name()))), "another issuer"),
        (with("exp", json!(1)), "has expired"),
        (with("exp", json!("evil")), "a wrong type"),
        (with("sub", json!(null)), "a wrong type"),
        (with("sub", json!("")), "sub is empty"),
        (header("XX\n2026 INFO a line of evil"), "algorithms"),
        (header("Ed25519"), "algorithms"),
        (header("HS256"), "algorithms"),
        (Pair::ed().token("a", &idp.claims()), "no key"),
    ] {
        let refused = issuer.principal_of(&token).await;
        assert_in_plain_words(&refused);
        let Err(Denied::Wrong(why)) = refused else { panic!("{told}: {refused:?}") };
        assert!(why.contains(told), "{told}: {why}");
    }
    // Where all keys are tried, the one that fits tells why.
    let idp = Idp::start(json!([ed.jwk("a"), Pair::ed().jwk("b"), Pair::ed().jwk("c")])).await;
    let mut claims = idp.claims();
    claims["exp"] = json!(1);
    let nameless = ed.signed(&json!({ "alg": "EdDSA" }), &claims);
    let refused = idp.issuer().principal_of(&nameless).await;
    assert_eq!(refused, Err(Denied::Wrong("the token has expired")));
}

#[tokio::test]
async fn what_is_wrong_with_an_issuer_is_told_with_its_cause() {
    let told = async |name: &str, keys: Option<&str>| {
        let keys = keys.map(|url| url.parse().unwrap());
        let settings = IssuerSettings { name: name.to_owned(), audience: None, keys };
        check_issuer(&settings).await
    };
    // Nothing listens there, and that is what it says.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let problem = told(&format!("http://{closed}"), None).await.unwrap_err();
    assert!(problem.contains("refused"), "{problem}");
    let ed = Pair::ed();
    let idp = Idp::start(json!([ed.jwk("a"), { "kty": "PQ", "kid": "b", "x": 1 }])).await;
    let good = told(&idp.name(), None).await.unwrap();
    assert!(good.contains("1 of 2 keys"), "{good}");
    // A slash too many: both names are told, in one line.
    let problem = told(&format!("{}/", idp.name()), None).await.unwrap_err();
    let both = format!("the metadata of {0}, and http.issuer is {0}/", idp.name());
    assert!(problem.contains(&both) && !problem.contains('\n'), "{problem}");
    *idp.keys.lock().unwrap() = json!([{ "kty": "PQ", "kid": "b" }]);
    let problem = told(&idp.name(), None).await.unwrap_err();
    assert!(problem.contains("none of the 1 keys"), "{problem}");
    let answers_no_keys = format!("http://{}/none", idp.address);
    let problem = told(&idp.name(), Some(&answers_no_keys)).await.unwrap_err();
    assert!(problem.contains("404"), "{problem}");
}

/// Made once with another program; 2048 bits, and a life until the year 2100.
#[tokio::test]
async fn rsa_is_checked_as_others_sign_it() {
    let fixture: Value = serde_json::from_str(include_str!("rsa.json")).unwrap();
    let text = |name: &str| fixture[name].as_str().unwrap().to_owned();
    let idp = Idp::start(json!([fixture["jwk"]])).await;
    // The name is in what was signed; only the keys are here.
    let keys = Url::parse(&format!("http://{}/keys", idp.address)).unwrap();
    let issuer =
        Issuer::new("http://127.0.0.1/rsa", vec![AUDIENCE.to_owned()], Some(keys)).unwrap();
    for name in ["rs256", "ps256"] {
        let token = text(name);
        assert_eq!(
            issuer.principal_of(&token).await.unwrap().name(),
            "jwt:http://127.0.0.1/rsa#anna"
        );
        let spoiled = token.replacen(&token[token.len() - 20..], &"A".repeat(20), 1);
        assert!(issuer.principal_of(&spoiled).await.is_err());
    }
}

#[tokio::test]
async fn a_new_key_is_fetched_and_unknown_ones_do_not_make_a_flood() {
    let (first, second) = (Pair::ed(), Pair::ed());
    let idp = Idp::start(json!([first.jwk("1")])).await;
    let issuer = idp.issuer();
    issuer.principal_of(&first.token("1", &idp.claims())).await.unwrap();
    *idp.keys.lock().unwrap() = json!([first.jwk("1"), second.jwk("2")]);
    let new = second.token("2", &idp.claims());
    // Fetched only just: whether it is good is not known yet, and a client must not give up for that.
    let Err(Denied::UnknownKey(wait)) = issuer.principal_of(&new).await else {
        panic!("it was told that the token is good, or bad");
    };
    assert!((Duration::from_secs(20)..=Duration::from_secs(30)).contains(&wait), "{wait:?}");
    let other_algorithm = json!({ "alg": "ES256", "kid": "1" });
    let misnamed = issuer.principal_of(&first.signed(&other_algorithm, &idp.claims())).await;
    assert_eq!(misnamed, Err(Denied::Wrong(NO_KEY)), "that key is here");
    assert_eq!(idp.fetched(), 1);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    issuer.principal_of(&new).await.unwrap();
    for round in 0..100 {
        assert!(
            issuer
                .principal_of(&second.token(&format!("none-{round}"), &idp.claims()))
                .await
                .is_err()
        );
    }
    assert_eq!(idp.fetched(), 2);
}

#[tokio::test]
async fn without_its_issuer_a_token_cannot_be_told_and_kept_keys_go_on() {
    let pair = Pair::ed();
    let idp = Idp::start(json!([pair.jwk("a")])).await;
    idp.down.store(true, Ordering::SeqCst);
    let issuer = idp.issuer();
    let token = pair.token("a", &idp.claims());
    for _ in 0..20 {
        assert!(matches!(issuer.principal_of(&token).await, Err(Denied::Unavailable(_))));
    }
    assert_eq!(idp.fetched(), 1, "not again at once");
    // What cannot be good is refused all the same.
    let mut other = idp.claims();
    other["iss"] = json!("http://evil.example");
    assert!(matches!(issuer.principal_of(&pair.token("a", &other)).await, Err(Denied::Wrong(_))));
    idp.down.store(false, Ordering::SeqCst);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(6)).await;
    tokio::time::resume();
    issuer.principal_of(&token).await.unwrap();
    idp.down.store(true, Ordering::SeqCst);
    tokio::time::pause();
    tokio::time::advance(Duration::from_hours(2)).await;
    tokio::time::resume();
    issuer.principal_of(&token).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_hours(23)).await;
    tokio::time::resume();
    let refused = issuer.principal_of(&token).await;
    assert!(matches!(refused, Err(Denied::Unavailable(_))), "a key may be withdrawn");
}

#[tokio::test]
async fn keys_that_nothing_is_checked_with_are_not_counted() {
    let rsa = |bits: usize| json!({ "kty": "RSA", "kid": "r", "e": "AQAB", "n": "x".repeat(bits.div_ceil(6) - 1) + "A" });
    for (keys, told) in [
        (json!([]), Err("publishes no keys")),
        (json!([rsa(1024), rsa(16384)]), Err("none of the 2 keys")),
        (json!([rsa(2048), rsa(1024), Pair::ed().jwk("1")]), Ok("2 of 3 keys")),
    ] {
        let idp = Idp::start(keys).await;
        let found = Keys::new(&idp.name(), None).unwrap().check().await;
        let text = found.as_ref().unwrap_or_else(|err| err);
        assert_eq!(found.is_ok(), told.is_ok(), "{text}");
        assert!(text.contains(told.unwrap_or_else(|part| part)), "{text}");
    }
}

#[tokio::test]
async fn old_keys_are_fetched_by_one_however_many_ask() {
    let pair = Pair::ed();
    let idp = Idp::start(json!([pair.jwk("a")])).await;
    let issuer = idp.issuer();
    let token = pair.token("a", &idp.claims());
    issuer.principal_of(&token).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_hours(2)).await;
    tokio::time::resume();
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    for _ in 0..100 {
        issuer.principal_of(&token).await.unwrap();
    }
    // The fetch, and what its connection needs.
    assert!(tasks() < before + 10, "{before} tasks have become {}", tasks());
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn no_token_makes_it_panic(text in "[ -~]{0,40}", header in "[ -~]{0,40}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let issuer = runtime.block_on(async {
            Issuer::new("http://127.0.0.1:1", vec![AUDIENCE.to_owned()], None).unwrap()
        });
        for token in [text.clone(), format!("{}.{}.x", b64(&header), b64(&text))] {
            proptest::prop_assert!(runtime.block_on(issuer.principal_of(&token)).is_err());
        }
    }
}
