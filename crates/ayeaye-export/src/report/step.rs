//! One step: the screen with its mark, what was thought, said and done, and what it took.
use ayeaye_agent::journal::BlobRef;
use jiff::Timestamp;

use super::html::{Clipped, Html};
use super::item::{Observation, Step, StepOver, ToolCall};
use super::overlay::{self, ElementOutline, height};
use super::page::{Page, chip, title};
use super::replies;
use crate::labels::{self, Tone};

/// The result of a gesture that had none but that.
const DONE: &str = "done";

pub(super) fn step(page: &mut Page<'_>, step: &Step) {
    let number = step.number.saturating_add(1);
    page.html.raw("<article class=\"step\"");
    if page.anchors.insert(number) {
        page.html.raw(" id=\"step-").number(number).raw("\"");
    }
    page.html.raw(">");
    shot(page, step);
    page.html.raw("<div class=\"tell\">");
    top(&mut page.html, step, page.model.start.as_ref().map(|it| it.at));
    model_text(&mut page.html, step);
    outcome(&mut page.html, step);
    if let Some(end) = &step.end {
        costs(&mut page.html, step, end);
    }
    replies::replies(page, step);
    page.html.raw("</div></article>\n");
}

/// The screen at the end of something.
pub(super) fn snapshot(page: &mut Page<'_>, at: Timestamp, ended: &[&str], picture: &BlobRef) {
    let size = page.pictures.size(picture).unwrap_or([720, 1600]);
    page.html.raw("<article class=\"step snapshot\"><figure class=\"shot\">");
    framed(&mut page.html, size);
    let what = if ended.is_empty() {
        "The screen when the run stopped".to_owned()
    } else {
        format!("The screen at the end of {}", ended.join(" and "))
    };
    page.pictures.show(&mut page.html, page.blobs, picture, size, &what);
    page.html.raw("</div></figure><div class=\"tell\"><p class=\"top\"><time>");
    page.html.text(&labels::clock(at)).raw("</time></p><h3>").text(&what);
    page.html.raw("</h3></div></article>\n");
}

fn shot(page: &mut Page<'_>, step: &Step) {
    let Some(observation) = &step.observation else {
        page.html.raw("<figure class=\"shot\"><div class=\"frame empty\"><span class=\"absent\">");
        page.html.raw("Nothing was seen in this step.</span></div></figure>");
        return;
    };
    let number = step.number.saturating_add(1);
    page.html.raw("<figure class=\"shot\">");
    framed(&mut page.html, observation.size);
    let mut there = false;
    if let Some(picture) = &observation.picture {
        let alt = alt(step, observation);
        there = page.pictures.show(&mut page.html, page.blobs, picture, observation.size, &alt);
        let target = step.act().and_then(|tool_call| tool_call.target.as_ref());
        let outline = target.and_then(|it| ElementOutline::new(it.rect, observation.screen));
        let overlay = step.action.as_ref().and_then(overlay::touch_mark);
        let line = match step.act() {
            Some(_) if !step.failed() => overlay::MarkStyle::Whole,
            Some(_) => overlay::MarkStyle::Dashed,
            None => overlay::MarkStyle::Meant,
        };
        overlay::draw(&mut page.html, overlay, outline, observation.size, line);
    } else {
        page.html.raw("<span class=\"absent\">No picture was kept.</span>");
    }
    if there {
        let html = &mut page.html;
        html.raw("<input type=\"checkbox\" class=\"zoom\" title=\"Larger\" ");
        html.raw("aria-label=\"Show the screen of step ").number(number).raw(" larger\">");
    }
    page.html.raw("</div><figcaption>");
    caption(&mut page.html, observation);
    page.html.raw("</figcaption></figure>");
}

/// The frame keeps the picture's shape before the picture is there.
fn framed(html: &mut Html, size: [u32; 2]) {
    html.raw("<div class=\"frame\" style=\"aspect-ratio:1000/").number(height(size)).raw("\">");
}

fn alt(step: &Step, observation: &Observation) -> String {
    let mut alt = format!("The screen at step {}", step.number.saturating_add(1));
    if !observation.app.is_empty() {
        alt.push_str(" in ");
        alt.push_str(&observation.app.text);
    }
    if let Some(action) = step.action.as_ref().filter(|it| overlay::touch_mark(it).is_some()) {
        let labels::ActionText { verb, how, .. } = labels::describe_action(action, 0);
        alt.push_str(if step.act().is_some() { "; marked: " } else { "; meant, and not done: " });
        alt.push_str(&verb);
        alt.push(' ');
        alt.push_str(&how);
    }
    alt
}

