//! Secrets of which only a part is typed or shown at once, or which are written in letters of another kind.
use super::kept_private::{Kept, SIGN_IN};
use crate::fakes::{Rig, complete, types};
use crate::{Elements, Principal};

/// An app without a name, such as one that has no icon, may be any: the user is asked. A part of a password, or the same in
/// other letters, is as secret.
#[tokio::test(start_paused = true)]
async fn a_password_in_the_words_goes_to_no_app_without_a_name_unasked() {
    let with_name = "Sign in to Messages with the password Hunter2!xyz";
    let of_no_app = "Sign in with the password Hunter2!xyz";
    let beside = "Sign in to Messages with the password Hunter2!xyz. Then look up hunters in Notes";
    for (task, text, typed) in [
        (with_name, "Hunter2!xyz", 0),
        (with_name, "Hunt", 0),
        (with_name, "unter2!xyz", 0),
        (with_name, "2!xyz", 0),
        (with_name, "it is er2!xy, ok", 0),
        (with_name, "hunter2!XYZ", 0),
        (with_name, "Hunter2!\u{200b}xyz", 0),
        (with_name, "Hunter2!xy\u{ff5a}", 0),
        (with_name, "Hello there", 1),
        (beside, "hunters", 1),
        (of_no_app, "Hunter2!xyz", 1),
    ] {
        let rig = Rig::new([types(text, None), complete("done")]);
        rig.phone.fronts("com.example.hidden", "Main");
        rig.phone.shows(&SIGN_IN.replace(r#"password="true""#, ""), false);
        let result = rig.run_task(task).await;
        assert_eq!(rig.phone.gestures().len(), typed, "{task}: {text}: {result:?}");
        assert_eq!(result.question.is_some(), typed == 0, "{task}: {text}");
    }
}

/// Whatever an app calls its parts, and however it cuts a text.
#[tokio::test(start_paused = true)]
async fn a_named_secret_in_pieces_is_listed_to_no_client() {
    let rig = Rig::new([]).keeping(Kept::with("note", "Zebra-Quartz-77x"));
    let local = Principal::local();
    let hidden = |text: &str| rig.agent.without_named_secrets(text, &local).into_owned();
    for shown in ["Zebra-\u{200b}Quartz-77x", "Zebra-Qu\u{ad}artz-77x", "Zebr a-Qu artz -77x"] {
        assert_eq!(hidden(shown), "{{secret:note}}", "{shown:?}");
    }
    let listed = |pieces: &[String], reader: &Principal| {
        let node = |it: &String| format!(r#"<node text="{it}" bounds="[0,0][9,9]"/>"#);
        let nodes: String = pieces.iter().map(node).collect();
        let elements = Elements::read(&format!("<hierarchy>{nodes}</hierarchy>")).unwrap();
        let elements = rig.agent.without_spread_secrets(elements, reader);
        elements.iter().map(|it| it.name().to_owned()).collect::<String>()
    };
    let letters: Vec<char> = "Zebra-Quartz-77x".chars().collect();
    for size in 1..=4 {
        let pieces: Vec<String> = letters.chunks(size).map(|it| it.iter().collect()).collect();
        assert_eq!(listed(&pieces, &local), "", "{size}");
        let anna = Principal::new("token:anna");
        assert_eq!(listed(&pieces, &anna), "Zebra-Quartz-77x", "not told that it is one");
    }
}
