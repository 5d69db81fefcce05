//! Narrows the policy of a session.
use serde_json::Map;

use super::Recorder;
use crate::JournalError;
use crate::event::POLICY;
use crate::gate::PolicyProfile;
use crate::journal::{Fact, NoteKind};

impl Recorder {
    /// Makes this profile apply to the session too, for good. Recorded once.
    pub(crate) async fn narrow_policy(
        &mut self,
        profile: PolicyProfile,
    ) -> Result<(), JournalError> {
        let name = profile.name();
        if self.session().policy.iter().any(|it| it == name) {
            return Ok(());
        }
        let mut figures = Map::new();
        figures.insert(POLICY.to_owned(), name.into());
        let text = format!("from here on the policy of this session is also {name}");
        self.append(Fact::Note { kind: NoteKind::PolicyNarrowed.into(), text, figures }).await
    }
}
