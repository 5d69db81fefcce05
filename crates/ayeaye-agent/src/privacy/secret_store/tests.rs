//! What is found of a secret, and what becomes one again.
use proptest::prelude::*;

use sha2::{Digest as _, Sha256};

use super::super::{SecretStores, placeholders};
use super::*;
use crate::NoNamedSecrets;
use crate::journal::hex;
use crate::secret_text::find_secrets;

fn store(secrets: &[&str]) -> SecretStore {
    let store = SecretStore::new(KeepText::Redacted);
    for secret in secrets {
        store.add_all(&[(SecretKind::Password, secret)]);
    }
    store
}

#[test]
fn a_secret_is_found_however_it_is_written() {
    let secrets = store(&["p<w'd & \"x\" y"]);
    for text in [
        "typed p<w'd & \"x\" y here",
        r#"{"value":"p<w'd & \"x\" y"}"#,
        r#"text="p&lt;w&apos;d &amp; &quot;x&quot; y""#,
        r#"text="p&lt;w&#39;d &amp; &quot;x&quot; y""#,
        "q=p%3Cw%27d%20%26%20%22x%22%20y",
        "input text 'p<w'\\''d & \"x\" y'",
        "input text p<w'd%s&%s\"x\"%sy",
        "回复：p＜w'd & \"x\" y。",
    ] {
        let clean = secrets.redact(text);
        assert!(clean.contains("[secret password 8-15 #"), "{text}: {clean}");
        assert!(!clean.contains("w'd"), "{clean}");
    }
    assert_eq!(secrets.redact("nothing here"), "nothing here");
}

#[test]
fn the_same_secret_has_the_same_placeholder_in_one_session_only() {
    let (one, other) = (store(&["hunter2!"]), store(&["hunter2!"]));
    assert_eq!(one.redact("hunter2!"), one.redact("hunter2!"));
    assert_ne!(one.redact("hunter2!"), other.redact("hunter2!"));
    assert_eq!(one.restore(&one.redact("say hunter2! now")), "say hunter2! now");
    assert_eq!(placeholders(&other.restore(&one.redact("hunter2!"))).len(), 1);
    assert_eq!(placeholders("[secret santa] is a game #12345678"), [""; 0]);
}

#[test]
fn nothing_stays_of_a_secret_of_which_only_a_part_was_known_before() {
    let secrets = store(&["Kx7$"]);
    let before = secrets.redact("type Kx7$秋天 there").into_owned();
    assert!(before.contains("秋天"), "{before}");
    secrets.add_hidden_input("Kx7$秋天");
    let now = secrets.redact(&before).into_owned();
    assert!(!now.contains("秋天"), "{now}");
    assert_eq!(secrets.restore(&now), "type Kx7$秋天 there");
    assert_eq!(secrets.redact("type Kx7$秋天 there"), now);
}

#[test]
fn a_short_secret_is_hidden_where_it_stands_alone() {
    let secrets = store(&["12"]);
    assert!(secrets.redact("12").starts_with("[secret"));
    assert_eq!(secrets.redact("at 112:30"), "at 112:30");
    assert!(secrets.redact("code 12, please").starts_with("code [secret"));
}

#[test]
fn what_was_held_back_is_given_free_unless_it_is_a_secret_after_all() {
    let secrets = SecretStore::new(KeepText::Redacted);
    secrets.add_provisional("hunter2!");
    assert!(secrets.redact("say hunter2! now").contains("[secret"));
    secrets.take_back("hunter2!");
    assert!(secrets.has_none());
    assert_eq!(secrets.redact("say hunter2! now"), "say hunter2! now");
    secrets.add_provisional("hunter2!");
    secrets.add_all(&[(SecretKind::Password, "hunter2!")]);
    secrets.take_back("hunter2!");
    secrets.add_provisional("hunter2!");
    secrets.take_back("hunter2!");
    assert!(secrets.redact("say hunter2! now").contains("[secret"));
}

#[test]
fn the_servers_keys_are_hidden_in_every_session_and_never_restored() {
    let stores = SecretStores::new(Arc::new(NoNamedSecrets));
    stores.hide_keys(["sk-canary-77"]);
    for level in [KeepText::Redacted, KeepText::Full] {
        let secrets = stores.of(SessionId::new(), level);
        assert!(secrets.has_none() && !secrets.hides_nothing());
        let clean = secrets.redact("wrong key: sk-canary-77!").into_owned();
        assert_eq!(secrets.restore(&clean), "wrong key: [key]!");
    }
    assert_eq!(stores.redact("sk-canary-77"), "[key]");
}

