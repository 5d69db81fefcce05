//! One clock: what the shell tells of time is what the screen shows.
use std::time::Duration;

use super::{device, run};
use crate::device::VirtualPhone;

/// The texts on the screen with the bars.
fn shown(device: &VirtualPhone) -> Vec<String> {
    let state = device.phone().state();
    state.nodes.into_iter().chain(state.system_nodes).map(|node| node.text).collect()
}

async fn stdout_of(device: &VirtualPhone, line: &str) -> String {
    let (status, out, err) = run(device, line).await;
    assert_eq!((status, err.as_str()), (0, ""), "{line}");
    out.trim_end().to_owned()
}

#[tokio::test(start_paused = true)]
async fn the_date_in_the_shell_is_what_the_screen_shows() {
    let device = device();
    assert_eq!(stdout_of(&device, "date").await, "Tue May 12 09:41:00 GMT 2026");
    assert_eq!(stdout_of(&device, "date '+%s %z'").await, "1778578860 +0000");
    // Over midnight, so that the day changes too.
    for wait in [Duration::ZERO, Duration::from_mins(19), Duration::from_hours(14)] {
        tokio::time::sleep(wait).await;
        run(&device, "input keyevent 224 3").await;
        let shown = shown(&device);
        for format in ["%-H:%M", "%a, %-d %b"] {
            let date = stdout_of(&device, &format!("date '+{format}'")).await;
            assert!(
                shown.iter().any(|text| text.starts_with(&date)),
                "{date} is not among {shown:?}"
            );
        }
    }
    assert_eq!(stdout_of(&device, "date +%F").await, "2026-05-13");
}

#[tokio::test(start_paused = true)]
async fn files_the_log_and_messages_have_the_time_of_the_phone() {
    let device = device();
    tokio::time::sleep(Duration::from_mins(5)).await;
    run(&device, "input keyevent 224; echo a > /sdcard/a").await;
    assert_eq!(
        stdout_of(&device, "stat -c %Y /sdcard/a").await,
        stdout_of(&device, "date +%s").await
    );
    assert!(stdout_of(&device, "ls -l /sdcard/a").await.contains("2026-05-12 09:46"));
    run(&device, "am start -n com.example.messages/.ConversationListActivity").await;
    let log = stdout_of(&device, "logcat -d -s Zygote").await;
    assert!(log.lines().any(|line| line.starts_with("05-12 09:46")), "{log}");
    device.phone().receive_message("Ada", "hello");
    assert!(shown(&device).contains(&"9:46".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn dumpsys_lists_the_window_of_a_dialog_above_its_activity() {
    // As large as a phone: on a smaller one a button lies over the note.
    let device = VirtualPhone::default();
    let (notes, title) = ("com.example.notes", "com.example.notes/com.example.notes.MainActivity");
    run(&device, &format!("am start -n {notes}/.MainActivity")).await;
    let settled = || async {
        while let Some(at) = device.phone().settles_at() {
            tokio::time::sleep_until(at + Duration::from_millis(1)).await;
        }
    };
    let focus = || async {
        let all = stdout_of(&device, "dumpsys window").await;
        let line = all.lines().find_map(|line| line.trim().strip_prefix("mCurrentFocus="));
        line.unwrap().to_owned()
    };
    settled().await;
    let activity = focus().await;
    assert!(activity.ends_with(&format!(" u0 {title}}}")), "{activity}");
    let note =
        device.phone().state().nodes.into_iter().find(|node| node.text == "Shopping list").unwrap();
    let (x, y) = note.center();
    run(&device, &format!("input swipe {x} {y} {x} {y} 800")).await;
    settled().await;

    let dialog = focus().await;
    assert!(dialog.ends_with(&format!(" u0 {title}}}")), "{dialog}");
    assert_ne!(dialog, activity, "another window of the same title");
    let list = stdout_of(&device, "dumpsys window windows").await;
    let windows: Vec<&str> = list.split("  Window #").collect();
    let at = |window: &str| windows.iter().position(|it| it.contains(&format!(" {window}:\n")));
    let (above, below) = (at(&dialog).unwrap(), at(&activity).unwrap());
    assert!(above < below, "{list}");
    assert!(windows[above].contains(" ty=APPLICATION "), "{}", windows[above]);
    assert!(windows[above].contains(&format!("package={notes} ")), "{}", windows[above]);
    assert!(windows[above].contains("fl=DIM_BEHIND"), "{}", windows[above]);
    assert!(windows[below].contains(" ty=BASE_APPLICATION "), "{}", windows[below]);
    assert_eq!(
        stdout_of(&device, "dumpsys window windows | grep -c u0.com.example.notes/").await,
        "4"
    );
}
