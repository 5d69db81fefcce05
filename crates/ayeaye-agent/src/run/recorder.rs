//! The only writer of a session's record.
//!
//! Each fact of a run passes through here: it is redacted, written to the journal, and applied to the
//! [`Session`]. Nobody else can change the session.
use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::gate::{is_plain_answer, named_secrets};
use crate::journal::{
    AgentState, BlobRef, DisplayRecord, Fact, GateRecord, Journal, JournalWriter, RecordEntry,
    RecordedWord, SessionBuilder, SessionStart, TargetRecord, ToolEnd, ToolStart,
};
use crate::named_secret::mentioned;
use crate::privacy::{KeepText, PrivacySettings, SecretStore, length_of};
use crate::secret_text::{SecretKind, code_in, find_secrets, may_ask_for_secret, secret_asked_for};
use crate::{
    ActMark, JournalError, Picture, Principal, Question, QuestionKind, Session, SessionId,
};

/// A picture as sent to a model, and the blob it is stored in, if it may be stored.
#[derive(Debug, Clone)]
pub(super) struct StoredPicture {
    pub(super) picture: Picture,
    pub(super) blob: Option<BlobRef>,
}

/// The outcome of a command to the phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolOutcome {
    /// Accepted by the phone, with this result; why it may have had no effect, if that is not certain; the package of
    /// the app that it opened.
    Done { result: String, uncertain: Option<String>, app: Option<String> },
    /// Not carried out, for this reason.
    Failed(String),
    /// Perhaps carried out; what went wrong.
    Unknown(String),
}

/// A session open for writing.
#[derive(Debug)]
pub(crate) struct Recorder {
    session: Session,
    writer: Box<dyn JournalWriter>,
    secrets: Arc<SecretStore>,
    privacy: PrivacySettings,
}

/// The target of a command, the gate's verdict on it, and where it goes.
#[derive(Debug, Default)]
pub(super) struct ToolContext {
    pub(super) target: Option<TargetRecord>,
    pub(super) gate: Option<GateRecord>,
    pub(super) display: Option<DisplayRecord>,
    pub(super) mark: Option<ActMark>,
}

impl Recorder {
    /// Begins the record of a new session. It is on disk when this returns.
    pub(crate) async fn create(
        journal: &dyn Journal,
        id: SessionId,
        mut start: SessionStart,
        secrets: Arc<SecretStore>,
        privacy: PrivacySettings,
    ) -> Result<Self, JournalError> {
        let owner = Principal::from_record(start.owner.as_deref());
        secrets.belongs_to(&owner);
        learn_named_from(&secrets, &owner, &start.request);
        learn_from(&secrets, &start.request);
        start.request = secrets.redact(&start.request).into_owned();
        let mut writer = journal.create(&id).await?;
        let fact = Fact::SessionStart(start);
        let begun =
            writer.append(RecordEntry { round: None, step: None, agent: None, fact }).await?;
        writer.sync().await?;
        let session = Session::from_events(id, &[begun])?;
        Ok(Self { session, writer, secrets, privacy })
    }

    /// Opens the record of a session for writing.
    pub(crate) async fn open(
        journal: &dyn Journal,
        id: SessionId,
        secrets: Arc<SecretStore>,
        privacy: PrivacySettings,
    ) -> Result<Self, JournalError> {
        let mut session = SessionBuilder::new(id);
        let writer = journal.open(&id, &mut |event| session.apply(&event)).await?;
        let session = session.finish()?;
        secrets.belongs_to(&session.owner);
        // What a client named for an act of its own is none that the user has named.
        secrets.forget_all_typing();
        for mention in &session.acts.given {
            learn_named_from(&secrets, &session.owner, mention);
        }
        Ok(Self { session, writer, secrets, privacy })
    }

    /// Learns the named secrets in a text of the user's, if the session belongs to their owner.
    pub(crate) fn learn_named(&self, text: &str) {
        learn_named_from(&self.secrets, &self.session.owner, text);
    }

    /// Learns the named secrets in a text that is typed as it stands, and is not the user's words.
    pub(crate) fn learn_named_in_typed(&self, text: &str) {
        if self.session.owner.has_named_secrets() {
            mentioned(text).for_each(|name| self.secrets.learn_named(name));
        }
    }

    /// The session, as recorded so far.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Size of the record in bytes, blobs included.
    pub(crate) fn size(&self) -> u64 {
        self.writer.size()
    }

    pub(super) fn secrets(&self) -> &SecretStore {
        &self.secrets
    }

    /// The secrets, for another thread.
    pub(super) fn shared_secrets(&self) -> Arc<SecretStore> {
        self.secrets.clone()
    }

    pub(super) fn privacy(&self) -> PrivacySettings {
        self.privacy
    }

