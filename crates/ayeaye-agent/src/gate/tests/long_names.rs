//! Buttons that say so much that what they do is hidden in it. Whoever makes an app or a page writes their names.
use super::*;

const PROSE: &str = "The quick brown fox jumps over it. ";
const LATIN: &str = "lorem ipsum ";

/// The verdict on a touch of the middle of a control, alone on its screen, of these attributes.
fn judged(package: &str, class: &str, attributes: &[(&str, &str)], inside: &str) -> Verdict {
    let attributes = attributes.iter().map(|(name, text)| {
        let text = escaped(text).replace('\n', "&#10;");
        format!(r#"{name}="{text}""#)
    });
    let attributes = attributes.collect::<Vec<_>>().join(" ");
    let xml = format!(
        r#"<hierarchy><node class="android.widget.FrameLayout" package="{package}" bounds="[0,0][1080,2400]"><node package="{package}" class="{class}" clickable="true" bounds="[0,1000][1080,1400]" {attributes}>{inside}</node></node></hierarchy>"#
    );
    let elements = Elements::read(&xml).unwrap();
    let tap = Gesture::Click { point: Point::new(500, 500).unwrap() };
    let screen = ScreenFacts::new(Some(&elements), &tap, SIZE, false);
    let (words, history) = (UserWords::new([TASK]), GateHistory::default());
    judge(&Policy::default(), &Scene::of(package, "").request(&words, &tap, &screen, &history))
}

fn button(name: &str) -> Verdict {
    judged("com.example.nimbus", "android.widget.Button", &[("text", name)], "")
}

fn all_are_asked<'a>(names: impl IntoIterator<Item = (&'a str, Verdict)>) {
    let wrong: Vec<_> =
        names.into_iter().filter(|(_, verdict)| verdict.name() != "confirm").collect();
    assert!(wrong.is_empty(), "{} went through: {wrong:#?}", wrong.len());
}

#[test]
fn what_a_button_does_is_seen_wherever_its_name_says_it() {
    for filler in
        [LATIN, PROSE, "Ein Satz ohne Tat. ", "关于我们的故事很长很长", "هذا نص طويل جدا "]
    {
        for times in [1, 3, 8, 22, 60] {
            for command in ["Pay 50 euros now", "Buy now", "Install", "Delete all", "立即付款"]
            {
                let filler = filler.repeat(times);
                all_are_asked([
                    ("at the end", button(&format!("{filler}{command}"))),
                    ("on a line", button(&format!("{filler}\n\n{command}"))),
                    ("in front", button(&format!("{command}. {filler}"))),
                    ("between", button(&format!("{filler}{command} {filler}"))),
                ]);
            }
        }
    }
}

#[test]
fn no_number_of_words_is_the_one_that_hides_a_command() {
    let words = |count: usize| "word ".repeat(count);
    for count in 36..=44 {
        all_are_asked([
            ("pay", button(&format!("{}Pay now", words(count)))),
            ("call", button(&format!("{}Call now", words(count)))),
            ("complete", button(&format!("{}Complete my purchase", words(count)))),
        ]);
    }
}

#[test]
fn what_nobody_sees_makes_no_name_long() {
    for filler in [
        "\u{200b}",
        "\u{200b}\u{2060}",
        "\u{2800}",
        "\u{3164}",
        "🎁",
        "🎁✨",
        "1 2 3 ",
        ". ",
        "\u{202b}",
        "\u{301}",
        "\n",
        "ا",
        "1234567890 ",
    ] {
        let filler = filler.repeat(2000);
        all_are_asked([
            (filler.as_str(), button(&format!("{filler} Buy now"))),
            (filler.as_str(), button(&format!("{filler} Buy now {filler}"))),
        ]);
    }
}

#[test]
fn a_button_of_which_not_all_is_read_is_asked_about() {
    for times in [1_000, 100_000] {
        let filler = LATIN.repeat(times);
        let verdict = button(&format!("{filler}Pay 50 euros now {filler}"));
        assert_eq!(verdict.class(), Some(ActClass::Unreadable));
        all_are_asked([("end", button(&format!("{filler}Pay 50 euros now")))]);
    }
}

