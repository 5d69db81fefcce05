//! Which act an act is: how a yes or a no to it is known again.
use sha2::{Digest as _, Sha256};

use crate::Gesture;
use crate::approval::is_same_act;
use crate::event::{ActIdentity, Countdown};
use crate::gate::{ActClass, ActOn, GateDecision, ScreenFacts, Verdict, take_countdowns};
use crate::run::Run;
use crate::run::observer::Observation;

impl Run {
    /// The identity of an act as it is recorded, without secrets: what is done, to which element, in which app.
    pub(super) fn identity(
        &self,
        gesture: &Gesture,
        observation: &Observation,
        screen: &ScreenFacts,
        verdict: &Verdict,
    ) -> ActIdentity {
        let target = observation.target(gesture);
        let aimed = screen.aimed.iter().find(|it| it.reacts).or(screen.aimed.first());
        let size = observation.frame.size();
        let at = match (&target, gesture) {
            (Some(target), _) => {
                let [left, top, right, bottom] = target.rect.map(f64::from);
                let part = |from: f64, to: f64, of: u32| (from + to) * 500.0 / f64::from(of.max(1));
                Some([part(left, right, size.width), part(top, bottom, size.height)])
            }
            (None, gesture) => touched_place(gesture),
        };
        let amount = match &verdict.decision {
            GateDecision::Confirm(ask) => ask.amount.clone().unwrap_or_default(),
            _ => String::new(),
        };
        let mut seconds = Vec::new();
        let mut take = |text: &str| take_countdowns(text, &mut seconds);
        let title = screen.header.first().map(|it| take(it)).unwrap_or_default();
        let target = target.map(|target| {
            let id = aimed.map(|it| it.resource_id.clone()).unwrap_or_default();
            [id, take(&target.name), target.kind]
        });
        let mut about = Self::about(gesture, observation, screen, verdict, &mut seconds);
        // A yes to what one dialog deletes is none for another thing behind a dialog that says the same.
        if let GateDecision::Confirm(ask) = &verdict.decision
            && let Some(touched) = &ask.touched
        {
            about.extend(["touched before: ", touched, "\n"]);
        }
        let countdown = (!seconds.is_empty()).then(|| {
            let read = self.deps.journal.now().zip(observation.age_of_elements());
            let read_at = read.and_then(|(now, age)| now.checked_sub(age).ok());
            Countdown { seconds, read_at }
        });
        let act = ActIdentity {
            action: self.action_key(gesture),
            app: observation.app.clone().unwrap_or_default(),
            activity: observation.activity().to_owned(),
            screen: format!("{title} {amount}").trim().to_owned(),
            target,
            content: content_of(screen, verdict),
            about,
            at,
            countdown,
        };
        self.recorder.secrets().redact_act(act)
    }

    /// What the act is about, as the screen says; empty where nobody is asked.
    fn about(
        gesture: &Gesture,
        observation: &Observation,
        facts: &ScreenFacts,
        verdict: &Verdict,
        seconds: &mut Vec<u32>,
    ) -> String {
        let (Some(class), Some(tree)) = (verdict.class(), observation.elements.tree()) else {
            return String::new();
        };
        let app = observation.app.as_deref().unwrap_or_default();
        let (elements, size) = (&*tree.elements, observation.frame.size());
        ActOn { gesture, elements, size, facts, app }.about(class, seconds)
    }

    /// The action without what is typed, which may be secret: of that a digest, without secrets.
    fn action_key(&self, gesture: &Gesture) -> String {
        let name = gesture.name();
        match gesture {
            Gesture::Type { text, submit, .. } => {
                let digest = Sha256::digest(self.recorder.redact(text).as_bytes());
                let short =
                    digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                format!("{name} {short:016x} {submit}")
            }
            Gesture::Awake { app } => format!("{name} {app}"),
            Gesture::HotKey { key } => format!("{name} {}", key.name()),
            Gesture::Command(command) => {
                let arguments: Vec<_> = command.arguments().into_iter().map(|(_, it)| it).collect();
                format!("{name} {}", arguments.join(" "))
            }
            _ => name.to_owned(),
        }
    }
}

/// Whether an act that the gate allows without a question is the one that a person has agreed to. The details that only
/// a question has (an amount, who gets what) are not compared. If the elements were not known for one of the two,
/// touching the same place of the same app makes them the same act.
pub(in crate::run) fn is_agreed_act(
    asked: &ActIdentity,
    now: &ActIdentity,
    gesture: &Gesture,
) -> bool {
    let mut now =
        ActIdentity { screen: asked.screen.clone(), content: asked.content.clone(), ..now.clone() };
    if asked.target.is_none() || now.target.is_none() {
        now.target.clone_from(&asked.target);
        now.at = touched_place(gesture);
    }
    is_same_act(asked, &now)
}

/// Where a touch is, in thousandths of the screen.
fn touched_place(gesture: &Gesture) -> Option<[f64; 2]> {
    match gesture {
        Gesture::Click { point }
        | Gesture::DoubleClick { point }
        | Gesture::LongPress { point, .. } => {
            let (x, y) = point.fractions();
            Some([x * 1e3, y * 1e3])
        }
        _ => None,
    }
}

/// What goes to whom, where an act is about that: a yes to one text is none to another. Empty for other acts.
fn content_of(screen: &ScreenFacts, verdict: &Verdict) -> String {
    match verdict.class() {
        Some(ActClass::Send | ActClass::Publish | ActClass::Transfer) => {
            format!("{}\n{}", screen.recipients.join("\n"), screen.draft)
        }
        _ => String::new(),
    }
}
