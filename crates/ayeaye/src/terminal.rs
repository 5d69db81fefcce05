//! Output to and questions at the terminal. The only code that writes to stdout besides MCP, and never
//! in the same process as MCP on stdio.
mod fold;
mod status;

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::OnceLock;

use ayeaye_agent::{Report, StepSummary};
use serde::Serialize;

pub(crate) use self::fold::cut;
pub use self::status::Waiting;
use crate::text::{count, one_line};

/// The longest line of prose.
const MOST_COLUMNS: usize = 93;

/// The first failure of a write to stdout: its kind and its text.
static FAILURE: OnceLock<(io::ErrorKind, String)> = OnceLock::new();

/// What a person at the terminal reads: on stdout, or on stderr where stdout is for a program.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    colour: bool,
    stream: Stream,
    /// Whether waits are shown while they last.
    shows_waits: bool,
    /// Whether they are dimmed.
    dims_waits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

/// What a person types to end the input.
pub const END_OF_INPUT: &str = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A text that is not empty.
    Text(String),
    /// Just Enter.
    Empty,
    /// Nothing, and nothing will come: there is no input, or it has ended ([`END_OF_INPUT`]).
    Ended,
}

impl Answer {
    /// The text, if there is one.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Empty | Self::Ended => None,
        }
    }

    /// Without blanks around it.
    fn trimmed(self) -> Self {
        match self {
            Self::Text(text) => Self::Text(text.trim().to_owned()),
            other => other,
        }
    }
}

impl Terminal {
    /// With colours if stdout is a terminal and the user does not refuse them (`NO_COLOR`); waits are
    /// shown if stderr is one that can (`dumb` is one that cannot).
    pub fn new(no_color: bool, dumb: bool) -> Self {
        let dumb = dumb || !understands_colours();
        let colour = !no_color && !dumb && io::stdout().is_terminal();
        let shows_waits = !dumb && io::stderr().is_terminal();
        Self { colour, stream: Stream::Out, shows_waits, dims_waits: !no_color }
    }

    /// This terminal on stderr: stdout is for [`json`](Self::json).
    #[must_use]
    pub fn beside_json(self) -> Self {
        Self { colour: self.colour && io::stderr().is_terminal(), stream: Stream::Err, ..self }
    }

    /// Writes a line, folded to the width of the terminal where there is one. A closed pipe does not stop a task;
    /// [`output_failure`] tells of it at the end.
    pub fn line(self, text: &str) {
        match self.columns() {
            Some(columns) => self.verbatim(&fold::folded(text, columns)),
            None => self.verbatim(text),
        }
    }

