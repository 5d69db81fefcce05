//! Live state: phones, sessions and single sessions, each computed once for all viewers.
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Agent, AgentError, DeviceHolder, Follower, Principal, SessionId};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::answer::Refusal;
use super::feeds::{Feeds, LatestState, Publisher, publish};
use super::sessions::newest;
use super::view::{MAX_LISTED, PageRules, View};
use crate::mcp::results::DeviceList;
use crate::text::short_lines;

/// The least time between two states of one thing.
pub(super) const LEAST_PAUSE: Duration = Duration::from_millis(250);
/// How often is looked at what this process is not told of: phones, and what other processes do.
const POLL: Duration = Duration::from_secs(2);
/// How long is rested after work, up to [`POLL`], as a multiple of the time it took: a long record is read less
/// often, so that whoever looks at it takes a tenth of a processor, and more only where work takes that long.
const REST: u32 = 9;

/// The feeds of one page.
pub(super) struct Live {
    agent: Arc<Agent>,
    rules: PageRules,
    devices: Feeds<Principal, Value>,
    lists: Feeds<Principal, Value>,
    views: Feeds<SessionId, View>,
}

impl Live {
    pub(super) fn new(agent: Arc<Agent>, rules: PageRules) -> Self {
        let (devices, lists, views) = (Feeds::default(), Feeds::default(), Feeds::default());
        Self { agent, rules, devices, lists, views }
    }

    pub(super) fn rules(&self) -> &PageRules {
        &self.rules
    }

    /// The phones, as `GET /page/api/devices` gives them.
    pub(super) fn devices(&self, principal: &Principal) -> LatestState<Value> {
        let (agent, who) = (self.agent.clone(), principal.clone());
        self.devices.follow(principal, |feed| keep_devices(agent, who, feed))
    }

    /// The principal's newest sessions, as `GET /page/api/sessions` gives them, and what goes on or waits besides.
    pub(super) fn sessions(&self, principal: &Principal) -> LatestState<Value> {
        let (agent, who) = (self.agent.clone(), principal.clone());
        self.lists.follow(principal, |feed| keep_list(agent, who, feed))
    }

    /// A session. An error for one that this principal may not see.
    pub(super) async fn session(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<LatestState<View>, AgentError> {
        self.agent.ensure_visible(id, principal).await?;
        let (agent, who, rules) = (self.agent.clone(), principal.clone(), self.rules.clone());
        Ok(self.views.follow(&id, |feed| keep_view(agent, id, who, rules, feed)))
    }

    /// A session that somebody looks at, as it was seen last. The caller has to know that it may be seen.
    pub(super) fn seen(&self, id: SessionId) -> Option<Arc<View>> {
        self.views.peek(&id)
    }
}

/// The phones, or what stands in the way of listing them.
pub(super) async fn devices(agent: &Agent, principal: &Principal) -> Result<Value, Refusal> {
    let devices = agent.devices(principal).await?;
    let names: Vec<_> = devices.iter().map(|(entry, _)| entry.names()).collect();
    let by_hand: Vec<_> = devices.iter().map(|(_, who)| *who == DeviceHolder::Person).collect();
    let list = DeviceList::from(devices).near(&agent.nearby(&names).await);
    let list = serde_json::to_value(list);
    let mut list = list.map_err(|err| Refusal::internal("the list of phones", &err))?;
    let queues = agent.device_queues(&names, principal).await?;
    for (at, (names, waiting)) in names.iter().zip(queues).enumerate() {
        if by_hand[at] {
            // By this a page that drives knows whether it still does.
            let control = agent.hold_on(&names.id, principal);
            list["devices"][at]["by_hand"] =
                control.map_or_else(|| true.into(), |it| it.to_string().into());
        }
        let mut own = Vec::new();
        for id in waiting.sessions {
            // A session that has only just begun to wait may have no record yet, and so no title.
            if let Ok(summary) = agent.session_summary(id, principal).await {
                let task = short_lines(&summary.task, MAX_LISTED);
                own.push(json!({ "session_id": id.to_string(), "task": task }));
            }
        }
        if waiting.length != 0 {
            // Other people's sessions have no names here, but still take their turns.
            list["devices"][at]["queue"] = own.into();
            list["devices"][at]["queue_length"] = waiting.length.into();
        }
    }
    Ok(list)
}

/// The phones as they were told last, with why there is nothing newer: none of them has gone because adb does not
/// answer for a moment.
fn told_with(last: Option<&Value>, err: &Refusal) -> Value {
    let mut list = last.cloned().unwrap_or_else(|| json!({ "devices": [] }));
    list["hint"] = err.text().into();
    list
}

async fn keep_devices(agent: Arc<Agent>, principal: Principal, feed: Publisher<Value>) {
    let mut changes = agent.changes();
    loop {
        changes.mark_unchanged();
        let begun = Instant::now();
        let list = devices(&agent, &principal).await;
        let list = list.unwrap_or_else(|err| {
            let last = feed.borrow().clone();
            told_with(last.as_deref(), &err)
        });
        publish(&feed, list);
        rest(begun).await;
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = sleep(POLL) => {}
        }
    }
}

