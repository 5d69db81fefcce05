//! Who is signed in to the page: one-time codes, and logins that browsers keep as a cookie.
//!
//! Both are known here by their SHA-256 alone, so that nobody who reads the file can sign in. Logins are kept
//! in the data folder: a server that is started again is still the one the page was signed in to. The server of
//! `ayeaye ui` signs in anew at each start and keeps none: while it is not there, whoever has its port is shown
//! the cookie by a page that was left open. Each is
//! bound to the token that it was made for, so that a token that is taken away takes its logins with it.
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::Principal;
use ayeaye_agent::journal::Clock;
use ayeaye_agent::private_files::lock_within;
use futures::FutureExt as _;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::token_store::TokenStore;
use crate::one_time_codes::{CodeLimits, OneTimeCodes};
use crate::{atomic_file, secret};
use ayeaye_agent::bounded_file::bounded_file;

/// The file in the data folder, and the one that is locked while it is read and replaced: several servers may have one
/// data folder.
const FILE: &str = "page-logins.json";
const LOCK: &str = "page-logins.lock";
/// How long another process may take to write the logins.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// Codes for signing in.
const CODES: CodeLimits = CodeLimits { age: Duration::from_mins(1), most: 64, most_each: 8 };
/// A login ends when it was not used for this long.
const IDLE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How often it is noted that a login is used.
const NOTE_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Most logins of one principal, and of all; beyond that the one that was used least lately ends.
const MAX_PER_PRINCIPAL: usize = 32;
const MAX_LOGINS: usize = 512;

/// The codes and the logins of one server.
pub(super) struct Logins {
    /// Where they are kept; `None` where they end with the server.
    path: Option<PathBuf>,
    /// Which server of the data folder this is. The logins of others are kept for them and let nobody in here.
    server: String,
    clock: Clock,
    /// By their hash.
    codes: OneTimeCodes<()>,
    known: Arc<Mutex<Vec<Login>>>,
    /// Hashes of logins that have ended, and may stand in the file still.
    unwritten: Arc<Mutex<Vec<String>>>,
    /// Held while the file is written.
    writing: Arc<tokio::sync::Mutex<()>>,
}

/// A line of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Login {
    server: String,
    principal: String,
    /// Tells whether the principal's token is still the same.
    token: String,
    /// Of what the cookie holds.
    hash: String,
    used: Timestamp,
    #[serde(skip)]
    end: LoginEnd,
}

/// Tells streams that are open when their login ends, which is when it is kept no more.
#[derive(Debug, Clone)]
struct LoginEnd {
    token: CancellationToken,
    _at_the_last: Arc<DropGuard>,
}

impl Default for LoginEnd {
    fn default() -> Self {
        let token = CancellationToken::new();
        Self { _at_the_last: Arc::new(token.clone().drop_guard()), token }
    }
}

/// A login that is good.
#[derive(Debug)]
pub(super) struct SignedIn {
    pub(super) principal: Principal,
    /// Whether it is some time since the browser was told how long its cookie is good.
    pub(super) renewed: bool,
    pub(super) ended: CancellationToken,
}

impl Logins {
    /// Reads the logins of the server that is at this address. What cannot be read lets nobody in.
    pub(super) fn open(data_dir: &Path, server: String, tokens: &TokenStore, clock: Clock) -> Self {
        let path = data_dir.join(FILE);
        let now = clock();
        let mut logins = read(&path);
        logins.retain(|it| {
            it.server == server
                && !it.is_idle(now)
                && tokens.mark_of(&Principal::new(&*it.principal)).as_ref() == Some(&it.token)
        });
        Self {
            path: Some(path),
            server,
            clock,
            codes: OneTimeCodes::new(CODES),
            known: Arc::new(Mutex::new(logins)),
            unwritten: Arc::default(),
            writing: Arc::default(),
        }
    }

    /// No logins yet, and none that outlives the server.
    pub(super) fn unkept(server: String, clock: Clock) -> Self {
        Self {
            path: None,
            server,
            clock,
            codes: OneTimeCodes::new(CODES),
            known: Arc::default(),
            unwritten: Arc::default(),
            writing: Arc::default(),
        }
    }

    /// A code with which a browser is signed in as this principal, once and soon.
    pub(super) fn make_code(&self, principal: &Principal) -> String {
        let code = secret::random();
        self.codes.add(hash(&code), principal, ());
        code
    }

    /// Whose code this is; it is good once.
    pub(super) fn take_code(&self, code: &str) -> Option<Principal> {
        self.codes.take(&hash(code), |_, ()| true).map(|it| it.principal)
    }

    /// Signs a browser in. Returns what its cookie is to hold; `None` when this principal has no token here.
    pub(super) async fn sign_in(
        &self,
        principal: &Principal,
        tokens: &TokenStore,
    ) -> Option<String> {
        let cookie = secret::random();
        let token = tokens.mark_of(principal)?;
        {
            let mut logins = lock(&self.known);
            let its = |it: &Login| it.principal == principal.name();
            while MAX_PER_PRINCIPAL <= logins.iter().filter(|it| its(it)).count() {
                remove_oldest(&mut logins, its);
            }
            while MAX_LOGINS <= logins.len() {
                remove_oldest(&mut logins, |_| true);
            }
            logins.push(Login {
                server: self.server.clone(),
                principal: principal.name().to_owned(),
                token,
                hash: hash(&cookie),
                used: (self.clock)(),
                end: LoginEnd::default(),
            });
        }
        // If it is not written, this login is lost at the next start, but still works now.
        self.write().await.ok();
        Some(cookie)
    }

