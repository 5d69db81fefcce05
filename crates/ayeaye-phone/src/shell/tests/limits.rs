//! What a client may send is bounded: one that sends more is refused, and the phone goes on.
use std::io::Write as _;

use super::{device, run};

#[tokio::test]
async fn words_that_stand_for_the_next_one_are_not_a_crash_however_many_there_are() {
    let device = device();
    for (start, many, end, status) in [
        ("", "toybox ", "true", 0),
        ("", "command ", "true", 0),
        ("", "exec ", "true", 0),
        ("", "toybox command exec ", "false", 1),
        ("", "toybox ", "nope", 127),
        ("cmd ", "-w ", "activity get-current-user", 0),
        ("dumpsys window ", "-a ", "policy", 0),
        ("dumpsys ", "-t 9 ", "power", 0),
        ("dumpsys ", "-t 9 ", "activity -a top", 0),
        ("test ", "! ", "-n a", 0),
        ("[ ", "! ", "-n a ]", 0),
    ] {
        let line = format!("{start}{}{end}", many.repeat(9000 / many.split_whitespace().count()));
        let (got, _, err) = run(&device, &line).await;
        assert_eq!((got, err.len() < 100), (status, true), "{start}{many}{end}: {err}");
    }
}

/// An archive of one file with so many zeros.
fn archive_of_zeros(length: usize) -> Vec<u8> {
    let content = vec![0; length];
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&content).unwrap();
    let packed = encoder.finish().unwrap();
    let mut sum = flate2::Crc::new();
    sum.update(&content);
    let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let about = [
        &[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0][..],
        &sum.sum().to_le_bytes(),
        &word(packed.len()),
        &word(length),
        &[1, 0, 0, 0],
    ]
    .concat();
    let mut archive = [&b"PK\x03\x04"[..], &about, b"a", &packed].concat();
    let start = archive.len();
    archive.extend([&b"PK\x01\x02\x14\x00"[..], &about, &[0; 14], b"a"].concat());
    let size = archive.len() - start;
    archive.extend([&b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00"[..], &word(size)].concat());
    archive.extend([&word(start)[..], &[0, 0]].concat());
    archive
}

#[tokio::test]
async fn what_unzip_has_no_room_for_is_not_told_as_all_of_it() {
    let device = device();
    let limit = crate::shell::io::PIPE_LIMIT;
    for (length, status, out) in [(limit, 0, "67108864\n"), (limit + 1, 11, "0\n")] {
        device.files().write("/sdcard/a.zip", archive_of_zeros(length), 0o644, 0).unwrap();
        let (_, got, err) = run(&device, "unzip -p /sdcard/a.zip a | wc -c").await;
        let full = "unzip: write: No space left on device\n";
        assert_eq!((got.as_str(), err.as_str()), (out, if status == 0 { "" } else { full }));
        let (got, ..) = run(&device, "unzip -p /sdcard/a.zip a > /dev/null").await;
        assert_eq!(got, status, "{length}");
    }
}
