//! Wake-ups between the servers of one machine: a datagram with a session's id to every other server.
//!
//! They are lost where a socket is full, its path too long, or the system has no such sockets. Everybody
//! looks now and then anyway.
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use futures::FutureExt as _;
use tokio::sync::{broadcast, mpsc};

use crate::SessionId;

/// Wake-ups that a slow reader may be behind, and that may be on their way out.
const WAKEUPS: usize = 64;

/// The wake-ups of one server.
#[derive(Debug)]
pub(super) struct Wakeups {
    folder: PathBuf,
    here: broadcast::Sender<SessionId>,
    /// To the task that tells the others, once there is one.
    others: OnceLock<mpsc::Sender<SessionId>>,
}

impl Wakeups {
    pub(super) fn new(folder: &Path) -> Self {
        let here = broadcast::Sender::new(WAKEUPS);
        Self { folder: folder.to_owned(), here, others: OnceLock::new() }
    }

    pub(super) fn wake(&self, session: SessionId) {
        // Nobody may be listening here, and what does not fit is lost.
        self.here.send(session).ok();
        if let Some(others) = self.others() {
            others.try_send(session).ok();
        }
    }

    pub(super) fn subscribe(&self) -> broadcast::Receiver<SessionId> {
        self.others();
        self.here.subscribe()
    }

    /// The way to the other servers, which begins with the first use inside a runtime.
    fn others(&self) -> Option<&mpsc::Sender<SessionId>> {
        if self.others.get().is_none() && tokio::runtime::Handle::try_current().is_ok() {
            self.others.get_or_init(|| {
                let (sender, outgoing) = mpsc::channel(WAKEUPS);
                tokio::spawn(exchange(self.folder.clone(), self.here.clone(), outgoing).boxed());
                sender
            });
        }
        self.others.get()
    }
}

#[cfg(not(unix))]
async fn exchange(
    _folder: PathBuf,
    _here: broadcast::Sender<SessionId>,
    mut outgoing: mpsc::Receiver<SessionId>,
) {
    while outgoing.recv().await.is_some() {}
}

/// Tells the others, and hears from them, for as long as the server lives.
#[cfg(unix)]
async fn exchange(
    folder: PathBuf,
    here: broadcast::Sender<SessionId>,
    mut outgoing: mpsc::Receiver<SessionId>,
) {
    let socket = match unix::Socket::bind(&folder).await {
        Ok(socket) => socket,
        Err(err) => {
            tracing::debug!("no wake-ups from other servers: {err}");
            while outgoing.recv().await.is_some() {}
            return;
        }
    };
    loop {
        tokio::select! {
            session = outgoing.recv() => match session {
                Some(session) => socket.tell_others(session).await,
                None => return,
            },
            session = socket.hear() => {
                // Nobody may be listening.
                session.map(|session| here.send(session)).transpose().ok();
            }
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use tokio::net::UnixDatagram;
    use uuid::Uuid;

    use crate::SessionId;
    use crate::private_files::private_folder;

    const SOCKET: &str = ".sock";
    /// Bytes of a datagram: a session's id as text.
    const LENGTH: usize = 36;
    /// Most servers that are told.
    const MOST_SERVERS: usize = 64;

    /// This server's socket, which is removed with it.
    pub(super) struct Socket {
        datagrams: UnixDatagram,
        folder: PathBuf,
        path: PathBuf,
    }

    impl Socket {
        pub(super) async fn bind(folder: &Path) -> io::Result<Self> {
            let path = folder.join(format!("{:.8}{SOCKET}", Uuid::new_v4().simple().to_string()));
            let (made, wanted) = (folder.to_owned(), path.clone());
            let bind = move || {
                private_folder(&made, true)?;
                let socket = std::os::unix::net::UnixDatagram::bind(wanted)?;
                socket.set_nonblocking(true)?;
                Ok::<_, io::Error>(socket)
            };
            let socket = tokio::task::spawn_blocking(bind).await.map_err(io::Error::other)??;
            let datagrams = UnixDatagram::from_std(socket)?;
            Ok(Self { datagrams, folder: folder.to_owned(), path })
        }

        pub(super) async fn tell_others(&self, session: SessionId) {
            let Ok(mut entries) = tokio::fs::read_dir(&self.folder).await else { return };
            let text = session.to_string();
            let mut told = 0;
            while let Ok(Some(entry)) = entries.next_entry().await {
                let path = entry.path();
                let is_socket = path.to_str().is_some_and(|path| path.ends_with(SOCKET));
                if !is_socket || path == self.path || told == MOST_SERVERS {
                    continue;
                }
                told += 1;
                match self.datagrams.try_send_to(text.as_bytes(), &path) {
                    // Its process is gone.
                    Err(err) if err.kind() == io::ErrorKind::ConnectionRefused => {
                        fs::remove_file(&path).ok();
                    }
                    // It is lost, as wake-ups may be.
                    _ => {}
                }
            }
        }

        /// The next session that another server tells of; `None` for what is not a session's id.
        pub(super) async fn hear(&self) -> Option<SessionId> {
            let mut bytes = [0; LENGTH + 1];
            match self.datagrams.recv(&mut bytes).await {
                Ok(LENGTH) => std::str::from_utf8(&bytes[..LENGTH]).ok()?.parse().ok(),
                Ok(_) => None,
                Err(err) => {
                    tracing::debug!("no more wake-ups from other servers: {err}");
                    std::future::pending().await
                }
            }
        }
    }

    impl Drop for Socket {
        fn drop(&mut self) {
            fs::remove_file(&self.path).ok();
        }
    }
}
