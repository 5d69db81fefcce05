//! The page itself: embedded, the same for everybody, and without anything of anybody.
use std::io::{Read as _, Write as _};
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::GzEncoder;
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

/// What is sent of a file, in one encoding.
struct Sent {
    tag: HeaderValue,
    bytes: Bytes,
}

impl Sent {
    fn of(bytes: Bytes) -> Self {
        let tag = format!("\"{}\"", secret::hex(&Sha256::digest(&bytes)[..16]));
        Self { tag: HeaderValue::try_from(tag).expect("hexadecimal digits"), bytes }
    }
}

/// The files in their order, as they are.
static PLAIN: LazyLock<Vec<Sent>> =
    LazyLock::new(|| FILES.iter().map(|(_, bytes)| Sent::of(Bytes::from_static(bytes))).collect());

/// The files in their order, by gzip: a third of the bytes.
static GZIPPED: LazyLock<Vec<Sent>> = LazyLock::new(|| {
    let gzip = |(_, bytes): &(&str, &[u8])| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("memory takes everything");
        Sent::of(encoder.finish().expect("memory takes everything").into())
    };
    FILES.iter().map(gzip).collect()
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
    let by_gzip = takes_gzip(headers);
    let sent = if by_gzip { &GZIPPED[at] } else { &PLAIN[at] };
    let kept = [
        (ETAG, sent.tag.clone()),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (VARY, HeaderValue::from_static("accept-encoding")),
    ];
    if headers.get(IF_NONE_MATCH) == Some(&sent.tag) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    let kind = [(CONTENT_TYPE, HeaderValue::from_static(media_type(name)))];
    let encoding = by_gzip.then(|| [(CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
    let mut response = (kept, kind, sent.bytes.clone()).into_response();
    response.headers_mut().extend(encoding.into_iter().flatten());
    response
}

/// Whether the browser names gzip, and not with a weight of 0 (RFC 9110, 12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map(str::parse::<f32>);
        is_gzip && !matches!(weight, Some(Ok(weight)) if weight <= 0.0)
    })
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
        there.sort_unstable();
        let mut embedded: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        embedded.sort_unstable();
        assert_eq!(there, embedded);
        let bytes: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 200_000, "{bytes}");
        for (name, _) in FILES.iter() {
            assert_ne!(media_type(name), "application/octet-stream", "{name}");
        }
    }

    #[test]
    fn browsers_that_take_gzip_get_it_with_a_tag_of_its_own() {
        let asking = |encodings: &'static str| {
            HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(encodings))])
        };
        for (encodings, packed) in [
            ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0, identity", false),
            ("identity", false),
            ("*", false),
        ] {
            let response = answer("words.js", &asking(encodings));
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), packed, "{encodings}");
            assert_eq!(response.headers()[VARY], "accept-encoding");
            let tag = response.headers()[ETAG].clone();
            let mut again = asking(encodings);
            again.insert(IF_NONE_MATCH, tag.clone());
            assert_eq!(answer("words.js", &again).status(), StatusCode::NOT_MODIFIED);
            let mut other = asking(if packed { "identity" } else { "gzip" });
            other.insert(IF_NONE_MATCH, tag);
            assert_eq!(answer("words.js", &other).status(), StatusCode::OK);
        }
        for ((name, bytes), sent) in FILES.iter().zip(&*GZIPPED) {
            let mut whole = Vec::new();
            flate2::read::GzDecoder::new(&*sent.bytes).read_to_end(&mut whole).unwrap();
            assert!(whole == *bytes, "{name}");
        }
        let bytes: usize = GZIPPED.iter().map(|sent| sent.bytes.len()).sum();
        assert!(bytes < 80_000, "{bytes}");
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
