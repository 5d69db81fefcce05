//! Lines of scripts, with what they do on a phone with toybox and `mksh`.
use super::{device, run};
use crate::device::VirtualPhone;

/// Checks lines one after the other in a folder with a few files: status, stdout and stderr.
async fn check(lines: &[(&str, u8, &str, &str)]) {
    let device = device();
    let files = "echo 'one\ntwo\nfour one' > a; echo bee > b; echo h > .hid; echo x > s/f; echo 'x\ty' > tab";
    let made =
        run(&device, &format!("mkdir -p /sdcard/t/s /sdcard/t/e; cd /sdcard/t; {files}")).await;
    assert_eq!(made.0, 0, "{}", made.2);
    for (line, status, out, err) in lines {
        let got = run(&device, &format!("cd /sdcard/t; {line}")).await;
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), (*status, *out, *err), "{line}");
    }
}

#[tokio::test]
async fn a_file_is_no_folder_and_a_folder_has_no_lines() {
    check(&[
        ("ls a/", 1, "", "ls: a/: Not a directory\n"),
        ("cat a/", 1, "", "cat: a/: Not a directory\n"),
        ("stat -c %s a/", 1, "", "stat: 'a/': Not a directory\n"),
        ("[ -e a/ ]", 1, "", ""),
        ("ls s/ e/.", 0, "s/:\nf\n\ne/.:\n", ""),
        ("grep one s", 1, "", "grep: s: Is a directory\n"),
        ("grep -c one s a", 0, "a:2\n", "grep: s: Is a directory\n"),
    ])
    .await;
}

#[tokio::test]
async fn grep_ends_at_the_first_line_where_only_that_is_asked_for() {
    check(&[
        ("grep -q one a nope", 0, "", ""),
        ("grep -q one nope a", 0, "", "grep: nope: No such file or directory\n"),
        ("grep -sq one nope a", 0, "", ""),
        ("grep -q zzz a nope", 2, "", "grep: nope: No such file or directory\n"),
        ("grep -s x nope", 2, "", ""),
        ("grep -sc one nope a", 2, "a:2\n", ""),
    ])
    .await;
}

#[tokio::test]
async fn signs_that_only_gnu_takes_for_operators_are_signs() {
    check(&[
        (r"grep 'one\|two' a", 1, "", ""),
        (r"grep 'o\+' a", 1, "", ""),
        (r"echo 'a|b' | grep 'a\|b'; echo a+b | grep 'a\+b'", 0, "a|b\na+b\n", ""),
        (r"echo oo | grep 'o\{2\}'; echo x | grep '\(x\)'", 0, "oo\nx\n", ""),
        ("grep -E 'two|four' a", 0, "two\nfour one\n", ""),
    ])
    .await;
}

#[tokio::test]
async fn hidden_names_are_found_where_the_pattern_begins_with_a_dot() {
    check(&[
        ("echo .h* *", 0, ".hid a b e s tab\n", ""),
        ("ls .h*", 0, ".hid\n", ""),
        ("rm -f .h*; ls -A .", 0, "a\nb\ne\ns\ntab\n", ""),
    ])
    .await;
}

#[tokio::test]
async fn contents_of_a_folder_are_copied_without_it() {
    check(&[
        ("echo 1 > n && cp /dev/null n && cat n; rm n", 0, "", ""),
        ("cp -r s/. e; ls e", 0, "f\n", ""),
        ("cp -r s e/; ls e", 0, "f\ns\n", ""),
        ("cp -r s/. new; ls new", 0, "f\n", ""),
        ("mv s/. other", 1, "", "mv: bad 's/.': Device or resource busy\n"),
        ("cp -r /storage/emulated/0 e", 1, "", "cp: '/sdcard/t/e/0' is '/sdcard'\n"),
    ])
    .await;
}

#[tokio::test]
async fn outputs_are_written_in_their_order() {
    let nope = "No such file or directory\n";
    check(&[
        ("ls nope a > o 2>&1; cat o", 0, &format!("ls: nope: {nope}a\n"), ""),
        ("cat b nope b > o 2>&1; cat o", 0, &format!("bee\ncat: nope: {nope}bee\n"), ""),
        ("grep -H e b nope b > o 2>&1; cat o", 0, &format!("b:bee\ngrep: nope: {nope}b:bee\n"), ""),
        ("wc -c b nope > o 2>&1; tail -n 2 o", 0, &format!("wc: nope: {nope}      4 total\n"), ""),
        ("head -n1 nope b > o 2>&1; cat o", 0, &format!("head: nope: {nope}==> b <==\nbee\n"), ""),
        ("tail -n1 b nope > o 2>&1; cat o", 0, &format!("==> b <==\nbee\ntail: nope: {nope}"), ""),
        (
            "md5sum b nope 2>&1 | cut -c 33-",
            0,
            &format!("  b\n{}", &format!("md5sum: nope: {nope}")[32..]),
            "",
        ),
    ])
    .await;
}

