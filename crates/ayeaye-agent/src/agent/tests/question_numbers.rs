//! The numbers by which answers belong to their questions.
use crate::UserInput;
use crate::fakes::{Call, Fault, Rig, complete, info};
use crate::journal::Fact;

#[tokio::test(start_paused = true)]
async fn every_question_has_a_number_of_its_own_also_before_the_first_step() {
    let rig = Rig::new([info("Which?"), info("Which one?"), complete("done")]);
    rig.phone.breaks(Call::Reset, 1..=3, Fault::Refused);
    let answer = |question, text: &str| UserInput::Answer { question, text: text.to_owned() };
    let mut numbers = Vec::new();
    let mut report = rig.run().await;
    let session = report.session_id;
    for _ in 0..5 {
        let number = report.question_number().expect("it asks");
        let asked = report.question.clone();
        if let Some(before) = numbers.last() {
            assert!(*before < number, "{numbers:?}, {number}");
            // What was said to the question before is no answer to this one.
            let still = rig.go_on(session, answer(*before, "done")).await;
            assert_eq!((&still.question, still.question_number()), (&asked, Some(number)));
        }
        assert_eq!(rig.session(session).await.report(false).question_number(), Some(number));
        numbers.push(number);
        report = rig.go_on(session, answer(number, "done")).await;
    }
    assert_eq!((report.message.as_str(), report.question_number()), ("done", None));
    let answered = |fact: &Fact| matches!(fact, Fact::Answer(_)).then_some(());
    assert_eq!(rig.facts(session, answered).await.len(), 5);
}