#[test]
fn what_is_left_of_a_shortened_secret_is_hidden() {
    let secrets = store(&["Mango-Tree-77 and more"]);
    for text in
        ["value: Mango-Tre…", "say Mango-Tree-77 an... (cut)", "it is Mango-Tree-77 and mor"]
    {
        let clean = secrets.redact(text);
        assert!(!clean.contains("Mango"), "{clean}");
    }
    assert_eq!(secrets.redact("a Man…"), "a Man…");
}

#[test]
fn a_long_secret_is_hidden_to_its_end() {
    let key: String = (0..94).map(|n| hex(&Sha256::digest([n]))).collect::<String>();
    let key = &key[..3000];
    let store = store(&[key]);
    let hidden = |text: &str| store.redact(text).into_owned();
    let name = hidden(key);
    assert!(name.len() < 40, "{name}");
    assert_eq!(hidden(&format!("it is {key}, keep it")), format!("it is {name}, keep it"));
    // Whatever long texts models type meanwhile.
    for n in 0..40_u8 {
        let typed = hex(&Sha256::digest([7, n])).repeat(60);
        store.add_of_model(&[(SecretKind::Password, typed.as_str())]);
    }
    assert_eq!(hidden(&key[..3000]), name);
    // Cut off within a later piece, and without its beginning.
    let clean = hidden(&format!("{}…", &key[..1700]));
    assert!(clean.replace(&name, "") == "…", "{clean}");
    let clean = hidden(&key[400..]);
    assert!(clean.len() < 700, "{}", clean.len());
    let code = serde_json::json!({ "typed": key.replace('a', "\"") }).to_string();
    let quoted = self::store(&[&key.replace('a', "\"")]).redact(&code).into_owned();
    assert!(quoted.len() < 80, "{quoted}");
}

#[test]
fn a_long_answer_pushes_out_nothing() {
    let secrets = store(&["hunter2!"]);
    let items: Vec<String> = (1000..4000).map(|n| format!("item-{n}")).collect();
    let long = items.join(" ");
    for _ in 0..10 {
        secrets.add_answer(SecretKind::Marked, &long);
    }
    assert!(secrets.redact("say hunter2! now").contains("[secret password"));
}

#[test]
fn whatever_a_model_types_pushes_out_nothing_of_the_users() {
    let secrets = store(&["hunter2!"]);
    let typed: Vec<String> = (1000..4000).map(|n| format!("pin=a{n}")).collect();
    for text in &typed {
        secrets.add_of_model(&find_secrets(text));
    }
    assert!(secrets.redact("say hunter2! now").contains("[secret password"));
    assert!(secrets.redact("say a3999 now").contains("[secret password"));
    assert_eq!(secrets.redact("say a1000 now"), "say a1000 now", "only so many are known");
    // What the user says too is the user's.
    secrets.add_all(&[(SecretKind::Password, "a3999")]);
    for text in &typed[..2000] {
        secrets.add_of_model(&find_secrets(text));
    }
    assert!(secrets.redact("say a3999 now").contains("[secret password"));
}

#[test]
fn a_code_in_two_groups_is_the_same_code() {
    let secrets = SecretStore::new(KeepText::Redacted);
    secrets.add_answer(SecretKind::Code, "It is 482-913.");
    for text in ["482913", "482 913", "482-913", "typed 482913 now"] {
        assert!(secrets.redact(text).contains("[secret code"), "{text}");
    }
}

#[test]
fn a_number_is_a_secret_in_whatever_groups() {
    let secrets =
        store(&["4111111111111111", "5500 0055 5555 5559", "11010519491231002x", "482913"]);
    for (text, begins) in [
        ("to 4111 1111 1111 1111.", "to [secret password 16+ #"),
        ("to 4111-1111-1111-1111.", "to [secret password 16+ #"),
        ("to 4111\u{a0}1111\u{a0}1111\u{a0}1111.", "to [secret password 16+ #"),
        ("to 5500005555555559.", "to [secret password 16+ #"),
        ("to 5500-0055-5555-5559.", "to [secret password 16+ #"),
        ("to 110105 19491231 002X.", "to [secret password 16+ #"),
        ("to 48 29 13.", "to [secret password 4-7 #"),
        ("to 482.913.", "to [secret password 4-7 #"),
        ("input text 4111%s1111%s1111%s1111.", "input text [secret password 16+ #"),
    ] {
        let clean = secrets.redact(text);
        assert!(clean.starts_with(begins) && clean.ends_with("]."), "{text}: {clean}");
        let place = begins.find('[').unwrap()..text.len() - 1;
        assert_eq!(secrets.places(text), vec![place; 1], "{text}");
    }
    for cut in ["5500 0055 55…", "550000555…", "4111 1111 1..."] {
        assert!(secrets.redact(cut).starts_with("[secret password 16+ #"), "{cut}");
    }
    for other in ["4111 1111 1111 1112", "the 48th of 2913", "1949-12-31"] {
        assert_eq!(secrets.redact(other), other);
    }
}

