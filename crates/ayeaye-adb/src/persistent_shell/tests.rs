use std::process::Stdio;

use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::process::Command;
use tokio::sync::mpsc;

use super::*;

fn packet(kind: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap();
    [&[kind], &length.to_le_bytes()[..], data].concat()
}

async fn next_packet(from: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let mut head = [0; 5];
    from.read_exact(&mut head).await.ok()?;
    let [0, length @ ..] = head else { panic!("no standard input: {head:?}") };
    let mut data = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut data).await.unwrap();
    Some(data)
}

/// What the phone's side grants a shell on; the client's side.
async fn granted() -> (DuplexStream, Connection) {
    let (ours, mut theirs) = tokio::io::duplex(1 << 20);
    theirs.write_all(b"OKAY").await.unwrap();
    (theirs, Connection::new(ours))
}

async fn read_request(theirs: &mut DuplexStream) {
    let mut request = vec![0; 4 + SERVICE.len()];
    theirs.read_exact(&mut request).await.unwrap();
    assert_eq!(&request[4..], SERVICE.as_bytes());
}

/// Adbd with a shell of this machine behind it: Android's, which is mksh, where that is installed.
async fn real_shell() -> Connection {
    let (mut theirs, connection) = granted().await;
    tokio::spawn(async move {
        read_request(&mut theirs).await;
        let spawn = |name| {
            let piped = || Stdio::piped();
            let mut command = Command::new(name);
            command.stdin(piped()).stdout(piped()).stderr(piped()).kill_on_drop(true).spawn()
        };
        let mut shell = spawn("mksh").or_else(|_| spawn("sh")).unwrap();
        let (mut from, mut to) = tokio::io::split(theirs);
        let (sender, mut packets) = mpsc::channel(16);
        let pass = async |kind, mut stream: Box<dyn AsyncRead + Send + Unpin>| {
            let mut some = vec![0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut some).await {
                drop(sender.send(packet(kind, &some[..length])).await);
            }
        };
        let mut stdin = shell.stdin.take().unwrap();
        let (out, err) = (shell.stdout.take().unwrap(), shell.stderr.take().unwrap());
        let typed = async {
            while let Some(data) = next_packet(&mut from).await {
                stdin.write_all(&data).await.unwrap();
            }
        };
        let printed = async {
            while let Some(packet) = packets.recv().await {
                if to.write_all(&packet).await.is_err() {
                    return;
                }
            }
        };
        tokio::join!(pass(1, Box::new(out)), pass(2, Box::new(err)), typed, printed);
    });
    connection
}

/// A phone whose answer to each line is made by the function, from the line's marker. After an empty piece the
/// connection ends.
async fn told(answer: impl Fn(&str) -> Vec<Vec<u8>> + Send + 'static) -> Connection {
    let (mut theirs, connection) = granted().await;
    tokio::spawn(async move {
        read_request(&mut theirs).await;
        let proof = |marker: &str| frames(marker, b"out\n", b"err\n", 7);
        let mut first = true;
        while let Some(line) = next_packet(&mut theirs).await {
            let line = String::from_utf8(line).unwrap();
            let marker = &line["echo ".len()..][..32];
            let packets = if first { proof(marker) } else { answer(marker) };
            first = false;
            for packet in packets {
                if packet.is_empty() {
                    return;
                }
                drop(theirs.write_all(&packet).await);
            }
        }
    });
    connection
}

fn frames(marker: &str, out: &[u8], err: &[u8], code: u8) -> Vec<Vec<u8>> {
    let begin = format!("{marker}b\n");
    let out = [begin.as_bytes(), out, format!("{marker}e{code}\n").as_bytes()].concat();
    let err = [begin.as_bytes(), err, format!("{marker}e\n").as_bytes()].concat();
    vec![packet(1, &out), packet(2, &err)]
}

async fn opened(connection: Connection) -> PersistentShell {
    let shell = PersistentShell::default();
    shell.turn("X").unwrap().open("X".to_owned(), connection).await.unwrap();
    shell
}

async fn answer(shell: &PersistentShell, command: &str) -> (u8, String, String) {
    let output = shell.turn("X").unwrap().run(command, &AtomicBool::default()).await.unwrap();
    (output.exit_code, output.stdout, output.stderr)
}

