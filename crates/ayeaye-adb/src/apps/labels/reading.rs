//! Reading the names from the package files of a phone, several in one command.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ayeaye_agent::DeviceError;
use tokio::time::Instant;

use super::kept::{LabelKey, now};
use super::{AppLabels, lock, pieces};
use crate::apk::{self, ChunkKind, Labels, Locale, MAX_TABLE, leading_chunk, parse_locales};
use crate::apps::icons::{Icon, LIST, LIST_TV, icons};
use crate::client::DeviceClient;
use crate::parse::{PackageFile, batch, package_files, split_batch};
use crate::quote::quote;

/// Apps in one command.
const AT_ONCE: usize = 4;
/// The longest that one command may take, over a slow network.
const ONE_READ: Duration = Duration::from_mins(1);
/// Languages whose own parts of an app are looked for.
const MAX_SPLITS: usize = 3;

const WHAT: &str = "the names of its apps";

/// Reads what is not known yet of all apps that have an icon, and publishes it piece by piece.
pub(super) async fn read(store: &Arc<AppLabels>, client: &DeviceClient) -> Result<(), DeviceError> {
    // Some megabytes, the first time: apart from the tasks that wait for phones, as the writing below.
    let own = Arc::clone(store);
    drop(tokio::task::spawn_blocking(move || lock(&own.kept).load()).await);
    let ask = batch(&[
        LIST,
        // Versions are told since Android 8, and since then too who is in front may be called that. It is asked for
        // the first user otherwise.
        "pm list packages -f --show-versioncode --user current 2>/dev/null || \
         pm list packages -f --show-versioncode 2>/dev/null || pm list packages -f",
        "settings --user current get system system_locales",
        "getprop persist.sys.locale",
        "getprop ro.product.locale",
        LIST_TV,
    ]);
    let output = client.shell_quick(WHAT, &ask).await?;
    let [activities, files, locales @ .., television]: [&str; 6] = split_batch(&output.stdout);
    let locales = locales.into_iter().map(parse_locales).find(|it| !it.is_empty());
    let locales = locales.unwrap_or_default();
    let files: HashMap<String, PackageFile> =
        package_files(files).into_iter().map(|it| (it.package.clone(), it)).collect();
    let mut known = HashMap::new();
    let mut unread = Vec::new();
    for icon in icons([activities, television]) {
        let Some(file) = files.get(&icon.package) else {
            // Nothing can be read of it, now or later, unless the phone has told of no files at all.
            if !files.is_empty() {
                known.insert(icon.key(), Labels::default());
            }
            continue;
        };
        let key = LabelKey::new(&icon.key(), file, &locales);
        match lock(&store.kept).get(&key) {
            Some(labels) => drop(known.insert(icon.key(), labels)),
            None => unread.push(Unread { file, icon, key }),
        }
    }
    store.publish(client.id(), known.clone(), unread.is_empty());
    let (mut has_unzip, mut is_new) = (true, false);
    for several in unread.chunks(AT_ONCE) {
        let read =
            if has_unzip { read_files(client, several, &locales).await } else { Ok(Vec::new()) };
        let read = match read {
            Ok(read) if read.iter().all(Option::is_none) => {
                let read = read_pieces(client, several, &locales).await?;
                // What `dd` can read and `unzip` cannot has no `unzip`.
                has_unzip &= read.iter().all(Option::is_none);
                read
            }
            Ok(read) => read,
            // One of them is too large: the others have names all the same.
            Err(DeviceError::Garbled { .. } | DeviceError::Refused { .. }) => {
                let mut read = Vec::new();
                for one in several.chunks(1) {
                    let found = read_files(client, one, &locales).await;
                    read.push(found.ok().and_then(|found| found.into_iter().next().flatten()));
                }
                read
            }
            Err(error) => return Err(error),
        };
        for (app, labels) in several.iter().zip(read) {
            if let Some(labels) = &labels {
                lock(&store.kept).put(app.key.clone(), labels.clone(), now());
                is_new = true;
            }
            known.insert(app.icon.key(), labels.unwrap_or_default());
        }
        store.publish(client.id(), known.clone(), false);
    }
    store.publish(client.id(), known, true);
    // Another process may have written more meanwhile: nothing new is no reason to replace that.
    if is_new {
        let own = Arc::clone(store);
        tokio::task::spawn_blocking(move || {
            let saving = lock(&own.kept).saving();
            if let Some(saving) = saving {
                saving.write();
            }
        });
    }
    Ok(())
}

