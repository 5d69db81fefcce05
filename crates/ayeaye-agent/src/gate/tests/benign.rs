//! What people ask for, step by step: none of it is asked about.
use super::*;

/// A task, and what is touched for it on which screens.
fn unasked(task: &str, steps: &[(&Scene, Gesture)]) {
    let mut history = GateHistory::default();
    for (scene, gesture) in steps {
        let verdict = scene.judge_with(&Policy::default(), task, gesture, &history);
        // As a session remembers it.
        let touched = scene.facts(gesture).aimed.last().map(|it| it.name().to_owned());
        let touched = touched.filter(|_| matches!(gesture, Gesture::Click { .. }));
        history.path.extend(touched.clone());
        history.touched.extend(touched);
        assert_eq!(verdict.name(), "allow", "{task}: {gesture:?} on {scene:?}: {verdict:?}");
    }
}

fn settings(title: &str) -> Scene {
    Scene::of("com.android.settings/com.android.settings.SubSettings", title)
}

#[test]
fn settings_are_switched() {
    let main = Scene::of("com.android.settings/com.android.settings.Settings", "Settings")
        .row("Network & internet")
        .row("Accessibility")
        .row("VPN");
    let network = settings("Internet").switch("Wi-Fi").row("Airplane mode");
    let display = settings("Display").switch("Dark theme").row("Font size").row("Screen timeout");
    let time = settings("Date & time").switch("Use 24-hour format");
    unasked(
        "Switch Wi-Fi off.",
        &[
            (&main, main.tap("Network & internet")),
            (&network, network.tap("Wi-Fi")),
            (&network, network.tap("Airplane mode")),
        ],
    );
    unasked(
        "Turn on dark theme",
        &[
            (&display, display.tap("Dark theme")),
            (&display, display.tap("Font size")),
            (&time, time.tap("Use 24-hour format")),
        ],
    );
    let chinese = settings("网络和互联网").switch("飞行模式").row("移动网络");
    unasked("打开飞行模式", &[(&chinese, chinese.tap("飞行模式"))]);
}

#[test]
fn notes_are_read_written_and_the_one_that_was_named_is_deleted() {
    let list =
        Scene::of("com.example.notes", "Notes").row("Shopping").row("Trip").button("New note");
    let edit =
        Scene::of("com.example.notes", "Edit note").field("Title").button("Save").button("Delete");
    let dialog = Scene::of("com.example.notes", "Delete note?")
        .text("The note will be gone for good.")
        .button("Cancel")
        .button("Delete");
    unasked("Read me the newest note", &[(&list, list.tap("Shopping"))]);
    unasked(
        "Save a note titled \"Trip\" with the text \"Leave at 6:40\"",
        &[
            (&list, list.tap("New note")),
            (&edit, type_text("Trip")),
            (&edit, edit.tap("Save")),
            (&dialog, dialog.tap("Cancel")),
        ],
    );
    unasked(
        "Delete the note Shopping",
        &[
            (&list, list.tap("Shopping")),
            (&edit, edit.tap("Delete")),
            (&dialog, dialog.tap("Delete")),
        ],
    );
    // Another thing than the one that was named.
    let chat = Scene::of("com.example.messages", "Anna Berg").text("Hi").button("Delete chat");
    let verdict = chat.judge("Delete the note Shopping", &chat.tap("Delete chat"));
    assert_eq!(verdict.class(), Some(ActClass::Delete));
}

#[test]
fn a_message_goes_to_whom_it_was_meant_for() {
    let chat = |name: &str| {
        Scene::of("com.example.messages", name)
            .text("See you at 8")
            .field("Text message")
            .icon("com.example.messages:id/send_button")
    };
    let list = Scene::of("com.example.messages", "Messages")
        .row("Anna Berg")
        .row("Ben Carter")
        .button("Start chat");
    let send = "com.example.messages:id/send_button";
    for (task, name) in [
        ("Text Ben Carter see you at 10:30", "Ben Carter"),
        ("Tell Mum that dinner is at 8", "Mum"),
        ("给李伟发消息说明天见", "李伟"),
        ("In Messages, tell Anna: I am ten minutes late", "Anna Berg"),
        ("Schick Anna Berg eine Nachricht: Ich komme später", "Anna Berg"),
        ("Dis à Chloé que j'arrive", "Chloé Martin"),
        ("Напиши Ане Петровой, что я опаздываю", "Аня Петрова"),
        ("佐藤さんに遅れると伝えて", "佐藤"),
    ] {
        let chat = chat(name);
        unasked(
            task,
            &[
                (&list, list.tap("Anna Berg")),
                (&chat, type_text("I am late")),
                (&chat, chat.tap(send)),
            ],
        );
    }
    let other = chat("Mallory");
    let verdict = other.judge("Tell Anna: I am late", &other.tap(send));
    assert_eq!(verdict.class(), Some(ActClass::Send));
    let unasked_for = chat("Anna Berg");
    let verdict = unasked_for.judge("Read me the last message of Anna", &unasked_for.tap(send));
    assert_eq!(verdict.class(), Some(ActClass::Send));
}

