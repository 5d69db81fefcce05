//! Commands of toybox and parameters of the shell, with what they print on Android.
use super::{Sink, Stdin, device, mksh, run};
use crate::{
    device::VirtualPhone,
    memory::HeldBuffer,
    shell::{
        io::{Io, PIPE_LIMIT},
        process::{Shell, Stop},
    },
};

/// Checks lines one after the other: status and stdout, and nothing on stderr.
async fn check(device: &VirtualPhone, lines: &[(&str, u8, &str)]) {
    for (line, status, out) in lines {
        let got = run(device, line).await;
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), (*status, *out, ""), "{line}");
    }
}

/// Lines that have the same output in `mksh`.
const PARAMETERS: [(&str, &str); 11] = [
    ("sh -c 'echo $1' a b", "b\n"),
    ("sh -c 'echo $0 $# $*' a b c", "a 2 b c\n"),
    ("sh -c 'echo \"$@\"' n 'a  b' c", "a  b c\n"),
    ("sh -c 'echo x\"$@\"y' n 1 2", "x1 2y\n"),
    ("sh -c 'test \"$@\" && echo yes' n a = a", "yes\n"),
    ("sh -c 'x=$2; echo \"$x ${1}0 ${11}\"' n a b", "b a0 \n"),
    ("sh -c 'test \"$@\"; echo $?' n", "1\n"),
    ("sh -c 'A=1; export B=2; sh -c \"echo .\\$A\\$B.\"'", ".2.\n"),
    ("sh -c 'A=1; export A; A=2; (sh -c \"echo .\\$A.\")'", ".2.\n"),
    ("sh -c 'A=1 sh -c \"echo .\\$A.\"; echo .$A.'", ".1.\n..\n"),
    ("sh -c 'A=1; (echo $A); echo $(echo $A); eval \"echo \\$A\"'", "1\n1\n1\n"),
];

