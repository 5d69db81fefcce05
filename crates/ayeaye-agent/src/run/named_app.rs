//! Which app is meant by the name that an act gives it.
use crate::gate::Policy;
use crate::{Device, DeviceCommand, DeviceError, Gesture, RefusedBy};

/// The same act with the app's package in place of its label, if there are lists of allowed or denied apps, since those
/// name packages. The package of a file to install is always added. On an error of the phone the app stays unknown, so
/// the lists cannot be applied.
pub(super) async fn named_by_package(
    device: &dyn Device,
    policy: &Policy,
    gesture: &Gesture,
) -> Result<Gesture, DeviceError> {
    if let Gesture::Command(command @ DeviceCommand::Install { package: None, .. }) = gesture {
        let found = device.preview(command).await?;
        return Ok(Gesture::Command(found.bind(command.clone())));
    }
    let is_bound = !policy.deny_apps.is_empty() || !policy.allow_apps.is_empty();
    let mut named = gesture.clone();
    if is_bound
        && let Gesture::Awake { app }
        | Gesture::Command(DeviceCommand::StopApp { app } | DeviceCommand::Uninstall { app }) =
            &mut named
        // An activity has its package in front of it.
        && !app.contains('/')
    {
        let about = DeviceCommand::StopApp { app: app.clone() };
        let package = device.preview(&about).await?.package;
        *app = package.ok_or_else(|| DeviceError::Refused {
            id: device.id().clone(),
            what: format!("looking for {app:?}"),
            reason: "it does not say which app that is".to_owned(),
            by: RefusedBy::Device,
        })?;
    }
    Ok(named)
}