/// An icon whose name has to be read.
#[derive(Debug)]
struct Unread<'a> {
    file: &'a PackageFile,
    icon: Icon,
    key: LabelKey,
}

/// The names of some apps, in their order; `None` where nothing could be read.
async fn read_files(
    client: &DeviceClient,
    apps: &[Unread<'_>],
    locales: &[Locale],
) -> Result<Vec<Option<Labels>>, DeviceError> {
    let marks: Vec<String> = apps.iter().map(|_| mark()).collect();
    let mut commands = Vec::new();
    for (app, mark) in apps.iter().zip(&marks) {
        commands.push(format!("echo {mark}"));
        for (path, entries) in parts(&app.file.path, locales) {
            // A path that cannot be quoted is none of Android's; its app stays without a name.
            if let Ok(path) = quote(&path) {
                commands.push(format!("unzip -p {path} {entries} 2>/dev/null"));
            }
        }
    }
    let command = commands.join("; ");
    let deadline = Instant::now() + ONE_READ;
    let grow = <[u8]>::len;
    let bytes = client.exec(WHAT, &command, deadline, MAX_TABLE, grow).await?.freeze();
    let activities: Vec<String> = apps.iter().map(|app| app.icon.activity.clone()).collect();
    let locales = locales.to_vec();
    parsed(client, move || {
        let marks: Vec<&str> = marks.iter().map(String::as_str).collect();
        let pieces = split_at_marks(&bytes, &marks);
        let read = activities.iter().zip(pieces);
        read.map(|(activity, piece)| labels(piece, activity, &locales)).collect()
    })
    .await
}

/// Apart from the tasks that wait for phones: a package can be made so that it takes a while.
async fn parsed<T: Send + 'static>(
    client: &DeviceClient,
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<T, DeviceError> {
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|_| client.garbled(WHAT, "a package could not be read"))
}

/// The names of an app from what `unzip` wrote; `None` where that is nothing.
fn labels(piece: &[u8], activity: &str, locales: &[Locale]) -> Option<Labels> {
    let (manifest, tables) = chunks(piece);
    Some(apk::labels(manifest?, &tables, Some(activity), locales))
}

