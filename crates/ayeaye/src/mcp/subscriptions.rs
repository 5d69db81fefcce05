//! Notifies clients that a resource has changed or that there is a new session.
//!
//! Up to 2025-11-25 a client subscribes to URIs one by one and is notified on its connection. From
//! 2026-07-28 on it keeps one request open that names what it wants. Both are served by a `Watcher`,
//! which never keeps a run or the server from ending and ends with its client.
mod watcher;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ayeaye_agent::{Agent, Principal};
use futures::FutureExt as _;
use rmcp::model::{InitializeRequestParams, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use self::watcher::{ResourceChange, Watcher};
use super::address::{Address, UnknownAddress, unknown};
use super::client_support::is_modern;
use crate::principal::{self, Counted, PerPrincipal};

/// Most URIs that one client may subscribe to at a time.
const MOST_ADDRESSES: usize = 64;
/// Most requests that one principal may keep open at a time.
const MOST_LISTENERS: usize = 64;
/// How often an idle watcher checks whether its client is still connected.
const LOOK: Duration = Duration::from_secs(10);

/// All subscriptions. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions {
    inner: Arc<Mutex<Inner>>,
    /// How many open requests of the newer protocol each principal has.
    listeners: PerPrincipal,
}

#[derive(Debug, Default)]
struct Inner {
    /// Clients of the older protocols with a watcher.
    clients: Vec<Client>,
}

/// A client of the older protocols.
#[derive(Debug)]
struct Client {
    /// Its handshake, which identifies its connection.
    handshake: Weak<InitializeRequestParams>,
    principal: Principal,
    /// The URIs its watcher should watch.
    wanted: watch::Sender<Vec<Address>>,
}

impl Subscriptions {
    /// Notes that the client has listed resources: only then is it notified of new sessions.
    pub fn has_listed(&self, agent: &Arc<Agent>, ctx: &RequestContext<RoleServer>) {
        // Clients of the newer protocol say what they want in `subscriptions/listen`.
        let handshake = if is_modern(ctx) { None } else { ctx.peer.peer_info() };
        if let Some(handshake) = handshake {
            self.lock().client(agent, &handshake, ctx);
        }
    }

    /// Answers `resources/subscribe`.
    pub async fn subscribe(
        &self,
        agent: &Arc<Agent>,
        uri: &str,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let address = subscribable(uri)?;
        if let Some(session) = address.session() {
            agent.ensure_visible(session, &principal::of(ctx)).await.map_err(|_| unknown(uri))?;
        }
        let handshake = ctx.peer.peer_info().ok_or_else(|| {
            ErrorData::invalid_request("this connection has no session to subscribe in", None)
        })?;
        let mut inner = self.lock();
        let client = inner.client(agent, &handshake, ctx);
        let too_many = {
            let wanted = client.wanted.borrow();
            !wanted.contains(&address) && MOST_ADDRESSES <= wanted.len()
        };
        if too_many {
            let text = format!(
                "this client is subscribed to {MOST_ADDRESSES} resources, the maximum; \
                 unsubscribe from one first"
            );
            return Err(ErrorData::invalid_request(text, None));
        }
        client.wanted.send_if_modified(|wanted| {
            let is_new = !wanted.contains(&address);
            if is_new {
                wanted.push(address);
            }
            is_new
        });
        Ok(())
    }

    /// Answers `resources/unsubscribe`. A URI that was never subscribed to is not an error.
    pub fn unsubscribe(&self, uri: &str, ctx: &RequestContext<RoleServer>) {
        let (Ok(address), Some(handshake)) = (uri.parse::<Address>(), ctx.peer.peer_info()) else {
            return;
        };
        let principal = principal::of(ctx);
        if let Some(client) = self.lock().known(&handshake, &principal) {
            client.wanted.send_if_modified(|wanted| {
                let before = wanted.len();
                wanted.retain(|it| *it != address);
                wanted.len() < before
            });
        }
    }

    /// Notes that a connection's handshake, once `before`, is another one now. Its subscriptions stay: behind a bridge
    /// they may be another client's.
    pub fn follow_handshake(
        &self,
        before: &InitializeRequestParams,
        now: &Arc<InitializeRequestParams>,
    ) {
        for client in &mut self.lock().clients {
            if std::ptr::eq(client.handshake.as_ptr(), before) {
                client.handshake = Arc::downgrade(now);
            }
        }
    }

