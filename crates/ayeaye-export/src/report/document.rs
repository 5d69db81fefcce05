//! The page as a whole: head, verdict, facts, timeline, chapters, foot.
use std::collections::{HashMap, HashSet};

use ayeaye_agent::SessionId;

use super::html::{Clipped, Html};
use super::item::{Step, TimelineItem};
use super::model::ReportModel;
use super::page::{Page, chip, title};
use super::pictures::Pictures;
use super::timeline;
use crate::Blobs;
use crate::labels::{self, Tone};

const STYLE: &str = include_str!("style.css");

/// The whole page.
pub(super) fn page(
    id: SessionId,
    model: &ReportModel,
    blobs: &dyn Blobs,
    most_pictures: u64,
) -> Vec<u8> {
    let mut page = Page {
        html: Html::with_capacity(64 << 10),
        model,
        blobs,
        pictures: Pictures::of(model, most_pictures),
        texts: HashMap::new(),
        texts_left: 4 << 20,
        anchors: HashSet::new(),
    };
    page.head();
    page.summary();
    page.timeline();
    page.html.raw("<main id=\"steps\">");
    timeline::items(&mut page);
    page.html.raw("</main>");
    page.foot(id);
    page.html.into_bytes()
}

impl Page<'_> {
    /// Nothing may be fetched and nothing may run: only styles and pictures that are in the file.
    fn head(&mut self) {
        let html = &mut self.html;
        html.raw(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>",
        );
        let request = self.model.start.as_ref().map_or("Session", |it| &it.request.text);
        html.text(&request.chars().take(90).collect::<String>()).raw("</title>\n<style>\n");
        html.raw(STYLE).raw("</style></head>\n<body>\n");
        html.raw("<a class=\"skip\" href=\"#steps\">Skip to the steps</a>\n");
    }

    fn summary(&mut self) {
        let Self { html, model, .. } = self;
        html.raw("<header class=\"summary\"><p class=\"kicker\">Task on a phone</p>");
        match &model.start {
            Some(start) => start.request.show(
                html,
                "h1",
                if start.request.text.len() < 160 { "" } else { "long" },
            ),
            None => {
                html.raw("<h1>A session whose beginning is not known</h1>");
            }
        }
        if 1 < model.totals.rounds {
            self.rounds();
        }
        self.verdict();
        self.facts();
        self.html.raw("</header>\n");
    }

    fn rounds(&mut self) {
        let Self { html, model, .. } = self;
        html.raw("<ol class=\"rounds\">");
        for (at, round) in model.rounds.iter().enumerate() {
            if at == 1 && model.rounds[0].number.saturating_add(1) < round.number {
                html.raw("<li class=\"gap\">\u{22ee}</li>");
            }
            let number = round.number.saturating_add(1);
            html.raw("<li><a href=\"#round-").number(number).raw("\">Round ").number(number);
            html.raw("</a>");
            let request: String = round.request.text.chars().take(200).collect();
            html.text_block("span", "request", &request);
            if let Some(over) = &round.end {
                let (tone, word) = labels::status(&over.status);
                chip(html, tone, word);
            }
            html.raw("</li>");
        }
        html.raw("</ol>");
    }

    fn verdict(&mut self) {
        let Self { html, model, .. } = self;
        let ended = model.ended.as_ref();
        let stop_label = match ended {
            None if model.cut_short => labels::END_NOT_READABLE,
            _ => labels::stop_label(ended.map(|it| it.reason.as_str())),
        };
        html.raw("<div class=\"verdict ").raw(stop_label.tone.class()).raw("\">");
        html.raw(icon(stop_label.tone)).raw("<div><p class=\"word\"><strong>").raw(stop_label.word);
        html.raw("</strong> ").raw(stop_label.sentence).raw("</p>");
        if let Some(ended) = ended {
            if !ended.message.is_empty() {
                ended.message.show(html, "p", "message");
            }
            html.raw("<p class=\"reason\">").text(&ended.reason).raw("</p>");
        }
        html.raw("</div></div>");
        if let Some(evaluation) = &model.evaluation {
            let (tone, word) = labels::evaluation(&evaluation.complete);
            html.raw("<div class=\"verdict second ").raw(tone.class()).raw("\">").raw(icon(tone));
            html.raw("<div><p class=\"word\"><strong>Judged: ").raw(word);
            html.raw("</strong> A second model was asked whether the request was carried out.</p>");
            Clipped::of(&evaluation.reason, 600).show(html, "p", "message");
            html.raw("</div></div>");
        }
    }

    fn facts(&mut self) {
        let Self { html, model, .. } = self;
        let totals = &model.totals;
        html.raw("<dl class=\"facts\">");
        if let Some(start) = &model.start {
            let device = &start.device;
            let [width, height] = device.wm_size;
            let more = format!(
                "Android {} \u{b7} {width}\u{a0}\u{d7}\u{a0}{height} \u{b7} {}",
                device.android_version, device.device_id
            );
            fact(html, "Phone", &device.model, &[&more]);
            let last = model.ended.as_ref().map(|it| it.at).or(model.last).unwrap_or(start.at);
            let [day, last_day] = [start.at, last].map(|at| at.strftime("%-d %B %Y").to_string());
            let mut until = labels::clock(last);
            if last_day != day {
                until = format!("{last_day}, {until}");
            }
            let lasted = if last < start.at {
                "the clock was put back".to_owned()
            } else {
                labels::millis(labels::between(start.at, last))
            };
            let span = format!("to {until} \u{b7} {lasted}");
            let from = format!("from {} UTC", labels::clock(start.at));
            fact(html, "When", &day, &[&from, &span]);
        }
        let times = totals.times;
        let worked = times.data_collection
            + times.llm_interaction
            + times.action_execution
            + times.memory_update;
        let split = format!(
            "model\u{a0}{} \u{b7} looking\u{a0}{} \u{b7} acting\u{a0}{} \u{b7} recording\u{a0}{}",
            labels::millis(times.llm_interaction),
            labels::millis(times.data_collection),
            labels::millis(times.action_execution),
            labels::millis(times.memory_update)
        );
        fact(html, "Time at work", &labels::millis(worked), &[&split]);
        let mut more = vec![labels::count(totals.runs, "run", "runs")];
        if 1 < totals.rounds {
            more.push(labels::count(totals.rounds, "round", "rounds"));
        }
        if 0 < totals.failed_steps {
            more.push(format!("{}\u{a0}failed", labels::grouped(totals.failed_steps)));
        }
        fact(html, "Steps", &labels::grouped(totals.steps), &[&more.join(" \u{b7} ")]);
        let model = model.start.as_ref().map_or("", |it| &it.model.text);
        let calls = labels::count(totals.calls, "call", "calls");
        fact(html, "Model", if model.is_empty() { "not named" } else { model }, &[&calls]);
        let tokens = totals.tokens;
        let mut more = vec![
            format!("{}\u{a0}sent", labels::grouped(tokens.prompt)),
            format!("{}\u{a0}received", labels::grouped(tokens.completion)),
        ];
        if 0 < tokens.thinking {
            more.push(format!("{}\u{a0}of it thinking", labels::grouped(tokens.thinking)));
        }
        if 0 < tokens.cached {
            more.push(format!("{}\u{a0}from a cache", labels::grouped(tokens.cached)));
        }
        let more = more.join(" \u{b7} ");
        fact(html, "Tokens", &labels::grouped(tokens.total), &[&more]);
        let known: &[&str] =
            if totals.unpriced && 0.0 < totals.cost_usd { &["not all prices known"] } else { &[] };
        fact(html, "Cost", &labels::money(totals.cost_usd, !totals.unpriced), known);
        html.raw("</dl>");
    }

    /// A bar for each step, as high as its time.
    fn timeline(&mut self) {
        let steps = || {
            self.model.items.iter().filter_map(|item| match &**item {
                TimelineItem::Step(step) => Some(&**step),
                _ => None,
            })
        };
        let longest = steps().map(Step::time).fold(0.0, f64::max);
        if longest <= 0.0 || steps().count() < 2 {
            return;
        }
        let html = &mut self.html;
        html.raw("<nav class=\"timeline\" aria-labelledby=\"timeline\"><div class=\"legend\">");
        html.raw("<h2 id=\"timeline\">Time by step</h2><ul><li><i class=\"look\"></i>looking</li>");
        html.raw("<li><i class=\"model\"></i>model</li><li><i class=\"act\"></i>acting</li>");
        html.raw("<li><i class=\"record\"></i>recording</li></ul><span class=\"longest\">longest ");
        html.text(&labels::millis(longest)).raw("</span></div>");
        html.raw(if 60 < steps().count() {
            "<div class=\"many bars\">"
        } else {
            "<div class=\"bars\">"
        });
        for step in steps() {
            let number = step.number.saturating_add(1);
            html.raw("<a href=\"#step-").number(number).raw("\" title=\"Step ").number(number);
            html.raw(": ").text(&title(step, 60)).raw(", ").text(&labels::millis(step.time()));
            html.raw(if step.failed() { ", failed\" class=\"failed\">" } else { "\">" });
            html.raw("<span class=\"said-only\">Step ").number(number).raw("</span>");
            if let Some(end) = &step.end {
                let times = end.times;
                for (class, ms) in [
                    ("<i class=\"record\" style=\"height:", times.memory_update),
                    ("<i class=\"act\" style=\"height:", times.action_execution),
                    ("<i class=\"model\" style=\"height:", times.llm_interaction),
                    ("<i class=\"look\" style=\"height:", times.data_collection),
                ] {
                    if 0.0 < ms {
                        html.raw(class).number((ms / longest * 100.0).min(100.0)).raw("%\"></i>");
                    }
                }
            }
            html.raw("</a>");
        }
        html.raw("</div></nav>\n");
    }

    fn foot(&mut self, id: SessionId) {
        let Self { html, model, .. } = self;
        html.raw("<footer>Session <code>").text(&id.to_string()).raw("</code>");
        if let Some(start) = &model.start {
            html.raw(" \u{b7} questions: <code>").text(&start.reply_mode.text).raw("</code>");
            if !start.version.is_empty() {
                html.raw(" \u{b7} ayeaye ").text(&start.version.text);
            }
        }
        if let Some(last) = model.last {
            html.raw(" \u{b7} as recorded until ").text(&labels::moment(last));
        }
        html.raw(
            "<br>Places on the screen are parts of its width and height, from the top left. \
             All times are UTC. This file is complete in itself and loads nothing.</footer>\n\
             </body></html>\n",
        );
    }
}

