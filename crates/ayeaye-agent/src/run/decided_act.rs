//! An act between the decision and the phone.
use super::Run;
use crate::Gesture;
use crate::event::GateRecord;
use crate::gate::{Rule, presses_enter};

/// An act that was decided on, and is to be carried out if the screen is still the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct DecidedAct<'a> {
    pub(super) gesture: &'a Gesture,
    /// The gate's verdict on it.
    pub(super) gate: &'a GateRecord,
    /// It types a secret, which must not get into another page.
    pub(super) holds_secret: bool,
}

impl DecidedAct<'_> {
    pub(super) fn rests_on(&self, rule: Rule) -> bool {
        self.gate.rule == rule.name()
    }
}

impl Run {
    /// Whether an act needs the whole screen to be unchanged: one that the user has allowed, a typed secret, an enter,
    /// which goes to whatever has the focus.
    pub(super) fn is_strict(&self, act: &DecidedAct<'_>) -> bool {
        let enters = presses_enter(act.gesture) && act.gesture.points().is_empty();
        // A client that acts itself decides what enter does; it may not see what the screen shows meanwhile.
        act.holds_secret || act.rests_on(Rule::Approved) || !self.is_direct && enters
    }
}
