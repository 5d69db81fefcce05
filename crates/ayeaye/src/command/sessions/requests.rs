//! Which steps of a session are for which of its requests.
use ayeaye_agent::journal::{Event, Fact};
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

/// The requests of a session in their order.
pub(super) async fn of(journal: &dyn Journal, id: SessionId) -> Result<Vec<Request>, AgentError> {
    let mut requests: Vec<Request> = Vec::new();
    let mut each = |event: Event| match event.entry.fact {
        Fact::RoundStart { request } => requests.push(Request { text: request, first_step: None }),
        Fact::StepEnd(_) => {
            if let Some(request) = requests.last_mut() {
                request.first_step = request.first_step.or(event.entry.step);
            }
        }
        _ => {}
    };
    journal.visit_compact(&id, &mut each).await?;
    Ok(requests)
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
        let (error, uncertain, caption) = (None, None, None);
        StepSummary { step, action, explain: none(), thought: none(), error, uncertain, caption }
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
