//! Pages that draw themselves: a phone lists a container of them, and what is seen on it nowhere.
use super::*;
use crate::Key;
use crate::gate::Rule;

const BANK: &str = "de.number26.android";

/// A screen of these nodes in a window of this size.
fn window(package: &str, [width, height]: [i32; 2], inside: &str) -> Elements {
    let xml = format!(
        r#"<hierarchy><node class="android.widget.FrameLayout" bounds="[0,0][{width},{height}]">{inside}</node></hierarchy>"#
    );
    Elements::read(&xml.replace("<node ", &format!(r#"<node package="{package}" "#))).unwrap()
}

fn page(package: &str, inside: &str) -> Elements {
    window(package, [1080, 2400], inside)
}

fn leaf(class: &str, flags: &str) -> String {
    format!(r#"<node class="{class}" {flags} bounds="[0,0][1080,2400]"/>"#)
}

fn tap(x: i64, y: i64) -> Gesture {
    Gesture::Click { point: Point::new(x, y).unwrap() }
}

fn judged(package: &str, task: &str, elements: &Elements, gesture: &Gesture) -> Verdict {
    judged_on(package, task, elements, gesture, false)
}

fn judged_on(
    package: &str,
    task: &str,
    elements: &Elements,
    gesture: &Gesture,
    keyboard: bool,
) -> Verdict {
    let mut screen = ScreenFacts::new(Some(elements), gesture, SIZE, false);
    if keyboard {
        screen = screen.above_keyboard(elements, gesture, SIZE);
    }
    let (words, history) = (UserWords::new([task]), GateHistory::default());
    let scene = Scene::of(package, "");
    judge(&Policy::default(), &scene.request(&words, gesture, &screen, &history))
}

fn is_asked(verdict: &Verdict) -> bool {
    verdict.name() == "confirm" && verdict.rule == Rule::NoElements
}

#[test]
fn a_touch_of_a_page_that_lists_only_containers_is_asked_about() {
    let title = r#"<node text="N26" class="android.widget.TextView" bounds="[40,100][900,200]"/>"#;
    let pages = [
        ("the root", String::new()),
        ("a group", leaf("android.view.ViewGroup", "")),
        ("a page of Compose", leaf("androidx.compose.ui.platform.ComposeView", "")),
        ("a linear layout", leaf("android.widget.LinearLayout", "")),
        ("a relative layout", leaf("android.widget.RelativeLayout", "")),
        ("a class of the app's own", leaf("com.bank.ui.CanvasView", "")),
        ("an image", leaf("android.widget.ImageView", "")),
        ("an image that reacts", leaf("android.widget.ImageView", r#"clickable="true""#)),
        ("a title", title.to_owned()),
        (
            "a title and the content",
            format!(
                r#"{title}<node resource-id="android:id/content" class="android.widget.FrameLayout" bounds="[0,200][1080,2400]"/>"#
            ),
        ),
        (
            "a title and a card",
            format!(
                r#"{title}<node resource-id="{BANK}:id/card" clickable="true" class="androidx.cardview.widget.CardView" bounds="[0,2000][1080,2400]"/>"#
            ),
        ),
    ];
    let task = "Check my bank balance";
    for (what, inside) in &pages {
        let verdict = judged(BANK, task, &page(BANK, inside), &tap(500, 930));
        assert!(is_asked(&verdict), "{what}: {verdict:?}");
        let chat = page("com.whatsapp", inside);
        if !what.contains("card") {
            let verdict = judged("com.whatsapp", "Read WhatsApp", &chat, &tap(910, 575));
            assert!(is_asked(&verdict), "{what}: {verdict:?}");
        }
        // Where nothing is paid or sent, a page may be drawn.
        let verdict = judged("com.example.game", task, &chat, &tap(910, 575));
        assert_eq!(verdict.name(), "allow", "{what}: {verdict:?}");
    }
    let nothing = window(BANK, [0, 0], "");
    assert!(is_asked(&judged(BANK, task, &nothing, &tap(500, 930))));
}

#[test]
fn a_list_that_cannot_be_used_is_asked_about_in_any_app_and_a_page_without_one_in_browsers() {
    let unlisted = |package: &str, unusable_list: bool, approved_apps| {
        let gesture = tap(500, 930);
        let screen = ScreenFacts { unusable_list, ..ScreenFacts::new(None, &gesture, SIZE, false) };
        let (words, history) = (
            UserWords::new(["Look around"]),
            GateHistory { approved_apps, ..GateHistory::default() },
        );
        let scene = Scene::of(package, "");
        judge(&Policy::default(), &scene.request(&words, &gesture, &screen, &history))
    };
    let game = "com.example.game";
    assert!(is_asked(&unlisted(game, true, Vec::new())));
    assert_eq!(unlisted(game, false, Vec::new()).name(), "allow");
    let yes = vec![(ActClass::Unreadable, game.to_owned())];
    assert_eq!(unlisted(game, true, yes).name(), "allow");
    assert!(is_asked(&unlisted("com.android.chrome", false, Vec::new())));

    let node = r#"<node class="android.view.View" bounds="[0,0][9,9]"/>"#;
    let endless = page(game, &(node.repeat(20_001) + &leaf("android.view.View", "")));
    assert!(is_asked(&judged(game, "Look around", &endless, &tap(500, 930))));
}

#[test]
fn nor_is_anything_sent_there_by_a_key() {
    let task = "Tell Anna in WhatsApp that I am late";
    let chat = page("com.whatsapp", &leaf("android.view.ViewGroup", ""));
    for gesture in [submit("482913"), Gesture::HotKey { key: Key::Enter }] {
        let verdict = judged("com.whatsapp", task, &chat, &gesture);
        assert!(is_asked(&verdict), "{gesture:?}: {verdict:?}");
    }
    let verdict = judged_on("com.whatsapp", task, &chat, &tap(910, 950), true);
    assert!(is_asked(&verdict), "{verdict:?}");
    // In a chat that is listed it is as it was.
    let chat = Scene::of("com.whatsapp", "Anna").field("Message").button("Send");
    assert_eq!(chat.judge(task, &submit("I am late")).name(), "allow");
}

#[test]
fn a_yes_to_one_touch_of_a_drawn_bank_is_none_to_the_next() {
    let approved = |package: &str| {
        let elements = page(package, &leaf("android.view.ViewGroup", ""));
        let gesture = tap(500, 930);
        let screen = ScreenFacts::new(Some(&elements), &gesture, SIZE, false);
        let history = GateHistory {
            approved_apps: vec![(ActClass::Unreadable, package.to_owned())],
            ..GateHistory::default()
        };
        let words = UserWords::new(["Check my bank and WhatsApp"]);
        let scene = Scene::of(package, "");
        judge(&Policy::default(), &scene.request(&words, &gesture, &screen, &history))
    };
    assert_eq!(approved("com.whatsapp").name(), "allow");
    assert!(is_asked(&approved(BANK)));
    // And the question says what the yes is for.
    let question = |package: &str| {
        let elements = page(package, &leaf("android.view.ViewGroup", ""));
        let verdict = judged(package, "Check my bank and WhatsApp", &elements, &tap(500, 930));
        let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
        ask.text(str::to_owned)
    };
    assert!(question("com.whatsapp").contains("for all such touches in this app"));
    assert!(!question(BANK).contains("for all"), "{}", question(BANK));
}

#[test]
fn ordinary_pages_of_such_apps_are_touched_unasked() {
    let bank = Scene::of(BANK, "Accounts")
        .row("Main account")
        .row("Savings")
        .described("Search")
        .icon("de.number26.android:id/menu_more");
    for name in ["Main account", "Search"] {
        assert_eq!(bank.judge("Check my bank balance", &bank.tap(name)).name(), "allow", "{name}");
    }
    // Between two rows there is nothing.
    let gap = r#"<node class="androidx.recyclerview.widget.RecyclerView" bounds="[0,200][1080,2300]">
        <node clickable="true" class="android.view.ViewGroup" bounds="[0,200][1080,400]"><node text="Rent" class="android.widget.TextView" bounds="[40,220][900,300]"/></node>
        <node clickable="true" class="android.view.ViewGroup" bounds="[0,600][1080,800]"><node text="Food" class="android.widget.TextView" bounds="[40,620][900,700]"/></node></node>"#;
    let verdict = judged(BANK, "Check my bank balance", &page(BANK, gap), &tap(500, 208));
    assert_eq!(verdict.name(), "allow", "{verdict:?}");
    // Scrolling is no touch.
    let scroll = Gesture::Scroll { direction: crate::Direction::Down, at: None };
    let drawn = page(BANK, &leaf("android.view.ViewGroup", ""));
    assert_eq!(judged(BANK, "Check my bank balance", &drawn, &scroll).name(), "allow");
}

#[test]
fn the_blank_of_a_page_that_is_listed_is_touched_unasked() {
    let text = |y: i32, text: &str| {
        format!(
            r#"<node text="{text}" class="android.widget.TextView" bounds="[40,{y}][900,{}]"/>"#,
            y + 80
        )
    };
    let button = |y: i32, text: &str| {
        format!(
            r#"<node text="{text}" clickable="true" class="android.widget.Button" bounds="[40,{y}][1040,{}]"/>"#,
            y + 120
        )
    };
    let done = text(400, "Transfer sent") + &text(500, "€50.00 to Anna") + &button(2000, "Done");
    let field = r#"<node class="android.widget.EditText" hint="Message" clickable="true" bounds="[40,2000][900,2120]"/>"#;
    let chat = text(100, "Anna") + &text(400, "Hi!") + &text(500, "See you") + field;
    for (package, inside) in [(BANK, &done), ("com.whatsapp", &chat)] {
        let task = "Check my bank and WhatsApp";
        let verdict = judged(package, task, &page(package, inside), &tap(500, 550));
        assert_eq!(verdict.name(), "allow", "{package}: {verdict:?}");
        // A part of it may be drawn all the same.
        let drawn = r#"<node class="android.view.View" bounds="[0,600][1080,1980]"/>"#;
        let elements = page(package, &(inside.to_owned() + drawn));
        let verdict = judged(package, task, &elements, &tap(500, 550));
        assert!(is_asked(&verdict), "{package}: {verdict:?}");
    }
}

/// The last button of an order may be a picture.
#[test]
fn a_button_without_a_word_is_asked_about_where_there_is_a_price() {
    let on = |package: &str, total: &str| {
        let inside = format!(
            r#"<node text="{total}" class="android.widget.TextView" bounds="[40,200][1040,300]"/>
            <node class="android.widget.Button" clickable="true" bounds="[300,2000][780,2120]"/>"#
        );
        judged(package, TASK, &page(package, &inside), &tap(500, 858))
    };
    for package in ["com.amazon.mShop.android.shopping", "com.android.chrome"] {
        assert!(is_asked(&on(package, "Total: 10,00 EUR")), "{package}");
        assert_eq!(on(package, "Thank you").name(), "allow", "{package}");
    }
    assert_eq!(on("com.example.notes", "Total: 10,00 EUR").name(), "allow");
}