/// The same on a phone without `unzip`.
async fn read_pieces(
    client: &DeviceClient,
    apps: &[Unread<'_>],
    locales: &[Locale],
) -> Result<Vec<Option<Labels>>, DeviceError> {
    let mut read = Vec::new();
    for app in apps {
        let mut piece = Vec::new();
        for (path, entries) in parts(&app.file.path, locales) {
            let names: Vec<&str> = entries.split(' ').collect();
            match pieces::files(client, &path, &names, MAX_TABLE.saturating_sub(piece.len())).await
            {
                Ok(contents) => piece.extend(contents.unwrap_or_default()),
                Err(error) if error.is_unreachable() => return Err(error),
                Err(error) => tracing::debug!(%error, path, "not read"),
            }
        }
        let (activity, locales) = (app.icon.activity.clone(), locales.to_vec());
        read.push(parsed(client, move || labels(&piece, &activity, &locales)).await?);
    }
    Ok(read)
}

/// The files of an app, with what is read of each: apps from a store have a part for each language.
fn parts(path: &str, locales: &[Locale]) -> Vec<(String, &'static str)> {
    let mut parts = vec![(path.to_owned(), "AndroidManifest.xml resources.arsc")];
    if let Some(folder) = path.strip_suffix("/base.apk") {
        let mut languages: Vec<&Locale> = locales.iter().collect();
        languages.dedup_by_key(|it| &it.language);
        for code in languages.into_iter().take(MAX_SPLITS).flat_map(Locale::language_codes) {
            parts.push((format!("{folder}/split_config.{code}.apk"), "resources.arsc"));
        }
    }
    parts
}

/// A line that no file has.
fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    format!("ayeaye-app-{now:x}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// What follows each of the marks, up to the next.
fn split_at_marks<'a>(bytes: &'a [u8], marks: &[&str]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    let found =
        |bytes: &[u8], mark: &str| bytes.windows(mark.len()).position(|it| it == mark.as_bytes());
    for (index, mark) in marks.iter().enumerate() {
        let Some(at) = found(rest, mark) else {
            pieces.push(&rest[..0]);
            continue;
        };
        rest = &rest[at + mark.len()..];
        let next = marks.get(index + 1).and_then(|next| found(rest, next));
        pieces.push(&rest[..next.unwrap_or(rest.len())]);
    }
    pieces
}

/// The manifest and the tables of resources in what `unzip` wrote one after the other.
fn chunks(piece: &[u8]) -> (Option<&[u8]>, Vec<&[u8]>) {
    let start = piece.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
    let mut rest = &piece[start.unwrap_or(piece.len())..];
    let (mut manifest, mut tables) = (None, Vec::new());
    while let Some(chunk) = leading_chunk(rest) {
        match chunk.kind {
            ChunkKind::Xml if manifest.is_none() => manifest = Some(chunk.bytes),
            ChunkKind::Table => tables.push(chunk.bytes),
            _ => {}
        }
        rest = &rest[chunk.bytes.len()..];
    }
    (manifest, tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: u16, body: &[u8]) -> Vec<u8> {
        let size = u32::try_from(8 + body.len()).unwrap();
        [&kind.to_le_bytes()[..], &8_u16.to_le_bytes(), &size.to_le_bytes(), body].concat()
    }

    #[test]
    fn what_unzip_writes_in_any_order_is_told_apart() {
        let (xml, table) = (chunk(3, b"m"), chunk(2, b"ttt"));
        for piece in [[&b"\n"[..], &xml, &table].concat(), [&b"\n"[..], &table, &xml].concat()] {
            assert_eq!(chunks(&piece), (Some(&xml[..]), vec![&table[..]]));
        }
        assert_eq!(chunks(b"\nunzip: not found\n"), (None, vec![]));
        // A chunk that is cut short is not there.
        assert_eq!(chunks(&xml[..xml.len() - 1]), (None, vec![]));
    }

    #[test]
    fn an_app_without_files_does_not_take_those_of_the_next() {
        let all = b"m1\nm2\nabc\n";
        assert_eq!(split_at_marks(all, &["m1", "m2"]), [&b"\n"[..], b"\nabc\n"]);
        assert_eq!(split_at_marks(b"m2\nabc", &["m1", "m2"]), [&b""[..], b"\nabc"]);
    }

    #[test]
    fn an_app_of_a_store_has_a_part_for_each_language() {
        let locales = parse_locales("de-AT,en-US");
        let parts = parts("/data/app/x==/base.apk", &locales);
        let paths: Vec<&str> = parts.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "/data/app/x==/base.apk",
                "/data/app/x==/split_config.de.apk",
                "/data/app/x==/split_config.en.apk"
            ]
        );
        assert_eq!(super::parts("/system/app/a.apk", &locales).len(), 1);
        // Of some languages the files have codes of old.
        let parts = super::parts("/data/app/x==/base.apk", &parse_locales("iw-IL,id-ID"));
        for code in ["he", "iw", "id", "in"] {
            let file = format!("/data/app/x==/split_config.{code}.apk");
            assert!(parts.iter().any(|(path, _)| *path == file), "{code}: {parts:?}");
        }
    }
}