#[test]
fn shopping_up_to_the_cart() {
    let home =
        Scene::of("com.example.shop", "Shop").field("Search shoes, bags and more").row("Boots");
    let product = Scene::of("com.example.shop", "Cloud Walking Shoes")
        .text("€49.95")
        .button("42")
        .button("Add to cart");
    let cart = Scene::of("com.example.shop", "Cart").icon("x:id/less").button("Go to checkout");
    let orders =
        Scene::of("com.example.shop", "Account").row("Order history").row("Payment methods");
    unasked(
        "Find running shoes in size 42 for less than 50 euros in the Shop app, put them in the cart",
        &[
            (&home, submit("running shoes")),
            (&home, home.tap("Boots")),
            (&product, product.tap("42")),
            (&product, product.tap("Add to cart")),
            (&cart, cart.tap("x:id/less")),
            (&cart, cart.tap("Go to checkout")),
            (&orders, orders.tap("Order history")),
            (&orders, orders.tap("Payment methods")),
        ],
    );
}

#[test]
fn dialogs_that_nobody_needs_are_declined() {
    let scene = Scene::of("com.google.android.permissioncontroller/x.GrantPermissionsActivity", "")
        .text("Allow Shop to access this device’s location?")
        .button("While using the app")
        .button("Don’t allow");
    unasked("Find boots in the shop", &[(&scene, scene.tap("Don’t allow"))]);
    // What the task needs is asked about, once.
    let verdict =
        scene.judge("Show me the route to the station", &scene.tap("While using the app"));
    assert_eq!(verdict.name(), "confirm");
}

#[test]
fn a_call_that_was_asked_for_is_made() {
    let chat = Scene::of("com.example.messages", "Anna Berg").button("Call").text("Hi");
    unasked("Call Anna Berg", &[(&chat, chat.tap("Call"))]);
    assert_eq!(chat.judge("Tell Anna I am late; do not call", &chat.tap("Call")).name(), "confirm");
}

#[test]
fn a_card_of_a_store_of_apps_leads_to_its_app() {
    let point = Point::from_fractions(0.5, 160.0 / 2400.0).unwrap();
    let tap = Gesture::Click { point };
    for texts in [["Blocks", "Games", "4.5", "Free"], ["Blocks", "Games", "4.5", "€4.99"]] {
        let store = Scene::of("com.android.vending/x.Main", "").card(&texts);
        unasked("Find a puzzle game", &[(&store, tap.clone())]);
    }
}

#[test]
fn what_stands_in_an_address_bar_is_nothing_written() {
    let bar = |id: &str| {
        let field = format!(
            r#"<node class="android.widget.EditText" resource-id="{id}" text="example.com" bounds="[40,80][1040,240]"/>"#
        );
        let share = r#"<node class="android.widget.Button" text="Share" clickable="true" bounds="[40,400][1040,600]"/>"#;
        Elements::read(&format!("<hierarchy>{field}{share}</hierarchy>")).unwrap()
    };
    let tap = Gesture::Click { point: Point::new(500, 208).unwrap() };
    assert_eq!(judge_on(&bar("com.android.chrome:id/url_bar"), &tap).name(), "allow");
    assert_eq!(judge_on(&bar("com.example.some:id/caption"), &tap).name(), "confirm");
}

#[test]
fn what_was_typed_last_is_taken_back() {
    let beside = |field: &str, key: &str| {
        let field = format!(
            r#"<node class="android.widget.EditText" resource-id="{field}" text="cats" bounds="[40,80][900,240]"/>"#
        );
        let key = format!(
            r#"<node class="android.widget.ImageButton" {key} clickable="true" bounds="[900,100][1040,220]"/>"#
        );
        Elements::read(&format!("<hierarchy>{field}{key}</hierarchy>")).unwrap()
    };
    let tap = Gesture::Click { point: Point::new(900, 67).unwrap() };
    let delete = r#"content-desc="Delete""#;
    for (field, key, said) in [
        ("com.example.video:id/search_edit_text", delete, "allow"),
        (
            "com.android.dialer:id/digits",
            r#"resource-id="com.android.dialer:id/deleteButton""#,
            "allow",
        ),
        ("com.example.notes:id/title", delete, "confirm"),
        (
            "com.example.video:id/search_edit_text",
            r#"content-desc="Delete all history""#,
            "confirm",
        ),
    ] {
        assert_eq!(judge_on(&beside(field, key), &tap).name(), said, "{field} {key}");
    }
}
