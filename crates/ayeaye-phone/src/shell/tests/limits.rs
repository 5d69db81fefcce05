//! What a client may send is bounded: one that sends more is refused, and the phone goes on.
use super::{device, run};

#[tokio::test]
async fn words_that_stand_for_the_next_one_are_not_a_crash_however_many_there_are() {
    let device = device();
    for (start, many, end, status) in [
        ("", "toybox ", "true", 0),
        ("", "command ", "true", 0),
        ("", "exec ", "true", 0),
        ("", "toybox command exec ", "false", 1),
        ("", "toybox ", "nope", 127),
        ("cmd ", "-w ", "activity get-current-user", 0),
        ("dumpsys window ", "-a ", "policy", 0),
        ("dumpsys ", "-t 9 ", "power", 0),
        ("dumpsys ", "-t 9 ", "activity -a top", 0),
        ("test ", "! ", "-n a", 0),
        ("[ ", "! ", "-n a ]", 0),
    ] {
        let line = format!("{start}{}{end}", many.repeat(9000 / many.split_whitespace().count()));
        let (got, _, err) = run(&device, &line).await;
        assert_eq!((got, err.len() < 100), (status, true), "{start}{many}{end}: {err}");
    }
}
