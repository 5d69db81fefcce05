//! Phones that a company or a school manages.
use ayeaye_agent::Device as _;

use super::fake::{Fake, Reply};

/// The window has no flag then, and the bars, which are another user's, are seen.
#[tokio::test]
async fn a_screen_that_an_administrator_lets_nobody_capture_is_protected() {
    for (banned, user, is_protected) in
        [("[10]", 10, true), ("[10]", 0, false), ("[-1]", 0, true), ("[]", 10, false)]
    {
        let fake = Fake::phone(move |request| {
            let line = request.strip_prefix("shell,v2,raw:")?;
            let cut = "\n--ayeaye--\n";
            if line.contains("dumpsys device_policy") {
                let ban = format!("    Screen capture disallowed users: {banned}\n");
                return Some(Reply::out(ban));
            }
            if line.contains("ro.product.model") {
                let size = "Physical size: 1080x2400";
                return Some(Reply::out(["m", "14", "p", "34", size, "", ""].join(cut)));
            }
            let window = format!(
                "  mCurrentFocus=Window{{1 u{user} com.work/com.work.Main}}\n  \
                 mFocusedApp=ActivityRecord{{2 u{user} com.work/.Main t1}}"
            );
            let told = ["mWakefulness=Awake", &window, ""].join(cut);
            line.contains("mCurrentFocus").then(|| Reply::out(told))
        })
        .await;
        let device = fake.open().await;
        device.info().await.unwrap();
        let state = device.state().await.unwrap();
        assert_eq!(state.protected, is_protected, "{banned} {user}");
    }
}
