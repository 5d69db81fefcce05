//! Commands that change the phone: on the disk before they are sent, sent at most once, and recorded
//! with their outcome.
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt as _;
use serde_json::Map;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::cancel::{CancelHandle, Cancelled};
use super::millis;
use super::outcome::RunError;
use super::recorder::{Recorder, ToolContext, ToolOutcome};
use super::settings::{ChangeToRecord, record_change};
use crate::journal::{ActionRecord, DisplayRecord, GateRecord, TargetRecord};
use crate::session::WAKE;
use crate::{
    Action, Device, DeviceCommand, DeviceError, Gesture, Performed, ScreenSize, error_chain,
};

/// The recorded name of the command that resets the phone before the first step of a session.
pub(super) const RESET: &str = "RESET";

/// The recorded error of a command that a cancelled run did not send.
pub(super) const STOPPED_BEFORE_SENDING: &str = "not sent: the run was stopped";

/// Sends commands to one phone.
#[derive(Debug)]
pub(super) struct Actor {
    device: Arc<dyn Device>,
    cancel: CancelHandle,
    /// Changes that the device makes to the phone's settings while it carries out a command.
    changes: mpsc::Receiver<ChangeToRecord>,
}

/// A command that was sent and recorded.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) result: Result<Performed, DeviceError>,
    /// When the phone had carried it out.
    pub(super) ended: Instant,
    /// Milliseconds that recording its start took.
    pub(super) recording_ms: f64,
    /// Milliseconds that carrying it out took.
    pub(super) took_ms: f64,
}

impl Actor {
    pub(super) fn new(
        device: Arc<dyn Device>,
        cancel: CancelHandle,
        changes: mpsc::Receiver<ChangeToRecord>,
    ) -> Self {
        Self { device, cancel, changes }
    }

    /// Sends a gesture, whose points are relative to a screen of this size. Once sent, it is not interrupted, unless it
    /// changes nothing on the phone.
    pub(super) async fn perform(
        &mut self,
        recorder: &mut Recorder,
        gesture: &Gesture,
        target: Option<TargetRecord>,
        gate: Option<GateRecord>,
        size: ScreenSize,
    ) -> Result<Sent, RunError> {
        let record = ActionRecord::from(&Action::Gesture(gesture.clone()));
        let device = Arc::clone(&self.device);
        let cancel = self.cancel.clone();
        let command = async {
            let performing = device.perform(gesture, size);
            let Gesture::Command(DeviceCommand::FetchFile { .. }) = gesture else {
                return performing.await;
            };
            let fetched = cancel.race(performing).await;
            fetched.unwrap_or_else(|cancelled| Err(not_fetched(&device, cancelled)))
        };
        let command = command.boxed();
        let context = ToolContext { target, gate, ..ToolContext::default() };
        self.send(recorder, record, context, "done", command).await
    }

    /// Switches the display on.
    pub(super) async fn wake(&mut self, recorder: &mut Recorder) -> Result<Sent, RunError> {
        self.cancel.check()?;
        let device = Arc::clone(&self.device);
        self.send(recorder, bare(WAKE), ToolContext::default(), "awake", plain(device.wake())).await
    }

    /// Wakes the phone, closes the app in front, and goes to the home screen.
    pub(super) async fn reset(&mut self, recorder: &mut Recorder) -> Result<Sent, RunError> {
        self.cancel.check()?;
        let device = Arc::clone(&self.device);
        let command = async {
            let closed = device.reset().await?;
            let note = closed.map(|package| format!("{HOME_SCREEN}; {package} was closed"));
            Ok(Performed { note, ..Performed::done() })
        };
        self.send(recorder, bare(RESET), ToolContext::default(), HOME_SCREEN, command).await
    }

    async fn send(
        &mut self,
        recorder: &mut Recorder,
        ActionRecord { function, arguments }: ActionRecord,
        context: ToolContext,
        done: &str,
        command: impl Future<Output = Result<Performed, DeviceError>>,
    ) -> Result<Sent, RunError> {
        let recording = Instant::now();
        let display = self.device.shown_on().map(DisplayRecord::from);
        let context = ToolContext { display, mark: self.device.act_mark(), ..context };
        let id = recorder.log_tool_start(&function, arguments, context).await?;
        let recording_ms = millis(recording.elapsed());
        // The last moment at which nothing has been done yet.
        if let Err(cancelled @ Cancelled { .. }) = self.cancel.check() {
            recorder
                .log_tool_end(id, ToolOutcome::Failed(STOPPED_BEFORE_SENDING.to_owned()), 0.0)
                .await?;
            return Err(cancelled.into());
        }
        let begun = Instant::now();
        let result = self.recording_changes(recorder, command).await?;
        let ended = Instant::now();
        let took_ms = millis(ended - begun);
        let outcome = match &result {
            Ok(Performed { uncertain, note, opened, .. }) => ToolOutcome::Done {
                result: note.clone().unwrap_or_else(|| done.to_owned()),
                uncertain: uncertain.clone(),
                app: opened.clone(),
            },
            Err(err) if err.may_have_acted() => ToolOutcome::Unknown(error_chain(err)),
            Err(err) => ToolOutcome::Failed(error_chain(err)),
        };
        recorder.log_tool_end(id, outcome, took_ms).await?;
        Ok(Sent { result, ended, recording_ms, took_ms })
    }

    /// Waits for a command. Records each change it makes to the phone's settings before the change is made.
    async fn recording_changes<T>(
        &mut self,
        recorder: &mut Recorder,
        command: impl Future<Output = T>,
    ) -> Result<T, RunError> {
        let mut command = pin!(command);
        let mut trouble = None;
        let result = loop {
            tokio::select! {
                biased;
                Some(change) = self.changes.recv() => {
                    // A command that has begun is waited for whatever happens to the record.
                    if let Err(err) = record_change(recorder, change).await {
                        trouble.get_or_insert(err);
                    }
                }
                result = &mut command => break result,
            }
        };
        match trouble {
            Some(err) => Err(err.into()),
            None => Ok(result),
        }
    }
}

/// The error of a file whose copying was stopped: what had come of it is not kept.
fn not_fetched(device: &Arc<dyn Device>, cancelled: Cancelled) -> DeviceError {
    DeviceError::NotSent {
        id: device.id().clone(),
        what: "fetching a file".to_owned(),
        reason: format!("{cancelled}; nothing of it was kept"),
    }
}

/// The recorded result of a reset.
const HOME_SCREEN: &str = "home screen";

async fn plain(
    command: impl Future<Output = Result<(), DeviceError>>,
) -> Result<Performed, DeviceError> {
    command.await.map(|()| Performed::done())
}

fn bare(function: &str) -> ActionRecord {
    ActionRecord { function: function.to_owned(), arguments: Map::new() }
}