    /// Writes prose, in lines that are not too long to read.
    pub fn paragraph(self, text: &str) {
        let columns = self.columns().unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS);
        self.verbatim(&fold::folded(text, columns));
    }

    /// Writes a text beside what it is about; its later lines begin below its first.
    pub fn beside(self, head: &str, text: &str) {
        let indent = fold::width(head);
        // Beside a head that leaves no room, the terminal breaks the lines.
        let room = self.columns().and_then(|it| it.checked_sub(indent)).filter(|it| 20 <= *it);
        let text = match room {
            Some(room) => fold::folded(text, room),
            None => text.to_owned(),
        };
        let text = text.replace('\n', &format!("\n{}", " ".repeat(indent)));
        self.verbatim(&format!("{head}{text}"));
    }

    /// How many columns there are, if this writes to a terminal.
    pub fn columns(self) -> Option<usize> {
        let is_terminal = match self.stream {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        };
        columns().filter(|_| is_terminal)
    }

    /// Writes a line as it is, however wide: what is copied, or is no text.
    pub fn verbatim(self, text: &str) {
        status::around(|| match self.stream {
            Stream::Out => note_failure(writeln!(io::stdout().lock(), "{text}")),
            // There is nowhere to report to.
            Stream::Err => drop(writeln!(io::stderr().lock(), "{text}")),
        });
    }

    /// Writes one JSON document to stdout, for programs.
    #[expect(clippy::unused_self, reason = "writing to stdout needs a terminal at hand")]
    pub fn json(self, value: &impl Serialize) {
        let text = serde_json::to_string_pretty(value).expect("what is shown has plain keys");
        let text = crate::text::json_for_terminals(&text);
        status::around(|| note_failure(writeln!(io::stdout().lock(), "{text}")));
    }

    /// Writes a text as it is to stdout.
    #[expect(clippy::unused_self, reason = "writing to stdout needs a terminal at hand")]
    pub fn raw(self, bytes: &[u8]) {
        status::around(|| {
            let mut out = io::stdout().lock();
            note_failure(out.write_all(bytes).and_then(|()| out.flush()));
        });
    }

    /// Shows, until the result is dropped, what is waited for and for how long.
    pub fn waiting(self, what: &str) -> Waiting {
        Waiting::begin(what, self.shows_waits, self.dims_waits)
    }

    /// Writes a line with a label.
    pub fn item(self, name: &str, text: &str) {
        self.beside(&format!("{} ", self.bold(&format!("{name:<9}"))), text);
    }

    /// Writes a step in words.
    pub fn step_in_words(self, line: &StepSummary) {
        self.numbered(u64::from(line.step) + 1, &line.in_words());
    }

    /// Writes what belongs to the step above.
    pub fn below_step(self, text: &str) {
        self.beside("      ", text);
    }

    /// Writes a step of that number, counted from 1.
    pub fn numbered(self, number: u64, words: &str) {
        self.beside(&format!("  {number:>2}  "), &one_line(words));
    }

    /// Writes how the time of a run was spent.
    pub fn usage(self, report: &Report) {
        let usage = report.usage;
        self.time(usage.model_ms / 1e3, usage.other_ms / 1e3, report.local_steps.into());
    }

    /// Writes how so many steps spent their time, in seconds.
    pub fn time(self, model: f64, other: f64, steps: u64) {
        self.item(
            "time",
            &format!(
                "{:.1} s: model {model:.1} s, everything else {other:.1} s ({})",
                model + other,
                count(steps, "step", "steps")
            ),
        );
    }

    /// The text in bold.
    pub fn bold(self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// A text in black on white whatever the terminal's colours are, for what is read by a camera. Without
    /// colours, on a dark terminal, it is what it would be on a white one only if `inverted` is given.
    pub fn on_white(self, text: &str, inverted: &str) -> String {
        if self.colour {
            format!("\u{1b}[38;5;16;48;5;231m{text}\u{1b}[0m")
        } else {
            inverted.to_owned()
        }
    }

    /// Asks for a secret: what is typed is not shown, where the terminal allows that. Blanks around it are no part
    /// of it.
    ///
    /// The terminal shows it again when what is returned is dropped, and not when the program dies: whoever awaits it
    /// listens for signals.
    pub async fn ask_secret(self, prompt: &str) -> Answer {
        self.ask_secret_as_typed(prompt).await.trimmed()
    }

    /// Asks for a secret that is kept to the last blank.
    #[cfg(unix)]
    pub async fn ask_secret_as_typed(self, prompt: &str) -> Answer {
        let hidden = Hidden::input();
        let answer = self.ask_as_typed(prompt).await;
        if hidden.is_some() && answer != Answer::Ended {
            // The line break was not echoed either.
            self.line("");
        }
        answer
    }

    /// Asks for a secret that is kept to the last blank.
    #[cfg(not(unix))]
    pub async fn ask_secret_as_typed(self, prompt: &str) -> Answer {
        if !io::stdin().is_terminal() {
            return self.ask_as_typed(prompt).await;
        }
        self.prompt(prompt);
        self.read_answer(|| rpassword::read_password().map(Some)).await
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

    /// Asks a person; an empty line is an answer. `None` when nobody can answer.
    pub async fn ask_line(self, prompt: &str) -> Option<String> {
        match self.ask(prompt).await {
            Answer::Text(text) => Some(text),
            Answer::Empty => Some(String::new()),
            Answer::Ended => None,
        }
    }

    /// Asks a person. Blanks around the answer are no part of it.
    pub async fn ask(self, prompt: &str) -> Answer {
        self.ask_as_typed(prompt).await.trimmed()
    }

    async fn ask_as_typed(self, prompt: &str) -> Answer {
        self.prompt(prompt);
        self.read_answer(|| {
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line)?;
            Ok((0 < read).then_some(line))
        })
        .await
    }

    /// The line that this reads; `None` where the input has ended.
    async fn read_answer(
        self,
        read: impl FnOnce() -> io::Result<Option<String>> + Send + 'static,
    ) -> Answer {
        // In a thread: the read may block until the process ends.
        let (told, hear) = tokio::sync::oneshot::channel();
        // The receiver may be gone.
        std::thread::spawn(move || drop(told.send(read())));
        let read = hear.await.unwrap_or(Ok(None));
        if matches!(read, Ok(Some(_))) && !io::stdin().is_terminal() {
            // No terminal has shown the line that was read, nor its end.
            self.line("");
        }
        match read {
            Ok(None) => {
                // The line of the prompt is still open.
                self.line("");
                Answer::Ended
            }
            Err(err) => {
                self.line(&format!("\nwhat was typed cannot be read: {err}"));
                Answer::Ended
            }
            Ok(Some(line)) if is_end(&line) => Answer::Ended,
            Ok(Some(line)) if line.trim().is_empty() => Answer::Empty,
            Ok(Some(line)) => Answer::Text(line.trim_end_matches(['\n', '\r']).to_owned()),
        }
    }

    fn prompt(self, prompt: &str) {
        // One column is for the blank before the answer.
        let prompt = match self.columns() {
            Some(columns) => fold::folded(prompt, columns.saturating_sub(1)),
            None => prompt.to_owned(),
        };
        let prompt = self.bold(&prompt);
        match self.stream {
            Stream::Out => {
                let mut out = io::stdout().lock();
                note_failure(write!(out, "{prompt} ").and_then(|()| out.flush()));
            }
            Stream::Err => drop(write!(io::stderr().lock(), "{prompt} ")),
        }
    }
}