    /// The part of the filter that is supported: new sessions, and URIs of ours that change. The
    /// principal is checked when the request begins; what belongs to another is then never notified,
    /// like what does not exist.
    pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let mut accepted: Vec<String> = Vec::new();
            for uri in uris {
                if accepted.len() < MOST_ADDRESSES
                    && subscribable(uri).is_ok()
                    && !accepted.contains(uri)
                {
                    accepted.push(uri.clone());
                }
            }
            accepted
        });
        accepted
    }

    /// Answers `subscriptions/listen`, until the client disconnects or cancels it.
    pub async fn listen(
        &self,
        agent: &Agent,
        subscription: SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let principal = principal::of(subscription.request_context());
        let _one = self.one_more(&principal)?;
        let mut watcher = Watcher::new(agent, principal.clone());
        let accepted = subscription.accepted();
        if accepted.resources_list_changed == Some(true) {
            watcher.watch_list();
        }
        let mut addresses = Vec::new();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            let Ok(address) = uri.parse::<Address>() else { continue };
            let visible = match address.session() {
                Some(session) => agent.ensure_visible(session, &principal).await.is_ok(),
                None => true,
            };
            if visible {
                addresses.push(address);
            }
        }
        watcher.watch(&addresses);
        watcher.catch_up();
        let sink = subscription.sink();
        let telling = async {
            loop {
                let sent = match watcher.next(agent).await {
                    ResourceChange::Updated(address) => {
                        sink.notify_resource_updated(address.to_string()).await
                    }
                    ResourceChange::List => sink.notify_resource_list_changed().await,
                };
                if let Err(err) = sent {
                    tracing::debug!("a subscription has ended: {err}");
                    return;
                }
            }
        };
        tokio::select! {
            () = subscription.cancelled() => {}
            // The server waits for open requests before it shuts down.
            () = agent.closing() => {}
            () = telling => {}
        }
        Ok(())
    }

    fn one_more(&self, principal: &Principal) -> Result<Counted, ErrorData> {
        self.listeners.take(principal, MOST_LISTENERS).ok_or_else(|| {
            let text =
                format!("{MOST_LISTENERS} subscriptions are open, the maximum; end one first");
            ErrorData::invalid_request(text, None)
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code that holds the lock can leave the state half changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn known(
        &mut self,
        handshake: &Arc<InitializeRequestParams>,
        principal: &Principal,
    ) -> Option<&mut Client> {
        let known = Arc::as_ptr(handshake);
        self.clients
            .iter_mut()
            .find(|it| it.handshake.as_ptr() == known && it.principal == *principal)
    }

    /// The client on this connection, with a watcher for new sessions and for the URIs it subscribes to.
    fn client(
        &mut self,
        agent: &Arc<Agent>,
        handshake: &Arc<InitializeRequestParams>,
        ctx: &RequestContext<RoleServer>,
    ) -> &mut Client {
        let principal = principal::of(ctx);
        if self.known(handshake, &principal).is_none() {
            // A client whose watcher has ended is gone.
            self.clients.retain(|it| 0 < it.wanted.receiver_count());
            let (wanted, addresses) = watch::channel(Vec::new());
            let mut watcher = Watcher::new(agent, principal.clone());
            watcher.watch_list();
            tokio::spawn(notify(agent.clone(), watcher, addresses, ctx.peer.clone()).boxed());
            let handshake = Arc::downgrade(handshake);
            self.clients.push(Client { handshake, principal: principal.clone(), wanted });
        }
        self.known(handshake, &principal).expect("it was there or has just been put there")
    }
}

/// Notifies a client of the older protocols until it disconnects.
async fn notify(
    agent: Arc<Agent>,
    mut watcher: Watcher,
    mut wanted: watch::Receiver<Vec<Address>>,
    peer: Peer<RoleServer>,
) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let change = tokio::select! {
            // It may have unsubscribed in the meantime.
            biased;
            changed = wanted.changed() => {
                if changed.is_err() {
                    return;
                }
                let addresses = wanted.borrow_and_update().clone();
                watcher.watch(&addresses);
                continue;
            }
            _ = look.tick() => {
                if peer.is_transport_closed() {
                    return;
                }
                continue;
            }
            change = watcher.next(&agent) => change,
        };
        let sent = match change {
            ResourceChange::Updated(address) => {
                let params = ResourceUpdatedNotificationParam::new(address.to_string());
                peer.notify_resource_updated(params).await
            }
            ResourceChange::List => peer.notify_resource_list_changed().await,
        };
        if let Err(err) = sent {
            tracing::debug!("a subscribed client is gone: {err}");
            return;
        }
    }
}

/// A URI of ours whose content can change.
fn subscribable(uri: &str) -> Result<Address, ErrorData> {
    match uri.parse().map_err(|UnknownAddress| unknown(uri))? {
        address @ (Address::Sessions
        | Address::Session(_)
        | Address::Steps(_)
        | Address::Step(..)
        | Address::Screenshot(..)
        | Address::Report(_)
        | Address::PicturedReport(_)) => Ok(address),
        Address::Devices => {
            let text = "the list of phones changes without notice; read ayeaye://devices again, or call \
                        list_connected_devices";
            Err(ErrorData::invalid_params(text, None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_elses_open_requests_take_the_places_of_a_principal() {
        let (subscriptions, anna) = (Subscriptions::default(), Principal::new("anna"));
        let all: Vec<_> = (0..64).map(|_| subscriptions.one_more(&anna).unwrap()).collect();
        let refused = subscriptions.one_more(&anna).unwrap_err();
        assert!(refused.message.contains("64 subscriptions are open"), "{refused:?}");
        assert!(subscriptions.one_more(&Principal::local()).is_ok());
        drop(all);
        assert!(subscriptions.one_more(&anna).is_ok());
    }
}