fn caption(html: &mut Html, observation: &Observation) {
    if observation.app.is_empty() {
        html.raw("<span>App in front not known</span>");
    } else {
        html.raw("<span class=\"app\">").text(&observation.app.text).raw("</span>");
        if !observation.activity.is_empty() {
            html.raw("<span class=\"activity\">").text(&observation.activity.text).raw("</span>");
        }
    }
    if !observation.screen_on {
        html.raw("<span class=\"warn\">The screen was off.</span>");
    }
    if !observation.settled {
        html.raw("<span class=\"warn\">The screen was still moving.</span>");
    }
    if 0 < observation.blackened {
        html.raw("<span>").text(&labels::count(observation.blackened.into(), "place", "places"));
        html.raw(" blacked out</span>");
    }
}

fn top(html: &mut Html, step: &Step, start: Option<Timestamp>) {
    let number = step.number.saturating_add(1);
    html.raw("<p class=\"top\"><a class=\"no\" href=\"#step-").number(number).raw("\">Step ");
    html.number(number).raw("</a> <time>").text(&labels::clock(step.at)).raw("</time>");
    if let Some(start) = start {
        html.raw(" <span class=\"quiet\">+").text(&labels::millis(labels::between(start, step.at)));
        html.raw("</span>");
    }
    if step.agent.text == "HostAgent" {
        html.raw(" <span class=\"tag\">Host agent: plans</span>");
    }
    if let Some(app) = step.agent.text.strip_prefix("AppAgent_") {
        html.raw(" <span class=\"tag\">App agent: ").text(app).raw("</span>");
    }
    if step.agent.text == "Client" {
        html.raw(" <span class=\"tag\">The client itself</span>");
    }
    match &step.end {
        None => chip(html, Tone::Neutral, "No end recorded"),
        Some(_) if step.failed() => chip(html, Tone::Bad, "Failed"),
        Some(end) if end.status != "CONTINUE" => {
            let (tone, word) = labels::status(&end.status);
            chip(html, tone, word);
        }
        Some(_) => {}
    }
    html.raw("</p>");
}

fn model_text(html: &mut Html, step: &Step) {
    let model_text = &step.model_text;
    let titled = !model_text.comment.text.trim().is_empty();
    if titled {
        model_text.comment.show(html, "h3", "");
    } else {
        html.text_block("h3", "", &title(step, 300));
    }
    let mut described = None;
    if let Some(action) = &step.action {
        let labels::ActionText { verb, object, how } = labels::describe_action(action, 2000);
        html.raw("<p class=\"deed\"><b>").text(&verb).raw("</b>");
        if !object.is_empty() {
            html.raw(" ").text_block("q", "", &object);
        }
        if !how.is_empty() {
            html.raw(" <span class=\"how\">").text(&how).raw("</span>");
        }
        if let Some(target) = step.act().and_then(|tool_call| tool_call.target.as_ref()) {
            html.raw(" <span class=\"how\">on</span> ");
            if !target.name.is_empty() {
                html.text_block("q", "", &target.name).raw(" ");
            }
            let kind = target.kind.rsplit('.').next().unwrap_or("");
            html.raw("<span class=\"how\">").text(kind).raw("</span>");
        }
        if step.end.as_ref().is_some_and(|end| end.error.is_none() && end.result.text == DONE) {
            html.raw(" <span class=\"quiet\">\u{2192} done</span>");
        }
        html.raw("</p>");
        described = Some(object);
    }
    if !model_text.thought.is_empty() {
        html.raw("<div class=\"thought\"><p class=\"label\">Thought</p>");
        model_text.thought.show(html, "p", "words");
        html.raw("</div>");
    }
    html.raw("<dl class=\"said\">");
    pair(html, "<dt>Sees</dt>", &model_text.observation);
    pair(html, "<dt>So far</dt>", &model_text.summary);
    pair(html, "<dt>Hands over</dt>", &model_text.subtask);
    list(html, "<dt>Plan</dt>", &model_text.plan);
    list(html, "<dt>Tells</dt>", &model_text.message);
    if let Some(end) = &step.end
        && (step.action.is_none() || end.result.text != DONE)
        && described.is_none_or(|object| object != end.result.text)
    {
        pair(html, "<dt>Result</dt>", &end.result);
    }
    if let Some(caption) = step.end.as_ref().and_then(|end| end.caption.as_ref()) {
        pair(html, "<dt>The screen in words</dt>", caption);
    }
    html.raw("</dl>");
}

fn pair(html: &mut Html, name: &'static str, text: &Clipped) {
    if !text.text.trim().is_empty() {
        html.raw("<div>").raw(name);
        text.show(html, "dd", "");
        html.raw("</div>");
    }
}

