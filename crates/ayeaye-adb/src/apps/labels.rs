//! The names of a phone's apps, read from the phone in the background and kept from then on.
//!
//! Reading them all costs a phone with a hundred apps a few commands and some seconds, so no step waits
//! for it; only an app that is asked for by a name nobody knows yet does.
mod kept;
mod pieces;
mod reading;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::DeviceId;
use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::time::Instant;

use self::kept::KeptLabels;
use crate::apk::Labels;
use crate::client::DeviceClient;

/// After this time a phone is asked again: its language may have changed, or an app.
const MAX_AGE: Duration = Duration::from_mins(10);
/// The most phones whose names are in memory.
const MAX_PHONES: usize = 64;

/// The names of the apps of one phone.
#[derive(Debug, Clone)]
pub(crate) struct PhoneLabels {
    /// By package; further icons of an app by their components.
    pub(crate) by_icon: HashMap<String, Labels>,
    /// Whether every app that has an icon has been asked.
    pub(crate) complete: bool,
    read: Instant,
}

/// The names of the apps of all phones, in memory and in a file. Several adb servers may share them.
#[derive(Debug)]
pub struct AppLabels {
    phones: Mutex<HashMap<DeviceId, Arc<PhoneLabels>>>,
    reading: Mutex<HashMap<DeviceId, watch::Receiver<()>>>,
    kept: Mutex<KeptLabels>,
}

impl PhoneLabels {
    /// Whether the phone should be asked again.
    pub(crate) fn is_old(&self) -> bool {
        MAX_AGE <= self.read.elapsed()
    }
}

impl AppLabels {
    /// Keeps names in this file too, if there is one. It is read when it is needed.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self {
            phones: Mutex::default(),
            reading: Mutex::default(),
            kept: Mutex::new(KeptLabels::new(file)),
        }
    }

    /// What is known of a phone.
    pub(crate) fn of(&self, id: &DeviceId) -> Option<Arc<PhoneLabels>> {
        lock(&self.phones).get(id).cloned()
    }

    /// Whether names of all these icons are known and fresh.
    pub(crate) fn covers(&self, id: &DeviceId, mut icons: impl Iterator<Item = String>) -> bool {
        self.of(id).is_some_and(|known| {
            known.complete && !known.is_old() && icons.all(|icon| known.by_icon.contains_key(&icon))
        })
    }

    /// Begins to read the names of a phone's apps, unless that is under way. The receiver is closed when
    /// it is over.
    pub(crate) fn read(self: &Arc<Self>, client: &Arc<DeviceClient>) -> watch::Receiver<()> {
        let id = client.id().clone();
        let mut reading = lock(&self.reading);
        if let Some(under_way) = reading.get(&id) {
            return under_way.clone();
        }
        let (sender, receiver) = watch::channel(());
        reading.insert(id.clone(), receiver.clone());
        drop(reading);
        let (store, client) = (Arc::clone(self), Arc::clone(client));
        tokio::spawn(
            async move {
                // Whatever becomes of it, others may try again.
                let _end = EndOfReading { store: Arc::clone(&store), id, _sender: sender };
                if let Err(error) = reading::read(&store, &client).await {
                    tracing::debug!(%error, "the names of apps were not read");
                    // What was known before stays, and nobody asks again at once.
                    let known = store.of(client.id()).map(|it| it.by_icon.clone());
                    store.publish(client.id(), known.unwrap_or_default(), false);
                }
            }
            .boxed(),
        );
        receiver
    }

    /// Reads the names of a phone's apps and waits for it, at most so long.
    pub(crate) async fn read_within(self: &Arc<Self>, client: &Arc<DeviceClient>, limit: Duration) {
        let mut reading = self.read(client);
        let over = async { while reading.changed().await.is_ok() {} };
        if tokio::time::timeout(limit, over).await.is_err() {
            tracing::debug!("the names of apps are still being read");
        }
    }

    fn publish(&self, id: &DeviceId, by_icon: HashMap<String, Labels>, complete: bool) {
        let mut phones = lock(&self.phones);
        if MAX_PHONES <= phones.len() && !phones.contains_key(id) {
            let oldest = phones.iter().min_by_key(|(_, it)| it.read).map(|(id, _)| id.clone());
            oldest.and_then(|oldest| phones.remove(&oldest));
        }
        let read = Instant::now();
        phones.insert(id.clone(), Arc::new(PhoneLabels { by_icon, complete, read }));
    }
}

/// Ends a reading, also where it was interrupted.
#[derive(Debug)]
struct EndOfReading {
    store: Arc<AppLabels>,
    id: DeviceId,
    _sender: watch::Sender<()>,
}

impl Drop for EndOfReading {
    fn drop(&mut self) {
        lock(&self.store.reading).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds one of these can leave a change half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
