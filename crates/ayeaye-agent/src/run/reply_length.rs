//! Replies that have no end: a record holds a reply several times over, and has to hold what it has cost.
use crate::privacy::bytes_in_record;
use crate::{Action, Decision, Model, ParseError, Reply, ScreenSize};

/// Most bytes of a reply, as a record counts them: some 80,000 characters of Chinese. A line has 4 MiB, and holds the
/// reply as it came, what was understood of it, and what a step repeats of that.
const LONGEST: usize = 512 << 10;
/// Bytes of a call besides its texts.
const PER_CALL: usize = 64;
/// What a model is told of such a reply.
const TOO_LONG: &str = "it is far too long; say the same in a few sentences";

/// Whether a reply is too long to be read.
pub(super) fn is_too_long(reply: &Reply) -> bool {
    let calls = reply.calls.iter().flat_map(|it| [&it.id, &it.name, &it.arguments]);
    let texts = [&reply.text, &reply.reasoning].into_iter().chain(calls);
    let bytes: usize = texts.map(|text| bytes_in_record(text)).sum();
    LONGEST < bytes + PER_CALL * reply.calls.len()
}

/// Why a reply is not read at all: it is too long, or was cut off.
pub(super) fn unread(model: &dyn Model, reply: &Reply) -> Option<&'static str> {
    if is_too_long(reply) { Some(TOO_LONG) } else { model.incomplete(reply) }
}

/// The decision in a model's reply about a picture of this size.
pub(super) fn read_decision(
    model: &dyn Model,
    reply: &Reply,
    sent: ScreenSize,
) -> Result<Decision, ParseError> {
    match unread(model, reply) {
        Some(why) => Err(ParseError::new(why)),
        None => model.read(reply, sent),
    }
}

/// The decision in a reply that shows its end; in one that may be half of one, only what the model has decided for
/// the second time. A reply that is cut off again ends elsewhere. `doubted` is the last decision of that kind.
pub(super) fn confirmed(
    model: &dyn Model,
    reply: &Reply,
    decision: Decision,
    doubted: &mut Option<Action>,
) -> Result<Decision, ParseError> {
    match model.may_be_cut(reply) {
        Some(why) if doubted.as_ref() != Some(&decision.action) => {
            *doubted = Some(decision.action);
            Err(why)
        }
        _ => Ok(decision),
    }
}
