//! One step: the screen with its mark, what was thought, said and done, and what it took.
use ayeaye_agent::journal::BlobRef;
use jiff::Timestamp;

use super::call;
use super::chapter::deed_line;
use super::html::{Clipped, Html};
use super::item::{Seen, Step, StepOver};
use super::mark::{self, Outline, height};
use super::page::{Page, chip, time, title};
use super::words::{self, Tone};

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
    top(&mut page.html, step, page.story.start.as_ref().map(|it| it.at));
    said(&mut page.html, step);
    outcome(&mut page.html, step);
    if let Some(end) = &step.end {
        took(&mut page.html, step, end);
    }
    call::calls(page, step);
    page.html.raw("</div></article>\n");
}

/// The screen at the end of something.
pub(super) fn snapshot(page: &mut Page<'_>, at: Timestamp, scopes: &[String], picture: &BlobRef) {
    let size = page.pictures.size(picture).unwrap_or([720, 1600]);
    page.html.raw("<article class=\"step snapshot\"><figure class=\"shot\">");
    framed(&mut page.html, size);
    page.pictures.show(&mut page.html, page.blobs, picture, size, "The screen at the end");
    page.html.raw("</div></figure><div class=\"tell\"><p class=\"top\"><time>");
    page.html.text(&words::clock(at)).raw("</time></p><h3>The screen at the end of ");
    for (at, scope) in scopes.iter().enumerate() {
        page.html.raw(if at == 0 { "" } else { " and " });
        page.html.raw(match scope.as_str() {
            "session" => "the session",
            "round" => "the round",
            "sub_round" => "the subtask",
            _ => "a part",
        });
    }
    page.html.raw("</h3></div></article>\n");
}

fn shot(page: &mut Page<'_>, step: &Step) {
    let Some(seen) = &step.seen else {
        page.html.raw("<figure class=\"shot\"><div class=\"frame empty\"><span class=\"absent\">");
        page.html.raw("Nothing was seen in this step.</span></div></figure>");
        return;
    };
    let number = step.number.saturating_add(1);
    page.html.raw("<figure class=\"shot\">");
    framed(&mut page.html, seen.size);
    let mut there = false;
    if let Some(picture) = &seen.picture {
        let alt = alt(step, seen);
        there = page.pictures.show(&mut page.html, page.blobs, picture, seen.size, &alt);
        let target = step.act().and_then(|deed| deed.target.as_ref());
        let outline = target.and_then(|it| Outline::new(it.rect, seen.screen));
        let mark = step.action.as_ref().and_then(mark::mark);
        let failed = step.end.as_ref().is_some_and(|it| it.error.is_some());
        mark::draw(&mut page.html, mark, outline, seen.size, failed);
    } else {
        page.html.raw("<span class=\"absent\">No picture was kept.</span>");
    }
    if there {
        let html = &mut page.html;
        html.raw("<input type=\"checkbox\" class=\"zoom\" title=\"Larger\" ");
        html.raw("aria-label=\"Show the screen of step ").number(number).raw(" larger\">");
    }
    page.html.raw("</div><figcaption>");
    caption(&mut page.html, seen);
    page.html.raw("</figcaption></figure>");
}

/// The frame keeps the picture's shape before the picture is there.
fn framed(html: &mut Html, size: [u32; 2]) {
    html.raw("<div class=\"frame\" style=\"aspect-ratio:1000/").number(height(size)).raw("\">");
}

fn alt(step: &Step, seen: &Seen) -> String {
    let mut alt = format!("The screen at step {}", step.number.saturating_add(1));
    if !seen.app.is_empty() {
        alt.push_str(" in ");
        alt.push_str(&seen.app.text);
    }
    if let Some(action) = step.action.as_ref().filter(|it| mark::mark(it).is_some()) {
        let words::Deed { verb, how, .. } = words::deed(action, 0);
        alt.push_str("; marked: ");
        alt.push_str(&verb);
        alt.push(' ');
        alt.push_str(&how);
    }
    alt
}

fn caption(html: &mut Html, seen: &Seen) {
    if seen.app.is_empty() {
        html.raw("<span>App in front not known</span>");
    } else {
        html.raw("<span class=\"app\">").text(&seen.app.text).raw("</span>");
        if !seen.activity.is_empty() {
            html.raw("<span class=\"activity\">").text(&seen.activity.text).raw("</span>");
        }
    }
    if !seen.screen_on {
        html.raw("<span class=\"warn\">The screen was off.</span>");
    }
    if !seen.settled {
        html.raw("<span class=\"warn\">The screen was still moving.</span>");
    }
    if 0 < seen.blackened {
        html.raw("<span>").text(&words::count(seen.blackened.into(), "place", "places"));
        html.raw(" blacked out</span>");
    }
}

