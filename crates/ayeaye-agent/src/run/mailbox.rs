//! What others leave for a run while it goes on: guidance, answers, and the word to stop.
//!
//! Most of it comes through the inbox of the session, from whichever server. What a client of this server
//! marks as secret comes by a channel of its own, so that it is never on the disk.
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::CancelHandle;
use crate::coordinator::{
    Coordinator, CoordinatorError, InboxMessage, InboxMessageBody, InboxMessageId, News, UserReply,
};
use crate::{Session, SessionId, error_chain};

/// The messages of one run.
#[derive(Debug)]
pub(crate) struct Mailbox {
    coordinator: Arc<dyn Coordinator>,
    session: SessionId,
    epoch: u64,
    secret: mpsc::Receiver<InboxMessage>,
    /// What came by that channel and was not taken yet.
    held: Vec<InboxMessage>,
    /// Stops the run when somebody asks for it.
    _stops: AbortOnDropHandle<()>,
}

impl Mailbox {
    /// Of the run that is registered as `epoch`.
    pub(crate) fn new(
        coordinator: Arc<dyn Coordinator>,
        (session, epoch): (SessionId, u64),
        secret: mpsc::Receiver<InboxMessage>,
        cancel: CancelHandle,
    ) -> Self {
        let stops = tokio::spawn(obey(coordinator.clone(), session, epoch, cancel));
        let (held, stops) = (Vec::new(), AbortOnDropHandle::new(stops));
        Self { coordinator, session, epoch, secret, held, _stops: stops }
    }

    /// The replies that the record does not have yet, in their order. Those that it has are removed: a crash
    /// came between.
    pub(super) async fn replies(&mut self, session: &Session) -> Vec<(InboxMessageId, UserReply)> {
        while let Ok(message) = self.secret.try_recv() {
            self.held.push(message);
        }
        let mut messages = self.held.clone();
        match self.coordinator.inbox(self.session).await {
            Ok(inbox) => messages.extend(inbox),
            // It is read again at the next step.
            Err(err) => tracing::warn!("messages cannot be read: {}", error_chain(&err)),
        }
        let mut replies = Vec::new();
        for message in messages {
            match message.body {
                InboxMessageBody::Reply(_) if session.has_taken(&message.id.to_string()) => {
                    self.acknowledge(message.id).await;
                }
                InboxMessageBody::Reply(reply) => replies.push((message.id, reply)),
                InboxMessageBody::Stop { .. } => {}
            }
        }
        replies
    }

    /// Removes a message that the record has. Where that fails, the record tells that it is not taken again.
    pub(super) async fn acknowledge(&mut self, id: InboxMessageId) {
        self.held.retain(|message| message.id != id);
        if let Err(err) = self.coordinator.acknowledge(self.session, id).await {
            tracing::warn!("a message stays: {}", error_chain(&err));
        }
    }

    /// From here on messages go to the next run, but for the word to stop.
    pub(super) async fn close(&mut self) {
        self.secret.close();
        if let Err(err) = self.coordinator.close_inbox(self.epoch).await {
            tracing::warn!("the inbox stays open: {}", error_chain(&err));
        }
    }

    /// Waits for news of the session.
    pub(super) fn news(&self) -> News {
        News::of(&*self.coordinator, self.session)
    }

    /// Tells followers in other servers that there is something to read.
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
