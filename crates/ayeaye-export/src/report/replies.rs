//! The replies of a step as a page shows them, and the prompt they answer.
use ayeaye_agent::journal::BlobRef;

use super::call::{ModelCall, PromptPart, Reply};
use super::html::{Clipped, Html};
use super::item::Step;
use super::page::Page;
use crate::labels;

/// The longest text that is kept once for many prompts, as it is shown, in bytes.
const MAX_SHARED_TEXT: usize = 20_000;

/// The replies of a step, and the prompt they answer.
pub(super) fn replies(page: &mut Page<'_>, step: &Step) {
    let unused = step.calls.iter().filter(|it| it.answer.as_ref().is_none_or(|reply| !reply.used));
    let (unread, unanswered): (Vec<&ModelCall>, Vec<&ModelCall>) =
        unused.partition(|call| call.answer.as_ref().is_some_and(Reply::has_words));
    rejected(&mut page.html, &unread, ("reply", "replies"), " not acted on");
    rejected(&mut page.html, &unanswered, ("call", "calls"), " without a reply");
    for call in step.calls.iter().filter(|it| it.answer.as_ref().is_some_and(|reply| reply.used)) {
        let html = &mut page.html;
        html.raw("<details><summary>Raw reply");
        about(html, call);
        html.raw("</summary>");
        if let Some(reply) = &call.answer {
            answered(html, reply);
        }
        html.raw("</details>");
    }
    // The prompt of the reply that was used holds those before it.
    let decides = |it: &&ModelCall| !["auto_reply", "caption"].contains(&it.purpose.as_str());
    if let Some(call) = step.calls.iter().rev().find(decides) {
        prompt(page, step, call);
    }
    if 0 < step.more_calls {
        let html = &mut page.html;
        html.raw("<p class=\"quiet\">").text(&labels::count(step.more_calls, "call", "calls"));
        html.raw(" more are left out here.</p>");
    }
}

fn rejected(html: &mut Html, calls: &[&ModelCall], (one, many): (&str, &str), why: &'static str) {
    if calls.is_empty() {
        return;
    }
    html.raw("<details class=\"rejected\"><summary>");
    html.text(&labels::count(calls.len() as u64, one, many));
    html.raw(why).raw("</summary>");
    for call in calls {
        html.raw("<div class=\"attempt\"><p class=\"label\">Attempt ").number(call.iteration);
        about(html, call);
        html.raw("</p>");
        match &call.answer {
            Some(reply) => answered(html, reply),
            None => {
                html.raw("<p>No answer was recorded.</p>");
            }
        }
        html.raw("</div>");
    }
    html.raw("</details>");
}

fn about(html: &mut Html, call: &ModelCall) {
    html.raw(" <span class=\"quiet\">");
    match call.purpose.as_str() {
        "act" => {}
        "repair" => {
            html.raw("asked again \u{b7} ");
        }
        "auto_reply" => {
            html.raw("answering for the user \u{b7} ");
        }
        "caption" => {
            html.raw("putting the screen into words \u{b7} ");
        }
        other => {
            html.text(other).raw(" \u{b7} ");
        }
    }
    html.text(&call.model.text);
    if let Some(reply) = &call.answer {
        html.raw(" \u{b7} ").text(&labels::millis(reply.ms));
        if let Some(first) = reply.first_token_ms {
            html.raw(", first word after ").text(&labels::millis(first));
        }
        html.raw(" \u{b7} ").text(&labels::grouped(reply.tokens.total)).raw(" tokens");
    }
    html.raw("</span>");
}

fn answered(html: &mut Html, reply: &Reply) {
    if let Some(error) = &reply.error {
        error.show(html, "p", "error-text");
    }
    for retry in &reply.retries {
        html.raw("<p class=\"quiet\">An attempt before it failed: ");
        retry.show(html, "span", "");
        html.raw("</p>");
    }
    if !reply.reasoning.is_empty() {
        html.raw("<p class=\"label\">Reasoning</p>");
        reply.reasoning.show(html, "pre", "");
    }
    for (name, parameters) in &reply.tools {
        html.raw("<p>Asks for the tool <code>").text(&name.text).raw("</code> <code>");
        html.text(&parameters.text).raw("</code></p>");
    }
    if !reply.raw.is_empty() {
        reply.raw.show(html, "pre", "");
    }
}

fn prompt(page: &mut Page<'_>, step: &Step, call: &ModelCall) {
    if call.prompt.is_empty() {
        return;
    }
    page.html.raw("<details><summary>Prompt</summary>");
    for piece in &call.prompt {
        match piece {
            PromptPart::Role(role) => {
                page.html.raw("<p class=\"label\">").text(role).raw("</p>");
            }
            PromptPart::Text(text) => text.show(&mut page.html, "pre", ""),
            PromptPart::Kept(blob) => kept(page, step, blob),
            PromptPart::Picture(blob) => {
                page.html.raw("<p class=\"quiet\">[ picture");
                if let Some(number) = page.pictures.step(blob) {
                    page.html.raw(": the screen of <a href=\"#step-").number(number);
                    page.html.raw("\">step ").number(number).raw("</a>");
                }
                page.html.raw(" ]</p>");
            }
        }
    }
    if 0 < call.missing {
        page.html.raw("<p class=\"quiet\">").number(call.missing.div_ceil(1000));
        page.html.raw(" kB more are left out here.</p>");
    }
    page.html.raw("</details>");
}

/// Instructions are the same in most prompts: they are shown where they come first.
fn kept(page: &mut Page<'_>, step: &Step, blob: &BlobRef) {
    let number = step.number.saturating_add(1);
    if let Some(first) = page.texts.get(&blob.sha256) {
        let html = &mut page.html;
        html.raw("<p class=\"quiet\">[ the same words as in the prompt of <a href=\"#step-");
        html.number(*first).raw("\">step ").number(*first).raw("</a> ]</p>");
        return;
    }
    let bytes = match page.blobs.blob(blob) {
        Ok(bytes) if blob.media_type.starts_with("text/") => bytes,
        _ => {
            page.html.raw("<p class=\"quiet\">[ words that cannot be read any more ]</p>");
            return;
        }
    };
    let head = &bytes[..bytes.len().min(MAX_SHARED_TEXT + 4)];
    let mut text =
        Clipped::of(&String::from_utf8_lossy(head), MAX_SHARED_TEXT.min(page.texts_left));
    text.missing = bytes.len().saturating_sub(text.text.len());
    page.texts_left -= text.text.len();
    page.texts.insert(blob.sha256.clone(), number);
    text.show(&mut page.html, "pre", "");
}