fn fact(html: &mut Html, name: &'static str, value: &str, more: &[&str]) {
    html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value);
    for line in more {
        html.raw("<small>").text(line).raw("</small>");
    }
    html.raw("</dd></div>");
}

fn icon(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => {
            "<svg class=\"icon\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><circle cx=\"12\" cy=\"12\" \
             r=\"11\"/><path d=\"M7 12.5l3.4 3.4L17.2 9\"/></svg>"
        }
        Tone::Bad => {
            "<svg class=\"icon\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><circle cx=\"12\" cy=\"12\" \
             r=\"11\"/><path d=\"M8 8l8 8M16 8l-8 8\"/></svg>"
        }
        Tone::Waiting => {
            "<svg class=\"icon\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><circle cx=\"12\" cy=\"12\" \
             r=\"11\"/><path d=\"M9 9.3a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2M12 17v.2\"/></svg>"
        }
        Tone::Running => {
            "<svg class=\"icon\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><circle cx=\"12\" cy=\"12\" \
             r=\"11\"/><path d=\"M9.5 7.5v9l7-4.5z\"/></svg>"
        }
        Tone::Paused => {
            "<svg class=\"icon\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><circle cx=\"12\" cy=\"12\" \
             r=\"11\"/><path d=\"M9.5 8v8M14.5 8v8\"/></svg>"
        }
        Tone::Neutral => {
            "<svg class=\"icon\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><circle cx=\"12\" cy=\"12\" \
             r=\"11\"/><path d=\"M8.5 8.5h7v7h-7z\"/></svg>"
        }
    }
}
