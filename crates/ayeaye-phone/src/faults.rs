//! Fault injection: one plan for each phone, shared by all sockets it is reached through.
//!
//! A plan is plain data, so that tests can set it directly or through the control port. A fault that
//! happens once is removed from the plan when it happens.
mod plan;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use crate::system::Quirks;

pub use self::plan::{
    DumpFault, FaultError, FaultPlan, Fold, InstallRefusal, LinkState, RawHeader, Trigger,
};

/// A handle on one phone's faults; clones are the same faults.
#[derive(Debug, Clone)]
pub struct Faults {
    plan: Arc<Mutex<FaultPlan>>,
    /// Counters of the events that tasks wait for, so that none is missed.
    events: Arc<watch::Sender<Events>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Events {
    releases: u64,
    kills: u64,
    link_changes: u64,
}

impl Default for Faults {
    fn default() -> Self {
        Self::new()
    }
}

impl Faults {
    /// No faults.
    pub fn new() -> Self {
        Self { plan: Arc::default(), events: Arc::new(watch::Sender::new(Events::default())) }
    }

    /// The current plan, without the one-time faults that have happened.
    pub fn plan(&self) -> FaultPlan {
        self.lock().clone()
    }

    /// Changes the plan.
    pub fn set(&self, change: impl FnOnce(&mut FaultPlan)) {
        let (before, after) = {
            let mut plan = self.lock();
            let before = plan.link;
            change(&mut plan);
            (before, plan.link)
        };
        if before != after {
            self.events.send_modify(|events| events.link_changes += 1);
        }
    }

    /// Back to a healthy phone; hanging commands go on.
    pub fn clear(&self) {
        self.set(|plan| *plan = FaultPlan::default());
        self.release();
    }

    /// Lets hanging commands go on, and removes hanging from the plan.
    pub fn release(&self) {
        self.set(|plan| {
            plan.hang_capture = None;
            plan.hang_shell = None;
        });
        self.events.send_modify(|events| events.releases += 1);
    }

    /// Cuts every open connection to this phone. New ones are accepted at once.
    pub fn kill_link(&self) {
        self.events.send_modify(|events| events.kills += 1);
    }

    pub(crate) fn quirks(&self) -> Quirks {
        self.lock().quirks()
    }

    pub(crate) fn link(&self) -> LinkState {
        self.lock().link
    }

    /// Waits until the link is killed or its state changes.
    pub(crate) fn link_broken(&self) -> impl Future<Output = ()> + use<> {
        let mut events = self.events.subscribe();
        let start = *events.borrow_and_update();
        async move {
            let broken =
                |now: &Events| now.kills != start.kills || now.link_changes != start.link_changes;
            if events.wait_for(broken).await.is_err() {
                // The phone is gone.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits until the state of the link changes.
    pub(crate) fn link_changed(&self) -> impl Future<Output = ()> + use<> {
        let mut events = self.events.subscribe();
        let start = events.borrow_and_update().link_changes;
        async move {
            if events.wait_for(|now| now.link_changes != start).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(crate) fn exec_closed(&self) -> bool {
        self.lock().exec_closed
    }

    /// Waits as long as the plan has a capture hang.
    pub(crate) async fn before_capture(&self) {
        let releases = self.events.borrow().releases;
        let hang = take(&mut self.lock().hang_capture);
        self.hold(0, hang.then_some(releases)).await;
    }

    /// How much later than usual a capture that was taken is there.
    pub(crate) fn capture_delay(&self) -> Duration {
        Duration::from_millis(self.lock().capture_delay_ms)
    }

    /// Waits as long as the plan delays a command line.
    pub(crate) async fn before_shell(&self, line: &str) {
        let releases = self.events.borrow().releases;
        let (delay, hang) = {
            let mut plan = self.lock();
            (plan.shell_delay_ms, take_at(&mut plan.hang_shell, line))
        };
        self.hold(delay, hang.then_some(releases)).await;
    }

    /// Takes the faults of one capture out of the plan.
    pub(crate) fn for_capture(&self) -> CaptureFaults {
        let mut plan = self.lock();
        CaptureFaults {
            warning: take(&mut plan.capture_warning),
            header: plan.raw_header,
            raw_unsupported: plan.raw_unsupported,
            no_screencap: plan.no_screencap,
            fold: plan.fold,
            truncate_to: plan.truncate_capture_to.take(),
            drop_after: plan.drop_capture_after.take(),
        }
    }

    pub(crate) fn take_black(&self) -> bool {
        take(&mut self.lock().black)
    }

    pub(crate) fn take_no_exit_status(&self, line: &str) -> bool {
        take_at(&mut self.lock().no_exit_status, line)
    }

    /// Bytes a second that the link carries at most.
    pub(crate) fn bandwidth(&self) -> Option<u64> {
        self.lock().bandwidth.filter(|bandwidth| *bandwidth > 0)
    }

    /// Waits for the delay, and for the next release after those so many before, where it hangs.
    async fn hold(&self, delay_ms: u64, hangs_after: Option<u64>) {
        if delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        }
        if let Some(releases) = hangs_after {
            let mut events = self.events.subscribe();
            if events.wait_for(|now| now.releases != releases).await.is_err() {
                tracing::debug!("a hanging command outlived its phone");
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FaultPlan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The faults of one capture.
#[derive(Debug)]
pub(crate) struct CaptureFaults {
    pub(crate) warning: bool,
    pub(crate) header: RawHeader,
    pub(crate) raw_unsupported: bool,
    pub(crate) no_screencap: bool,
    pub(crate) fold: Option<Fold>,
    pub(crate) truncate_to: Option<u64>,
    pub(crate) drop_after: Option<u64>,
}

/// Whether a fault strikes at this command line; one that strikes once is used up.
fn take_at(times: &mut Option<Trigger>, line: &str) -> bool {
    // Not what asks for a state, such as `dumpsys input_method`.
    let acts = ["tap", "swipe", "text", "keyevent", "draganddrop", "motionevent"];
    let has_input = || acts.iter().any(|act| line.contains(&format!("input {act} ")));
    if *times == Some(Trigger::NextInput) && has_input() {
        *times = Some(Trigger::Next);
    }
    take(times)
}

fn take(times: &mut Option<Trigger>) -> bool {
    match *times {
        None | Some(Trigger::NextInput) => false,
        Some(Trigger::Every) => true,
        Some(Trigger::Next) => {
            *times = None;
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_happens_once_and_every_goes_on() {
        let faults = Faults::new();
        faults.set(|plan| plan.black = Some(Trigger::Next));
        assert!(faults.take_black());
        assert!(!faults.take_black());
        faults.set(|plan| plan.no_exit_status = Some(Trigger::Every));
        assert!(faults.take_no_exit_status("id"));
        assert!(faults.take_no_exit_status("id"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_shell_goes_on_when_released() {
        let faults = Faults::new();
        faults.set(|plan| plan.hang_shell = Some(Trigger::Next));
        let waiting = tokio::spawn({
            let faults = faults.clone();
            async move { faults.before_shell("id").await }
        });
        tokio::time::sleep(Duration::from_hours(1)).await;
        assert!(!waiting.is_finished());
        faults.release();
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn a_kill_breaks_the_link_and_leaves_its_state() {
        let faults = Faults::new();
        let broken = faults.link_broken();
        faults.kill_link();
        broken.await;
        assert_eq!(faults.link(), LinkState::Device);
    }
}