#[tokio::test]
async fn ls_shows_the_folder_and_the_one_around_it_where_all_is_asked_for() {
    check(
        &device(),
        &[
            ("mkdir -p /sdcard/x/y; cd /sdcard/x; touch .a b; ls -a", 0, ".\n..\n.a\nb\ny\n"),
            ("cd /sdcard/x; ls -A; ls -ar", 0, ".a\nb\ny\ny\nb\n.a\n..\n.\n"),
            ("cd /sdcard/x; ls -la | cut -c 1 | grep -c d; ls -aR y", 0, "3\ny:\n.\n..\n"),
        ],
    )
    .await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_shell_knows_its_parameters() {
    let device = device();
    let mksh = mksh();
    for (line, out) in PARAMETERS {
        let (_, got, err) = run(&device, line).await;
        assert_eq!((got.as_str(), err.as_str()), (out, ""), "{line}");
        let Some(mksh) = mksh else { continue };
        let real =
            line.strip_prefix("sh ").map(|rest| format!("{mksh} {rest}")).unwrap_or_default();
        let mut command = tokio::process::Command::new(mksh);
        let real = command.args(["-c", &real]).kill_on_drop(true).output().await.unwrap();
        assert_eq!(String::from_utf8_lossy(&real.stdout), out, "{line}");
    }
    let (_, random, _) = run(&device, "echo $RANDOM").await;
    assert!(random.trim().parse::<u16>().is_ok_and(|number| number < 32_768), "{random}");
    check(
        &device,
        &[(
            "cd /sdcard; echo 'echo \"$0 $1\"\nexit 3' > a.sh; sh a.sh x; echo $?",
            0,
            "a.sh x\n3\n",
        )],
    )
    .await;
    let missing = run(&device, "sh /sdcard/nope").await;
    assert_eq!((missing.0, missing.1.as_str()), (127, ""), "{missing:?}");
}

#[tokio::test]
async fn a_pattern_with_brackets_finds_files() {
    let device = device();
    check(
        &device,
        &[
            (
                "cd /sdcard; touch shot_1.png shot_2.png shot_x.png; echo shot_[0-9].png",
                0,
                "shot_1.png shot_2.png\n",
            ),
            (
                "cd /sdcard; echo shot_[!0-9].png '[x]' shot_[0-9']'.png",
                0,
                "shot_x.png [x] shot_[0-9].png\n",
            ),
            ("rm -f /sdcard/shot_[0-9].png; ls /sdcard/shot_*", 0, "/sdcard/shot_x.png\n"),
            ("[ -e /sdcard ] && echo [ab]", 0, "[ab]\n"),
        ],
    )
    .await;
}

#[tokio::test]
async fn arguments_that_are_not_understood_are_refused() {
    let device = device();
    check(
        &device,
        &[
            (
                "id -u; id -g; id -un; id -gn; id -nu; id -Z",
                0,
                "2000\n2000\nshell\nshell\nshell\nu:r:shell:s0\n",
            ),
            (
                "cd /sdcard; echo abc > f; stat -c '%n %s %a %F %U %u%%' f Download",
                0,
                "f 4 660 regular file shell 2000%\nDownload 4096 771 directory shell 2000%\n",
            ),
            ("stat -c %Y /sdcard/f | grep -cE '^[0-9]{10}$'", 0, "1\n"),
        ],
    )
    .await;
    for line in
        ["id -n", "id root", "stat -c %Q /sdcard", "tail -c x", "tail -f /sdcard/f", "head -c +2"]
    {
        let (status, out, err) = run(&device, line).await;
        assert!(status != 0 && out.is_empty() && !err.is_empty(), "{line}: {status} {out} {err}");
    }
}

#[tokio::test]
async fn beginnings_ends_and_counts_are_those_of_toybox() {
    let device = device();
    check(
        &device,
        &[
            ("cd /sdcard; echo 'a b\nc\nd' > f; echo -n 'x\ty\tz' > g", 0, ""),
            ("echo abc | tail -c +2", 0, "bc\n"),
            ("echo abc | tail -c 2", 0, "c\n"),
            (
                "cd /sdcard; tail -n 2 f; tail -n1 g; tail -1 f; tail -n +2 f",
                0,
                "c\nd\nx\ty\tzd\nc\nd\n",
            ),
            ("cd /sdcard; tail -n 0 f; tail -n 9 f; tail -n +9 f", 0, "a b\nc\nd\n"),
            ("cd /sdcard; head -n 1 f; head -c 3 f; head -2 < f", 0, "a b\na ba b\nc\n"),
            ("cd /sdcard; head -n1 f g", 0, "==> f <==\na b\n\n==> g <==\nx\ty\tz"),
            ("cd /sdcard; tail -n1 f g", 0, "==> f <==\nd\n\n==> g <==\nx\ty\tz"),
            ("cd /sdcard; wc -l f; wc -l < f; wc f; cat f | wc -c", 0, "3 f\n3\n3 4 8 f\n8\n"),
            ("cd /sdcard; wc -l f g", 0, "      3 f\n      0 g\n      3 total\n"),
            (
                "cd /sdcard; cut -f2 g; cut -d' ' -f 1 f; cut -c1,3- f; cut -s -d' ' -f2 f",
                0,
                "y\na\nc\nd\nab\nc\nd\nb\n",
            ),
            ("echo a:b:c:d | cut -d: -f2-3,4", 0, "b:c:d\n"),
            (
                "cd /sdcard; md5sum f; md5sum -b < f",
                0,
                "66a910dc004d3483e9ac4d7b98c45ace  f\n66a910dc004d3483e9ac4d7b98c45ace\n",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn files_are_copied_touched_and_listed() {
    let device = device();
    check(
        &device,
        &[
            ("cd /sdcard; echo 1 > a; cp a b; cat b; mkdir -p d/e; cp a b d; echo 2 > d/e/f; ls d", 0, "1\na\nb\ne\n"),
            ("cd /sdcard; cp -r d n; ls -R n", 0, "n:\na\nb\ne\n\nn/e:\nf\n"),
            ("cd /sdcard; mv a a; cat a; mv d/a d/; cat d/a", 0, "1\n1\n"),
            ("cd /sdcard; touch d/new; touch -c d/none; ls -pt d | tail -n +2; ls -r d/e", 0, "b\na\ne/\nf\n"),
            ("cd /sdcard; echo 3 > a; cp -n a b; cat b", 0, "1\n"),
            ("df /sdcard | grep -c /storage/emulated", 0, "1\n"),
            ("ip route | cut -d' ' -f9; ip -f inet addr show wlan0 | grep -oE 'inet [0-9.]+'", 0,
                "192.168.1.23\ninet 192.168.1.23\n"),
            ("svc wifi enable; ip addr show wlan0 | grep -c inet", 0, "1\n"),
        ],
    )
    .await;
    for (line, err) in [
        ("cp /sdcard/d /sdcard/x", "cp: Skipped dir '/sdcard/d'\n"),
        ("cp /sdcard/a /sdcard/a", "cp: '/sdcard/a' is '/sdcard/a'\n"),
        ("cp -r /sdcard/d /sdcard/d", "cp: '/sdcard/d/d' is '/sdcard/d'\n"),
        ("cp /sdcard/nope /sdcard/x", "cp: bad '/sdcard/nope': No such file or directory\n"),
        ("cp /sdcard/a", "cp: Needs 2 arguments\n"),
        ("mv /sdcard/nope /sdcard/nope", "mv: bad '/sdcard/nope': No such file or directory\n"),
        ("touch /system/x", "touch: '/system/x': Read-only file system\n"),
    ] {
        let (status, out, got) = run(&device, line).await;
        assert_eq!((status, out.as_str(), got.as_str()), (1, "", err), "{line}");
    }
}

#[tokio::test]
async fn an_empty_word_is_no_file() {
    let device = device();
    run(&device, "mkdir /sdcard/x; cd /sdcard/x; echo 1 > a").await;
    for (line, status, err) in [
        ("rm -rf ''", 0, ""),
        ("rm -r \"$UNSET\"", 1, "rm: : No such file or directory\n"),
        ("ls ''", 1, "ls: : No such file or directory\n"),
        ("cat ''", 1, "cat: : No such file or directory\n"),
        ("stat -c %s ''", 1, "stat: '': No such file or directory\n"),
        ("mv a ''", 1, "mv: bad 'a': No such file or directory\n"),
        ("mv '' b", 1, "mv: bad '': No such file or directory\n"),
        ("cp '' b", 1, "cp: bad '': No such file or directory\n"),
        ("cp a ''", 1, "cp: bad 'a': No such file or directory\n"),
        ("touch ''", 1, "touch: '': No such file or directory\n"),
        ("mkdir -p ''", 1, "mkdir: '': No such file or directory\n"),
        ("wc -l ''", 1, "wc: : No such file or directory\n"),
        ("cat < ''", 1, "/system/bin/sh: can't open : No such file or directory\n"),
        ("echo > ''", 1, "/system/bin/sh: can't create : No such file or directory\n"),
        ("cd '' && pwd", 0, ""),
        ("cp a b ''", 1, "cp: '' not a directory\n"),
    ] {
        let (got, out, told) = run(&device, &format!("cd /sdcard/x; {line}")).await;
        assert_eq!((got, told.as_str()), (status, err), "{line}: {out}");
    }
    check(&device, &[("ls /sdcard/x; cd /sdcard/x; cd ''; pwd", 0, "a\n/sdcard/x\n")]).await;
}

/// Status, stdout and stderr of a line with this on its standard input, in pieces.
async fn fed(device: &VirtualPhone, line: &str, pieces: usize) -> (u8, Vec<u8>, String) {
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let (stdout, out) = Sink::pipe(device.memory(), PIPE_LIMIT);
    let (stderr, err) = Sink::pipe(device.memory(), PIPE_LIMIT);
    let io = Io { stdin: Stdin::stream(receiver), stdout, stderr };
    let feeding = tokio::spawn(async move {
        let piece = bytes::Bytes::from(vec![b'x'; 1 << 20]);
        for _ in 0..pieces {
            if sender.send(piece.clone()).await.is_err() {
                break;
            }
        }
    });
    let mut shell = Shell::new(device.clone());
    let status = match shell.run_line(line, &io).await {
        Ok(status) | Err(Stop::Exit(status)) => status,
        Err(stop) => panic!("{line}: {stop:?}"),
    };
    drop((shell, io));
    feeding.await.unwrap();
    let take = |buffer: &std::sync::Mutex<HeldBuffer>| buffer.lock().unwrap().take().into_vec();
    (status, take(&out), String::from_utf8(take(&err)).unwrap())
}

#[tokio::test]
async fn input_larger_than_a_pipe_is_not_cut_in_silence() {
    let device = device();
    let size = 70 << 20;
    let (status, _, err) = fed(&device, "cat > /sdcard/big", 70).await;
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(device.files().stat("/sdcard/big").unwrap().size, size);
    run(&device, "rm /sdcard/big").await;
    let (status, out, _) = fed(&device, "wc -c", 70).await;
    assert_eq!((status, out), (0, format!("{size}\n").into_bytes()));
    let (status, out, _) = fed(&device, "gzip -1", 70).await;
    let unpacked = std::io::copy(&mut flate2::read::GzDecoder::new(&out[..]), &mut std::io::sink());
    assert_eq!((status, unpacked.unwrap()), (0, size));
    let (status, _, err) = fed(&device, "cat > /sdcard/big", 140).await;
    assert_eq!((status, err.as_str()), (1, "cat: write: No space left on device\n"));
    run(&device, "rm /sdcard/big").await;
    for (line, status, told) in [
        ("grep x", 2, "grep: -: No space left on device\n"),
        ("tail -c 5", 1, "tail: -: No space left on device\n"),
    ] {
        let (got, out, err) = fed(&device, line, 70).await;
        assert_eq!((got, out.is_empty(), err.as_str()), (status, true, told), "{line}");
    }
}

#[tokio::test]
async fn a_package_that_is_too_large_is_refused_for_its_size() {
    let device = device();
    let line = format!("cmd package install -S {}", 70 << 20);
    let (status, out, err) = fed(&device, &line, 70).await;
    let told = "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]\n";
    assert_eq!((status, String::from_utf8(out).unwrap().as_str(), err.as_str()), (1, told, ""));
}
