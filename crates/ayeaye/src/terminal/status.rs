//! One line at the bottom of the terminal that says what is waited for, and for how long. It is on stderr,
//! is gone when the wait is over, and gives way to every other line.
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// A wait shorter than this is not worth a line.
const PATIENCE: Duration = Duration::from_millis(400);
/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(500);
/// Where the terminal does not tell its width.
const USUAL_COLUMNS: usize = 80;

/// What the line shows now, in this process; there is one terminal.
static SHOWN: Mutex<Option<StatusLine>> = Mutex::new(None);

#[derive(Debug)]
struct StatusLine {
    text: String,
    dim: bool,
}

/// A wait that is shown until this is dropped.
#[derive(Debug)]
pub struct Waiting {
    what: Arc<Mutex<Wait>>,
    ticking: Option<AbortOnDropHandle<()>>,
}

#[derive(Debug)]
struct Wait {
    text: String,
    since: Instant,
    over: bool,
}

impl Waiting {
    pub(super) fn begin(what: &str, shows: bool, dim: bool) -> Self {
        let what = Arc::new(Mutex::new(Wait {
            text: what.to_owned(),
            since: Instant::now(),
            over: false,
        }));
        let ticking = shows.then(|| {
            let what = Arc::clone(&what);
            AbortOnDropHandle::new(tokio::spawn(
                async move {
                    tokio::time::sleep(PATIENCE).await;
                    while show(&what, dim) {
                        tokio::time::sleep(TICK).await;
                    }
                }
                .boxed(),
            ))
        });
        Self { what, ticking }
    }

    /// This is waited for now; if it is something else, its time begins.
    pub fn now(&self, what: &str) {
        let mut wait = guard(&self.what);
        if wait.text != what {
            what.clone_into(&mut wait.text);
            wait.since = Instant::now();
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.ticking.take().is_some() {
            let mut shown = guard(&SHOWN);
            // The ticking may be under way in another thread.
            guard(&self.what).over = true;
            if shown.take().is_some() {
                erase();
            }
        }
    }
}

/// Writes something else: above the line, if there is one.
pub(super) fn around(write: impl FnOnce()) {
    let shown = guard(&SHOWN);
    if shown.is_some() {
        erase();
    }
    write();
    if let Some(line) = &*shown {
        draw(line);
    }
}

/// Draws the line, unless the wait is over.
fn show(what: &Mutex<Wait>, dim: bool) -> bool {
    let mut shown = guard(&SHOWN);
    let text = match &*guard(what) {
        Wait { over: true, .. } => return false,
        Wait { text, since, .. } => with_time(text, since.elapsed()),
    };
    let line = StatusLine { text, dim };
    draw(&line);
    *shown = Some(line);
    true
}

/// The cursor stays at the beginning of the line: a line of the log overwrites it.
fn draw(line: &StatusLine) {
    let most = super::columns().unwrap_or(USUAL_COLUMNS).saturating_sub(1);
    // Nothing depends on this line.
    drop(write!(io::stderr().lock(), "\r\u{1b}[K{}\r", line.within(most)));
}

impl StatusLine {
    fn within(&self, columns: usize) -> String {
        let text = super::cut(&self.text, columns);
        if self.dim { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text }
    }
}

fn erase() {
    drop(write!(io::stderr().lock(), "\r\u{1b}[K"));
}

fn with_time(what: &str, passed: Duration) -> String {
    match passed.as_secs() {
        0 => format!("{what} …"),
        seconds => format!("{what} … {seconds} s"),
    }
}

fn guard<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_nothing_is_dimmed() {
        let line = |dim| StatusLine { text: "Asking adb …".to_owned(), dim }.within(80);
        assert_eq!(line(false), "Asking adb …");
        assert_eq!(line(true), "\u{1b}[2mAsking adb …\u{1b}[0m");
    }

    #[test]
    fn a_short_wait_has_no_number() {
        assert_eq!(with_time("Asking adb", Duration::from_millis(900)), "Asking adb …");
        assert_eq!(with_time("Asking adb", Duration::from_millis(2900)), "Asking adb … 2 s");
    }
}
