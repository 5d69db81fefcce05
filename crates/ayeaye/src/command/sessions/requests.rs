//! Which steps of a session are for which of its requests.
use ayeaye_agent::journal::{AnswerSource, Event, Fact, RecordedWord};
use ayeaye_agent::{AgentError, DIRECT_REQUEST, Journal, SessionId, StepSummary};
use serde_json::{Value, json};

use crate::text::lines;

/// A request of a session: what opened a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// In the user's words; [`DIRECT_REQUEST`] where a client, or a person, acted by hand.
    pub(super) text: String,
    /// The first step that was done for it, from 0 through the session; none if there was no time for one.
    first_step: Option<u32>,
}

impl Request {
    /// As a line for people.
    pub(super) fn title(&self) -> String {
        if self.text == DIRECT_REQUEST { "acts by hand".to_owned() } else { lines(&self.text) }
    }

    pub(super) fn in_json(&self) -> Value {
        json!({ "text": self.text, "first_step": self.first_step })
    }
}

/// Something that was said between or in the steps of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    /// The last step that had begun; none before the first.
    after_step: Option<u32>,
    /// Whose words these are, and whether they were asked for.
    source: RecordedWord<AnswerSource>,
    text: String,
}

impl Said {
    /// As a line for people.
    pub(super) fn line(&self) -> String {
        let who = match self.source.known() {
            Some(AnswerSource::Client | AnswerSource::Manual) => "The user answered",
            Some(AnswerSource::Guidance) => "The user said, unasked",
            Some(AnswerSource::Auto) => "A model answered for the user",
            Some(AnswerSource::Nobody) => "Nobody was there; the agent was told",
            None => "Said",
        };
        format!("{who}: {}", lines(&self.text))
    }

    pub(super) fn in_json(&self) -> Value {
        json!({ "after_step": self.after_step, "source": self.source, "text": self.text })
    }
}

/// What was said from this step on and before the next of these steps; without a step, before the first.
pub(super) fn said_after<'a>(
    said: &'a [Said],
    steps: &[StepSummary],
    step: Option<u32>,
) -> impl Iterator<Item = &'a Said> {
    // A step in which nothing was decided is not among them.
    let next = steps.iter().map(|it| it.step).find(|it| step.is_none_or(|step| step < *it));
    said.iter().filter(move |it| {
        step <= it.after_step && next.is_none_or(|next| it.after_step < Some(next))
    })
}

/// The requests of a session in their order, and what was said.
pub(super) async fn of(
    journal: &dyn Journal,
    id: SessionId,
) -> Result<(Vec<Request>, Vec<Said>), AgentError> {
    let mut requests: Vec<Request> = Vec::new();
    let mut said = Vec::new();
    let mut step = None;
    let mut each = |event: Event| match event.entry.fact {
        Fact::RoundStart { request } => requests.push(Request { text: request, first_step: None }),
        Fact::StepStart(_) => step = event.entry.step,
        Fact::Answer(answer) => {
            let (after_step, source) = (step, answer.source);
            let all = answer.answers.into_iter();
            said.extend(all.map(|text| Said { after_step, source: source.clone(), text }));
        }
        Fact::StepEnd(_) => {
            if let Some(request) = requests.last_mut() {
                request.first_step = request.first_step.or(event.entry.step);
            }
        }
        _ => {}
    };
    journal.visit_compact(&id, &mut each).await?;
    Ok((requests, said))
}

/// Each request with its steps, of all steps of the session.
pub(super) fn with_steps<'a>(
    requests: &'a [Request],
    steps: &'a [StepSummary],
) -> impl Iterator<Item = (&'a Request, &'a [StepSummary])> {
    let mut left = steps;
    requests.iter().enumerate().map(move |(at, request)| {
        let next = requests[at + 1..].iter().find_map(|later| later.first_step);
        let own = left.partition_point(|step| next.is_none_or(|next| step.step < next));
        let (own, rest) = left.split_at(own);
        left = rest;
        (request, own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(step: u32) -> StepSummary {
        let action = ayeaye_agent::journal::ActionRecord {
            function: "WAIT".to_owned(),
            arguments: serde_json::Map::new(),
        };
        let none = String::new;
        let (error, uncertain, asked, caption) = (None, None, None, None);
        let (explain, thought) = (none(), none());
        StepSummary { step, action, explain, thought, error, uncertain, asked, caption }
    }

    /// The numbers of the steps of each request.
    fn told(first_steps: &[Option<u32>], steps: u32) -> Vec<Vec<u32>> {
        let request =
            |first_step: &Option<u32>| Request { text: String::new(), first_step: *first_step };
        let requests: Vec<Request> = first_steps.iter().map(request).collect();
        let steps: Vec<StepSummary> = (0..steps).map(step).collect();
        with_steps(&requests, &steps)
            .map(|(_, own)| own.iter().map(|it| it.step).collect())
            .collect()
    }

    #[test]
    fn each_step_is_told_under_the_request_that_it_was_done_for() {
        assert_eq!(told(&[Some(0), Some(2)], 3), [vec![0, 1], vec![2]]);
        assert_eq!(told(&[Some(0), None, Some(1)], 3), [vec![0], vec![], vec![1, 2]]);
        assert_eq!(
            told(&[Some(0), None], 2),
            [vec![0, 1], vec![]],
            "the first had its steps before"
        );
        assert_eq!(told(&[None, Some(0)], 1), [vec![], vec![0]]);
        assert!(told(&[], 2).is_empty());
    }
}
