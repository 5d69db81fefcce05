//! What the record says in names and numbers, in words for people.
#[cfg(test)]
mod tests;

use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{Action, DeviceCommand, Gesture, Point, QuestionKind, StopReason};
use jiff::Timestamp;

/// How something ended, for a colour. A word always stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Waiting,
    Running,
    Paused,
    Neutral,
}

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Waiting => "waiting",
            Self::Running | Self::Paused | Self::Neutral => "neutral",
        }
    }
}

/// How a run ended: its tone, in a word or two, and in a sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StopLabel {
    pub(crate) tone: Tone,
    pub(crate) word: &'static str,
    pub(crate) sentence: &'static str,
}

/// The ending of a session whose record cannot be read as far as that.
pub(crate) const END_NOT_READABLE: StopLabel = StopLabel {
    tone: Tone::Neutral,
    word: "End not readable",
    sentence: "The record cannot be read to its end, so how the task ended is not known here.",
};

/// The ending of a stop reason; of none, when the record has no end.
pub(crate) fn stop_label(stop_reason: Option<&str>) -> StopLabel {
    let Some(name) = stop_reason else {
        return StopLabel {
            tone: Tone::Neutral,
            word: "No end recorded",
            sentence: "The record has no end: either the task is still being worked on, or the \
                       server stopped in the middle of it, or the record could not be written.",
        };
    };
    let (tone, word, sentence) = match StopReason::from_name(name) {
        Some(StopReason::TaskCompletedSuccessfully) => {
            (Tone::Good, "Done", "The agent reported that the task is carried out.")
        }
        Some(StopReason::TaskAbortedByAgent) => {
            (Tone::Bad, "Given up", "The agent reported that the task cannot be carried out.")
        }
        Some(StopReason::InfoActionNeedsReply) => {
            (Tone::Waiting, "Waiting for an answer", "The agent asked something and is waiting.")
        }
        Some(StopReason::MaxStepsReached) => (
            Tone::Waiting,
            "Out of steps",
            "All allowed steps are used. The session can be continued.",
        ),
        Some(StopReason::ManualStopScreenOff) => {
            (Tone::Neutral, "Stopped at the phone", "Somebody switched the screen off.")
        }
        Some(StopReason::NotStarted) => {
            (Tone::Bad, "Not started", "The task could not be started.")
        }
        Some(StopReason::UserPaused) => (Tone::Paused, "Paused", "The operator paused the task."),
        Some(StopReason::Cancelled) => (Tone::Neutral, "Stopped", "The task was stopped."),
        Some(StopReason::StillRunning) => {
            (Tone::Running, "Still running", "The task is being worked on.")
        }
        Some(StopReason::DeviceLost) => {
            (Tone::Bad, "Phone lost", "The phone was lost and did not come back in time.")
        }
        Some(StopReason::ModelFailed) => (
            Tone::Bad,
            "Model failed",
            "The model did not answer, or not in a way that could be understood.",
        ),
        Some(StopReason::BudgetReached) => {
            (Tone::Waiting, "Out of budget", "The time, tokens or money allowed are used up.")
        }
        Some(StopReason::NoProgress) => (
            Tone::Bad,
            "No progress",
            "The agent did the same thing again and again on a screen that did not change.",
        ),
        Some(StopReason::ServerRestarted) => (
            Tone::Neutral,
            "Interrupted",
            "The server stopped in the middle of the run, or the record could not be written. The session can be \
             continued.",
        ),
        Some(StopReason::StorageFailed) => {
            (Tone::Bad, "Record failed", "The record could not be written, so the agent stopped.")
        }
        None => (Tone::Neutral, "Stopped", "This version does not know the reason."),
    };
    StopLabel { tone, word, sentence }
}

/// What a round's or a subtask's status means.
pub(crate) fn status(name: &str) -> (Tone, &'static str) {
    match name {
        "FINISH" => (Tone::Good, "Done"),
        "FAIL" => (Tone::Bad, "Given up"),
        "ERROR" => (Tone::Bad, "Failed"),
        "DROPPED" => (Tone::Neutral, "Replaced by the next request"),
        "PENDING" => (Tone::Waiting, "Asks"),
        "CONFIRM" => (Tone::Waiting, "Asks for permission"),
        "ASSIGN" => (Tone::Neutral, "Hands over"),
        "SCREENSHOT" => (Tone::Neutral, "Looks again"),
        "CONTINUE" => (Tone::Neutral, "Goes on"),
        _ => (Tone::Neutral, "Stopped"),
    }
}

