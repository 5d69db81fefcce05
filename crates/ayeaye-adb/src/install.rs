//! Installing and removing apps, as adb's own program does: the package file goes to `cmd package` on
//! its standard input.
use std::time::Duration;

use ayeaye_agent::DeviceError;
use bytes::BytesMut;
use tokio::time::Instant;

use crate::client::DeviceClient;
use crate::parse::sanitize;
use crate::quote::is_package;
use crate::refusal;

/// Some phones ask their owner first, and older ones take long to compile an app.
const LIMIT: Duration = Duration::from_mins(2);
/// The most bytes that are written at once.
const BLOCK: usize = 64 * 1024;
/// The most bytes that a phone may answer.
const MAX_ANSWER: usize = 64 * 1024;
/// Where the file goes on phones without `cmd`.
const PLACE: &str = "/data/local/tmp/ayeaye-install.apk";

/// Installs a package file, or replaces what an older one has installed. Not repeated on a failure.
pub(crate) async fn install(client: &DeviceClient, apk: &[u8]) -> Result<(), DeviceError> {
    let what = "the installation";
    let service = format!("exec:cmd package install -r -S {}", apk.len());
    let answer = client
        .call(what, &service, Instant::now() + LIMIT, LIMIT, async |connection| {
            for block in apk.chunks(BLOCK) {
                // One that refuses says so and reads no further.
                if connection.write(block).await.is_err() {
                    break;
                }
            }
            let mut answer = BytesMut::new();
            while connection.read_some(&mut answer).await? != 0 && answer.len() < MAX_ANSWER {}
            Ok(answer)
        })
        .await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    if answer.contains("not found") && answer.contains("cmd") {
        return install_from_file(client, apk).await;
    }
    verdict(client, what, &answer)
}

/// Before Android 7.
async fn install_from_file(client: &DeviceClient, apk: &[u8]) -> Result<(), DeviceError> {
    let what = "the installation";
    crate::sync::push(client, PLACE, 0o644, apk).await?;
    let output =
        client.shell(what, &format!("pm install -r {PLACE}; rm -f {PLACE}"), LIMIT).await?;
    verdict(client, what, &output.combined())
}

/// Removes an app with its data.
pub(crate) async fn uninstall(client: &DeviceClient, package: &str) -> Result<(), DeviceError> {
    let what = "the removal";
    if !is_package(package) {
        return Err(client.not_sent(what, format!("{:?} is no package", sanitize(package))));
    }
    let output = client.shell(what, &format!("pm uninstall {package}"), LIMIT).await?;
    verdict(client, what, &output.combined())
}

/// `Success`, or why not; vendors print warnings before either.
fn verdict(client: &DeviceClient, what: &str, answer: &str) -> Result<(), DeviceError> {
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines.clone().any(|line| line == "Success") {
        return Ok(());
    }
    let told = lines.clone().find(|line| line.contains("Failure")).or_else(|| lines.next());
    match (refusal::reason(answer), told) {
        (Some(reason), _) => Err(client.refused(what, reason)),
        (None, Some(told)) => Err(client.refused(what, sanitize(told))),
        (None, None) => Err(client.garbled(what, "it said nothing")),
    }
}