async fn keep_list(agent: Arc<Agent>, principal: Principal, feed: Publisher<Value>) {
    let mut changes = agent.changes();
    loop {
        changes.mark_unchanged();
        let begun = Instant::now();
        match newest(&agent, &principal).await {
            Ok(list) => publish(&feed, list),
            Err(err) => tracing::debug!("the sessions cannot be listed: {err}"),
        }
        rest(begun).await;
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = sleep(POLL) => {}
        }
    }
}

async fn keep_view(
    agent: Arc<Agent>,
    id: SessionId,
    principal: Principal,
    rules: PageRules,
    feed: Publisher<View>,
) {
    let mut changes = agent.changes();
    let mut run: Option<Follower> = None;
    loop {
        changes.mark_unchanged();
        // Before the record is read, so that no later change is missed. One that is followed already knows
        // what it has told.
        if !run.as_ref().is_some_and(|run| run.running() && !run.ended_abruptly()) {
            run = agent.follow(id, &principal).await;
        }
        let begun = Instant::now();
        match View::read(&agent, id, &principal, &rules).await {
            Ok(view) => publish(&feed, view),
            Err(AgentError::UnknownSession(_)) => return,
            Err(err) => tracing::debug!("session {id} cannot be shown: {err}"),
        }
        rest(begun).await;
        loop {
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = news(run.as_mut()) => {}
                () = sleep(POLL) => {
                    let seen = feed.borrow().clone();
                    if is_unchanged(&agent, id, &principal, seen.as_deref()).await {
                        continue;
                    }
                }
            }
            break;
        }
    }
}

/// Whether a session that nobody drives is as it was seen, as its summary tells.
async fn is_unchanged(
    agent: &Agent,
    id: SessionId,
    principal: &Principal,
    seen: Option<&View>,
) -> bool {
    let Some(seen) = seen.filter(|seen| !seen.head.line.running) else { return false };
    let summary = agent.session_summary(id, principal).await;
    summary.is_ok_and(|summary| summary.last_seq == seen.last_seq)
}

/// The next change of a run; never without one.
async fn news(run: Option<&mut Follower>) {
    if let Some(run) = run
        && run.changed().await
    {
        return;
    }
    pin!(std::future::pending::<()>()).await;
}

/// Rests after work that began then, but never for so long that whoever looks takes it for stuck: on a busy machine
/// the work takes long for other reasons.
async fn rest(begun: Instant) {
    sleep((begun.elapsed() * REST).clamp(LEAST_PAUSE, POLL)).await;
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[test]
    fn phones_stay_while_they_cannot_be_listed() {
        let err = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "adb does not answer");
        let last = json!({ "devices": [{ "device_id": "a" }], "hint": "old" });
        let told = told_with(Some(&last), &err);
        assert_eq!(told["devices"], last["devices"]);
        assert_eq!(told["hint"], "adb does not answer");
        assert_eq!(told_with(None, &err), json!({ "devices": [], "hint": "adb does not answer" }));
    }
}
