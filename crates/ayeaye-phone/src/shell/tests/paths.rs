//! Paths as people type them: with dots, slashes and aliases.
use super::{device, run};
use crate::device::VirtualPhone;

/// Runs lines in `/sdcard/x`, one after the other, and checks status, stdout and stderr of each.
async fn check(device: &VirtualPhone, lines: &[(&str, u8, &str, &str)]) {
    for (line, status, out, err) in lines {
        let got = run(device, &format!("cd /sdcard/x && {line}")).await;
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), (*status, *out, *err), "{line}");
    }
}

/// A phone with files in `/sdcard/x`.
async fn with_files() -> VirtualPhone {
    let device = device();
    let line = "mkdir -p /sdcard/x/d/e; cd /sdcard/x; touch a 'a b' .a d/f d/.f d/e/g";
    assert_eq!(run(&device, line).await.0, 0);
    device
}

#[tokio::test]
async fn a_folder_named_by_dots_is_not_removed() {
    check(
        &with_files().await,
        &[
            ("rm -rf d/e/..", 1, "", "rm: bad path d/e/..\n"),
            ("rm -rf ../", 1, "", "rm: bad path ..\n"),
            ("rm -rf nope/..", 1, "", "rm: bad path nope/..\n"),
            ("rm -r . && rm -rf ./ && rm .", 0, "", ""),
            ("rm d/.", 1, "", "rm: d/.: Is a directory\n"),
            ("rm -rf a/.", 1, "", "rm: a/.: Not a directory\n"),
            ("rm -rf nope/. nope/", 0, "", ""),
            ("rm -r nope/.", 1, "", "rm: nope/.: No such file or directory\n"),
            ("ls -A . d", 0, ".:\n.a\na\na b\nd\n\nd:\n.f\ne\nf\n", ""),
            // What is in it goes.
            ("rm -r d/e/./", 1, "", "rm: d/e/.: Invalid argument\n"),
            (
                "rm -rv d/.",
                1,
                "rm 'd/./f'\nrmdir 'd/./e'\nrm 'd/./.f'\n",
                "rm: d/.: Invalid argument\n",
            ),
            ("ls -A d; ls -d d", 0, "d\n", ""),
            ("rmdir d/.", 1, "", "rmdir: d/.: Invalid argument\n"),
            ("rmdir .", 1, "", "rmdir: .: Invalid argument\n"),
            ("rmdir d/../", 1, "", "rmdir: d/../: Directory not empty\n"),
            ("cd d; rmdir ..", 1, "", "rmdir: ..: Directory not empty\n"),
            ("rmdir a/.", 1, "", "rmdir: a/.: Not a directory\n"),
            ("rmdir nope/.", 1, "", "rmdir: nope/.: No such file or directory\n"),
            ("rmdir d/ && ls", 0, "a\na b\n", ""),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_name_with_a_slash_at_its_end_is_no_file() {
    let device = with_files().await;
    for (line, err) in [
        ("touch a/", "touch: 'a/': Is a directory"),
        ("touch nope/", "touch: 'nope/': Is a directory"),
        ("touch nope/n/", "touch: 'nope/n/': No such file or directory"),
        ("touch a/.", "touch: 'a/.': Not a directory"),
        ("touch nope/.", "touch: 'nope/.': No such file or directory"),
        ("echo 1 > a/", "/system/bin/sh: can't create a/: Is a directory"),
        ("echo 1 >> nope/", "/system/bin/sh: can't create nope/: Is a directory"),
        ("echo 1 > a/.", "/system/bin/sh: can't create a/.: Not a directory"),
        ("echo 1 > d/.", "/system/bin/sh: can't create d/.: Is a directory"),
        ("cat < a/", "/system/bin/sh: can't open a/: Not a directory"),
        ("cat < nope/", "/system/bin/sh: can't open nope/: No such file or directory"),
        ("cp a nope/", "cp: nope/: Is a directory"),
        ("cp -n a nope/.", "cp: nope/.: No such file or directory"),
        ("cp -r d nope/.", "cp: nope/.: No such file or directory"),
        ("cp nope none/", "cp: bad 'nope': No such file or directory"),
        ("cp d none/", "cp: Skipped dir 'd'"),
        ("mv a nope/", "mv: bad 'a': Not a directory"),
        ("mv -n a 'a b/'", "mv: bad 'a': Not a directory"),
        ("mv a a/", "mv: bad 'a': Not a directory"),
        ("mv a nope/.", "mv: bad 'a': No such file or directory"),
        ("mv nope none/", "mv: bad 'nope': No such file or directory"),
    ] {
        check(&device, &[(line, 1, "", &format!("{err}\n"))]).await;
    }
    check(
        &device,
        &[
            ("touch d/ d/. && touch -c a/ nope/ && ls", 0, "a\na b\nd\n", ""),
            (
                "echo 1 > a && cp a d/ && cp a d/. && cp a/ c && mv c/ d && cat d/a d/c",
                0,
                "1\n1\n",
                "",
            ),
            ("cp -r d n/ && mv n m/ && ls m && rm -r m a/ && ls", 0, "a\nc\ne\nf\na b\nd\n", ""),
            ("cat < /proc/uptime | wc -w", 0, "2\n", ""),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_pattern_begins_at_any_name_of_a_folder() {
    let device = with_files().await;
    check(
        &device,
        &[
            ("echo ./* ./.?", 0, "./a ./a b ./d ./.a\n", ""),
            ("echo ../x/* .././x//a*", 0, "../x/a ../x/a b ../x/d .././x//a .././x//a b\n", ""),
            ("echo d//* d/../[a] '.'/?", 0, "d//e d//f d/../a ./a ./d\n", ""),
            ("echo /storage/emulated/0/x/* /mnt/sdcard/x/d/e/*", 0,
                "/storage/emulated/0/x/a /storage/emulated/0/x/a b /storage/emulated/0/x/d /mnt/sdcard/x/d/e/g\n", ""),
            ("echo */ ./d/*// ./*/*/g a*/", 0, "d/ ./d/e// ./d/e/g a*/\n", ""),
            ("cd /; echo ./sdcard/x/? //sdcard/x/?", 0, "./sdcard/x/a ./sdcard/x/d //sdcard/x/a //sdcard/x/d\n", ""),
            ("echo ./nope* nope/* /storage/emulated/0/nope/*", 0, "./nope* nope/* /storage/emulated/0/nope/*\n", ""),
            ("rm -f ./a* && ls && rm -rf /storage/self/primary/x/* && ls -A", 0, "d\n.a\n", ""),
        ],
    )
    .await;
}

#[tokio::test]
async fn cd_takes_options() {
    check(
        &with_files().await,
        &[
            ("cd -- d && pwd", 0, "/sdcard/x/d\n", ""),
            ("cd -P d && cd -L e && cd -Pe -- .. && pwd", 0, "/sdcard/x/d\n", ""),
            ("cd d && cd -P - && cd -- - && cd -P && pwd", 0, "/sdcard/x\n/sdcard/x/d\n/\n", ""),
            ("cd -x /", 2, "", "/system/bin/sh: cd: -x: unknown option\n"),
            ("cd -- -P", 2, "", "/system/bin/sh: cd: -P: No such file or directory\n"),
            ("cd a b", 2, "", "/system/bin/sh: cd: bad substitution\n"),
            ("cd -P a b c", 2, "", "/system/bin/sh: cd: too many arguments\n"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_told_of_paths_is_what_was_done() {
    check(
        &with_files().await,
        &[
            (
                "mkdir -pv n//o/./p/",
                0,
                "",
                "mkdir: created directory 'n'\nmkdir: created directory 'n//o'\n\
                 mkdir: created directory 'n//o/./p'\n",
            ),
            (
                "head nope a 'a b'",
                1,
                "==> a <==\n\n==> a b <==\n",
                "head: nope: No such file or directory\n",
            ),
            (
                "tail a nope 'a b'",
                1,
                "==> a <==\n\n==> a b <==\n",
                "tail: nope: No such file or directory\n",
            ),
            ("tail nope a", 1, "==> a <==\n", "tail: nope: No such file or directory\n"),
        ],
    )
    .await;
}
