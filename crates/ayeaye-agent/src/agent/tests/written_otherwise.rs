//! Secrets that a task or an answer has: in whatever words, and in whatever groups they are written again.
use crate::fakes::{Rig, click, complete, info, types};
use crate::journal::Fact;
use crate::{PrivacySettings, StopReason, UserInput};

const TASK: &str = "Pay with 4111111111111111 or 5500 0055 5555 5559, person 11010519491231002X. The code is 482913.";
const NUMBERS: [&str; 9] = [
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111\u{a0}1111\u{a0}1111\u{a0}1111",
    "5500005555555559",
    "5500-0055-5555-5559",
    "110105 19491231 002X",
    "482 913",
    "48 29 13",
    "482.913",
];

#[tokio::test(start_paused = true)]
async fn a_number_of_the_task_is_kept_in_no_groups() {
    let said = |number: &str| format!("I see {number} there");
    let rig = Rig::new(NUMBERS.map(|it| complete(&said(it))));
    for number in NUMBERS {
        let report = rig.run_task(TASK).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
        assert!(report.message.starts_with("I see [secret "), "{number}: {}", report.message);
        assert_eq!(rig.files_with(number), [""; 0], "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_is_typed_as_the_model_has_written_it() {
    let rig = Rig::new([types("4111 1111 1111 1111", None), complete("done")]);
    rig.run_task(TASK).await;
    assert!(rig.phone.sent().last().unwrap().starts_with("TYPE 4111 1111 1111 1111"));
    assert_eq!(rig.files_with("4111 1111"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_a_screen_shows_of_it_is_black_and_in_no_list_of_elements() {
    for number in NUMBERS {
        let rig = Rig::new([click(1), complete("done")]).privacy(PrivacySettings::default());
        let shown = format!(
            r#"<hierarchy rotation="0"><node text="Pay" clickable="true" bounds="[0,0][60,60]"/>
            <node text="Card {number}" clickable="false" bounds="[0,60][60,120]"/></hierarchy>"#
        );
        rig.phone.shows(&shown, false);
        let report = rig.run_task(TASK).await;
        let blackened = |fact: &Fact| match fact {
            Fact::Observe(seen) => Some(seen.blackened),
            _ => None,
        };
        assert_eq!(rig.facts(report.session_id, blackened).await, [1, 1], "{number}");
        assert_eq!(rig.files_with(number), [""; 0], "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_password_of_the_task_is_kept_nowhere_however_it_is_put() {
    for (task, secret) in [
        ("The password is: hunter2xx", "hunter2xx"),
        ("password = hunter3xx", "hunter3xx"),
        ("Mot de passe : Printemps24", "Printemps24"),
        ("パスワードは abc12345 です", "abc12345"),
        ("ПАРОЛЬ: Весна-2024", "Весна-2024"),
        ("Pay, CVV: 739", "739"),
        ("The code is 482 913", "482 913"),
    ] {
        let rig = Rig::new([complete(&format!("I typed {secret} there"))]);
        let report = rig.run_task(task).await;
        assert!(report.message.starts_with("I typed [secret "), "{task}: {}", report.message);
        let kept = [format!("typed {secret}"), task.to_owned()].map(|it| rig.files_with(&it));
        assert_eq!(kept, [[""; 0]; 2], "{task}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_whatever_asks_for_a_secret_is_kept_nowhere() {
    for (question, answer, secret) in [
        ("What is your wallet's recovery phrase?", "apple river candle moon", "apple river"),
        ("What is the Wi-Fi key?", "Quince", "Quince"),
        ("What is the login for the bank?", "anna and Mango77x", "Mango77x"),
        ("Which login shall I use?", "anna with Mango77x", "Mango77x"),
    ] {
        let rig = Rig::new([info(question)]);
        let asked = rig.run().await;
        rig.script.adds([complete(&format!("I used {answer}, and {secret} it was"))]);
        rig.go_on(asked.session_id, UserInput::Reply(answer.to_owned())).await;
        assert_eq!(rig.files_with(answer), [""; 0], "{question}");
        if !secret.contains(' ') {
            assert_eq!(rig.files_with(secret), [""; 0], "{question}");
        }
    }
    // A user's name may be one, and is no secret then.
    let rig = Rig::new([info("Which login shall I use?")]);
    let asked = rig.run().await;
    rig.script.adds([complete("ok")]);
    rig.go_on(asked.session_id, UserInput::Reply("Google".to_owned())).await;
    assert_ne!(rig.files_with("Google"), [""; 0]);
}
