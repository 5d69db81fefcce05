//! The findings of the rules about an act, and the verdict that follows from them.
use super::class::ActClass;
use super::policy::{Policy, Treatment};
use super::question::{AskedAct, shown};
use super::request::GateRequest;
use super::verdict::{GateDecision, Rule, Verdict};

/// What speaks about an act.
#[derive(Debug)]
struct GateFinding {
    severity: Severity,
    class: ActClass,
    rule: Rule,
    evidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    /// It may pass, and this says why.
    Pass,
    Ask,
    Refuse,
}

/// Collects what the rules find.
#[derive(Debug)]
pub(super) struct Findings<'a> {
    pub(super) policy: &'a Policy,
    pub(super) request: &'a GateRequest<'a>,
    found: Vec<GateFinding>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(policy: &'a Policy, request: &'a GateRequest<'a>) -> Self {
        Self { policy, request, found: Vec::new() }
    }

    /// Finds that the act is of this class; the policy decides what follows.
    pub(super) fn class(&mut self, class: ActClass, asked: bool, rule: Rule, evidence: &str) {
        let (severity, rule) = match self.policy.treatment(class) {
            Treatment::Allow => (Severity::Pass, Rule::Permitted),
            Treatment::AskUnlessAsked if asked => (Severity::Pass, Rule::AskedFor),
            Treatment::AskUnlessAsked | Treatment::Ask => (Severity::Ask, rule),
            Treatment::Deny => (Severity::Refuse, rule),
        };
        self.add(severity, class, rule, evidence);
    }

    /// Finds that the user must be asked about the act, under every policy that does not refuse it.
    pub(super) fn ask(&mut self, class: ActClass, rule: Rule, evidence: &str) {
        let refused = self.policy.treatment(class) == Treatment::Deny;
        let severity = if refused { Severity::Refuse } else { Severity::Ask };
        self.add(severity, class, rule, evidence);
    }

    /// Finds that the act is refused.
    pub(super) fn deny(&mut self, class: ActClass, rule: Rule, evidence: &str) {
        self.add(Severity::Refuse, class, rule, evidence);
    }

    /// Finds a reason why the act may pass.
    pub(super) fn pass(&mut self, rule: Rule, evidence: &str) {
        self.add(Severity::Pass, ActClass::Change, rule, evidence);
    }

    /// The number of findings.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    fn add(&mut self, severity: Severity, class: ActClass, rule: Rule, evidence: &str) {
        let evidence = shown(evidence);
        self.found.push(GateFinding { severity, class, rule, evidence });
    }

    /// The strictest finding decides; of several alike the first, which is about the most.
    pub(super) fn verdict(self) -> Verdict {
        let Self { request, found, .. } = self;
        let Some(strictest) = found.iter().map(|it| it.severity).max() else {
            return Verdict {
                decision: GateDecision::Allow,
                rule: Rule::Harmless,
                evidence: String::new(),
            };
        };
        let mut found = found.into_iter().filter(|it| it.severity == strictest);
        let first = found.next();
        let Some(GateFinding { severity, class, rule, evidence }) = first else {
            unreachable!("the strictest of them is among them")
        };
        let decision = match severity {
            Severity::Pass => GateDecision::Allow,
            Severity::Ask => {
                let act = AskedAct { request, class, rule, evidence: &evidence };
                GateDecision::Confirm(act.question())
            }
            Severity::Refuse => GateDecision::Deny(class),
        };
        Verdict { decision, rule, evidence }
    }
}
