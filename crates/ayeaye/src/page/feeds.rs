//! Things that several people look at, worked out once for all of them.
//!
//! A feed holds the latest state and no more: whoever looks seldom sees fewer states, and makes nobody wait.
//! It is kept up to date while somebody follows it, and a moment longer.
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::watch;

/// How long a feed goes on without followers: a page that is loaded anew, or asks again and again.
const LINGER: Duration = Duration::from_secs(5);

/// The latest state; `None` until it is known.
pub(super) type LatestState<V> = watch::Receiver<Option<Arc<V>>>;

/// Where the state of a feed is put.
pub(super) type Publisher<V> = watch::Sender<Option<Arc<V>>>;

/// Feeds by what they are about. Clones are the same feeds.
pub(super) struct Feeds<K, V>(Arc<Mutex<HashMap<K, Publisher<V>>>>);

impl<K, V> Clone for Feeds<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> Default for Feeds<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, V> Feeds<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    /// Follows a feed. Where nobody follows it yet, `work` keeps it up to date from now on; when that ends,
    /// the feed does.
    pub(super) fn follow<F>(&self, key: &K, work: impl FnOnce(Publisher<V>) -> F) -> LatestState<V>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut open = self.lock();
        if let Some(feed) = open.get(key) {
            return feed.subscribe();
        }
        let (feed, latest) = watch::channel(None);
        open.insert(key.clone(), feed.clone());
        drop(open);
        let work = work(feed.clone());
        let open = OpenFeed { feeds: self.clone(), key: key.clone(), feed };
        tokio::spawn(
            async move {
                tokio::select! {
                    () = work => {}
                    () = open.feeds.unfollowed(&open.key, &open.feed) => {}
                }
            }
            .boxed(),
        );
        latest
    }

    /// The state of a feed that somebody follows.
    pub(super) fn peek(&self, key: &K) -> Option<Arc<V>> {
        self.lock().get(key)?.borrow().clone()
    }

    /// Returns when nobody has followed a feed for a while; it is gone then.
    async fn unfollowed(&self, key: &K, feed: &Publisher<V>) {
        loop {
            feed.closed().await;
            tokio::time::sleep(LINGER).await;
            if self.closed(key, feed) {
                return;
            }
        }
    }

    /// Closes a feed, unless somebody follows it again.
    fn closed(&self, key: &K, feed: &Publisher<V>) -> bool {
        // Nobody can begin to follow it while this is locked.
        let mut open = self.lock();
        let unfollowed = feed.receiver_count() == 0;
        if unfollowed {
            open.remove(key);
        }
        unfollowed
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Publisher<V>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A feed that is kept up to date: it is gone when that ends, however it does.
struct OpenFeed<K: Eq + Hash, V> {
    feeds: Feeds<K, V>,
    key: K,
    feed: Publisher<V>,
}

impl<K: Eq + Hash, V> Drop for OpenFeed<K, V> {
    fn drop(&mut self) {
        let mut open = self.feeds.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have begun to follow a new one already.
        if open.get(&self.key).is_some_and(|feed| feed.same_channel(&self.feed)) {
            open.remove(&self.key);
        }
    }
}

/// Publishes a state, unless it is the one there is.
pub(super) fn publish<V: PartialEq>(feed: &Publisher<V>, state: V) {
    feed.send_if_modified(|latest| {
        let news = latest.as_deref() != Some(&state);
        if news {
            *latest = Some(Arc::new(state));
        }
        news
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    async fn count_up(feed: Publisher<u32>) {
        let mut number = 0;
        loop {
            publish(&feed, number);
            tokio::time::sleep(Duration::from_millis(100)).await;
            number += 1;
        }
    }

    #[tokio::test]
    async fn a_feed_whose_work_panics_is_begun_anew() {
        let feeds = Feeds::<&str, u32>::default();
        let mut broken = feeds.follow(&"x", |_| async { panic!("on purpose") });
        assert!(broken.changed().await.is_err(), "it has ended");
        let mut again = feeds.follow(&"x", count_up);
        again.changed().await.unwrap();
        assert_eq!(again.borrow().as_deref(), Some(&0));
    }

    #[tokio::test(start_paused = true)]
    async fn all_followers_share_one_work_and_a_sleeper_sees_the_latest_only() {
        let (feeds, begun) = (Feeds::<&str, u32>::default(), AtomicU32::new(0));
        let follow = || {
            feeds.follow(&"x", |feed| {
                begun.fetch_add(1, Ordering::Relaxed);
                count_up(feed)
            })
        };
        let mut all: Vec<_> = (0..20).map(|_| follow()).collect();
        tokio::time::sleep(Duration::from_millis(1050)).await;
        let mut sleeper = all.pop().unwrap();
        assert!(sleeper.has_changed().unwrap());
        assert_eq!(sleeper.borrow_and_update().as_deref(), Some(&10));
        assert!(!sleeper.has_changed().unwrap(), "nothing was queued");
        assert_eq!(begun.load(Ordering::Relaxed), 1);
        drop((all, sleeper));
        tokio::time::sleep(LINGER / 2).await;
        assert!(feeds.peek(&"x").is_some_and(|it| 10 < *it), "it goes on for a moment");
        drop(follow());
        assert_eq!(begun.load(Ordering::Relaxed), 1);
        tokio::time::sleep(LINGER * 3).await;
        assert!(feeds.peek(&"x").is_none(), "nobody looked");
        drop(follow());
        assert_eq!(begun.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_feed_ends_with_its_work() {
        let feeds = Feeds::<&str, u32>::default();
        let mut latest = feeds.follow(&"x", async |feed| publish(&feed, 7));
        assert!(latest.changed().await.is_ok());
        assert_eq!(latest.borrow_and_update().as_deref(), Some(&7));
        assert!(latest.changed().await.is_err());
        assert!(feeds.peek(&"x").is_none());
    }
}