    /// Who sends this cookie. That it is used is written later: no request waits for that.
    pub(super) fn find(&self, cookie: &str) -> Option<SignedIn> {
        let (offered, now) = (hash(cookie), (self.clock)());
        let signed_in = {
            let mut logins = lock(&self.known);
            // A hash of a guess tells nothing of the hashes there are: no need for constant time.
            let login = logins.iter_mut().find(|it| it.hash == offered && !it.is_idle(now))?;
            let renewed = NOTE_EVERY <= now.duration_since(login.used);
            if renewed {
                login.used = now;
            }
            let (principal, ended) = (Principal::new(&*login.principal), login.end.token.clone());
            SignedIn { principal, renewed, ended }
        };
        if signed_in.renewed {
            drop(self.write());
        }
        Some(signed_in)
    }

    /// Ends a login, in this server at once. After an error it still stands in the file, and would be good again
    /// after the next start if nothing is written until then.
    pub(super) async fn sign_out(&self, cookie: &str) -> io::Result<()> {
        let offered = hash(cookie);
        {
            let mut unwritten = lock(&self.unwritten);
            let mut ended = 0;
            for login in lock(&self.known).extract_if(.., |it| it.hash == offered) {
                // At once, also while the file is being written, for which logins are copied.
                login.end.token.cancel();
                ended += 1;
            }
            // Whoever reaches the port can ask for this: only those with a login make the server write, and those who
            // ask again since it could not.
            if ended == 0 && !unwritten.contains(&offered) {
                return Ok(());
            }
            if 0 < ended {
                if unwritten.len() == MAX_LOGINS {
                    unwritten.remove(0);
                }
                unwritten.push(offered);
            }
        }
        self.write().await
    }

    /// Writes the file, whether or not somebody waits for what is returned.
    fn write(&self) -> impl Future<Output = io::Result<()>> + use<> {
        let writer = Writer {
            path: self.path.clone(),
            server: self.server.clone(),
            now: (self.clock)(),
            known: self.known.clone(),
            unwritten: self.unwritten.clone(),
        };
        let writing = self.writing.clone();
        let written = tokio::spawn(
            async move {
                let turn = writing.lock_owned().await;
                let done = writer.write(turn).await;
                done.inspect_err(|err| tracing::warn!("{FILE} was not written: {err}"))
            }
            .boxed(),
        );
        async move { written.await.map_err(io::Error::other)? }
    }
}

/// What is to be written, and where.
struct Writer {
    path: Option<PathBuf>,
    server: String,
    now: Timestamp,
    known: Arc<Mutex<Vec<Login>>>,
    unwritten: Arc<Mutex<Vec<String>>>,
}

impl Writer {
    async fn write(self, turn: OwnedMutexGuard<()>) -> io::Result<()> {
        let Some(path) = self.path.clone() else {
            lock(&self.unwritten).clear();
            return Ok(());
        };
        let lock_path = path.with_file_name(LOCK);
        let locked = lock_within(&lock_path, PATIENCE)
            .await
            .map_err(|err| io::Error::new(err.kind(), format!("{}: {err}", lock_path.display())))?;
        let work = move || {
            // Work that has begun goes on when its server stops: nobody else may write until it is done.
            // The file is unlocked before the next of ours has its turn.
            let _held = (locked, turn);
            // Logins that end from now on may still be in what is written.
            let ended = lock(&self.unwritten).clone();
            self.replace(&path)?;
            lock(&self.unwritten).retain(|it| !ended.contains(it));
            Ok(())
        };
        tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
    }

    fn replace(&self, path: &Path) -> io::Result<()> {
        let mut all = read(path);
        all.retain(|it| it.server != self.server && !it.is_idle(self.now));
        all.extend(lock(&self.known).iter().cloned());
        while MAX_LOGINS < all.len() {
            remove_oldest(&mut all, |_| true);
        }
        let text = serde_json::to_string(&all).map_err(io::Error::other)?;
        atomic_file::replace(path, &text)
    }
}

impl Login {
    fn is_idle(&self, now: Timestamp) -> bool {
        IDLE <= now.duration_since(self.used)
    }
}

fn remove_oldest(logins: &mut Vec<Login>, of: impl Fn(&Login) -> bool) {
    let oldest = logins.iter().enumerate().filter(|(_, it)| of(it)).min_by_key(|(_, it)| it.used);
    if let Some(at) = oldest.map(|(at, _)| at) {
        logins.remove(at);
    }
}

/// The logins in a file; none where it is missing, damaged, or open to others.
fn read(path: &Path) -> Vec<Login> {
    let Ok(metadata) = std::fs::metadata(path) else { return Vec::new() };
    let mode = secret::mode(&metadata);
    if mode & 0o077 != 0 {
        tracing::warn!("{} is open to others (mode {mode:o}): its logins end", path.display());
        return Vec::new();
    }
    let bytes = bounded_file(path, MAX_FILE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_else(|err| {
        tracing::warn!("{} cannot be read, its logins end: {err}", path.display());
        Vec::new()
    })
}

fn hash(text: &str) -> String {
    secret::hex(&Sha256::digest(text.as_bytes()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
