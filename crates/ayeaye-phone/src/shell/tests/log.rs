//! `logcat`: what was logged, when, and what is asked of it.
use std::time::Duration;

use super::{PIPE_LIMIT, Sink, Stdin, device, run};
use crate::{
    device::VirtualPhone,
    shell::{io::Io, process::Shell},
};

const SHOP: &str = "am start -n com.example.shop/.MainActivity";

async fn lines(device: &VirtualPhone, line: &str) -> Vec<String> {
    let (status, out, err) = run(device, line).await;
    assert_eq!((status, err.as_str()), (0, ""), "{line}");
    out.lines().filter(|line| !line.starts_with("---------")).map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn lines_keep_the_time_at_which_they_were_written() {
    let device = device();
    run(&device, SHOP).await;
    let first = lines(&device, "logcat -d Zygote:V *:S").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(lines(&device, "logcat -d -s Zygote").await, first);
    run(&device, "am start -n com.example.notes/.MainActivity").await;
    let both = lines(&device, "logcat -d -s Zygote").await;
    assert_eq!(both[..1], first);
    assert!(both.len() == 2 && both[1][..18] > both[0][..18], "{both:?}");
    let later = lines(&device, &format!("logcat -t '{}' Zygote:V *:S", &both[1][..18])).await;
    assert_eq!(later, both[1..]);
}

#[tokio::test]
async fn what_is_asked_for_is_shown() {
    let device = device();
    run(&device, SHOP).await;
    let (_, pid, _) = run(&device, "pidof com.example.shop").await;
    let pid = pid.trim();
    for (args, wanted) in [
        ("-v brief -s Zygote", vec![format!("I/Zygote  ({pid:>5}): Process started")]),
        ("-v tag -s Zygote:I", vec!["I/Zygote  : Process started".to_owned()]),
        ("-s Zygote:W", vec![]),
        ("-v raw -t 1", vec!["onResume com.example.shop.MainActivity".to_owned()]),
        ("-b crash", vec![]),
        ("-b radio,events", vec![]),
        (
            &format!("-v raw --pid={pid}"),
            vec!["Process started".to_owned(), "onResume com.example.shop.MainActivity".to_owned()],
        ),
        (
            "-v raw -b system",
            vec!["START u0 {cmp=com.example.shop/com.example.shop.MainActivity}".to_owned()],
        ),
    ] {
        assert_eq!(lines(&device, &format!("logcat -d {args}")).await, wanted, "{args}");
    }
    let [line] = &lines(&device, "logcat -d -s Zygote").await[..] else { panic!("one line") };
    assert!(line.ends_with(&format!(" {pid:>5} {pid:>5} I Zygote  : Process started")), "{line}");
    let (time, long) = (&line[..18], lines(&device, "logcat -d -v long -s Zygote").await);
    let head = format!("[ {time} {pid:>5}:{pid:>5} I/Zygote   ]");
    assert_eq!(long, [head.as_str(), "Process started", ""]);
    assert_eq!(lines(&device, "logcat -P ''").await, [""; 0]);
    for option in ["-B", "-p", "-v color"] {
        let (status, _, err) = run(&device, &format!("logcat {option}")).await;
        let told = format!("logcat: {option}: not supported by this virtual phone\n");
        assert_eq!((status, err), (1, told), "{option}");
    }
    run(&device, "am crash com.example.shop; logcat -b main -c").await;
    assert_eq!(lines(&device, "logcat -d -b main").await, [""; 0]);
    assert_eq!(lines(&device, "logcat -d -b crash -s AndroidRuntime:E").await.len(), 4);
    run(&device, "logcat -c").await;
    assert_eq!(lines(&device, "logcat -d").await, [""; 0]);
    for refused in ["-t -5", "-v nope", "-b nope", "-e x", "Zygote:Q", "--nope"] {
        let (status, out, err) = run(&device, &format!("logcat -d {refused}")).await;
        assert!(status == 1 && out.is_empty() && err.starts_with("logcat: "), "{refused}: {err}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_followed_shows_what_comes() {
    let device = device();
    let (stdout, out) = Sink::pipe(device.memory(), PIPE_LIMIT);
    let io = Io { stdin: Stdin::bytes("".into()), stdout, stderr: Sink::Null };
    let mut shell = Shell::new(device.clone());
    let followed = shell.run_line("logcat -T 1", &io);
    let starts = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        run(&device, SHOP).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        ended = followed => panic!("{ended:?}"),
        () = starts => {}
    }
    let text = String::from_utf8(out.lock().unwrap().take().into_vec()).unwrap();
    assert!(text.starts_with("--------- beginning of main\n"), "{text}");
    assert_eq!(text.matches("onResume com.example.shop.MainActivity").count(), 1, "{text}");
}
