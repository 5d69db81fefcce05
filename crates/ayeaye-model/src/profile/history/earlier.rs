//! What a prompt tells of the requests before the present one.
use ayeaye_agent::{Action, DIRECT_REQUEST, HistoryItem};

use super::super::escape::{LONGEST_LINE, LONGEST_TEXT, quote_untrusted, verbatim};
use super::{History, Lang, last, question_of};

impl History<'_> {
    /// The requests before this one with what the user said to them, what came of them, what was found for their parts
    /// and what was noted: a line each.
    pub(in crate::profile) fn earlier(&self) -> String {
        let mut requests: Vec<EarlierRequest<'_>> = Vec::new();
        let mut notes = Vec::new();
        let (mut question, mut subtask) = (None, None);
        for item in self.earlier {
            if let HistoryItem::Request(text) = item {
                (question, subtask) = (None, None);
                requests.push(EarlierRequest { text, said: Vec::new(), begun: false, end: None });
                continue;
            }
            let request = requests.last_mut();
            match item {
                HistoryItem::Step(step) => {
                    question = question_of(step).or(question);
                    let Some(request) = request else { continue };
                    request.begun = true;
                    match (&step.decision.action, &step.error) {
                        (Action::Note { text }, None) => notes.push(self.lang.noted(text)),
                        (Action::Complete { message }, None) => match subtask.take() {
                            Some(subtask) => notes.push(self.lang.found(subtask, message)),
                            None => request.end = Some(self.lang.reported(message)),
                        },
                        (Action::Abort { reason }, None) if subtask.take().is_none() => {
                            request.end = Some(self.lang.gave_up(reason));
                        }
                        _ => {}
                    }
                }
                HistoryItem::Subtask(text) => subtask = Some(text),
                HistoryItem::UserReply(reply) => {
                    let asked = question.take().map(|(asked, _)| asked);
                    if let Some(request) = request {
                        request.said.push(self.lang.replied(asked, reply));
                    }
                }
                HistoryItem::Advice(advice) => {
                    if let Some(request) = request {
                        request.said.push(self.lang.then_said(advice));
                    }
                }
                HistoryItem::Request(_) => {}
            }
        }
        let requests: Vec<String> = requests.iter().map(|it| it.told(self.lang)).collect();
        last(&requests).concat() + &last(&notes).concat()
    }
}

/// A request before the present one.
struct EarlierRequest<'a> {
    text: &'a str,
    /// What the user said to it, each with what stands in front.
    said: Vec<String>,
    /// Whether a step of it is known.
    begun: bool,
    /// How it ended; `None` where the next request came first.
    end: Option<String>,
}

impl EarlierRequest<'_> {
    fn told(&self, lang: Lang) -> String {
        let before = lang.pick("Asked before: ", "之前的任务：");
        let unfinished = lang.pick(" (not finished)", "（没有完成）");
        // What the client did itself is never reported to be finished.
        let dropped = self.begun && self.text != DIRECT_REQUEST;
        let end = self.end.as_deref().unwrap_or(if dropped { unfinished } else { "" });
        format!("{before}{}{}{end}\n", verbatim(self.text, LONGEST_TEXT), last(&self.said).concat())
    }
}

impl Lang {
    fn reported(self, message: &str) -> String {
        let reported = self.pick(", and you reported: ", "，你报告说：");
        reported.to_owned() + &quote_untrusted(message, LONGEST_TEXT)
    }

    fn gave_up(self, reason: &str) -> String {
        let gave_up = self.pick(", and you gave up: ", "，你放弃了：");
        gave_up.to_owned() + &quote_untrusted(reason, LONGEST_TEXT)
    }

    /// What an earlier part of a request has come to.
    fn found(self, subtask: &str, result: &str) -> String {
        let found = self.pick("Found before", "之前得到的结果");
        // Behind the first line is what its agent was to know for it.
        let subtask = quote_untrusted(subtask.lines().next().unwrap_or_default(), LONGEST_LINE);
        format!("{found} ({subtask}): {}\n", quote_untrusted(result, LONGEST_TEXT))
    }

    /// The user's answer to an earlier request's question, behind that request.
    fn replied(self, question: Option<&str>, reply: &str) -> String {
        let Some(question) = question else { return self.then_said(reply) };
        let asked = self.pick("; the user was asked: ", "；用户被问到：");
        let answered = self.pick(" and answered: ", "，回答说：");
        let question = quote_untrusted(question, LONGEST_TEXT);
        format!("{asked}{question}{answered}{}", verbatim(reply, LONGEST_TEXT))
    }

    /// What the user said without being asked, behind the earlier request it was about.
    fn then_said(self, advice: &str) -> String {
        let then = self.pick("; the user then said: ", "；用户后来说：");
        then.to_owned() + &verbatim(advice, LONGEST_TEXT)
    }
}
