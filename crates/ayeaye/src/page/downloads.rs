//! A session to take away: its report, its record, and the logs others read.
use std::collections::HashMap;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::journal::PrivateScreens;
use ayeaye_agent::{Principal, SessionId, error_chain};
use ayeaye_export::{ExportError, Exported, Format};
use futures::FutureExt as _;
use tempfile::TempDir;
use tokio::io::AsyncRead;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::answer::{Named, Refusal, session_id};
use super::zip::write_zip;
use super::{Page, transfer};

/// Most bytes of pictures in a report, before base64 adds a third: the latest are kept.
const PICTURES: u64 = 48 << 20;

/// How the folders begin in which downloads are made.
const PREFIX: &str = ".download-";
/// After this time a folder is one that was left behind.
const LEFT_AFTER: Duration = Duration::from_hours(24);

/// Most that are made or sent at a time: each reads a whole record, and has as much in memory or on the disk until
/// it was sent.
const MOST: usize = 3;
/// Most of one principal: who reads slowly keeps nobody else waiting.
const MOST_EACH: usize = 2;
/// How long others are waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// The file that says what is not in a log whose record is damaged; it lies beside the log in its archive.
const NOT_WHOLE: &str = "INCOMPLETE.txt";

/// The right to make a download and to send it.
#[derive(Debug)]
struct DownloadPermit {
    _of_its_principal: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

/// The downloads of one page.
#[derive(Debug)]
pub(super) struct Downloads {
    all: Arc<Semaphore>,
    /// Those of each principal that has some.
    each: Mutex<HashMap<Principal, Arc<Semaphore>>>,
}

impl Default for Downloads {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MOST)), each: Mutex::default() }
    }
}

impl Downloads {
    /// Has a download made when it is its turn.
    async fn made<F>(
        &self,
        principal: &Principal,
        make: impl FnOnce(DownloadPermit) -> F,
    ) -> Result<Response, Refusal>
    where
        F: Future<Output = Result<Response, Refusal>> + Send + 'static,
    {
        let Ok(turn) = timeout(PATIENCE, self.turn(principal)).await else {
            let text = "other downloads are under way: try again when one of them has ended";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text));
        };
        // Goes on when whoever asked goes away: what it does on other threads would go on without its turn, and in
        // a folder that is gone.
        let making = tokio::spawn(make(turn).boxed());
        making.await.unwrap_or_else(|err| Err(Refusal::internal("the download", &err)))
    }
}

impl Downloads {
    async fn turn(&self, principal: &Principal) -> DownloadPermit {
        let its = {
            let mut each = self.each.lock().unwrap_or_else(PoisonError::into_inner);
            // A turn, and whoever waits for one, holds its semaphore.
            each.retain(|_, its| 1 < Arc::strong_count(its));
            let its = each.entry(principal.clone());
            Arc::clone(its.or_insert_with(|| Arc::new(Semaphore::new(MOST_EACH))))
        };
        let of_its_principal = its.acquire_owned().await.expect("it is never closed");
        let of_all = Arc::clone(&self.all).acquire_owned().await.expect("it is never closed");
        DownloadPermit { _of_its_principal: of_its_principal, _of_all: of_all }
    }
}

/// `GET /page/api/sessions/{id}/download/{what}`: `report`, `journal`, or the name of a format.
pub(super) async fn download(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named((id, what)): Named<(String, String)>,
) -> Result<Response, Refusal> {
    let id = session_id(&id)?;
    page.0.agent.ensure_visible(id, &principal).await?;
    let making = page.clone();
    let private = page.private_screens(&principal);
    let make = |turn| async move { making.download(id, &what, private, turn).await };
    page.0.downloads.made(&principal, make).await
}

