//! What `ayeaye doctor` finds of the phones.
use ayeaye_adb::{CheckupFinding, CheckupVerdict};
use ayeaye_agent::{DeviceEntry, DeviceError, DeviceHolder, DeviceId, error_chain};
use ayeaye_model::Severity;

use super::DoctorFinding;
use crate::hint::{Reader, for_device_error, usb_driver};
use crate::text::one_line;
use crate::wiring::App;

/// The phones that adb lists, and what is found of the list.
pub(super) fn listed(
    listing: Result<Vec<(DeviceEntry, DeviceHolder)>, DeviceError>,
) -> (DoctorFinding, Vec<DeviceEntry>) {
    let about = "phones";
    match listing {
        // The finding about adb says what to do.
        Err(DeviceError::NoServer { .. }) => (
            DoctorFinding::new(Severity::Error, about, "no phone can be seen without adb"),
            Vec::new(),
        ),
        Err(err) => {
            let finding = DoctorFinding::new(Severity::Error, about, error_chain(&err))
                .with_hint(for_device_error(&err, Reader::Terminal));
            (finding, Vec::new())
        }
        Ok(devices) if devices.is_empty() => {
            let text = "the adb server is running, but no phone is connected";
            let finding = DoctorFinding::new(Severity::Error, about, text);
            let hint = format!(
                "plug a phone in; on it: Settings > About phone, tap Build number seven times, then \
                 Developer options > USB debugging. On Samsung phones Settings > Security and privacy > \
                 Auto Blocker keeps adb out: switch it off{}",
                usb_driver(cfg!(windows))
            );
            (finding.with_hint(hint), Vec::new())
        }
        Ok(devices) => {
            let entries: Vec<_> = devices.into_iter().map(|(entry, _)| entry).collect();
            let ready = entries.iter().filter(|entry| entry.ready).count();
            // Each of the others has a finding of its own.
            let text = match entries.len() - ready {
                0 => format!("{ready} connected"),
                others => format!("{ready} connected, and {others} that cannot be used"),
            };
            (DoctorFinding::new(Severity::Ok, about, text), entries)
        }
    }
}

/// What is found of a phone: what it is, and if it can be seen, what stands in the way of driving it.
pub(super) async fn phone(app: &App, entry: &DeviceEntry) -> Vec<DoctorFinding> {
    let mut findings = vec![seen(app, entry).await];
    if findings[0].verdict != Severity::Error
        && let Ok(phone) = app.open_adb(&entry.id).await
    {
        findings.extend(phone.checkup().await.into_iter().map(of_checkup));
    }
    for finding in &mut findings {
        finding.device = Some(entry.id.as_str().to_owned());
    }
    findings
}

fn of_checkup(found: CheckupFinding) -> DoctorFinding {
    let verdict = match found.verdict {
        CheckupVerdict::Fine => Severity::Ok,
        CheckupVerdict::Unsure => Severity::Warning,
        CheckupVerdict::Problem => Severity::Error,
    };
    DoctorFinding::new(verdict, found.about, found.text).with_hint(found.mend)
}

async fn seen(app: &App, entry: &DeviceEntry) -> DoctorFinding {
    let about = "phone";
    let name = one_line(entry.id.as_str());
    let hint = entry.hint.clone().unwrap_or_default();
    if !entry.ready {
        let text = format!("{name} is {}", entry.state);
        return DoctorFinding::new(Severity::Error, about, text).with_hint(hint);
    }
    match look(app, &entry.id).await {
        Ok((verdict, text)) => {
            DoctorFinding::new(verdict, about, format!("{name}: {text}")).with_hint(hint)
        }
        Err(err) => {
            let text = format!("{name}: {}", error_chain(&err));
            DoctorFinding::new(Severity::Error, about, text)
                .with_hint(for_device_error(&err, Reader::Terminal))
        }
    }
}

/// Times what a step would do first.
async fn look(app: &App, id: &DeviceId) -> Result<(Severity, String), DeviceError> {
    let device = app.agent.device(id).await?;
    let info = device.info().await?;
    let begun = tokio::time::Instant::now();
    let frame = device.capture().await?;
    let took = begun.elapsed();
    let state = device.state().await?;
    let mut text = format!(
        "{}, Android {}, a capture of {} in {} ms",
        one_line(&info.model),
        one_line(&info.android_version),
        frame.size(),
        took.as_millis()
    );
    if !state.awake {
        text.push_str("; the screen is off");
    } else if state.locked {
        text.push_str(
            "; it is locked: a lock that a swipe opens does not matter, but a PIN, a pattern or a face has to unlock it before a \
             task begins",
        );
        return Ok((Severity::Warning, text));
    } else if frame.is_black() {
        text.push_str("; but the capture is black, as it is where an app protects its screen");
    }
    Ok((Severity::Ok, text))
}