#[tokio::test]
async fn the_options_of_small_commands_do_what_they_do_on_a_phone() {
    check(&[
        (
            "wc a; wc -lw a; wc -l a b",
            0,
            "3 4 17 a\n3 4 a\n      3 a\n      1 b\n      4 total\n",
            "",
        ),
        ("wc < b; wc -c < b", 0, "      1       1       4\n4\n", ""),
        ("cat -e b; cat -et tab", 0, "bee$\nx^Iy$\n", ""),
        ("mkdir -v n", 0, "", "mkdir: created directory 'n'\n"),
        (
            "mkdir -pv n/a/b",
            0,
            "",
            "mkdir: created directory 'n/a'\nmkdir: created directory 'n/a/b'\n",
        ),
        ("print -u2 x; print -nu2 y; print -u1 z", 0, "z\n", "x\ny"),
        ("print -z a", 1, "", "/system/bin/sh: print: -z: unknown option\n"),
        ("cut -f 3-1 a", 1, "", "cut: bad arguments: -f 3-1 a\n"),
        ("cut -d: -f1 -c1 a", 1, "", "cut: bad arguments: -d: -f1 -c1 a\n"),
        ("echo $0; sh -c 'echo $0'", 0, "/system/bin/sh\nsh\n", ""),
        ("cd /; cd /sdcard/t; cd -; cd -; echo $OLDPWD", 0, "/\n/sdcard/t\n/\n", ""),
    ])
    .await;
    let gone = run(&device(), "cd -").await;
    assert_eq!((gone.0, gone.2.as_str()), (2, "/system/bin/sh: cd: no OLDPWD\n"));
}

#[tokio::test]
async fn a_file_that_may_not_be_run_is_there() {
    let why = |file: &str, why: &str| format!("/system/bin/sh: {file}: {why}\n");
    check(&[
        ("./a", 126, "", &why("./a", "can't execute: Permission denied")),
        ("./s", 126, "", &why("./s", "can't execute: Is a directory")),
        ("./nope", 127, "", &why("./nope", "inaccessible or not found")),
        ("a", 127, "", &why("a", "inaccessible or not found")),
    ])
    .await;
    let device = device();
    let path = "/data/local/tmp/a.sh";
    device.files().write(path, b"echo a".to_vec(), 0o755, 0).unwrap();
    let run_it = run(&device, path).await;
    assert_eq!((run_it.0, run_it.2), (126, why(path, "not supported by this virtual shell")));
}

/// Whether a line is refused as something that real phones have.
async fn is_plainly_refused(device: &VirtualPhone, line: &str) -> bool {
    let (status, out, err) = run(device, line).await;
    status == 255 && out.is_empty() && err.ends_with(": not supported by this virtual phone\n")
}

#[tokio::test]
async fn what_toybox_has_is_not_told_as_unknown_to_it() {
    let device = device();
    run(&device, "cd /sdcard; echo 1 > a").await;
    for line in [
        "rm -i a",
        "ls -n",
        "ls -lZ a",
        "ls --color=auto",
        "cat -v a",
        "cat --version",
        "cp -v a b",
        "mv -i a b",
        "mkdir -m 700 n",
        "touch -d @0 a",
        "grep -r 1 .",
        "grep --color 1 a",
        "grep --include=*.txt 1 a",
        "egrep -L 1 a",
        "sha256sum -c a",
        "md5sum --check a",
        "df -i",
        "pidof -x a",
        "wc -L a",
        "print -l a",
        "date -I",
        "date -d 2020-01-02",
        "rmdir -p a",
        "which -a ls",
        "toybox",
    ] {
        let line = format!("cd /sdcard; {line} </dev/null");
        assert!(
            is_plainly_refused(&device, &line).await,
            "{line}: {:?}",
            run(&device, &line).await
        );
    }
    assert!(device.files().stat("/sdcard/a").is_ok());
    for (line, status, err) in [
        ("ls -le", 1, "ls: Unknown option 'e' (see \"ls --help\")\n"),
        ("ls --nope=a", 1, "ls: Unknown option 'nope' (see \"ls --help\")\n"),
        ("grep -k 1 a", 2, "grep: Unknown option 'k' (see \"grep --help\")\n"),
        ("grep --nope 1 a", 2, "grep: Unknown option 'nope' (see \"grep --help\")\n"),
        ("date -Q", 1, "date: Unknown option 'Q' (see \"date --help\")\n"),
    ] {
        let got = run(&device, line).await;
        assert_eq!((got.0, got.2.as_str()), (status, err), "{line}");
    }
}

