//! A session to take away: its report, its record, and the logs others read.
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::{Journal, Principal, SessionId};
use ayeaye_export::{ExportError, Format};
use futures::StreamExt as _;
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio_util::io::ReaderStream;

use super::Page;
use super::answer::{Named, Refusal, session_id};
use super::zip::write_zip;

/// Most bytes of pictures in a report, before base64 adds a third: the latest are kept.
const PICTURES: u64 = 48 << 20;

/// How the folders begin in which downloads are made.
const PREFIX: &str = ".download-";
/// After this time a folder is one that was left behind.
const LEFT_AFTER: Duration = Duration::from_hours(24);

/// Most that are made at a time: each reads a whole record, and some write as much to the disk.
static MAKING: Semaphore = Semaphore::const_new(2);

/// `GET /page/api/sessions/{id}/download/{what}`: `report`, `journal`, or the name of a format.
pub(super) async fn download(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named((id, what)): Named<(String, String)>,
) -> Result<Response, Refusal> {
    let id = session_id(&id)?;
    page.0.agent.ensure_visible(id, &principal).await?;
    let _turn = MAKING.acquire().await.expect("it is never closed");
    match what.as_str() {
        "report" => report(page.0.agent.journal(), id).await,
        "journal" => page.journal(id).await,
        other => {
            let format = Format::from_name(other).filter(|it| *it != Format::Html);
            let format = format.ok_or_else(|| Refusal::not_found("this download"))?;
            page.export(id, format).await
        }
    }
}

async fn report(journal: &Arc<dyn Journal>, id: SessionId) -> Result<Response, Refusal> {
    let bytes = ayeaye_export::render_report(journal, id, PICTURES).await?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, attachment(&format!("ayeaye-{id}.html"))),
    ];
    Ok((headers, bytes).into_response())
}

impl Page {
    /// The record as it is kept, with what belongs to it.
    async fn journal(&self, id: SessionId) -> Result<Response, Refusal> {
        let folder = self.0.files.session_folder(&id);
        let wanted = |name: &str| matches!(name, "events.jsonl" | "blobs");
        self.packed(folder, &format!("ayeaye-{id}-journal.zip"), None, wanted).await
    }

    /// A log in a format others read.
    async fn export(&self, id: SessionId, format: Format) -> Result<Response, Refusal> {
        let room = self.room()?;
        let out = room.path().join("log");
        let made = ayeaye_export::export(&self.0.files, id, format, &out, &self.0.logs).await;
        let files = made.map_err(|err| match err {
            ExportError::Journal(err) => err.into(),
            other => Refusal::internal("the log", &other),
        })?;
        if let [only] = &files.files[..]
            && let Some(ending) = only.extension().and_then(|it| it.to_str())
        {
            let name = format!("ayeaye-{id}-{format}.{ending}");
            return send(room, only, &name).await;
        }
        self.packed(out, &format!("ayeaye-{id}-{format}.zip"), Some(room), |_: &str| true).await
    }

    /// The files of a folder as an archive. `room` holds the folder, where it is a temporary one.
    async fn packed(
        &self,
        folder: PathBuf,
        name: &str,
        room: Option<TempDir>,
        wanted: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<Response, Refusal> {
        let room = room.map_or_else(|| self.room(), Ok)?;
        let archive = room.path().join("archive.zip");
        let to = archive.clone();
        let packing = tokio::task::spawn_blocking(move || write_zip(&folder, &to, wanted));
        match packing.await {
            Ok(Ok(())) => send(room, &archive, name).await,
            Ok(Err(err)) => Err(Refusal::internal("the archive", &err)),
            Err(err) => Err(Refusal::internal("the archive", &err)),
        }
    }

    /// A temporary folder on the disk where sessions are, which nobody else can read.
    fn room(&self) -> Result<TempDir, Refusal> {
        remove_left(&self.0.data_dir);
        let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&self.0.data_dir);
        made.map_err(|err| Refusal::internal("room for the download", &err))
    }
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
async fn send(room: TempDir, path: &Path, name: &str) -> Result<Response, Refusal> {
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
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_LENGTH, length.to_string()),
        (CONTENT_DISPOSITION, attachment(name)),
    ];
    let chunks = ReaderStream::new(file).map(move |chunk| {
        let _kept = &room;
        chunk
    });
    Ok((headers, Body::from_stream(chunks)).into_response())
}

/// The names are made of ids and the words of formats: nothing in them needs quoting.
fn attachment(name: &str) -> String {
    format!("attachment; filename=\"{name}\"")
}
