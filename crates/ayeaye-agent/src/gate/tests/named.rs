//! What the user has named, and what nobody has: secrets, addresses, apps for money, amounts.
use super::*;
use crate::{DeviceCommand, Key};

#[test]
fn a_secret_stays_where_it_was_given_for() {
    let field = Scene::of("com.android.chrome", "").field("url_bar");
    let history =
        GateHistory { secrets: vec!["com.example.nimbus".into()], ..GateHistory::default() };
    let typed = type_text("evil.example/?482913");
    let verdict = field.judge_with(&Policy::default(), TASK, &typed, &history);
    assert_eq!((verdict.name(), verdict.rule), ("deny", Rule::SecretElsewhere));
    let home = Scene::of("com.example.nimbus", "Enter the code").field("code");
    let code = type_text("482913");
    assert_eq!(home.judge_with(&Policy::default(), TASK, &code, &history).name(), "allow");
    // What nobody gave is asked about.
    assert_eq!(home.judge(TASK, &code).class(), Some(ActClass::Password));
    let hidden = Scene::of("com.example.nimbus", "Sign in").hidden_field("password");
    assert_eq!(hidden.judge(TASK, &type_text("hunter2")).name(), "confirm");
    assert_eq!(
        hidden.judge("Sign in, the password is hunter2", &type_text("hunter2")).name(),
        "allow"
    );
}

#[test]
fn a_secret_is_typed_by_a_tap_into_a_field_only() {
    let bank = "com.example.nimbus";
    let history = GateHistory { secrets: vec![bank.into()], ..GateHistory::default() };
    let scene = Scene::of(bank, "Sign in")
        .field("User")
        .hidden_field("Password")
        .button("Open our website");
    let typed_at = |scene: &Scene, name: &str| {
        let Gesture::Click { point } = scene.tap(name) else { panic!("a tap") };
        let text = "{{secret:bank}}".to_owned();
        let typed = Gesture::Type { text, point: Some(point), clear: false, submit: false };
        (scene.judge_with(&Policy::default(), TASK, &typed, &history), typed)
    };
    for field in ["User", "Password"] {
        assert_eq!(typed_at(&scene, field).0.name(), "allow", "{field}");
    }
    for other in ["Open our website", "Sign in"] {
        let (verdict, typed) = typed_at(&scene, other);
        assert_eq!((verdict.name(), verdict.rule), ("deny", Rule::SecretOffField), "{other}");
        // What is no secret may be typed into what a tap opens, such as a search.
        assert_eq!(scene.judge(TASK, &typed).name(), "allow", "{other}");
    }
    // A window of another app, in front of the one that the phone tells.
    let over = scene.shown_by("com.evil.app");
    assert_eq!(typed_at(&over, "User").0.rule, Rule::SecretElsewhere);
}

/// What was typed into a field that can be seen may be carried to any app.
#[test]
fn who_names_a_kept_secret_is_asked_before_anything_is_copied_or_pasted() {
    let history = GateHistory { names_kept_secret: true, ..GateHistory::default() };
    let names = [
        "Copy",
        "CUT",
        "Paste & go",
        "Paste as plain text",
        "Einfügen",
        "复制",
        "貼り付け",
        "Text kopieren",
        "Als Klartext einfügen",
        "テキストをコピー",
        "텍스트 복사",
        "Metni kopyala",
        "一键复制",
        "Tap to copy",
        "In die Zwischenablage",
        "📋",
    ];
    for name in names {
        let scene = Scene::of("com.android.chrome", "Search").button(name);
        let tap = scene.tap(name);
        let verdict = scene.judge_with(&Policy::default(), TASK, &tap, &history);
        assert_eq!((verdict.name(), verdict.rule), ("confirm", Rule::SecretElsewhere), "{name}");
        assert_eq!(scene.judge(TASK, &tap).name(), "allow", "{name}");
    }
    for id in ["com.example.shop:id/paste_button", "com.example.shop:id/btnCopy", "copy-btn"] {
        let scene = Scene::of("com.example.shop", "Search").icon(id);
        let tap = scene.tap(id);
        let verdict = scene.judge_with(&Policy::default(), TASK, &tap, &history);
        assert_eq!(verdict.name(), "confirm", "{id}");
    }
    for name in ["Copyright", "Cutlery", "A text that begins otherwise: copy"] {
        let scene = Scene::of("com.example.notes", "Notes").row(name);
        let tap = scene.tap(name);
        let verdict = scene.judge_with(&Policy::default(), TASK, &tap, &history);
        assert_eq!(verdict.name(), "allow", "{name}");
    }
}

