//! Settings that a crash, or a phone that went away, has left changed.
use super::elsewhere::RunPurpose;
use super::registry::LeaseRequest;
use super::same_phone::device_record;
use super::{Agent, AgentError};
use crate::coordinator::RunKind;
use crate::run::OpenSettingChanges;
use crate::{DeviceId, Principal, SessionId};

impl Agent {
    /// Puts back the settings that sessions have left changed on phones which are connected and not in
    /// use. Returns how many phones are still to be put right.
    pub async fn put_back_settings(&self) -> Result<usize, AgentError> {
        let mut left = 0;
        for device in self.deps.journal.changed_devices().await? {
            match self.put_back_on(&device).await {
                Ok(true) => {}
                Ok(false) => left += 1,
                Err(err) => {
                    tracing::debug!(%device, "settings are not put back yet: {err}");
                    left += 1;
                }
            }
        }
        Ok(left)
    }

    /// Whether nothing is left there.
    async fn put_back_on(&self, device: &DeviceId) -> Result<bool, AgentError> {
        let session = SessionId::new();
        // Whoever drives it puts them back at the end.
        let names = self.device_names(device).await;
        let lease = self.runs.lease_for_action(&names, session, &Principal::operator(), false)?;
        let LeaseRequest::Granted(mut lease) = lease else { return Ok(false) };
        self.register(&mut lease, session, &Principal::operator(), RunPurpose::of(RunKind::Act))
            .await?;
        let phone = self.device(&names.id).await?;
        // Nobody holds another server's run off here, and that may rely on what is changed.
        if let Some(driver) = phone.recent_driver().await? {
            let open = self.deps.journal.open_changes(device).await?;
            if open.iter().any(|it| it.driver.as_ref() != Some(&driver)) {
                tracing::debug!(%device, "another server drives it");
                return Ok(false);
            }
        }
        let journal = self.deps.journal.clone();
        let found = device_record(phone.info().await?);
        let open_changes = OpenSettingChanges {
            journal,
            device: device.clone(),
            session,
            driver: None,
            phone: found,
        };
        let (done, remembered) = open_changes.put_back(&*phone, None).await;
        for (change, how) in done {
            tracing::info!(%device, ?how, "{} was left changed", change.setting);
        }
        remembered?;
        Ok(self.deps.journal.open_changes(device).await?.is_empty())
    }
}
