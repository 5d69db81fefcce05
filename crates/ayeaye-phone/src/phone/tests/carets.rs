//! Where keys take the caret, as in Android's own fields.
use super::User;

const HOME: u32 = 122;
const END: u32 = 123;
const CTRL: u32 = 113;

/// A new note whose body holds this text, the caret at its end.
async fn note(body: &str) -> User {
    let user = User::new();
    user.open("Notes").await;
    user.tap("New note").await;
    user.tap("body").await;
    assert!(user.phone.commit_text(body));
    user
}

impl User {
    fn caret_after(&self, key: u32) -> usize {
        self.phone.key(key, false);
        self.phone.selection().unwrap().0
    }

    fn caret_after_ctrl(&self, key: u32) -> usize {
        self.phone.key_combination(&[CTRL, key]);
        self.phone.selection().unwrap().0
    }
}

#[tokio::test(start_paused = true)]
async fn home_and_end_go_to_the_edges_of_a_line() {
    let user = note("milk\n\neggs").await;
    assert_eq!((user.caret_after(HOME), user.caret_after(END)), (6, 10));
    user.caret_after(HOME);
    assert_eq!(user.caret_after(21), 5, "the blank line");
    assert_eq!((user.caret_after(END), user.caret_after(HOME)), (5, 5));
    assert_eq!((user.caret_after_ctrl(END), user.caret_after_ctrl(HOME)), (10, 0));
    assert_eq!(user.caret_after(END), 4);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_line_that_goes_on_is_before_its_last_character() {
    let text = "word ".repeat(60);
    let user = note(&text).await;
    user.caret_after_ctrl(HOME);
    let end = user.caret_after(END);
    assert!((10..200).contains(&end) && text[end..].starts_with(' '), "{end}");
    assert_eq!(user.caret_after(END), end, "it stays in its line");
    assert_eq!(user.caret_after(22), end + 1, "the next line begins");
    assert!(end + 1 < user.caret_after(END));
}

#[tokio::test(start_paused = true)]
async fn from_right_to_left_the_right_edge_is_the_beginning() {
    for text in ["\u{645}\u{631}\u{62d}\u{628}\u{627}", "1 \u{5e9}\u{5dc}\u{5d5}\u{5dd} ok"] {
        let user = note(text).await;
        let all = text.encode_utf16().count();
        assert_eq!((user.caret_after(END), user.caret_after(HOME)), (0, all), "{text}");
        assert_eq!(user.caret_after_ctrl(END), all);
    }
    let user = note("abc\n\u{5e9}\u{5dc}").await;
    assert_eq!((user.caret_after(END), user.caret_after(HOME)), (4, 6), "each paragraph its own");
}