fn list(html: &mut Html, name: &'static str, texts: &[Clipped]) {
    if texts.is_empty() {
        return;
    }
    html.raw("<div>").raw(name).raw("<dd><ol>");
    for text in texts {
        text.show(html, "li", "");
    }
    html.raw("</ol></dd></div>");
}

/// What went wrong, and what was done besides the action.
fn outcome(html: &mut Html, step: &Step) {
    let act = step.act();
    let unknown = act.is_some_and(|tool_call| match &tool_call.end {
        None => true,
        Some(over) => over.unknown,
    });
    let error = step.end.as_ref().and_then(|it| it.error.as_ref());
    if unknown || step.failed() {
        html.raw("<div class=\"error\"><b>");
        html.raw(if unknown { "Nobody knows whether it was done." } else { "It failed." })
            .raw("</b>");
        if let Some(error) = error {
            html.raw(" ");
            error.show(html, "span", "");
        }
        html.raw("</div>");
    } else if let Some(error) = error {
        // The step has asked: this is why its act was not done, or not yet.
        html.raw("<p class=\"waits\">");
        error.show(html, "span", "");
        html.raw("</p>");
    } else if let Some(why) = act.and_then(|tool_call| tool_call.end.as_ref()?.uncertain.as_ref()) {
        html.raw("<div class=\"error\"><b>It is not certain that it worked.</b> ");
        why.show(html, "span", "");
        html.raw("</div>");
    }
    let others =
        || step.tool_calls.iter().filter(|tool_call| act.is_none_or(|it| it.id != tool_call.id));
    if others().next().is_some() {
        html.raw("<ul class=\"deeds\">");
        for tool_call in others() {
            html.raw("<li>");
            tool_call_line(html, tool_call);
            html.raw("</li>");
        }
        html.raw("</ul>");
    }
}

/// Something done, and what came of it.
pub(super) fn tool_call_line(html: &mut Html, tool_call: &ToolCall) {
    match tool_call.name.text.as_str() {
        "RESET" => html.raw("The phone was put into a known state"),
        "WAKE" => html.raw("The screen was switched on"),
        _ => html.raw("<code>").text(&tool_call.name.text).raw("</code>"),
    };
    if !tool_call.parameters.is_empty() {
        html.raw(" <code>").text(&tool_call.parameters.text).raw("</code>");
    }
    match &tool_call.end {
        None => html.raw(" <b>no end recorded</b>"),
        Some(over) => {
            if over.unknown {
                html.raw(" <b>outcome unknown</b>");
            } else if !over.success {
                html.raw(" <b>failed</b>");
            }
            if let Some(error) = &over.error {
                error.show(html, "span", "value error-text");
            } else if !over.result.is_empty() {
                html.raw(" \u{2192} ");
                over.result.show(html, "span", "");
            }
            html.raw(" <span class=\"quiet\">").text(&labels::millis(over.ms)).raw("</span>")
        }
    };
}

fn costs(html: &mut Html, step: &Step, end: &StepOver) {
    let times = end.times;
    let phases = [
        ("<i class=\"look\" style=\"flex-grow:", " looking", times.data_collection),
        ("<i class=\"model\" style=\"flex-grow:", " model", times.llm_interaction),
        ("<i class=\"act\" style=\"flex-grow:", " acting", times.action_execution),
        ("<i class=\"record\" style=\"flex-grow:", " recording", times.memory_update),
    ];
    let all = step.time();
    html.raw("<div class=\"took\">");
    if 0.0 < all {
        html.raw("<div class=\"split\" aria-hidden=\"true\">");
        for (bar, _, ms) in phases {
            if 0.0 < ms {
                html.raw(bar).number((ms / all * 1000.0).min(1000.0)).raw("\"></i>");
            }
        }
        html.raw("</div>");
    }
    html.raw("<p><b>").text(&labels::millis(all)).raw("</b>");
    for (_, name, ms) in phases {
        if 0.0 < ms {
            html.raw(" <span class=\"phase\">").text(&labels::millis(ms)).raw(name).raw("</span>");
        }
    }
    html.raw("</p><p>");
    let tokens = end.tokens;
    html.text(&labels::grouped(tokens.prompt)).raw(" tokens sent, ");
    html.text(&labels::grouped(tokens.completion)).raw(" received");
    if 0 < tokens.thinking {
        html.raw(" (").text(&labels::grouped(tokens.thinking)).raw(" thinking)");
    }
    if 0 < tokens.cached {
        html.raw(", ").text(&labels::grouped(tokens.cached)).raw(" from a cache");
    }
    if end.cost_known || 0.0 < end.cost_usd {
        html.raw(" \u{b7} ").text(&labels::money(end.cost_usd, end.cost_known));
    }
    html.raw("</p></div>");
}