/// Whether a step of this status has asked somebody. What it says besides is why its act waits, not what went wrong.
pub(crate) fn asks(status: &str) -> bool {
    matches!(status, "PENDING" | "CONFIRM")
}

/// A judgement.
pub(crate) fn evaluation(complete: &str) -> (Tone, &'static str) {
    match complete {
        "yes" => (Tone::Good, "Yes"),
        "no" => (Tone::Bad, "No"),
        _ => (Tone::Waiting, "Unsure"),
    }
}

/// Why a run was continued.
pub(crate) fn resumed(why: &str) -> &'static str {
    match why {
        "reply" => "went on with an answer",
        "guidance" => "went on with advice",
        "next_round" => "went on with a new request",
        "given_up" => "the user gave it up",
        "direct" | "direct_asked" => "the client acted itself",
        _ => "went on",
    }
}

/// Who gave an answer.
pub(crate) fn speaker(source: &str) -> &'static str {
    match source {
        "client" => "The user",
        "manual" => "The operator",
        "auto" => "A model, in the user\u{2019}s place",
        "none" => "Nobody was there; the agent was told",
        "guidance" => "Advice, unasked",
        _ => "Answer",
    }
}

/// What is asked for.
pub(crate) fn question(kind: &str) -> &'static str {
    match QuestionKind::from_name(kind) {
        Some(QuestionKind::Confirm) => "The agent asks for permission",
        Some(QuestionKind::Takeover) => "The agent asks for a hand on the phone",
        Some(QuestionKind::Info) | None => "The agent asks",
    }
}

/// An action in words: what is done, and to what. The second part is from the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActionText {
    /// Such as "Tap".
    pub(crate) verb: String,
    /// What the model wrote: a text, an app, a question; may be empty.
    pub(crate) object: String,
    /// Where and how, such as "at 57 %, 28 %"; may be empty.
    pub(crate) how: String,
}

/// An action in words. One that this version does not know keeps its name and its arguments.
pub(crate) fn describe_action(facts: &ActionRecord, longest: usize) -> ActionText {
    let clip = |text: &str| {
        let kept: String = text.chars().take(longest).collect();
        if kept.len() < text.len() { kept + "\u{2026}" } else { kept }
    };
    let plain = |verb: &str, object: &str, how: String| ActionText {
        verb: verb.to_owned(),
        object: clip(object),
        how,
    };
    let Ok(action) = Action::try_from(facts) else {
        let arguments = facts.describe();
        let arguments = arguments.strip_prefix(&facts.function).unwrap_or(&arguments).trim();
        return ActionText {
            verb: clip(&facts.function),
            object: clip(arguments),
            how: String::new(),
        };
    };
    match &action {
        Action::Gesture(Gesture::Click { point }) => plain("Tap", "", at(*point)),
        Action::Gesture(Gesture::DoubleClick { point }) => plain("Tap twice", "", at(*point)),
        Action::Gesture(Gesture::LongPress { point, duration }) => {
            let how = format!("{} for {}", at(*point), millis(duration.as_secs_f64() * 1e3));
            plain("Press and hold", "", how)
        }
        Action::Gesture(Gesture::Type { text, point, clear, submit }) => {
            let mut how: Vec<String> = point.iter().map(|point| at(*point)).collect();
            if *clear {
                how.push("in place of what was there".to_owned());
            }
            if *submit {
                how.push("then enter".to_owned());
            }
            plain("Type", text, how.join(", "))
        }
        Action::Gesture(Gesture::Slide { from, to, duration }) => {
            let time = millis(duration.as_secs_f64() * 1e3);
            plain("Slide", "", format!("from {} to {} in {time}", percent(*from), percent(*to)))
        }
        Action::Gesture(Gesture::Scroll { direction, at: place }) => plain(
            "Scroll",
            "",
            format!("{direction}{}", place.map_or(String::new(), |it| { format!(" {}", at(it)) })),
        ),
        Action::Gesture(Gesture::Drag { from, to }) => {
            plain("Drag", "", format!("from {} to {}", percent(*from), percent(*to)))
        }
        Action::Gesture(Gesture::Awake { app }) => plain("Open", app, String::new()),
        Action::Gesture(Gesture::HotKey { key }) => plain("Press", key.name(), String::new()),
        Action::Gesture(Gesture::Command(command)) => command_text(command, plain),
        Action::Wait(time) => plain("Wait", "", millis(time.as_secs_f64() * 1e3)),
        Action::Note { text } => plain("Remember", text, String::new()),
        Action::Info(question) => plain("Ask", &question.text, String::new()),
        Action::Confirm { gesture, question } => {
            plain("Ask for leave", &question.text, format!("before {}", gesture.name()))
        }
        Action::Complete { message } => plain("Report that it is done", message, String::new()),
        Action::Abort { reason } => plain("Give up", reason, String::new()),
    }
}

