//! Messages to a run in progress: guidance, answers, and requests to stop.
//!
//! Most of them come through the session's inbox, from any server. A message that a client of this server marks as
//! secret comes through a channel of its own, so that it is never on the disk.
use std::sync::Arc;

use futures::FutureExt as _;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::{CancelHandle, Recorder};
use crate::coordinator::{
    Coordinator, CoordinatorError, InboxMessage, InboxMessageBody, InboxMessageId, News, UserReply,
};
use crate::gate::PolicyProfile;
use crate::secret_text::SecretKind;
use crate::{KeepText, Session, SessionId, error_chain};

/// Access to a session's inbox for one run.
#[derive(Debug)]
pub(crate) struct Mailbox {
    coordinator: Arc<dyn Coordinator>,
    session: SessionId,
    epoch: u64,
    secret: mpsc::Receiver<InboxMessage>,
    /// Secret messages that have arrived and were not taken yet.
    held: Vec<InboxMessage>,
    /// Messages that were in the inbox before this run was registered.
    earlier: Vec<InboxMessageId>,
    /// Stops the run when somebody asks for it.
    _stops: AbortOnDropHandle<()>,
}

/// The messages that a run found in its inbox.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub(super) replies: Vec<(InboxMessageId, UserReply)>,
    /// Policies by which the session's policy is to be narrowed.
    pub(super) policies: Vec<(InboxMessageId, PolicyProfile)>,
}

impl Mailbox {
    /// For the run that is registered as `epoch`. The `earlier` messages were posted before it was.
    pub(crate) fn new(
        coordinator: Arc<dyn Coordinator>,
        session: SessionId,
        epoch: u64,
        secret: mpsc::Receiver<InboxMessage>,
        cancel: CancelHandle,
        earlier: Vec<InboxMessageId>,
    ) -> Self {
        let stops = tokio::spawn(obey(coordinator.clone(), session, epoch, cancel).boxed());
        let (held, stops) = (Vec::new(), AbortOnDropHandle::new(stops));
        Self { coordinator, session, epoch, secret, held, earlier, _stops: stops }
    }

    /// Whether a message was posted before this run, for an earlier one.
    pub(super) fn is_earlier(&self, message: InboxMessageId) -> bool {
        self.earlier.contains(&message)
    }

    /// The messages that are not in the record yet, in their order. Those that already are, because of a crash, are
    /// removed from the inbox.
    pub(super) async fn messages(&mut self, session: &Session) -> Messages {
        while let Ok(message) = self.secret.try_recv() {
            self.held.push(message);
        }
        let mut messages = self.held.clone();
        match self.coordinator.inbox(self.session).await {
            Ok(inbox) => messages.extend(inbox),
            // It is read again at the next step.
            Err(err) => tracing::warn!("messages cannot be read: {}", error_chain(&err)),
        }
        let mut new = Messages::default();
        for message in messages {
            match message.body {
                InboxMessageBody::Reply(_) if session.has_taken(&message.id.to_string()) => {
                    self.acknowledge(message.id).await;
                }
                InboxMessageBody::Reply(reply) => new.replies.push((message.id, reply)),
                InboxMessageBody::Policy(profile) => new.policies.push((message.id, profile)),
                InboxMessageBody::Stop { .. } => {}
            }
        }
        new
    }

    /// Removes a recorded message from the inbox. If that fails, the record prevents that it is taken twice.
    pub(super) async fn acknowledge(&mut self, id: InboxMessageId) {
        self.held.retain(|message| message.id != id);
        if let Err(err) = self.coordinator.acknowledge(self.session, id).await {
            tracing::warn!("a message stays: {}", error_chain(&err));
        }
    }

    /// Closes the inbox: from here on messages go to the next run, except a request to stop.
    pub(super) async fn close(&mut self) {
        self.secret.close();
        if let Err(err) = self.coordinator.close_inbox(self.epoch).await {
            tracing::warn!("the inbox stays open: {}", error_chain(&err));
        }
    }

    /// Takes out the messages that only this run has, to be posted with [`post`](Self::post). Their secrets are
    /// replaced by the placeholders that this process knows them by.
    pub(crate) fn take_secrets(&mut self, recorder: &Recorder) -> Vec<InboxMessage> {
        self.secret.close();
        while let Ok(message) = self.secret.try_recv() {
            self.held.push(message);
        }
        let held = std::mem::take(&mut self.held).into_iter();
        held.filter_map(|InboxMessage { id, body }| {
            let InboxMessageBody::Reply(reply) = body else { return None };
            recorder.secrets().add_answer(SecretKind::Marked, &reply.text);
            let text = recorder.redact(&reply.text).into_owned();
            if text == reply.text && recorder.privacy().text != KeepText::Full {
                // One so short has no placeholder. Where every word is kept it may stand there as it is.
                tracing::warn!(session = %self.session, "a reply that is marked as secret came too late for its run, \
                    and is lost: it could only be left in clear");
                return None;
            }
            let reply = UserReply { text, secret: false, ..reply };
            Some(InboxMessage { id, body: InboxMessageBody::Reply(reply) })
        })
        .collect()
    }

    /// Posts messages to the next run, as this one will not read them.
    pub(crate) async fn post(&self, messages: Vec<InboxMessage>) {
        for message in messages {
            if let Err(err) = self.coordinator.send(self.session, &message, None).await {
                tracing::warn!("a message is lost: {}", error_chain(&err));
            }
        }
    }

    /// Notifications that something about the session has changed.
    pub(super) fn news(&self) -> News {
        News::of(&*self.coordinator, self.session)
    }

    /// Notifies followers in other servers that there is something to read.
    pub(super) fn tell_followers(&self) {
        self.coordinator.wake(self.session);
    }
}

/// Stops the run when a message says so, wherever it is at the time.
async fn obey(
    coordinator: Arc<dyn Coordinator>,
    session: SessionId,
    epoch: u64,
    cancel: CancelHandle,
) {
    let mut news = News::of(&*coordinator, session);
    loop {
        if let Err(err) = stop_if_asked(&*coordinator, session, epoch, &cancel).await {
            tracing::debug!("messages cannot be read: {}", error_chain(&err));
        }
        news.next().await;
    }
}

async fn stop_if_asked(
    coordinator: &dyn Coordinator,
    session: SessionId,
    epoch: u64,
    cancel: &CancelHandle,
) -> Result<(), CoordinatorError> {
    for message in coordinator.inbox(session).await? {
        let InboxMessageBody::Stop { run, reason } = message.body else { continue };
        if run == epoch {
            cancel.stop(reason);
        }
        // What was meant for an earlier run has had its effect, or never will.
        coordinator.acknowledge(session, message.id).await?;
    }
    Ok(())
}