#[cfg(unix)]
#[tokio::test]
async fn a_real_shell_answers_each_command_by_itself() {
    let shell = opened(real_shell().await).await;
    for (command, code, out, err) in [
        ("echo 1; echo 2 >&2", 0, "1\n", "2\n"),
        ("echo -n no end; false", 1, "no end", ""),
        ("exit 77", 77, "", ""),
        ("x=5; cd /; echo $x", 0, "5\n", ""),
        ("echo \"[$x]\"", 0, "[]\n", ""),
        ("cat; echo 'it'\\''s' over", 0, "it's over\n", ""),
        ("echo 'two\nlines'", 0, "two\nlines\n", ""),
        ("(echo a; exit 3) | cat; exit 4", 4, "a\n", ""),
        ("sleep 0 & first=$!; wait $first; echo $?", 0, "0\n", ""),
    ] {
        let expected = (code, out.to_owned(), err.to_owned());
        assert_eq!(answer(&shell, command).await, expected, "{command}");
    }
    let (code, _, err) = answer(&shell, "echo (").await;
    assert!(code != 0 && err.contains("yntax error"), "{err}");
    let (_, long, _) =
        answer(&shell, "i=0; while [ $i -lt 5000 ]; do echo line; i=$((i+1)); done").await;
    assert_eq!(long.len(), 25_000);
    let own = |marker: &str| marker.len() == 32 && marker.bytes().all(|b| b.is_ascii_hexdigit());
    let (_, set, _) = answer(&shell, "set; ps ww; echo $_ $0").await;
    assert!(
        !set.split(|c: char| !c.is_alphanumeric()).any(own),
        "a command sees the marker: {set}"
    );
    assert!(shell.turn("X").unwrap().is_open("X"));
    assert!(!shell.turn("X").unwrap().is_open("another link"));
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_command_leaves_behind_is_no_answer_to_the_next_one() {
    let shell = opened(real_shell().await).await;
    let folder = tempfile::tempdir().unwrap();
    let answered = folder.path().join("answered");
    let wait = format!("while [ ! -e {} ]; do sleep 0.05; done", answered.display());
    let left = answer(&shell, &format!("({wait}; echo stray) & echo now")).await;
    assert_eq!(left, (0, "now\n".to_owned(), String::new()));
    std::fs::write(&answered, "").unwrap();
    // Until it has come: whoever asks then finds the shell closed.
    while shell.turn("X").unwrap().is_open("X") {
        tokio::task::yield_now().await;
    }
    assert!(matches!(
        shell.turn("X").unwrap().run("true", &AtomicBool::default()).await,
        Err(ProtocolError::Closed)
    ));
}

#[tokio::test]
async fn an_answer_that_is_cut_anywhere_is_none() {
    let whole = frames(&"0".repeat(32), b"done\n", b"", 0).concat();
    for end in 0..whole.len() {
        let shell = opened(
            told(move |marker| {
                let whole = frames(marker, b"done\n", b"", 0).concat();
                vec![whole[..end].to_vec(), Vec::new()]
            })
            .await,
        )
        .await;
        let error = shell.turn("X").unwrap().run("true", &AtomicBool::default()).await.unwrap_err();
        assert!(!matches!(error, ProtocolError::RequestTooLong), "{end}: {error}");
        assert!(!shell.turn("X").unwrap().is_open("X"), "{end}");
    }
}

#[tokio::test]
async fn what_is_not_between_the_markers_is_refused() {
    type Answer = fn(&str) -> Vec<Vec<u8>>;
    let mad: [Answer; 7] = [
        // Before, behind, and instead.
        |marker| [vec![packet(1, b"stray\n")], frames(marker, b"", b"", 0)].concat(),
        |marker| vec![packet(1, format!("{marker}b\n{marker}e0\nstray\n").as_bytes())],
        |_| frames(&"1".repeat(32), b"", b"", 0),
        // No code, and one that cannot be.
        |marker| {
            [
                packet(1, format!("{marker}b\n{marker}e\n").as_bytes()),
                frames(marker, b"", b"", 0)[1].clone(),
            ]
            .into()
        },
        |marker| vec![packet(1, format!("{marker}b\n{marker}e256\n").as_bytes())],
        |marker| vec![packet(1, format!("{marker}b\n{marker}e-1\n").as_bytes())],
        |_| vec![packet(9, b"")],
    ];
    for (at, answer) in mad.into_iter().enumerate() {
        let shell = opened(told(answer).await).await;
        let error = shell.turn("X").unwrap().run("true", &AtomicBool::default()).await.unwrap_err();
        assert!(matches!(error, ProtocolError::OutOfTurn | ProtocolError::NotAdb), "{at}: {error}");
        assert!(!shell.turn("X").unwrap().is_open("X"));
    }
    let flood = opened(
        told(|marker| {
            let begin = packet(1, format!("{marker}b\n").as_bytes());
            std::iter::once(begin)
                .chain(std::iter::repeat_n(packet(1, &vec![b'x'; 60_000]), 20))
                .collect()
        })
        .await,
    )
    .await;
    let error = flood.turn("X").unwrap().run("true", &AtomicBool::default()).await.unwrap_err();
    assert!(matches!(error, ProtocolError::ResponseTooLong(_)));
}

#[tokio::test]
async fn a_shell_that_does_not_prove_itself_gets_no_command() {
    for proof in
        [frames(&"0".repeat(32), b"", b"", 0), vec![packet(1, b"$ ")], vec![packet(3, &[0])]]
    {
        let (mut theirs, connection) = granted().await;
        theirs.write_all(&proof.concat()).await.unwrap();
        let shell = PersistentShell::default();
        let mut turn = shell.turn("X").unwrap();
        turn.open("X".to_owned(), connection).await.unwrap_err();
        assert!(matches!(
            turn.run("true", &AtomicBool::default()).await,
            Err(ProtocolError::Closed)
        ));
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_failed_is_left_alone_for_ever_longer() {
    let shell = PersistentShell::default();
    for pause in [PAUSE, PAUSE * 2, PAUSE * 4, PAUSE * 8, MAX_PAUSE, MAX_PAUSE] {
        shell.turn("X").unwrap().failed("X".to_owned());
        let last = Duration::from_millis(1);
        tokio::time::advance(pause.saturating_sub(last)).await;
        assert!(shell.turn("X").is_none());
        tokio::time::advance(last).await;
        let one = shell.turn("X");
        assert!(one.is_some() && shell.turn("X").is_none(), "one at a time");
    }
}

#[tokio::test(start_paused = true)]
async fn one_failure_says_nothing_of_another_link_nor_of_a_shell_that_has_proved_itself() {
    let shell = opened(told(|marker| frames(marker, b"", b"", 0)).await).await;
    let fail = || {
        shell.turn("X").unwrap().failed("X".to_owned());
        let until = shell.0.try_lock().unwrap().not_until.clone().unwrap().0;
        until.saturating_duration_since(Instant::now())
    };
    assert_eq!(fail(), PAUSE);
    tokio::time::advance(PAUSE).await;
    assert_eq!(fail(), PAUSE * 2);
    assert!(shell.turn("X").is_none());
    assert!(shell.turn("Y").is_some(), "it was another link");
    assert_eq!(fail(), PAUSE, "and so it begins anew");
    tokio::time::advance(PAUSE).await;
    let again = told(|marker| frames(marker, b"", b"", 0)).await;
    shell.turn("X").unwrap().open("X".to_owned(), again).await.unwrap();
    for _ in 0..PROVEN {
        answer(&shell, "true").await;
    }
    assert_eq!(fail(), PAUSE, "it has worked since");
}

#[tokio::test]
async fn what_does_not_fit_a_line_is_not_sent() {
    let marker = Marker::new();
    for command in ["x".repeat(MAX_LINE), "'".repeat(20_000), "a\0b".to_owned()] {
        assert!(matches!(marker.wrap(&command), Err(ProtocolError::RequestTooLong)));
    }
    let shell = opened(told(|marker| frames(marker, b"", b"", 0)).await).await;
    let too_long = "x".repeat(MAX_LINE);
    let sent = shell.turn("X").unwrap().run(&too_long, &AtomicBool::default()).await;
    assert!(matches!(sent, Err(ProtocolError::RequestTooLong)), "{sent:?}");
    assert!(shell.turn("X").unwrap().is_open("X"), "it was not sent");
    answer(&shell, "true").await;
    assert!(marker.wrap("input text 'a'").unwrap().contains(r"(eval 'input text '\''a'\''')"));
}

proptest! {
    #[test]
    fn whatever_is_printed_comes_back_however_it_arrives(
        out in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'e'), Just(b'\n')], 0..300),
        code: u8,
        piece in 1_usize..80,
    ) {
        let marker = Marker::new();
        let [stream, _] = &frames(&marker.0, &out, b"", code)[..] else { panic!("two streams") };
        let mut marked = MarkedStream::default();
        for some in stream[5..].chunks(piece) {
            prop_assert_eq!(&marked.content, &None);
            marked.bytes.extend_from_slice(some);
            marked.look(&marker).unwrap();
        }
        let content = marked.content.unwrap();
        prop_assert_eq!((content.text.to_vec(), content.code), (out, Some(code)));
    }

    #[test]
    fn nothing_that_does_not_know_the_marker_is_an_end(
        out in "([0-9a-f]{32}[be][0-9]{0,3}\n|[a-z]{0,40}\n){0,12}",
        piece in 1_usize..80,
    ) {
        let marker = Marker::new();
        let mut marked = MarkedStream::default();
        let begin = format!("{}b\n", marker.0);
        for some in [begin.as_bytes(), out.as_bytes()].concat().chunks(piece) {
            marked.bytes.extend_from_slice(some);
            marked.look(&marker).unwrap();
        }
        prop_assert_eq!(marked.content, None);
    }
}