impl Page {
    async fn download(
        &self,
        id: SessionId,
        what: &str,
        private: Option<PrivateScreens>,
        turn: DownloadPermit,
    ) -> Result<Response, Refusal> {
        match what {
            "report" => self.report(id, private.unwrap_or_default(), turn).await,
            // These are made of all that is in the record.
            _ if private.is_some() => Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "this server keeps apps private (policy.private-apps), so records and logs, which hold all pictures, \
                 are for whoever runs it: take the report, which leaves those out",
            )),
            "journal" => self.journal(id, turn).await,
            other => {
                let format = Format::from_name(other).filter(|it| *it != Format::Html);
                let format = format.ok_or_else(|| Refusal::not_found("this download"))?;
                self.export(id, format, turn).await
            }
        }
    }

    async fn report(
        &self,
        id: SessionId,
        private: PrivateScreens,
        turn: DownloadPermit,
    ) -> Result<Response, Refusal> {
        let journal = self.0.agent.journal();
        let bytes = ayeaye_export::render_report(journal, id, PICTURES, private).await?;
        let (length, name) = (bytes.len() as u64, format!("ayeaye-{id}.html"));
        Ok(sent(Cursor::new(bytes), length, "text/html; charset=utf-8", &name, turn))
    }

    /// The record as it is kept, with what belongs to it.
    async fn journal(&self, id: SessionId, turn: DownloadPermit) -> Result<Response, Refusal> {
        let folder = self.0.journal_files.session_folder(&id);
        let wanted = |name: &str| matches!(name, "events.jsonl" | "blobs");
        let room = self.room().await?;
        self.packed(folder, &format!("ayeaye-{id}-journal.zip"), turn, room, wanted).await
    }

    /// A log in a format others read.
    async fn export(
        &self,
        id: SessionId,
        format: Format,
        turn: DownloadPermit,
    ) -> Result<Response, Refusal> {
        let room = self.room().await?;
        let out = room.path().join("log");
        let made =
            ayeaye_export::export(&self.0.journal_files, id, format, &out, &self.0.logs).await;
        let made = made.map_err(|err| match err {
            ExportError::Journal(err) => err.into(),
            other => Refusal::internal("the log", &other),
        })?;
        if let Some(flaws) = flaws(id, &made) {
            let told = tokio::fs::write(out.join(NOT_WHOLE), flaws).await;
            told.map_err(|err| Refusal::internal("the log", &err))?;
        } else if let [only] = &made.files[..]
            && let Some(ending) = only.extension().and_then(|it| it.to_str())
        {
            let name = format!("ayeaye-{id}-{format}.{ending}");
            return send((turn, room), only, &name).await;
        }
        self.packed(out, &format!("ayeaye-{id}-{format}.zip"), turn, room, |_: &str| true).await
    }

    /// The files of a folder as an archive.
    async fn packed(
        &self,
        folder: PathBuf,
        name: &str,
        turn: DownloadPermit,
        room: TempDir,
        wanted: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<Response, Refusal> {
        let archive = room.path().join("archive.zip");
        let to = archive.clone();
        let packing = tokio::task::spawn_blocking(move || write_zip(&folder, &to, wanted));
        match packing.await {
            Ok(Ok(())) => send((turn, room), &archive, name).await,
            Ok(Err(err)) => Err(Refusal::internal("the archive", &err)),
            Err(err) => Err(Refusal::internal("the archive", &err)),
        }
    }

    /// A temporary folder on the disk where sessions are, which nobody else can read.
    async fn room(&self) -> Result<TempDir, Refusal> {
        let data_dir = self.0.data_dir.clone();
        let making = tokio::task::spawn_blocking(move || {
            remove_left(&data_dir);
            let mut room = tempfile::Builder::new();
            // Whatever the data folder lets others do.
            #[cfg(unix)]
            room.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            room.prefix(PREFIX).tempdir_in(&data_dir)
        });
        let made = making.await.map_err(io::Error::other).flatten();
        made.map_err(|err| Refusal::internal("room for the download", &err))
    }
}