fn command_text(
    command: &DeviceCommand,
    plain: impl Fn(&str, &str, String) -> ActionText,
) -> ActionText {
    match command {
        DeviceCommand::OpenUrl { url } => plain("Open", url, String::new()),
        DeviceCommand::StopApp { app } => plain("Stop", app, String::new()),
        DeviceCommand::Install { file, package: None } => plain("Install", file, String::new()),
        DeviceCommand::Install { file, package: Some(package) } => {
            plain("Install", &package.name, format!("from {file}"))
        }
        DeviceCommand::Uninstall { app } => plain("Uninstall", app, String::new()),
        DeviceCommand::SendFile { file, to } => plain("Send the file", file, format!("to {to}")),
        DeviceCommand::FetchFile { from, file } => {
            plain("Fetch the file", from, format!("as {file}"))
        }
    }
}

fn at(point: Point) -> String {
    format!("at {}", percent(point))
}

fn percent(point: Point) -> String {
    let of = |thousandths: u16| format!("{:.1}", f64::from(thousandths) / 10.0);
    format!("{}\u{a0}%, {}\u{a0}%", of(point.x()), of(point.y()))
}

/// A stretch of time, from milliseconds.
pub(crate) fn millis(ms: f64) -> String {
    let ms = if ms.is_finite() { ms.clamp(0.0, 1e15) } else { 0.0 };
    if ms < 1.0 {
        return if ms == 0.0 { "0\u{a0}ms".to_owned() } else { "<\u{a0}1\u{a0}ms".to_owned() };
    }
    if ms < 999.5 {
        return format!("{ms:.0}\u{a0}ms");
    }
    if ms < 59_950.0 {
        return format!("{:.1}\u{a0}s", ms / 1e3);
    }
    let seconds = (ms / 1e3).round();
    let minutes = (seconds / 60.0).floor();
    if minutes < 60.0 {
        return format!("{minutes:.0}\u{a0}min {:.0}\u{a0}s", seconds - minutes * 60.0);
    }
    let hours = (minutes / 60.0).floor();
    if hours < 48.0 {
        return format!("{hours:.0}\u{a0}h {:.0}\u{a0}min", minutes - hours * 60.0);
    }
    format!("{:.0}\u{a0}days", (hours / 24.0).floor())
}

/// Milliseconds from one moment to another, never less than none.
pub(crate) fn between(from: Timestamp, to: Timestamp) -> f64 {
    let from = from.as_microsecond();
    #[expect(clippy::cast_precision_loss, reason = "spans of years are exact enough")]
    let ms = to.as_microsecond().saturating_sub(from).max(0) as f64 / 1e3;
    ms
}

/// Money, and whether all of it is known.
pub(crate) fn money(usd: f64, known: bool) -> String {
    let usd = if usd.is_finite() { usd.max(0.0) } else { 0.0 };
    let amount = if usd == 0.0 {
        "$0".to_owned()
    } else if usd < 0.01 {
        format!("${usd:.5}")
    } else {
        format!("${usd:.4}")
    };
    match (known, usd == 0.0) {
        (true, _) => amount,
        (false, true) => "price not known".to_owned(),
        (false, false) => format!("at least {amount}"),
    }
}

/// A number with thin spaces between its thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if 0 < at && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// "1 step", "2 steps".
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", grouped(number), if number == 1 { one } else { many })
}

/// A day and a time, UTC.
pub(crate) fn moment(ts: Timestamp) -> String {
    ts.strftime("%-d %B %Y, %H:%M:%S UTC").to_string()
}

/// A time of day, UTC.
pub(crate) fn clock(ts: Timestamp) -> String {
    ts.strftime("%H:%M:%S").to_string()
}