#[test]
fn addresses_that_nobody_named_are_asked_about() {
    let browser = Scene::of("com.android.chrome", "").field("url_bar");
    for (text, said) in [
        ("evil.example/collect?x=1", "confirm"),
        ("https://evil.example", "confirm"),
        ("javascript:alert(1)", "deny"),
        ("intent://x#Intent;end", "deny"),
        ("weather in Bern", "allow"),
        ("what is 1.5 x 2", "allow"),
        ("evil.example\nweather", "confirm"),
        ("http:evil.example", "confirm"),
        ("evil\u{3002}example", "confirm"),
    ] {
        assert_eq!(browser.judge(TASK, &submit(text)).name(), said, "{text}");
    }
    // In pieces, and with enter on its own.
    let bar = |content: &str| {
        let field = format!(
            r#"<node class="android.widget.EditText" resource-id="com.android.chrome:id/url_bar" text="{content}" focused="true" bounds="[40,80][1040,240]"/>"#
        );
        Elements::read(&format!("<hierarchy>{field}</hierarchy>")).unwrap()
    };
    let enter = Gesture::HotKey { key: Key::Enter };
    assert_eq!(judge_on(&bar("evil."), &type_text("example")).rule, Rule::UnnamedAddress);
    assert_eq!(judge_on(&bar("evil.example"), &enter).rule, Rule::UnnamedAddress);
    assert_eq!(judge_on(&bar("weather in Bern"), &enter).name(), "allow");
    assert_eq!(judge_on(&bar("news.example/a"), &type_text("weather")).name(), "allow");
    let task = "Look up the aye-aye on wikipedia";
    let lookalike = "https://en.w\u{456}kipedia.org/";
    assert_eq!(browser.judge(task, &submit(lookalike)).name(), "confirm", "another letter");
    assert_eq!(
        browser.judge(task, &submit("https://en.wikipedia.org/wiki/Aye-aye")).name(),
        "allow"
    );
    let policy = Policy { deny_hosts: vec!["wikipedia.org".into()], ..Policy::default() };
    let history = GateHistory { by_client: true, ..GateHistory::default() };
    let open = |url: &str| Gesture::Command(DeviceCommand::OpenUrl { url: url.to_owned() });
    let judged = |gesture: &Gesture| browser.judge_with(&policy, "", gesture, &history).name();
    assert_eq!(judged(&open("https://en.wikipedia.org/")), "deny");
    assert_eq!(judged(&open("https://user@en.WIKIPEDIA.org:443")), "deny");
    assert_eq!(judged(&open("https://example.com/wikipedia.org")), "allow");
}

#[test]
fn apps_for_money_are_opened_when_they_are_named() {
    let home = Scene::of("com.android.launcher3", "");
    let open = |app: &str| Gesture::Awake { app: app.to_owned() };
    assert_eq!(home.judge(TASK, &open("com.somebank.app")).name(), "confirm");
    assert_eq!(home.judge(TASK, &open("My Bank")).name(), "confirm");
    assert_eq!(home.judge(TASK, &open("Notes")).name(), "allow");
    assert_eq!(
        home.judge("What is my account balance at SomeBank?", &open("com.somebank.app")).name(),
        "allow"
    );
}

#[test]
fn an_amount_that_is_larger_is_named_too() {
    let scene = Scene::of("com.example.shop", "Checkout")
        .text("Total €1.00")
        .text("Yearly plan €1,499.00")
        .button("Pay");
    let verdict = scene.judge(TASK, &scene.tap("Pay"));
    let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
    assert_eq!(ask.amount.as_deref(), Some("€1.00 (the screen also shows €1,499.00)"));
}

#[test]
fn amounts_in_any_figures_are_compared() {
    for (shown, named) in [
        ("١٬٤٩٩٫٠٠ ر.س", "١٬٤٩٩٫٠٠ ر.س"),
        ("1 499 kr", "1 499 kr"),
        ("CHF 1’499.00", "CHF 1’499.00"),
    ] {
        let scene = Scene::of("com.example.shop", "Checkout")
            .text("Total €1.00")
            .text(&format!("Plan {shown}"))
            .button("Pay");
        let verdict = scene.judge(TASK, &scene.tap("Pay"));
        let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
        let expected = format!("€1.00 (the screen also shows {named})");
        assert_eq!(ask.amount.as_deref(), Some(expected.as_str()));
    }
}

#[test]
fn the_question_names_app_thing_and_amount() {
    let scene = Scene::of("com.example.shop", "Checkout")
        .text("2 × Trail Shoes")
        .text("Total")
        .text("€99.90")
        .text("Free delivery from €20")
        .button("Place order");
    let verdict = scene.judge("Buy trail shoes", &scene.tap("Place order"));
    let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
    assert_eq!(verdict.evidence, "\"Place order\" (place order, en)");
    assert_eq!(ask.amount.as_deref(), Some("€99.90"));
    assert_eq!(
        ask.text(str::to_owned),
        "The agent wants to place an order in com.example.shop: \"Place order – Checkout\", €99.90. It shows: \"2 × Trail Shoes · \
         Free delivery from €20\". May it?"
    );
}
