//! Threads for logs, which no step waits for.
use std::thread;

use tokio::sync::oneshot;

/// How far behind all other work: of 0 to 19. At 10 a processor that everybody wants is left to others for nine
/// tenths of its time, so that logs still get on.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Does file work on a thread of its own, which on Linux gives way to all others: a phone's next step never waits
/// for the pictures of its logs. Other systems have no such thing for a single thread, and theirs are as all
/// others. `None` if it panicked or no thread could be had.
pub(super) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = oneshot::channel();
    let working = move || {
        give_way();
        // Whoever asked may have gone.
        drop(sender.send(work()));
    };
    if let Err(err) = thread::Builder::new().name("ayeaye-logs".to_owned()).spawn(working) {
        tracing::warn!("no thread for logs: {err}");
    }
    receiver.await.ok()
}

/// Linux takes the priority of "this process" for that of the calling thread alone. A server that its user has made to
/// give way still more stays as it is.
#[cfg(target_os = "linux")]
fn give_way() {
    use rustix::process::{getpriority_process, setpriority_process};
    let given = getpriority_process(None)
        .and_then(|niceness| setpriority_process(None, niceness.max(NICENESS)));
    if let Err(err) = given {
        tracing::debug!("logs are written as everything else: {err}");
    }
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_thread_that_works_gives_way() {
        #[cfg(target_os = "linux")]
        {
            let niceness = || rustix::process::getpriority_process(None).unwrap();
            let before = niceness();
            assert_eq!(run(niceness).await, Some(NICENESS.max(before)));
            assert_eq!(niceness(), before);
        }
        assert_eq!(run(|| 7).await, Some(7));
    }

    /// A thread begins with the niceness of the one that starts it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_server_that_gives_way_itself_is_not_overtaken_by_its_logs() {
        use rustix::process::{getpriority_process, setpriority_process};
        let nice_server = thread::spawn(|| {
            setpriority_process(None, NICENESS + 5).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(run(|| getpriority_process(None).unwrap()))
        });
        assert_eq!(nice_server.join().unwrap(), Some(NICENESS + 5));
    }

    #[tokio::test]
    async fn a_panic_is_nothing() {
        assert_eq!(run(|| if true { panic!("on purpose") } else { 1 }).await, None);
    }
}
