//! Lines of scripts, with what they do on a phone with toybox and `mksh`.
use super::{device, run};
use crate::device::VirtualPhone;

/// Checks lines one after the other in a folder with a few files: status, stdout and stderr.
async fn check(lines: &[(&str, u8, &str, &str)]) {
    let device = device();
    let files = "cd /sdcard/t; echo 'one\ntwo\nfour one' > a; echo bee > b; echo h > .hid; echo x > s/f; echo 'x\ty' > tab";
    let made = run(&device, &format!("mkdir -p /sdcard/t/s /sdcard/t/e; {files}")).await;
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
        (
            "head -n1 nope b > o 2>&1; cat o",
            0,
            &format!("head: nope: {nope}\n==> b <==\nbee\n"),
            "",
        ),
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
        "cat --help",
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
    ] {
        let got = run(&device, line).await;
        assert_eq!((got.0, got.2.as_str()), (status, err), "{line}");
    }
}
