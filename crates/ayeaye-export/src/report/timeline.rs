//! The rounds as chapters, and what lies between their steps: questions, answers, interruptions,
//! notes, judgements.
use ayeaye_agent::journal::{EvaluationLevel, EvaluationRecord};
use jiff::Timestamp;

use super::html::{Clipped, Html};
use super::item::{Ended, Round, RoundOver, TimelineItem, ToolCall};
use super::model::ReportModel;
use super::page::{Page, chip};
use super::step::{self, tool_call_line};
use crate::labels;

/// Everything that is told, in the order of the record.
pub(super) fn items(page: &mut Page<'_>) {
    let model = page.model;
    let several = 1 < model.totals.rounds;
    page.html.raw("<section class=\"chapter\">");
    if !several {
        page.html.raw("<h2 class=\"plain\">Step by step</h2>");
    } else if let Some(number) = model.in_round {
        round_header(&mut page.html, number, None);
    }
    if 0 < model.dropped_steps {
        let html = &mut page.html;
        html.raw("<p class=\"aside\">The first ").text(&labels::count(
            model.dropped_steps,
            "step is",
            "steps are",
        ));
        html.raw(" left out to keep this page readable. They are in the record.</p>");
    }
    for (at, item) in model.items.iter().enumerate() {
        match &**item {
            TimelineItem::Round(round) => {
                if several {
                    page.html.raw("</section>\n<section class=\"chapter\">");
                    round_header(&mut page.html, round.number, Some(round));
                }
            }
            TimelineItem::RoundOver(number, over) => {
                if several || over.status != "FINISH" {
                    round_over(&mut page.html, *number, over);
                }
            }
            TimelineItem::Step(step) => step::step(page, step),
            TimelineItem::Question { at, kind, texts, options, app } => {
                question(&mut page.html, *at, kind, texts, options, app);
            }
            TimelineItem::Answer { at, source, texts } => {
                answer(&mut page.html, *at, source, texts);
            }
            TimelineItem::Pause { stopped, at, why } => {
                pause(&mut page.html, stopped.as_ref(), *at, why);
            }
            TimelineItem::ToolCall(at, tool_call) => {
                standalone_tool_call(&mut page.html, *at, tool_call);
            }
            TimelineItem::SubtaskOver { at, index, status, result } => {
                let html = &mut page.html;
                let (tone, word) = labels::status(status);
                aside(html, *at).raw("Subtask ").number(index.saturating_add(1)).raw(" ");
                chip(html, tone, word);
                result.show(html, "span", "value");
                html.raw("</div>");
            }
            TimelineItem::Snapshot { at: time, scopes, picture } => {
                step::snapshot(page, *time, &what_ended(model, at, scopes), picture);
            }
            TimelineItem::Evaluation { at, facts } => evaluation(&mut page.html, *at, facts),
            TimelineItem::Note { at, kind, text, figures } => {
                let html = &mut page.html;
                aside(html, *at).raw("Note <code>").text(&kind.text).raw("</code> ");
                text.show(html, "span", "value");
                if !figures.is_empty() {
                    html.raw(" <code>").text(&figures.text).raw("</code>");
                }
                html.raw("</div>");
            }
        }
    }
    page.html.raw("</section>\n");
}

/// What is over with the last screen that is told at this place. The record has one of the round and the session also
/// where a run merely stopped, to ask somebody or for want of steps; and the session goes on with the next run.
fn what_ended(model: &ReportModel, at: usize, scopes: &[String]) -> Vec<&'static str> {
    let behind = || model.items.iter().skip(at + 1);
    let goes_on = |item: &TimelineItem| {
        matches!(
            item,
            TimelineItem::Step(_)
                | TimelineItem::Round(_)
                | TimelineItem::Answer { .. }
                | TimelineItem::Pause { .. }
        )
    };
    let round_over = behind()
        .take_while(|item| !goes_on(item))
        .any(|item| matches!(**item, TimelineItem::RoundOver(..)));
    let session_over = round_over && !behind().any(|item| goes_on(item));
    // Where nobody plans, the end of the only subtask is that of the round.
    let planned = model.has_host_agent();
    let ended = scopes.iter().filter_map(|scope| match scope.as_str() {
        "sub_round" => (planned || scopes.len() == 1).then_some("the subtask"),
        "round" => round_over.then_some("the round"),
        "session" => session_over.then_some("the session"),
        _ => Some("a part"),
    });
    ended.collect()
}

fn round_header(html: &mut Html, number: u32, round: Option<&Round>) {
    let shown = number.saturating_add(1);
    html.raw("<header class=\"round\" id=\"round-")
        .number(shown)
        .raw("\"><p class=\"kicker\">Round ");
    html.number(shown);
    match round {
        Some(round) => {
            html.raw(" \u{b7} ").text(&labels::clock(round.at)).raw("</p>");
            round.request.show(html, "h2", "");
        }
        None => {
            html.raw("</p><h2>This round began before the first step shown here</h2>");
        }
    }
    html.raw("</header>");
}