/// What a log lacks, in words; nothing where its record is whole.
fn flaws(id: SessionId, made: &Exported) -> Option<String> {
    let damage = made.damage.as_ref().map(|bad| {
        let why = error_chain(&bad.refusal(id));
        format!("{why}\nWhat is before it is in this log.\n")
    });
    let number = made.missing.len();
    let missing = (0 < number).then(|| {
        format!("Pictures and other files that the record names are missing or damaged: {number}. The rest is in this log.\n")
    });
    let flaws: String = damage.into_iter().chain(missing).collect();
    (!flaws.is_empty()).then(|| format!("This log is not whole.\n\n{flaws}"))
}

/// Removes what servers that were killed have left. What another one is at work on is not that old.
fn remove_left(data_dir: &Path) {
    let Ok(entries) = std::fs::read_dir(data_dir) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let age = entry.metadata().and_then(|it| it.modified()).map(|it| it.elapsed());
        if is_ours
            && age.is_ok_and(|age| age.is_ok_and(|age| LEFT_AFTER < age))
            && let Err(err) = std::fs::remove_dir_all(entry.path())
        {
            tracing::debug!("{} stays: {err}", entry.path().display());
        }
    }
}

/// Sends a file as it is read. Its folder goes when it was sent, or nobody wants it any more.
async fn send(
    held: (DownloadPermit, TempDir),
    path: &Path,
    name: &str,
) -> Result<Response, Refusal> {
    let open = async {
        let file = tokio::fs::File::open(path).await?;
        let length = file.metadata().await?.len();
        Ok::<_, io::Error>((file, length))
    };
    let (file, length) = open.await.map_err(|err| Refusal::internal("the download", &err))?;
    let kind = match path.extension().and_then(|it| it.to_str()) {
        Some("zip") => "application/zip",
        Some("json" | "jsonl") => "application/json",
        Some("gif") => "image/gif",
        Some("png" | "apng") => "image/png",
        Some("webp") => "image/webp",
        _ => "application/octet-stream",
    };
    Ok(sent(file, length, kind, name, held))
}

/// Sends so many bytes. What is `held` is let go when they were sent, or nobody wants them any more.
fn sent(
    from: impl AsyncRead + Send + 'static,
    length: u64,
    kind: &str,
    name: &str,
    held: impl Send + 'static,
) -> Response {
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_LENGTH, length.to_string()),
        (CONTENT_DISPOSITION, attachment(name)),
    ];
    (headers, transfer::body(from, held)).into_response()
}

/// The names are made of ids and the words of formats: nothing in them needs quoting.
fn attachment(name: &str) -> String {
    format!("attachment; filename=\"{name}\"")
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_being_made_keeps_its_turn_when_whoever_asked_goes_away() {
        let downloads = Downloads::default();
        let (finish, finished) = oneshot::channel();
        let principal = Principal::local();
        let making = downloads.made(&principal, |turn| async move {
            let _turn = turn;
            drop(finished.await);
            Err(Refusal::not_found("this download"))
        });
        assert!(timeout(Duration::from_secs(1), making).await.is_err(), "it takes longer");
        assert_eq!(downloads.all.available_permits(), MOST - 1);
        finish.send(()).unwrap();
        let all = u32::try_from(MOST).unwrap();
        assert!(timeout(Duration::from_secs(1), downloads.all.acquire_many(all)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_too_long_is_told_why() {
        let downloads = Downloads::default();
        let _others = downloads.all.acquire_many(u32::try_from(MOST).unwrap()).await;
        let told =
            downloads.made(&Principal::local(), |_turn| async { Ok(().into_response()) }).await;
        let told = told.unwrap_err().into_response();
        assert_eq!(told.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_all_of_its_own_leaves_one_to_others() {
        let downloads = Downloads::default();
        let (anna, greedy) = (Principal::new("token:anna"), Principal::new("token:greedy"));
        let slow = [downloads.turn(&greedy).await, downloads.turn(&greedy).await];
        assert!(timeout(PATIENCE, downloads.turn(&greedy)).await.is_err());
        drop(downloads.turn(&anna).await);
        drop(slow);
        drop(downloads.turn(&greedy).await);
        drop(downloads.turn(&anna).await);
        assert_eq!(downloads.each.lock().unwrap().len(), 1, "those that have none are forgotten");
    }
}