    /// The text with secrets replaced by placeholders, as it may be shown and logged.
    pub(super) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.secrets.redact(text)
    }

    /// A text that may quote a model, for the log of the process: nothing but its length where only that is kept of what
    /// was said.
    pub(super) fn redact_for_log<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.privacy().text {
            KeepText::Metadata => Cow::Owned(length_of(text)),
            KeepText::Full | KeepText::Redacted => self.redact(text),
        }
    }

    /// Remembers the secrets in a user's text: all of it, if the open question asks for a secret.
    pub(super) fn learn_secrets(&self, text: &str) {
        learn_from(&self.secrets, text);
        if crate::question::is_done_by_hand(text) {
            return;
        }
        let asked = self.session.question.as_ref();
        // What was to choose from is in the record already.
        if asked.is_some_and(|it| it.options.iter().any(|option| option == text)) {
            return;
        }
        match asked.and_then(|it| Some((it.kind, secret_asked_for(&it.text)?))) {
            Some((QuestionKind::Info, kind)) => {
                self.secrets.add_answer(kind, text);
                return;
            }
            // Whoever is to log in by hand, or to allow that a password is typed, may tell it all the same.
            Some((QuestionKind::Confirm | QuestionKind::Takeover, kind)) => {
                if !is_plain_answer(text) {
                    self.secrets.add_doubtful_answer(kind, text);
                }
                return;
            }
            None => {}
        }
        // What is to be done by hand may be a login by any name.
        let by_hand = |it: &Question| it.kind == QuestionKind::Takeover && !is_plain_answer(text);
        if asked.is_some_and(|it| may_ask_for_secret(&it.text) || by_hand(it)) {
            self.secrets.add_likely_parts(SecretKind::Password, text);
        }
        // No list of words knows every way to ask for a code.
        if let Some(code) = code_in(text) {
            self.secrets.add_likely_answer(SecretKind::Code, code);
        }
    }

    /// Records a fact about the current step and its agent, or between steps about the round.
    pub(super) async fn append(&mut self, fact: Fact) -> Result<(), JournalError> {
        let step = self.session.in_progress.step;
        let agent = step.map(|_| self.session.current_agent());
        self.write(self.session.round, step, agent, fact).await
    }

    /// Records a fact about one agent.
    pub(super) async fn append_as(
        &mut self,
        agent: &str,
        step: Option<u32>,
        fact: Fact,
    ) -> Result<(), JournalError> {
        self.write(self.session.round, step, Some(agent.to_owned()), fact).await
    }

    /// Begins a round with this request.
    pub(super) async fn begin_round(
        &mut self,
        number: u32,
        request: String,
    ) -> Result<(), JournalError> {
        self.write(number, None, None, Fact::RoundStart { request }).await
    }

    /// Records the state of an agent, if it changes.
    pub(super) async fn set_agent_state(
        &mut self,
        agent: &str,
        state: impl Into<RecordedWord<AgentState>>,
    ) -> Result<(), JournalError> {
        let (from, to) = (self.session.agents.get(agent).state, state.into());
        if from == to {
            return Ok(());
        }
        self.append_as(agent, None, Fact::State { from, to }).await
    }

    /// Records a command that is about to be sent to the phone, and syncs it. Returns its id.
    pub(super) async fn log_tool_start(
        &mut self,
        name: &str,
        parameters: Map<String, Value>,
        ToolContext { target, gate, display, mark }: ToolContext,
    ) -> Result<u32, JournalError> {
        let id = self.session.counts.tools + 1;
        self.append(Fact::ToolStart(ToolStart {
            tool_call_id: id,
            name: name.to_owned(),
            parameters,
            device: true,
            target,
            display,
            batch: None,
            gate,
            mark,
        }))
        .await?;
        self.sync().await?;
        Ok(id)
    }

    /// Records the outcome of a command.
    pub(super) async fn log_tool_end(
        &mut self,
        id: u32,
        outcome: ToolOutcome,
        duration_ms: f64,
    ) -> Result<(), JournalError> {
        let unknown = matches!(outcome, ToolOutcome::Unknown(_));
        let (result, error, uncertain, app) = match outcome {
            ToolOutcome::Done { result, uncertain, app } => (result, None, uncertain, app),
            ToolOutcome::Failed(error) | ToolOutcome::Unknown(error) => {
                (String::new(), Some(error), None, None)
            }
        };
        let success = error.is_none();
        self.append(Fact::ToolEnd(ToolEnd {
            tool_call_id: id,
            success,
            unknown,
            result,
            error,
            uncertain,
            app,
            duration_ms,
        }))
        .await
    }

    /// Stores bytes beside the record, as they are: the caller has redacted them.
    pub(super) async fn store(
        &mut self,
        bytes: Bytes,
        media_type: &str,
    ) -> Result<BlobRef, JournalError> {
        self.writer.store_blob(bytes, media_type).await
    }

    /// Waits until everything recorded so far is on the disk.
    pub(super) async fn sync(&mut self) -> Result<(), JournalError> {
        self.writer.sync().await
    }

    /// Closes the record, and waits until the logs derived from it are complete.
    pub(super) async fn close(self) -> Session {
        self.writer.close().await;
        self.session
    }

    async fn write(
        &mut self,
        round: u32,
        step: Option<u32>,
        agent: Option<String>,
        fact: Fact,
    ) -> Result<(), JournalError> {
        let (fact, remembered) = self.secrets.redact_fact(fact);
        let mut event =
            self.writer.append(RecordEntry { round: Some(round), step, agent, fact }).await?;
        if let Some(fact) = remembered {
            event.entry.fact = fact;
        }
        self.session.apply(&event);
        Ok(())
    }
}

/// Learns which secrets a user's text names, if they are theirs. Whoever writes one out names it.
fn learn_named_from(secrets: &SecretStore, owner: &Principal, text: &str) {
    if !owner.has_named_secrets() {
        return;
    }
    for (name, may_be_typed) in named_secrets(&secrets.hide_named(text)) {
        if may_be_typed {
            secrets.learn_named(name);
        } else {
            secrets.forget_typing(name);
        }
    }
}

fn learn_from(secrets: &SecretStore, text: &str) {
    secrets.add_all(&find_secrets(text));
}
