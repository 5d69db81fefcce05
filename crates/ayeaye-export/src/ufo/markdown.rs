//! `output.md`: the session as people read it, in the Markdown that both GitHub's and VS Code's
//! preview show. It grows as the session goes on, so nothing of it has to be remembered.
//!
//! What models, users and screens said stands in it literally: it can neither format nor link.
use ayeaye_agent::journal::{
    AgentType, Answer, AnswerSource, EvaluationRecord, QuestionAsked, ResumeReason, RoundEnd,
    SessionEnd, SessionResume, SessionStart, StepEnd,
};
use jiff::Timestamp;

use super::action::ActionView;
use super::line::{number, observation_text, to_seconds};
use super::pictures::PictureNames;
use super::state::Step;
use crate::markdown::{code, literal};
use crate::step_view::Dialogue;
use crate::text::put;

/// Characters of a text that are shown.
const LONGEST: usize = 4_000;

/// The head of the page.
pub(super) fn session(start: &SessionStart, ts: Timestamp) -> String {
    let device = &start.device;
    let [width, height] = device.wm_size;
    let mut page = format!("# {}\n\n", inline(&start.request));
    item(
        &mut page,
        "Phone",
        &format!(
            "{}, Android {}, {width}x{height} ({})",
            inline(&device.model),
            inline(&device.android_version),
            inline(&device.device_id)
        ),
    );
    item(&mut page, "Begun", &moment(ts));
    item(&mut page, "Steps allowed", &start.run.max_steps.to_string());
    item(&mut page, "Questions go to", &inline(&start.run.reply_mode));
    page
}

pub(super) fn resumed(resume: &SessionResume, ts: Timestamp) -> String {
    let why = match resume.why.known() {
        Some(ResumeReason::Reply) => "the question was answered",
        Some(ResumeReason::Guidance) => "with advice",
        Some(ResumeReason::NextRound) => "with the next request",
        Some(ResumeReason::Direct | ResumeReason::DirectAsked) => "with an act of the client's own",
        Some(ResumeReason::GivenUp) => "to be given up",
        Some(ResumeReason::GoOn) | None => "where it had stopped",
    };
    format!("\n*Continued, {why}, {}.*\n", moment(ts))
}

pub(super) fn stopped(end: &SessionEnd, ts: Timestamp) -> String {
    let mut page = format!("\n---\n\n**Stopped: {}**\n\n", code(&clipped(&end.stop_reason)));
    if !end.message.is_empty() {
        page.push_str(&quote(&end.message));
        page.push('\n');
    }
    item(&mut page, "Steps", &format!("{} ({} of them in this run)", end.steps, end.local_steps));
    item(&mut page, "Cost", &money(end.cost_usd, end.cost_known));
    item(&mut page, "Ended", &moment(ts));
    page
}

pub(super) fn round(number: u32, request: &str) -> String {
    format!("\n## Round {number}\n\n{}", quote(request))
}

pub(super) fn round_over(round: u32, end: &RoundEnd) -> String {
    let mut page =
        format!("\n**Round {round} is over: {}** after {} steps\n", inline(&end.status), end.steps);
    if !end.result.is_empty() {
        put(&mut page, format_args!("\n{}", quote(&end.result)));
    }
    page
}

pub(super) fn subtask_over(index: u32, status: &str, result: &str) -> String {
    format!("\n**Subtask {index} is over: {}** {}\n", inline(status), inline(result))
}

pub(super) fn step(
    step: &Step,
    end: &StepEnd,
    act: Option<&ActionView>,
    names: &PictureNames,
) -> String {
    let title = act.map_or("nothing decided", |act| act.function.as_str());
    let mut page = format!("\n### Step {}: {}\n\n", step.view.number, inline(title));
    let response = &end.response;
    let (observation, _) = observation_text(&response.observation, step);
    if step.view.start.agent_type == AgentType::HostAgent {
        item(&mut page, "Agent", "HostAgent");
        item(&mut page, "Next subtask", &inline(&response.current_subtask));
        item(&mut page, "To know for it", &inline(&response.message.join("; ")));
        item(&mut page, "Asks", &inline(&response.questions.join("; ")));
    } else if step.view.agent != *step.view.start.agent_type {
        // One of several app agents, each with a subtask of its own.
        item(&mut page, "Agent", &inline(&step.view.agent));
        item(&mut page, "Subtask", &inline(&step.view.start.subtask));
    }
    if step.view.start.agent_type == AgentType::Client {
        item(&mut page, "Decided by", "the client");
    }
    item(&mut page, "App", &inline(&step.view.screen.package));
    item(&mut page, "Seen", &inline(&observation));
    item(&mut page, "Thought", &inline(&response.thought));
    item(&mut page, "Comment", &inline(&response.comment));
    item(&mut page, "Plan", &inline(&response.plan.join("; ")));
    if let Some(act) = act {
        let on = act.target.as_ref().filter(|it| !it.name.is_empty());
        let on =
            on.map_or_else(String::new, |it| format!(" on \u{201c}{}\u{201d}", inline(&it.name)));
        let came_to = match act.status {
            "none" if act.unknown => "not known",
            // A question that waits has come to nothing yet.
            "none" => "",
            // What an agent says of itself is told by the status: giving up is no success.
            "success" if act.namespace == "agent" => "",
            known => known,
        };
        let colon = if came_to.is_empty() { "" } else { ": " };
        item(&mut page, "Action", &format!("{}{on}{colon}{came_to}", code(&clipped(&act.call))));
    }
    item(&mut page, "Status", &inline(&end.status));
    item(&mut page, "Result", &inline(&end.result));
    item(&mut page, "Not certain", &end.uncertain.as_deref().map(inline).unwrap_or_default());
    item(&mut page, "Error", end.error.as_ref().map_or(String::new(), |it| inline(it)).as_str());
    if 0 < step.view.unusable_replies {
        item(&mut page, "Replies that could not be used", &step.view.unusable_replies.to_string());
    }
    let times = end.time_ms;
    item(
        &mut page,
        "Time",
        &format!(
            "looking {:.2} s, model {:.2} s, acting {:.2} s, recording {:.2} s",
            to_seconds(times.data_collection),
            to_seconds(times.llm_interaction),
            to_seconds(times.action_execution),
            to_seconds(times.memory_update),
        ),
    );
    item(&mut page, "Cost", &money(end.cost_usd, end.cost_known));
    page.push_str(&images(step.view.number, names));
    for dialogue in &step.view.dialogue {
        page.push_str(&dialogue_text(dialogue));
    }
    page
}

