//! Opening an address in the person's browser, by the system's own program for that.
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::command::Start;

/// How long the program may take to say that it cannot. Some run for as long as the browser does.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens a link. The error is why it cannot be opened.
pub(super) async fn open(link: &str, start: &Start) -> Result<(), String> {
    let environment = &start.environment;
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        // Not `start`, which is a word of a shell: `&` in an address would end it.
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if environment.get("DISPLAY").is_none() && environment.get("WAYLAND_DISPLAY").is_none() {
        return Err("there is no desktop here".to_owned());
    } else {
        ("xdg-open", &[])
    };
    let mut opener = Command::new(program);
    opener.args(arguments).arg(link);
    // Its keys and tokens are none of the browser's business.
    for name in environment.own_names() {
        opener.env_remove(name);
    }
    opener.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = opener.spawn().map_err(|err| format!("{program}: {err}"))?;
    match tokio::time::timeout(PATIENCE, child.wait()).await {
        Ok(Ok(ended)) if !ended.success() => Err(format!("{program} cannot: {ended}")),
        Ok(Err(err)) => Err(format!("{program}: {err}")),
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}
