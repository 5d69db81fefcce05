//! The rounds as chapters, and what lies between their steps: questions, answers, interruptions,
//! notes, judgements.
use ayeaye_agent::journal::EvaluationRecord;
use jiff::Timestamp;

use super::html::{Clipped, Html};
use super::item::{Deed, Item, Round, RoundOver};
use super::page::{Page, chip};
use super::step;
use super::story::Ended;
use super::words;

/// Everything that is told, in the order of the record.
pub(super) fn chapters(page: &mut Page<'_>) {
    let story = page.story;
    let several = 1 < story.totals.rounds;
    page.html.raw("<section class=\"chapter\">");
    if !several {
        page.html.raw("<h2 class=\"plain\">Step by step</h2>");
    } else if let Some(number) = story.in_round {
        chapter_head(&mut page.html, number, None);
    }
    if 0 < story.dropped_steps {
        let html = &mut page.html;
        html.raw("<p class=\"aside\">The first ").text(&words::count(
            story.dropped_steps,
            "step is",
            "steps are",
        ));
        html.raw(" left out to keep this page readable. They are in the record.</p>");
    }
    for item in &story.items {
        match &**item {
            Item::Round(round) => {
                if several {
                    page.html.raw("</section>\n<section class=\"chapter\">");
                    chapter_head(&mut page.html, round.number, Some(round));
                }
            }
            Item::RoundOver(number, over) => {
                if several || over.status != "FINISH" {
                    round_over(&mut page.html, *number, over);
                }
            }
            Item::Step(step) => step::step(page, step),
            Item::Question { at, kind, words, options, app } => {
                question(&mut page.html, *at, kind, words, options, app);
            }
            Item::Answer { at, source, words } => answer(&mut page.html, *at, source, words),
            Item::Pause { stopped, at, why } => pause(&mut page.html, stopped.as_ref(), *at, why),
            Item::Deed(at, deed) => by_itself(&mut page.html, *at, deed),
            Item::SubtaskOver { at, index, status, result } => {
                let html = &mut page.html;
                let (tone, word) = words::status(status);
                aside(html, *at).raw("Subtask ").number(index.saturating_add(1)).raw(" ");
                chip(html, tone, word);
                result.show(html, "span", "value");
                html.raw("</div>");
            }
            Item::Snapshot { at, scopes, picture } => step::snapshot(page, *at, scopes, picture),
            Item::Judged { at, facts } => judged(&mut page.html, *at, facts),
            Item::Note { at, kind, text, figures } => {
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

fn chapter_head(html: &mut Html, number: u32, round: Option<&Round>) {
    let shown = number.saturating_add(1);
    html.raw("<header class=\"round\" id=\"round-")
        .number(shown)
        .raw("\"><p class=\"kicker\">Round ");
    html.number(shown);
    match round {
        Some(round) => {
            html.raw(" \u{b7} ").text(&words::clock(round.at)).raw("</p>");
            round.request.show(html, "h2", "");
        }
        None => {
            html.raw("</p><h2>This round began before the first step shown here</h2>");
        }
    }
    html.raw("</header>");
}

fn round_over(html: &mut Html, number: u32, over: &RoundOver) {
    let (tone, word) = words::status(&over.status);
    html.raw("<div class=\"round-over ").raw(tone.class()).raw("\"><b>Round ");
    html.number(number.saturating_add(1)).raw("</b> ");
    chip(html, tone, word);
    if !over.result.is_empty() {
        over.result.show(html, "p", "value");
    }
    html.raw("<p class=\"reason\">").text(&words::count(over.steps.into(), "step", "steps"));
    if 0.0 < over.cost_usd {
        html.raw(" \u{b7} ").text(&words::money(over.cost_usd, true));
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
    html.raw("<div class=\"talk asks\"><p class=\"who\">").raw(words::question(kind));
    html.raw(" <time>").text(&words::clock(at)).raw("</time>");
    if !app.is_empty() {
        html.raw(" <span class=\"app\">in ").text(&app.text).raw("</span>");
    }
    html.raw("</p>");
    for words in asked {
        words.show(html, "p", "words");
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

fn answer(html: &mut Html, at: Timestamp, source: &str, said: &[Clipped]) {
    html.raw("<div class=\"talk says\"><p class=\"who\">").raw(words::speaker(source));
    html.raw(" <time>").text(&words::clock(at)).raw("</time></p>");
    for words in said {
        words.show(html, "p", "words");
    }
    html.raw("</div>");
}

fn pause(html: &mut Html, stopped: Option<&Ended>, at: Timestamp, why: &str) {
    let ending = words::ending(stopped.map(|it| it.reason.as_str()));
    html.raw("<div class=\"pause\"><b>").raw(ending.word).raw("</b>");
    if let Some(stopped) = stopped {
        html.raw(" at ").text(&words::clock(stopped.at));
        let gap = words::between(stopped.at, at);
        html.raw("; ").raw(words::resumed(why)).raw(" at ").text(&words::clock(at));
        if 60_000.0 <= gap {
            html.raw(", ").text(&words::millis(gap)).raw(" later");
        }
        html.raw(".");
        stopped.message.show(html, "p", "value");
    } else {
        html.raw("; ").raw(words::resumed(why)).raw(" at ").text(&words::clock(at)).raw(".");
    }
    html.raw("</div>");
}

/// What was done to the phone outside of steps: made ready, woken.
fn by_itself(html: &mut Html, at: Timestamp, deed: &Deed) {
    aside(html, at);
    deed_line(html, deed);
    html.raw("</div>");
}

/// Something done, and what came of it.
pub(super) fn deed_line(html: &mut Html, deed: &Deed) {
    match deed.name.text.as_str() {
        "RESET" => html.raw("The phone was put into a known state"),
        "WAKE" => html.raw("The screen was switched on"),
        _ => html.raw("<code>").text(&deed.name.text).raw("</code>"),
    };
    if !deed.parameters.is_empty() {
        html.raw(" <code>").text(&deed.parameters.text).raw("</code>");
    }
    match &deed.end {
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
            html.raw(" <span class=\"quiet\">").text(&words::millis(over.ms)).raw("</span>")
        }
    };
}

fn judged(html: &mut Html, at: Timestamp, facts: &EvaluationRecord) {
    let (tone, word) = words::judged(&facts.complete);
    html.raw("<div class=\"judged ").raw(tone.class()).raw("\"><p class=\"who\">Judgement of the ");
    html.raw(if facts.level == "session" { "session" } else { "round" });
    html.raw(" <time>").text(&words::clock(at)).raw("</time> ");
    chip(html, tone, word);
    html.raw("</p>");
    html.words("p", "words", &facts.reason);
    if let Some(error) = &facts.error {
        html.words("p", "error-text", error);
    }
    if !facts.sub_scores.is_empty() {
        html.raw("<ul class=\"scores\">");
        for score in &facts.sub_scores {
            let (tone, word) = words::judged(&score.evaluation);
            html.raw("<li>");
            chip(html, tone, word);
            html.words("span", "", &score.name).raw("</li>");
        }
        html.raw("</ul>");
    }
    html.raw("<p class=\"quiet\">")
        .text(&words::grouped(facts.tokens.total))
        .raw(" tokens \u{b7} ");
    html.text(&words::money(facts.cost_usd, facts.cost_known)).raw("</p></div>");
}

fn aside(html: &mut Html, at: Timestamp) -> &mut Html {
    html.raw("<div class=\"aside\"><time>").text(&words::clock(at)).raw("</time> ")
}
