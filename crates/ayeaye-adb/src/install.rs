//! Installing and removing apps. A package file is copied to the phone first, which works with every version of Android;
//! the phone's package manager could read it from the connection, by a service that some makers' adbd closes.
use std::time::Duration;

use ayeaye_agent::DeviceError;

use crate::client::DeviceClient;
use crate::parse::{self, batch, current_user, sanitize, sanitize_up_to, split_batch};
use crate::quote::is_package;
use crate::shell::ShellOutput;
use crate::{apps, refusal, sync};

/// Some phones ask their owner first, and older ones take long to compile an app.
const LIMIT: Duration = Duration::from_mins(2);

/// Where the file of a package goes on the phone. Each installation has a place of its own: what one removes or
/// replaces must not be what another is about to install, and servers in containers have the same process number.
pub(crate) fn new_place() -> String {
    format!("/data/local/tmp/ayeaye-{:032x}.apk", rand::random::<u128>())
}

/// Installs a package file, or replaces what an older one has installed. Not repeated on a failure.
pub(crate) async fn install(client: &DeviceClient, apk: &[u8]) -> Result<(), DeviceError> {
    let what = "the installation";
    let place = new_place();
    let pushing = sync::push(client, &place, apk, LIMIT);
    // It is large, and commands hold it within others.
    let output = Box::pin(from(client, what, &place, pushing, LIMIT)).await?;
    verdict(client, what, &output.combined())
}

/// Installs what is copied to this place of the phone, where nothing of it is left; gives what the phone has said.
pub(crate) async fn from(
    client: &DeviceClient,
    what: &str,
    place: &str,
    copying: impl Future<Output = Result<(), DeviceError>>,
    limit: Duration,
) -> Result<ShellOutput, DeviceError> {
    client.ensure_driver(what).await?;
    let installing = async {
        copying.await?;
        client.act(what, &format!("pm install -r {place}; rm -f {place}"), limit).await
    };
    let installed = installing.await;
    if installed.is_err() {
        remove_file(client, place).await;
    }
    installed
}

/// Takes away the file of a package that was not installed, if the phone can still be reached.
async fn remove_file(client: &DeviceClient, place: &str) {
    let line = format!("rm -f {place}");
    if let Err(error) = client.shell_quick("removing the package file", &line).await {
        tracing::debug!(device = %client.id(), %error, "the file of a package may be left on it");
    }
}

/// How an app is removed, and whose it stays.
#[derive(Debug)]
pub(crate) struct Removal {
    pub(crate) line: String,
    /// The person in front, and the others who may have the app and keep it.
    pub(crate) kept: Option<(u32, Vec<u32>)>,
    /// It came with the phone: what is removed are its updates, for everybody.
    pub(crate) is_built_in: bool,
}

/// The line that removes an app. `pm uninstall` takes it from everybody on the phone, also from a work profile and
/// from the second space of a doubled app; where others may have it too, it is removed for the person in front.
/// Of a part of the phone only the updates are removed, for everybody; without any, it is refused.
pub(crate) async fn removal(
    client: &DeviceClient,
    what: &str,
    package: &str,
) -> Result<Removal, DeviceError> {
    debug_assert!(is_package(package), "the caller has seen to it");
    let has = |told: &str| told.lines().any(|line| line.trim() == format!("package:{package}"));
    let output =
        client.shell_quick(what, &batch(&["pm list users", "am get-current-user"])).await?;
    let [users, current] = split_batch(&output.stdout);
    let current = current_user(current).unwrap_or(0);
    // Without a user Android asks for everybody, and fails where one of them lets no computer ask.
    let ask = format!("pm list packages -s --user {current} {package}");
    let output = client.shell_quick(what, &ask).await?;
    if let Some(told) = no_answer(&output) {
        let why = format!("it does not tell whether {package} came with it: {told}");
        return Err(client.not_sent(what, why));
    }
    let is_built_in = has(&output.stdout);
    let mut kept = Vec::new();
    if !is_built_in {
        let others = parse::users(users).into_iter().map(|user| user.id);
        for user in others.filter(|user| *user != current) {
            let ask = format!("pm list packages --user {user} {package}");
            let output = client.shell_quick(what, &ask).await?;
            // A maker may let nobody ask: what is not told may be there.
            if has(&output.stdout) || no_answer(&output).is_some() {
                kept.push(user);
            }
        }
    }
    Ok(match kept.as_slice() {
        [] => Removal { line: format!("pm uninstall {package}"), kept: None, is_built_in },
        _ => Removal {
            line: format!("pm uninstall --user {current} {package}"),
            kept: Some((current, kept)),
            is_built_in,
        },
    })
}

/// Why a question was not answered.
fn no_answer(output: &ShellOutput) -> Option<String> {
    apps::refusal(&output.combined(), output.exit_code)
}

/// Removes an app with its data, for everybody on the phone, as it was installed: one that stays for somebody stands
/// in the way of another with the same name.
pub(crate) async fn uninstall(client: &DeviceClient, package: &str) -> Result<(), DeviceError> {
    let what = "the removal";
    if !is_package(package) {
        return Err(client.not_sent(what, format!("{:?} is no package", sanitize(package))));
    }
    let output = client.act(what, &format!("pm uninstall {package}"), LIMIT).await?;
    verdict(client, what, &output.combined())
}

/// `Success`, or why not; vendors print warnings before either. Of what says nothing nobody knows what came of it.
pub(crate) fn verdict(client: &DeviceClient, what: &str, answer: &str) -> Result<(), DeviceError> {
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines.clone().any(|line| line == "Success") {
        return Ok(());
    }
    let told = lines.clone().find(|line| line.contains("Failure")).or_else(|| lines.next());
    match (refusal::reason(answer), told) {
        (Some(reason), _) => Err(client.refused(what, reason)),
        (None, Some(told)) => Err(client.refused(what, sanitize_up_to(told, 400))),
        (None, None) => Err(client.garbled(what, "it said nothing")),
    }
}
