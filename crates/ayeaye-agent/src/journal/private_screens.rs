//! A record without what it holds of the screens of private apps.
use std::collections::HashSet;

use crate::event::{Event, Fact, PartRecord};
use crate::gate::Policy;

/// What a model was told in place of a picture that is not shown.
const IN_PLACE: &str = "[picture not shown: its app is private]";

/// Removes pictures and elements of private apps from the events of one session, in order: an app may have become
/// private after its screens were recorded. Texts of models and people about them stay.
#[derive(Debug, Default)]
pub struct PrivateScreens {
    policy: Policy,
    /// What is of apps that are not private.
    shown: HashSet<String>,
}

impl PrivateScreens {
    /// For a session of which no event was passed in yet.
    pub fn new(policy: Policy) -> Self {
        Self { policy, shown: HashSet::new() }
    }

    /// Removes private pictures and elements from an event. Returns whether there were any.
    pub fn hide(&mut self, event: &mut Event) -> bool {
        if self.policy.private_apps.is_empty() {
            return false;
        }
        match &mut event.entry.fact {
            Fact::Observe(seen) => {
                let is_private = self.policy.hides(&seen.package);
                if is_private {
                    (seen.screenshot, seen.ui_tree) = (None, None);
                }
                let blobs = seen.screenshot.iter().chain(&seen.ui_tree);
                self.shown.extend(blobs.map(|it| it.sha256.clone()));
                is_private
            }
            // It does not say of which app it is.
            Fact::Snapshot { screenshot, ui_tree, .. } => {
                let hidden = [screenshot, ui_tree]
                    .map(|blob| blob.take_if(|it| !self.shown.contains(&it.sha256)).is_some());
                hidden.contains(&true)
            }
            Fact::LlmRequest(request) => {
                let mut hidden = false;
                for part in request.messages.iter_mut().flat_map(|it| &mut it.parts) {
                    if let PartRecord::Picture(blob) = part
                        && !self.shown.contains(&blob.sha256)
                    {
                        *part = PartRecord::Text(IN_PLACE.to_owned());
                        hidden = true;
                    }
                }
                hidden
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::{FORMAT, RecordEntry};

    fn event(kind: &str, data: &serde_json::Value) -> Event {
        let fact = serde_json::from_value(json!({ "type": kind, "data": data })).unwrap();
        let entry = RecordEntry { round: Some(0), step: Some(0), agent: None, fact };
        Event { v: FORMAT, seq: 1, ts: jiff::Timestamp::UNIX_EPOCH, entry }
    }

    fn blob(name: &str) -> serde_json::Value {
        json!({ "sha256": name.repeat(64), "media_type": "image/jpeg", "bytes": 9 })
    }

    #[test]
    fn of_apps_that_became_private_nothing_is_left_but_the_others() {
        let mut policy = Policy::default();
        policy.private_apps = vec!["com.example.notes".to_owned()];
        let mut private = PrivateScreens::new(policy);
        let seen = |package: &str, name: &str| {
            let data = json!({ "screenshot": blob(name), "screen_size": [9, 9], "ui_tree": blob(name),
                "package": package, "activity": "", "screen_on": true, "settle_ms": 1.0,
                "settled": true, "captures": 1, "encode_ms": 1.0 });
            event("observe", &data)
        };
        for (package, name, hidden) in
            [("com.example.shop", "a", false), ("com.example.notes", "b", true), ("", "c", true)]
        {
            let mut seen = seen(package, name);
            assert_eq!(private.hide(&mut seen), hidden, "{package}");
            let left = serde_json::to_string(&seen).unwrap();
            assert_eq!(left.contains(&name.repeat(64)), !hidden, "{left}");
        }
        for (name, hidden) in [("a", false), ("b", true), ("d", true)] {
            let data = json!({ "scope": "round", "screenshot": blob(name), "ui_tree": blob(name) });
            let mut end = event("snapshot", &data);
            assert_eq!(private.hide(&mut end), hidden, "{name}");
            assert_eq!(serde_json::to_string(&end).unwrap().contains(&name.repeat(64)), !hidden);
        }
        // A picture that is not kept, and elements that are or are not of an app that is shown.
        for (elements, hidden) in [("a", false), ("b", true)] {
            let data = json!({ "scope": "round", "ui_tree": blob(elements) });
            assert_eq!(private.hide(&mut event("snapshot", &data)), hidden, "{elements}");
        }
        let data = json!({ "scope": "round", "screenshot": blob("a"), "ui_tree": blob("b") });
        assert!(private.hide(&mut event("snapshot", &data)), "its elements are hidden");
        assert!(!PrivateScreens::new(Policy::default()).hide(&mut seen("com.example.notes", "b")));
    }
}
