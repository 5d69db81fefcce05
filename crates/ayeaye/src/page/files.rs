//! The page itself: embedded, the same for everybody, and without anything of anybody.
use std::io::Read as _;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH,
};
use axum::response::{IntoResponse as _, Response};
use flate2::read::ZlibDecoder;
use sha2::{Digest as _, Sha256};

use super::answer::Refusal;
use crate::secret;

/// The files' names below `/page/` and how long they are, in the order in which `build.rs` has packed them.
const LENGTHS: &[(&str, usize)] = include!(concat!(env!("OUT_DIR"), "/page.rs"));
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page"));

/// The files of the page, by their names. They are unpacked when the first is asked for, and stay.
static FILES: LazyLock<Vec<(&str, &[u8])>> = LazyLock::new(|| {
    let mut all = Vec::new();
    ZlibDecoder::new(PACKED).read_to_end(&mut all).expect("what was packed can be unpacked");
    let mut rest: &'static [u8] = all.leak();
    let file = |&(name, length): &(&'static str, usize)| {
        let (bytes, after) = rest.split_at(length);
        rest = after;
        (name, bytes)
    };
    LENGTHS.iter().map(file).collect()
});

/// The tags of the files, in their order.
static TAGS: LazyLock<Vec<HeaderValue>> = LazyLock::new(|| {
    let tag = |(_, bytes): &(&str, &[u8])| {
        let tag = format!("\"{}\"", secret::hex(&Sha256::digest(bytes)[..16]));
        HeaderValue::try_from(tag).expect("hexadecimal digits")
    };
    FILES.iter().map(tag).collect()
});

/// `GET /`.
pub(super) async fn index(headers: HeaderMap) -> Response {
    answer("index.html", &headers)
}

/// `GET /page/{name}`.
pub(super) async fn one(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer(&name, &headers)
}

fn answer(name: &str, headers: &HeaderMap) -> Response {
    let Some(at) = FILES.iter().position(|(known, _)| *known == name) else {
        return Refusal::not_found("this file of the page").into_response();
    };
    let (tag, (_, bytes)) = (TAGS[at].clone(), FILES[at]);
    let kept = [(ETAG, tag.clone()), (CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    if headers.get(IF_NONE_MATCH) == Some(&tag) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    let kind = HeaderValue::from_static(media_type(name));
    (kept, [(CONTENT_TYPE, kind)], bytes).into_response()
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded_and_all_are_small() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut there: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        let mut embedded: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        embedded.sort();
        assert_eq!(there, embedded);
        let bytes: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 200_000, "{bytes}");
        for (name, _) in FILES.iter() {
            assert_ne!(media_type(name), "application/octet-stream", "{name}");
        }
    }

    #[test]
    fn what_nobody_runs_is_left_out_and_every_script_is_asked_for_at_once() {
        let index =
            String::from_utf8_lossy(FILES.iter().find(|it| it.0 == "index.html").unwrap().1);
        for &(name, bytes) in FILES.iter() {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
            let whole = std::fs::read_to_string(folder.join(name)).unwrap();
            let lines = whole.lines().map(|line| line.trim_start_matches(' '));
            let kept: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
            let told = str::from_utf8(bytes).unwrap().trim_end();
            assert!(told == kept.join("\n").trim_end(), "{name}");
            // A text over several lines would lose what its lines begin with.
            let odd = whole.lines().find(|line| line.matches('`').count() % 2 != 0);
            assert_eq!(odd, None, "{name}");
            if media_type(name).starts_with("text/javascript") {
                assert!(index.contains(&format!("\"/page/{name}\"")), "{name}");
            }
        }
    }

    #[test]
    fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
        for &(name, bytes) in FILES.iter() {
            let text = String::from_utf8_lossy(bytes);
            if media_type(name).starts_with("text/html") {
                for odd in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
                    assert!(!text.contains(odd), "{name}: {odd}");
                }
                for tag in text.split("<script").skip(1) {
                    assert!(
                        tag.split('>').next().unwrap().contains(" src=\"/page/"),
                        "{name}: {tag}"
                    );
                }
            }
            for odd in ["//cdn", "fonts.googleapis", "eval("] {
                assert!(!text.contains(odd), "{name}: {odd}");
            }
        }
    }
}