fn top(html: &mut Html, step: &Step, start: Option<Timestamp>) {
    let number = step.number.saturating_add(1);
    html.raw("<p class=\"top\"><a class=\"no\" href=\"#step-").number(number).raw("\">Step ");
    html.number(number).raw("</a> <time>").text(&words::clock(step.at)).raw("</time>");
    if let Some(start) = start {
        html.raw(" <span class=\"quiet\">+").text(&words::millis(words::between(start, step.at)));
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
        Some(end) if end.error.is_some() => chip(html, Tone::Bad, "Failed"),
        Some(end) if end.status != "CONTINUE" => {
            let (tone, word) = words::status(&end.status);
            chip(html, tone, word);
        }
        Some(_) => {}
    }
    html.raw("</p>");
}

fn said(html: &mut Html, step: &Step) {
    let said = &step.said;
    let titled = !said.comment.text.trim().is_empty();
    if titled {
        said.comment.show(html, "h3", "");
    } else {
        html.words("h3", "", &title(step, 300));
    }
    let mut told = None;
    if let Some(action) = &step.action {
        let words::Deed { verb, object, how } = words::deed(action, 2000);
        html.raw("<p class=\"deed\"><b>").text(&verb).raw("</b>");
        if !object.is_empty() {
            html.raw(" ").words("q", "", &object);
        }
        if !how.is_empty() {
            html.raw(" <span class=\"how\">").text(&how).raw("</span>");
        }
        if let Some(target) = step.act().and_then(|deed| deed.target.as_ref()) {
            html.raw(" <span class=\"how\">on</span> ");
            if !target.name.is_empty() {
                html.words("q", "", &target.name).raw(" ");
            }
            let kind = target.kind.rsplit('.').next().unwrap_or("");
            html.raw("<span class=\"how\">").text(kind).raw("</span>");
        }
        if step.end.as_ref().is_some_and(|end| end.error.is_none() && end.result.text == DONE) {
            html.raw(" <span class=\"quiet\">\u{2192} done</span>");
        }
        html.raw("</p>");
        told = Some(object);
    }
    if !said.thought.is_empty() {
        html.raw("<div class=\"thought\"><p class=\"label\">Thought</p>");
        said.thought.show(html, "p", "words");
        html.raw("</div>");
    }
    html.raw("<dl class=\"said\">");
    pair(html, "<dt>Sees</dt>", &said.observation);
    pair(html, "<dt>So far</dt>", &said.summary);
    pair(html, "<dt>Hands over</dt>", &said.subtask);
    list(html, "<dt>Plan</dt>", &said.plan);
    list(html, "<dt>Tells</dt>", &said.message);
    if let Some(end) = &step.end
        && (step.action.is_none() || end.result.text != DONE)
        && told.is_none_or(|object| object != end.result.text)
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
    let unknown = act.is_some_and(|deed| match &deed.end {
        None => true,
        Some(over) => over.unknown,
    });
    let error = step.end.as_ref().and_then(|it| it.error.as_ref());
    if error.is_some() || unknown {
        html.raw("<div class=\"error\"><b>");
        html.raw(if unknown { "Nobody knows whether it was done." } else { "It failed." })
            .raw("</b>");
        if let Some(error) = error {
            html.raw(" ");
            error.show(html, "span", "");
        }
        html.raw("</div>");
    }
    let others = || step.deeds.iter().filter(|deed| act.is_none_or(|it| it.id != deed.id));
    if others().next().is_some() {
        html.raw("<ul class=\"deeds\">");
        for deed in others() {
            html.raw("<li>");
            deed_line(html, deed);
            html.raw("</li>");
        }
        html.raw("</ul>");
    }
}

fn took(html: &mut Html, step: &Step, end: &StepOver) {
    let times = end.times;
    let phases = [
        ("<i class=\"look\" style=\"flex-grow:", " looking", times.data_collection),
        ("<i class=\"model\" style=\"flex-grow:", " model", times.llm_interaction),
        ("<i class=\"act\" style=\"flex-grow:", " acting", times.action_execution),
        ("<i class=\"record\" style=\"flex-grow:", " recording", times.memory_update),
    ];
    let all = time(step);
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
    html.raw("<p><b>").text(&words::millis(all)).raw("</b>");
    for (_, name, ms) in phases {
        if 0.0 < ms {
            html.raw(" <span class=\"phase\">").text(&words::millis(ms)).raw(name).raw("</span>");
        }
    }
    html.raw("</p><p>");
    let tokens = end.tokens;
    html.text(&words::grouped(tokens.prompt)).raw(" tokens sent, ");
    html.text(&words::grouped(tokens.completion)).raw(" received");
    if 0 < tokens.thinking {
        html.raw(" (").text(&words::grouped(tokens.thinking)).raw(" thinking)");
    }
    if 0 < tokens.cached {
        html.raw(", ").text(&words::grouped(tokens.cached)).raw(" from a cache");
    }
    if end.cost_known || 0.0 < end.cost_usd {
        html.raw(" \u{b7} ").text(&words::money(end.cost_usd, end.cost_known));
    }
    html.raw("</p></div>");
}