#[test]
fn a_command_is_put_together_from_what_a_button_is_called_by() {
    let long = LATIN.repeat(30);
    let of = |attributes: &[(&str, &str)], inside: &str| {
        judged("com.example.nimbus", "android.widget.Button", attributes, inside)
    };
    let child = |text: &str| {
        format!(
            r#"<node text="{text}" package="com.example.nimbus" class="android.widget.TextView" bounds="[900,1300][1080,1400]"/>"#
        )
    };
    let many: String = (0..8).map(|_| child("lorem ipsum")).collect();
    all_are_asked([
        ("read out", of(&[("text", &long), ("content-desc", "Pay 50 euros now")], "")),
        ("read out only", of(&[("content-desc", &format!("{long}Pay 50 euros now"))], "")),
        ("hint", of(&[("text", &long), ("hint", "Pay 50 euros now")], "")),
        ("text and read out", of(&[("text", "Place"), ("content-desc", "bid")], "")),
        ("child", of(&[("text", &long)], &child("Pay 50 euros now"))),
        ("children", of(&[], &format!("{}{}", child("Confirm"), child("transfer")))),
        ("long child", of(&[], &child(&format!("{long}Pay now {long}")))),
        ("many children", of(&[], &format!("{many}{}", child("Pay 50 euros now")))),
    ]);
}

#[test]
fn the_last_line_of_a_button_may_be_its_name() {
    for name in
        ["Premium for all of you\n€9.99 per month\nSubscribe", "Boots\nBlack\n€49.95\nCheckout"]
    {
        all_are_asked([(name, button(name))]);
    }
    for name in ["Premium\n€9.99 per month\nLearn more", "Boots\nBlack\n€49.95\nAdd to cart"] {
        assert_eq!(button(name).name(), "allow", "{name}");
    }
}

#[test]
fn glued_and_spelled_out_commands_are_read() {
    for command in [
        "Place_order",
        "Cash_out",
        "Place\u{200b}order",
        "Place·order",
        "Place.bid",
        "B U Y  N O W",
        "B U Y N O W",
        "P L A C E  B I D",
        "B\u{a0}U\u{a0}Y",
        "P-A-Y",
        "B.U.Y N.O.W",
    ] {
        all_are_asked([
            (command, button(command)),
            (command, button(&format!("{}{command}", LATIN.repeat(3)))),
            (command, button(&format!("{}{command}", LATIN.repeat(30)))),
        ]);
    }
}

#[test]
fn a_text_that_can_be_touched_is_a_command_where_it_ends_or_begins_in_one() {
    let view = |package: &str, text: &str| {
        judged(package, "android.widget.TextView", &[("text", text)], "")
    };
    for text in [
        "Boots for rough ground, dry and warm in any weather. Buy now",
        "Boots for rough ground, dry and warm in any weather\nPlace order",
        "Pay now! Boots for rough ground, dry and warm in any weather.",
        "结实的靴子适合崎岖不平的山路。立即付款",
    ] {
        all_are_asked([(text, view("com.example.nimbus", text))]);
    }
    let article = format!("{}Here we tell you how to buy now or later. ", PROSE.repeat(3));
    for (package, text) in [
        ("com.example.nimbus", article.as_str()),
        ("com.example.nimbus", "Pay now and get free shipping today with our new card"),
        ("com.example.nimbus", "Why you should never buy now and pay later, say experts"),
        ("com.example.nimbus", "How to make pizza dough at home. Order."),
        ("com.whatsapp", "I found the boots that you wanted in the shop in town. Buy now!"),
        ("com.google.android.gm", "Your bill is here and it is due soon. Pay now"),
    ] {
        let verdict = view(package, text);
        assert_eq!(verdict.name(), "allow", "{package} {text}: {verdict:?}");
    }
}

#[test]
fn long_names_of_buttons_that_do_nothing_are_not_asked_about() {
    for name in [
        PROSE.repeat(8),
        PROSE.repeat(40),
        format!("{} See more", PROSE.repeat(10)),
        "Weather in Berlin, 12 degrees, cloudy, feels like 9, wind from the west. ".repeat(6),
        "Lena Fischer and 12 others like this. Posted 3 hours ago in Gardeners. ".repeat(6),
        "今天天气很好，我们去公园散步，看到了很多漂亮的花和鸟。".repeat(4),
        "Der schnelle braune Fuchs springt über den faulen Hund und läuft davon. ".repeat(5),
    ] {
        let verdict = button(&name);
        assert_eq!(verdict.name(), "allow", "{name}: {verdict:?}");
    }
}

#[test]
fn the_question_shows_both_ends_of_a_long_name() {
    let verdict = button(&format!("Welcome {}Pay 50 euros now", LATIN.repeat(22)));
    let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
    let text = ask.text(str::to_owned);
    assert!(text.contains("Welcome lorem") && text.contains("Pay 50 euros now"), "{text}");
}