fn round_over(html: &mut Html, number: u32, over: &RoundOver) {
    let (tone, word) = labels::status(&over.status);
    html.raw("<div class=\"round-over ").raw(tone.class()).raw("\"><b>Round ");
    html.number(number.saturating_add(1)).raw("</b> ");
    chip(html, tone, word);
    if !over.result.is_empty() {
        over.result.show(html, "p", "value");
    }
    html.raw("<p class=\"reason\">").text(&labels::count(over.steps.into(), "step", "steps"));
    if 0.0 < over.cost_usd {
        html.raw(" \u{b7} ").text(&labels::money(over.cost_usd, over.cost_known));
    }
    if !over.reason.is_empty() {
        html.raw(" \u{b7} ").text(&over.reason);
    }
    html.raw("</p></div>");
}

fn question(
    html: &mut Html,
    at: Timestamp,
    kind: &str,
    asked: &[Clipped],
    options: &[Clipped],
    app: &Clipped,
) {
    html.raw("<div class=\"talk asks\"><p class=\"who\">").raw(labels::question(kind));
    html.raw(" <time>").text(&labels::clock(at)).raw("</time>");
    if !app.is_empty() {
        html.raw(" <span class=\"app\">in ").text(&app.text).raw("</span>");
    }
    html.raw("</p>");
    for labels in asked {
        labels.show(html, "p", "words");
    }
    if !options.is_empty() {
        html.raw("<ul class=\"options\">");
        for option in options {
            option.show(html, "li", "");
        }
        html.raw("</ul>");
    }
    html.raw("</div>");
}

fn answer(html: &mut Html, at: Timestamp, source: &str, model_text: &[Clipped]) {
    html.raw("<div class=\"talk says\"><p class=\"who\">").raw(labels::speaker(source));
    html.raw(" <time>").text(&labels::clock(at)).raw("</time></p>");
    for labels in model_text {
        labels.show(html, "p", "words");
    }
    html.raw("</div>");
}

fn pause(html: &mut Html, stopped: Option<&Ended>, at: Timestamp, why: &str) {
    let stop_label = labels::stop_label(stopped.map(|it| it.reason.as_str()));
    html.raw("<div class=\"pause\"><b>").raw(stop_label.word).raw("</b>");
    if let Some(stopped) = stopped {
        let same_day = stopped.at.strftime("%F").to_string() == at.strftime("%F").to_string();
        let clock = |at| if same_day { labels::clock(at) } else { labels::moment(at) };
        html.raw(if stopped.cut_off { "; last recorded at " } else { " at " });
        html.text(&clock(stopped.at));
        let gap = labels::between(stopped.at, at);
        html.raw("; ").raw(labels::resumed(why)).raw(" at ").text(&clock(at));
        if 60_000.0 <= gap {
            html.raw(", ").text(&labels::millis(gap)).raw(" later");
        }
        html.raw(".");
        stopped.message.show(html, "p", "value");
    } else {
        html.raw("; ").raw(labels::resumed(why)).raw(" at ").text(&labels::clock(at)).raw(".");
    }
    html.raw("</div>");
}

/// What was done to the phone outside of steps: made ready, woken.
fn standalone_tool_call(html: &mut Html, at: Timestamp, tool_call: &ToolCall) {
    aside(html, at);
    tool_call_line(html, tool_call);
    html.raw("</div>");
}

fn evaluation(html: &mut Html, at: Timestamp, facts: &EvaluationRecord) {
    let (tone, word) = labels::evaluation(&facts.complete);
    html.raw("<div class=\"judged ").raw(tone.class()).raw("\"><p class=\"who\">Judgement of the ");
    html.raw(if facts.level == EvaluationLevel::Session { "session" } else { "round" });
    html.raw(" <time>").text(&labels::clock(at)).raw("</time> ");
    chip(html, tone, word);
    html.raw("</p>");
    html.text_block("p", "words", &facts.reason);
    if let Some(error) = &facts.error {
        html.text_block("p", "error-text", error);
    }
    if !facts.sub_scores.is_empty() {
        html.raw("<ul class=\"scores\">");
        for score in &facts.sub_scores {
            let (tone, word) = labels::evaluation(&score.evaluation);
            html.raw("<li>");
            chip(html, tone, word);
            html.text_block("span", "", &score.name).raw("</li>");
        }
        html.raw("</ul>");
    }
    html.raw("<p class=\"quiet\">")
        .text(&labels::grouped(facts.tokens.total))
        .raw(" tokens \u{b7} ");
    html.text(&labels::money(facts.cost_usd, facts.cost_known)).raw("</p></div>");
}

fn aside(html: &mut Html, at: Timestamp) -> &mut Html {
    html.raw("<div class=\"aside\"><time>").text(&labels::clock(at)).raw("</time> ")
}
