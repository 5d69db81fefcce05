//! The listening socket: a TCP port, or a Unix socket that only its owner may open.
use std::io;

use tokio::net::TcpListener;

use crate::config::Listen;

/// A listening socket.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(unix::Socket),
}

impl Listener {
    /// Binds, and returns the address: with port 0, the port that the system chose.
    pub(super) async fn bind(listen: &Listen) -> io::Result<(Self, Listen)> {
        match listen {
            Listen::Tcp(address) => {
                let listener = TcpListener::bind(address).await?;
                let address = listener.local_addr()?;
                Ok((Self::Tcp(listener), Listen::Tcp(address)))
            }
            #[cfg(unix)]
            Listen::Unix(path) => Ok((Self::Unix(unix::Socket::bind(path).await?), listen.clone())),
            #[cfg(not(unix))]
            Listen::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

#[cfg(unix)]
pub(super) mod unix {
    //! The socket file: only for its owner, never in place of one in use, removed at the end.
    use std::io;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
    use std::path::{Path, PathBuf};

    use tokio::net::{UnixListener, UnixStream};

    #[derive(Debug)]
    pub(in crate::http) struct Socket {
        listener: UnixListener,
        path: PathBuf,
        /// Identifies the file: at the end the path may belong to another server.
        file: (u64, u64),
        /// The owner, who is the user that runs this server.
        uid: u32,
    }

    impl Socket {
        /// Binds a temporary path and renames it, so that the path never leads to a socket with other
        /// permissions, and a stale one is replaced atomically.
        pub(super) async fn bind(path: &Path) -> io::Result<Self> {
            make_way(path).await?;
            let mut draft = path.as_os_str().to_owned();
            // Random, and short, since the path of a socket has a hundred bytes at most. The number of a process
            // would say nothing: in containers every server has the same.
            draft.push(format!(".{:06x}", rand::random::<u32>() >> 8));
            let draft = PathBuf::from(draft);
            let listener = UnixListener::bind(&draft)?;
            let found = move_in(&draft, path)
                .inspect_err(|_: &io::Error| drop(std::fs::remove_file(&draft)))?;
            let file = (found.dev(), found.ino());
            Ok(Self { listener, path: path.to_owned(), file, uid: found.uid() })
        }

        /// The next connection, and whether it comes from the user who runs this server.
        pub(in crate::http) async fn accept(&self) -> io::Result<(UnixStream, bool)> {
            let (stream, _) = self.listener.accept().await?;
            let ours = stream.peer_cred().is_ok_and(|peer| peer.uid() == self.uid);
            Ok((stream, ours))
        }
    }

    impl Drop for Socket {
        fn drop(&mut self) {
            let ours = std::fs::symlink_metadata(&self.path)
                .is_ok_and(|found| (found.dev(), found.ino()) == self.file);
            if ours && let Err(err) = std::fs::remove_file(&self.path) {
                tracing::warn!("cannot remove {}: {err}", self.path.display());
            }
        }
    }

    fn move_in(draft: &Path, path: &Path) -> io::Result<std::fs::Metadata> {
        std::fs::set_permissions(draft, std::fs::Permissions::from_mode(0o600))?;
        let found = std::fs::symlink_metadata(draft)?;
        std::fs::rename(draft, path)?;
        Ok(found)
    }

    /// Fails when the path is not a socket, or is one in use.
    async fn make_way(path: &Path) -> io::Result<()> {
        match std::fs::symlink_metadata(path) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(err) => return Err(err),
            Ok(found) if !found.file_type().is_socket() => {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "there is a file that is no socket; remove it or choose another path",
                ));
            }
            Ok(_) => {}
        }
        match UnixStream::connect(path).await {
            Ok(_) => Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                "another server answers there; end it or choose another path",
            )),
            // Left behind by a server that was killed.
            Err(err) if err.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(err) => Err(err),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_is_its_owners_and_replaces_only_a_dead_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.sock");
        let listen = Listen::Unix(path.clone());
        let (first, _) = Listener::bind(&listen).await.unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let taken = Listener::bind(&listen).await.unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        drop(first);
        assert!(!path.exists(), "it goes with its server");
        // A killed server leaves its file, and its number may be that of this one.
        let draft = home.path().join(format!("a.sock.{}", std::process::id()));
        for left in [&path, &draft] {
            drop(std::os::unix::net::UnixListener::bind(left).unwrap());
        }
        let (second, _) = Listener::bind(&listen).await.unwrap();
        // Another server's file at our path is not ours to remove.
        std::fs::remove_file(draft).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "mine").unwrap();
        drop(second);
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        let file = Listener::bind(&listen).await.unwrap_err();
        assert_eq!(file.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1, "no draft stays");
    }
}