pub(super) fn dialogue_text(dialogue: &Dialogue) -> String {
    match dialogue {
        Dialogue::Question(question) => asked(question),
        Dialogue::Answer(answer) => answered(answer),
    }
}

fn asked(question: &QuestionAsked) -> String {
    let mut text = question.questions.join("\n");
    if !question.options.is_empty() {
        put(&mut text, format_args!("\n({})", question.options.join(" / ")));
    }
    format!("\n**Question** ({}):\n\n{}", inline(&question.kind), quote(&text))
}

fn answered(answer: &Answer) -> String {
    let what = if answer.source == AnswerSource::Guidance { "Advice" } else { "Answer" };
    format!("\n**{what}** ({}):\n\n{}", inline(&answer.source), quote(&answer.answers.join("\n")))
}

pub(super) fn judged(facts: &EvaluationRecord) -> String {
    let mut page =
        format!("\n## Evaluation of the {}: {}\n\n", inline(&facts.level), inline(&facts.complete));
    page.push_str(&quote(&facts.reason));
    page.push('\n');
    for part in &facts.sub_scores {
        item(&mut page, &inline(&part.name), &inline(&part.evaluation));
    }
    item(&mut page, "Error", facts.error.as_ref().map_or(String::new(), |it| inline(it)).as_str());
    page
}

pub(super) fn noted(kind: &str, text: &str) -> String {
    format!("\n*Note ({}): {}*\n", inline(kind), inline(text))
}

fn images(step: u32, names: &PictureNames) -> String {
    let drawn = [&names.annotated, &names.selected];
    let shown = if names.annotated.is_empty() { vec![&names.clean] } else { drawn.to_vec() };
    let mut row = String::new();
    for name in shown.into_iter().filter(|name| !name.is_empty()) {
        put(&mut row, format_args!("<img src=\"{name}\" alt=\"Step {step}\" width=\"270\"> "));
    }
    if row.is_empty() { row } else { format!("\n<p>{}</p>\n", row.trim_end()) }
}

/// A point of a list, unless there is nothing to say.
fn item(page: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        put(page, format_args!("- **{name}:** {text}\n"));
    }
}

fn moment(ts: Timestamp) -> String {
    ts.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn money(usd: f64, known: bool) -> String {
    let usd = number(usd);
    match (known, usd == 0.0) {
        (true, _) => format!("${usd:.6}"),
        (false, true) => "price not known".to_owned(),
        (false, false) => format!("at least ${usd:.6}"),
    }
}

/// A text with all that Markdown or HTML would see in it taken literally, on one line.
fn inline(text: &str) -> String {
    let lines: Vec<String> = clipped(text).lines().map(literal).collect();
    lines.join("<br>")
}

/// A text as a quotation, line by line.
fn quote(text: &str) -> String {
    let lines: Vec<String> = clipped(text).lines().map(literal).collect();
    if lines.is_empty() { String::new() } else { format!("> {}\n", lines.join("<br>\n> ")) }
}

fn clipped(text: &str) -> String {
    let mut clipped: String = text.chars().take(LONGEST).collect();
    if clipped.len() < text.len() {
        clipped.push_str(" \u{2026}");
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_price_is_told() {
        assert_eq!(money(0.25, true), "$0.250000");
        assert_eq!(money(0.25, false), "at least $0.250000");
        assert_eq!(money(0.0, false), "price not known");
    }

    #[test]
    fn hostile_text_is_taken_literally() {
        assert_eq!(inline("# <b>*hi*</b>\n- [a](b)"), r"\# \<b\>\*hi\*\</b\><br>\- \[a\](b)");
        assert_eq!(quote("a\n\n> b"), "> a<br>\n> <br>\n> \\> b\n");
        assert_eq!(quote(""), "");
        assert!(inline(&"x".repeat(10_000)).chars().count() < 4_010);
    }
}
