//! The files of a prompt from where they are published, each by its hash.
use std::collections::HashMap;
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_model::Published;
use sha2::{Digest as _, Sha256};

use crate::command::http_client::http_client;

/// The most bytes of a file that is fetched. The largest that is known, a notebook, has a tenth of it.
const LARGEST: usize = 16 << 20;
const TIMEOUT: Duration = Duration::from_mins(1);

/// The files of this prompt, by their paths. Only the very bytes that are known are taken, wherever they come
/// from.
pub(super) async fn files(
    published: &Published,
    base: &str,
) -> anyhow::Result<HashMap<String, Vec<u8>>> {
    anyhow::ensure!(
        !published.files.is_empty(),
        "{} cannot be fetched: the hash of its file is not known\nhint: import it from a checkout, with --from",
        published.name()
    );
    let base = base.trim_end_matches('/');
    let client = http_client(base, TIMEOUT).context("no HTTP client can be made")?;
    let mut files = HashMap::new();
    for (path, sha256) in &published.files {
        let address = format!("{base}/{}/{}/{path}", published.repository, published.commit);
        let bytes = file(&client, &address).await.with_context(|| {
            format!("{address}\nhint: on a machine without this address, import from a checkout, with --from")
        })?;
        let found = format!("{:x}", Sha256::digest(&bytes));
        anyhow::ensure!(
            found == *sha256,
            "{address} is not the known file (sha256 {found}, not {sha256}): nothing was imported"
        );
        files.insert(path.clone(), bytes);
    }
    Ok(files)
}

async fn file(client: &reqwest::Client, address: &str) -> anyhow::Result<Vec<u8>> {
    let mut answer = client.get(address).send().await?.error_for_status()?;
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        anyhow::ensure!(bytes.len() + chunk.len() <= LARGEST, "it is longer than {LARGEST} bytes");
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