/// Whether a line is the sign that ends the input on some system, where this one passes it on: the console of Windows
/// does so with Ctrl-D, which nobody means as an answer.
fn is_end(line: &str) -> bool {
    matches!(line.trim_end_matches(['\n', '\r']), "\u{4}" | "\u{1a}")
}

fn note_failure(written: io::Result<()>) {
    if let Err(err) = written {
        // The first one says most; a full disk may be followed by a closed pipe.
        FAILURE.get_or_init(|| (err.kind(), err.to_string()));
    }
}

/// A text for stderr, folded where that is a terminal.
pub fn folded_for_stderr(text: &str) -> String {
    match columns().filter(|_| io::stderr().is_terminal()) {
        Some(columns) => fold::folded(text, columns),
        None => text.to_owned(),
    }
}

/// How many columns the terminal has, if there is one.
pub fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0)).filter(|columns| 0 < *columns)
}

/// What went wrong with stdout so far: the kind of the error and its text.
pub fn output_failure() -> Option<(io::ErrorKind, &'static str)> {
    note_failure(io::stdout().flush());
    FAILURE.get().map(|(kind, text)| (*kind, text.as_str()))
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

/// Whether the terminal takes colours for what they are. The console of Windows has to be told to.
#[cfg(windows)]
pub fn understands_colours() -> bool {
    anstyle_query::windows::enable_ansi_colors().unwrap_or(false)
}

/// Whether the terminal takes colours for what they are.
#[cfg(not(windows))]
pub const fn understands_colours() -> bool {
    true
}