#[test]
fn of_one_number_in_several_groups_each_becomes_again_what_it_was() {
    let secrets = store(&["482-913", "482913", "48 29 13"]);
    let said = "482913, 482-913, 48 29 13";
    let clean = secrets.redact(said);
    assert_eq!(clean.matches("[secret password ").count(), 3, "{clean}");
    assert_eq!(secrets.restore(&clean), said);
}

#[test]
fn with_every_word_kept_nothing_is_secret() {
    let secrets = SecretStore::new(KeepText::Full);
    secrets.add_all(&[(SecretKind::Code, "482913")]);
    assert_eq!(secrets.redact("482913"), "482913");
}

proptest! {
    #[test]
    fn no_text_keeps_its_secrets(
        secrets in prop::collection::vec("\\PC{4,24}", 1..5), parts in prop::collection::vec("\\PC{0,12}", 2..6)
    ) {
        let secrets: Vec<String> = secrets.iter().map(|it| it.trim().to_owned())
            .filter(|it| 4 <= it.chars().count() && !it.contains("secret")).collect();
        let store = store(&secrets.iter().map(String::as_str).collect::<Vec<_>>());
        let mut text = parts.concat();
        for secret in &secrets { text.push_str(secret); text.push(' '); }
        let clean = store.redact(&text).into_owned();
        let bare = clean.split("[secret password").map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect::<Vec<_>>().join("\u{0}");
        for secret in &secrets {
            prop_assert!(!bare.contains(secret.as_str()), "{secret:?} in {clean:?}");
        }
    }
}

fn shared(stores: &SecretStores, owner: &Principal) -> Arc<SecretStore> {
    let secrets = stores.of(SessionId::new(), KeepText::Redacted);
    secrets.belongs_to(owner);
    secrets
}

#[test]
fn what_was_given_is_hidden_in_all_sessions_of_its_owner_and_in_no_others() {
    let stores = SecretStores::new(Arc::new(NoNamedSecrets));
    let (local, anna) = (Principal::local(), Principal::new("anna"));
    let before = shared(&stores, &local);
    // Given before it was known whose session it is, as by a reply after a restart.
    let first = stores.of(SessionId::new(), KeepText::Redacted);
    first.add_answer(SecretKind::Marked, "hunter2!");
    first.belongs_to(&local);
    first.add_hidden_input("swordfish");
    for other in [&before, &shared(&stores, &local)] {
        let clean = other.redact("hunter2! and swordfish").into_owned();
        assert!(!clean.contains("hunter2") && !clean.contains("swordfish"), "{clean}");
        assert_eq!(other.restore(&clean), "hunter2! and swordfish");
        assert!(other.has_none(), "it is none of its own");
    }
    assert_eq!(shared(&stores, &anna).redact("hunter2!"), "hunter2!");
    assert_ne!(stores.redact("hunter2!"), "hunter2!");
    // In the app where it was typed it may be on the screen.
    assert!(!before.may_show_in("com.example.chat"));
    first.note_typed("say hunter2!", "com.example.chat");
    assert!(before.may_show_in("com.example.chat") && !before.may_show_in("com.example.mail"));
    assert!(!shared(&stores, &anna).may_show_in("com.example.chat"));
}

#[test]
fn what_only_looks_like_a_secret_is_hidden_in_its_own_session_alone() {
    let stores = SecretStores::new(Arc::new(NoNamedSecrets));
    let (first, other) =
        (shared(&stores, &Principal::local()), shared(&stores, &Principal::local()));
    first.add_likely_answer(SecretKind::Code, "1200");
    first.add_likely_parts(SecretKind::Password, "it was 2424");
    first.add_provisional("tuesday");
    first.add_of_model(&[(SecretKind::Password, "everything")]);
    first.add_answer(SecretKind::Marked, "12");
    for text in ["1200", "2424", "tuesday", "everything", "12"] {
        assert_ne!(first.redact(text), text);
        assert_eq!(other.redact(text), text);
    }
}

#[test]
fn of_a_secret_in_a_secret_nothing_is_left() {
    let stores = SecretStores::new(Arc::new(NoNamedSecrets));
    let (first, other) =
        (shared(&stores, &Principal::local()), shared(&stores, &Principal::local()));
    first.add_answer(SecretKind::Marked, "hunter2-swordfish");
    other.add_answer(SecretKind::Marked, "swordfish-77");
    let clean = other.redact("hunter2-swordfish-77, swordfish-77").into_owned();
    assert!(
        !clean.contains("hunter") && !clean.contains("fish") && !clean.contains("77,"),
        "{clean}"
    );
}
