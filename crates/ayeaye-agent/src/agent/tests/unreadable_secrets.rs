//! Secrets that the user keeps and that cannot be read: nothing of them could be hidden, so nothing begins.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::direct::tap;
use crate::fakes::{Rig, complete};
use crate::{
    AgentError, NamedSecret, NamedSecretError, NamedSecrets, Principal, SecretPlaces, StartTask,
    UserInput,
};

/// One secret, in a file that can be made unreadable.
#[derive(Debug, Default)]
struct Kept {
    is_damaged: AtomicBool,
    all: Mutex<Arc<BTreeMap<String, NamedSecret>>>,
}

impl Kept {
    fn new(is_damaged: bool) -> Arc<Self> {
        let kept = Self::default();
        let bank = NamedSecret { value: "Quince-41".to_owned(), places: SecretPlaces::default() };
        *kept.all.lock().unwrap() = Arc::new(BTreeMap::from([("bank".to_owned(), bank)]));
        kept.is_damaged.store(is_damaged, Ordering::Relaxed);
        Arc::new(kept)
    }
}

impl NamedSecrets for Kept {
    fn find(&self, name: &str) -> Result<Option<NamedSecret>, NamedSecretError> {
        Ok(self.all()?.get(name).cloned())
    }

    fn all(&self) -> Result<Arc<BTreeMap<String, NamedSecret>>, NamedSecretError> {
        if self.is_damaged.load(Ordering::Relaxed) {
            return Err(NamedSecretError::AllUnreadable("secrets.json is damaged".to_owned()));
        }
        Ok(self.all.lock().unwrap().clone())
    }
}

fn is_refused<T>(done: Result<T, AgentError>) -> bool {
    done.err().is_some_and(|err| err.to_string().contains("secrets.json is damaged"))
}

#[tokio::test(start_paused = true)]
async fn nothing_begins_while_kept_secrets_cannot_be_hidden() {
    let kept = Kept::new(true);
    let rig = Rig::new([complete("done"), complete("done again")]).keeping(kept.clone());
    let task = rig.task("Read me what Quince-41 is");
    assert!(is_refused(rig.agent.start(task.clone()).await));
    assert!(is_refused(rig.agent.act(tap(1, None)).await));
    assert!(is_refused(rig.agent.capture_for(&*rig.phone, &Principal::local()).await));
    assert_eq!(rig.phone.sent(), [""; 0]);
    // Others have none of them.
    let other = Principal::new("somebody else");
    let theirs = StartTask { principal: other, ..rig.task("Look around") };
    let mut follower = rig.agent.start(theirs).await.unwrap();
    follower.finished().await;
    assert_eq!(follower.report().message, "done");

    kept.is_damaged.store(false, Ordering::Relaxed);
    let follower = rig.agent.start(task).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done again");
    assert_eq!(rig.files_with("Quince"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_was_known_before_stays_hidden_and_is_no_reason_to_wait() {
    let kept = Kept::new(false);
    let rig = Rig::new([complete("done"), complete("it is Quince-41")]).keeping(kept.clone());
    let begun = rig.run_task("Look around").await;
    kept.is_damaged.store(true, Ordering::Relaxed);
    let report = rig.go_on(begun.session_id, UserInput::Task("Go on".to_owned())).await;
    assert_eq!(report.message, "it is {{secret:bank}}");
}
