//! Output to and questions at the terminal. The only code that writes to stdout besides MCP, and never
//! in the same process as MCP on stdio.
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use ayeaye_agent::{Report, StepSummary};

use crate::text::one_line;

/// Standard output, with or without colours.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    colour: bool,
}

impl Terminal {
    /// With colours if stdout is a terminal and the user does not refuse them (`NO_COLOR`).
    pub fn new(no_color: bool) -> Self {
        Self { colour: !no_color && io::stdout().is_terminal() }
    }

    /// Writes a line. A closed pipe does not stop a task.
    #[expect(clippy::unused_self, reason = "writing to stdout needs a terminal at hand")]
    pub fn line(self, text: &str) {
        if let Err(err) = writeln!(io::stdout().lock(), "{text}") {
            tracing::debug!("stdout: {err}");
        }
    }

    /// Writes a line with a label.
    pub fn item(self, name: &str, text: &str) {
        let indented = text.replace('\n', "\n          ");
        self.line(&format!("{} {indented}", self.bold(&format!("{name:<9}"))));
    }

    /// Writes a step.
    pub fn step(self, line: &StepSummary) {
        self.line(&format!("  {:>2}  {}", line.step + 1, one_line(&line.describe())));
    }

    /// Writes how the time of a run was spent.
    pub fn usage(self, report: &Report) {
        let usage = report.usage;
        self.item(
            "time",
            &format!(
                "{:.1} s: model {:.1} s, everything else {:.1} s ({} steps)",
                (usage.model_ms + usage.other_ms) / 1e3,
                usage.model_ms / 1e3,
                usage.other_ms / 1e3,
                report.local_steps
            ),
        );
    }

    /// The text in bold.
    pub fn bold(self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Asks for a secret: what is typed is not shown, where the terminal allows that.
    pub async fn ask_secret(self, prompt: &str) -> Option<String> {
        let hidden = Hidden::input();
        let answer = self.ask(prompt).await;
        if hidden.is_some() && answer.is_some() {
            // The line break was not echoed either.
            self.line("");
        }
        answer
    }

    /// Whether a person can be asked.
    #[expect(clippy::unused_self, reason = "asking needs a terminal at hand")]
    pub fn is_interactive(self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Asks a question that can be answered with yes or no; an empty line takes the default. `None` when
    /// nobody answers.
    pub async fn confirm(self, question: &str, default: bool) -> Option<bool> {
        let choices = if default { "[Y/n]" } else { "[y/N]" };
        loop {
            let answer = self.ask_line(&format!("{question} {choices}")).await?;
            match answer.to_lowercase().as_str() {
                "" => return Some(default),
                "y" | "yes" => return Some(true),
                "n" | "no" => return Some(false),
                _ => self.line("y or n, please"),
            }
        }
    }

    /// Asks a person; `None` when nobody can answer (no input, or it has ended) or the line is empty.
    pub async fn ask(self, prompt: &str) -> Option<String> {
        self.ask_line(prompt).await.filter(|answer| !answer.is_empty())
    }

    /// Asks a person; an empty line is an answer. `None` when nobody can answer.
    pub async fn ask_line(self, prompt: &str) -> Option<String> {
        {
            let mut out = io::stdout().lock();
            write!(out, "{} ", self.bold(prompt)).and_then(|()| out.flush()).ok()?;
        }
        // In a thread: the read may block until the process ends.
        let (told, hear) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            let answer = read.ok().filter(|bytes| 0 < *bytes).map(|_| line.trim().to_owned());
            // The receiver may be gone.
            drop(told.send(answer));
        });
        let answer = hear.await.ok().flatten();
        if answer.is_none() {
            // The line of the prompt is still open.
            self.line("");
        }
        answer
    }
}

/// A terminal that does not show what is typed, until this is dropped.
#[cfg(unix)]
struct Hidden(rustix::termios::Termios);

#[cfg(unix)]
impl Hidden {
    /// The standard input, if it is a terminal.
    fn input() -> Option<Self> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(io::stdin()).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &silent).ok()?;
        Some(Self(before))
    }
}

#[cfg(unix)]
impl Drop for Hidden {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Err(err) = tcsetattr(io::stdin(), OptionalActions::Now, &self.0) {
            tracing::warn!("the terminal does not show what is typed (`stty echo` helps): {err}");
        }
    }
}

/// On other systems what is typed is shown.
#[cfg(not(unix))]
struct Hidden;

#[cfg(not(unix))]
impl Hidden {
    fn input() -> Option<Self> {
        None
    }
}