#[tokio::test]
async fn commands_of_toybox_that_are_not_here_are_told_as_not_supported() {
    let device = device();
    for name in ["sort", "sed", "find", "tr", "dd", "printf", "chown", "zcat", "sha1sum", "awk"] {
        let why = format!("/system/bin/sh: {name}: not supported by this virtual shell\n");
        for line in [name.to_owned(), format!("toybox {name} a"), format!("{name} a | cat >&2")] {
            let (status, _, err) = run(&device, &line).await;
            let status = if line.contains('|') { 127 } else { status };
            assert_eq!((status, &err), (127, &why), "{line}");
        }
        assert_eq!(run(&device, &format!("command -v {name}")).await.0, 1, "{name}");
    }
    let nope = run(&device, "/system/bin/nope").await;
    assert_eq!((nope.0, nope.2.ends_with(": inaccessible or not found\n")), (127, true));
    // An old phone has none, and says so as it would of any name.
    device.faults().set(|plan| plan.no_gzip = true);
    assert!(run(&device, "gzip -1").await.2.ends_with("gzip: inaccessible or not found\n"));
    assert_eq!(run(&device, "ls /system/bin/gzip || [ -e /system/bin/gzip ]").await.0, 1);
}

#[tokio::test]
async fn conditions_on_files_are_those_of_mksh() {
    check(&[
        ("[ -w a ] && [ -w s ] && [ ! -w nope ] && [ ! -w /system/build.prop ]", 0, "", ""),
        ("[ -x s ] && [ ! -x a ] && [ -x /system/bin/sh ]", 0, "", ""),
        ("[ -L a ] || [ -h a ] || [ -L nope ] || echo none", 0, "none\n", ""),
        (
            "[ a -nt nope ] && [ nope -ot a ] && [ ! a -nt a ] && [ a -ef ./a ] && [ ! a -ef b ]",
            0,
            "",
            "",
        ),
        ("[ -t 0 ]", 2, "", "/system/bin/sh: [: -t: not supported by this virtual shell\n"),
        ("[ -p a -a x ]", 2, "", "/system/bin/sh: [: -p: not supported by this virtual shell\n"),
        ("[ '(' a ')' ]", 2, "", "/system/bin/sh: [: (: not supported by this virtual shell\n"),
        ("[ -Q a ]", 2, "", "/system/bin/sh: [: a: unexpected operator/operand\n"),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn dates_are_told_in_the_way_that_is_asked_for() {
    check(&[
        ("date -u '+%F %Z'", 0, "2026-05-12 UTC\n", ""),
        ("date -u; date", 0, "Tue May 12 09:41:00 UTC 2026\nTue May 12 09:41:00 GMT 2026\n", ""),
        (
            "date -d @0 +%F; date +%s -d@86400; date -ud @1.5",
            0,
            "1970-01-01\n86400\nThu Jan  1 00:00:01 UTC 1970\n",
            "",
        ),
        ("date -r a +%F; date -u -r a +%T", 0, "2026-05-12\n09:41:00\n", ""),
        ("date -r nope", 1, "", "date: Can't stat nope: No such file or directory\n"),
        ("date -d @x", 1, "", "date: bad date @x\n"),
        ("date -d", 1, "", "date: Missing argument to -d (see \"date --help\")\n"),
        ("date 010203042026", 1, "", "date: cannot set date: Operation not permitted\n"),
        ("date +%Z%%Z%%%Z; date -u +%Z%%Z; date +a +b", 0, "GMT%Z%GMT\nUTC%Z\na\n", ""),
    ])
    .await;
}

#[tokio::test]
async fn what_is_removed_is_told_and_folders_only_where_they_are_empty() {
    check(&[
        ("mkdir -p d/e; echo > d/f; echo > d/e/g; rm -v b", 0, "rm 'b'\n", ""),
        ("rm -rv d/", 0, "rm 'd/f'\nrm 'd/e/g'\nrmdir 'd/e'\nrmdir 'd'\n", ""),
        ("rm -v nope", 1, "", "rm: nope: No such file or directory\n"),
        ("rm -rfv nope; ls d", 1, "", "ls: d: No such file or directory\n"),
        ("rmdir e; ls -d e", 1, "", "ls: e: No such file or directory\n"),
        ("rmdir s", 1, "", "rmdir: s: Directory not empty\n"),
        ("rmdir a", 1, "", "rmdir: a: Not a directory\n"),
        ("rmdir ''", 1, "", "rmdir: : No such file or directory\n"),
        ("rmdir /system/etc", 1, "", "rmdir: /system/etc: Read-only file system\n"),
    ])
    .await;
}

#[tokio::test]
async fn which_tells_where_programs_are() {
    check(&[
        (
            "which ls input echo test",
            0,
            "/system/bin/ls\n/system/bin/input\n/system/bin/echo\n/system/bin/test\n",
            "",
        ),
        ("which nope ls", 1, "/system/bin/ls\n", ""),
        ("which cd sort su", 1, "", ""),
        ("which /system/bin/ls", 0, "/system/bin/ls\n", ""),
        ("which", 1, "", "which: Needs 1 argument (see \"which --help\")\n"),
    ])
    .await;
}
