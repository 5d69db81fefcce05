//! References to elements that clients were shown, so that they can tap an element instead of a place.
//!
//! A reference is valid for the last few looks of the same caller at that phone, and only as long as the element is
//! still there, unchanged and in its place: another control may have come under the finger. It is a few looks, not one,
//! since two agents with one token are one caller.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use ayeaye_agent::{DeviceId, DeviceNames, Element, Elements, Point, Principal, ScreenSize};

use super::tool_error::ToolError;

/// The most looks that are remembered, and of each caller at each phone.
const MAX_LOOKS: usize = 64;
const LOOKS_EACH: usize = 4;

/// The elements that each caller was last shown of each phone, the oldest list first.
#[derive(Debug, Default)]
pub struct ElementReferences(Mutex<VecDeque<ShownElements>>);

#[derive(Debug)]
struct ShownElements {
    device: DeviceId,
    /// What the phone was known by: its id may be another one's later.
    phone: Option<String>,
    principal: Principal,
    mark: String,
    /// By their place in the tree.
    elements: Vec<(usize, ElementIdentity)>,
}

/// What makes an element that element.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ElementIdentity {
    class: String,
    resource_id: String,
    text: String,
    description: String,
    bounds: [i32; 4],
}

impl ShownElements {
    fn is_of(&self, device: &DeviceId, principal: &Principal) -> bool {
        self.device == *device && self.principal == *principal
    }
}

impl From<&Element> for ElementIdentity {
    fn from(element: &Element) -> Self {
        Self {
            class: element.class.clone(),
            resource_id: element.resource_id.clone(),
            // What stands in a field for passwords is nobody's business.
            text: if element.password { String::new() } else { element.text.clone() },
            description: element.description.clone(),
            bounds: element.bounds,
        }
    }
}

/// An element that a caller was shown, to be found on the screen again.
#[derive(Debug)]
pub struct Reference {
    text: String,
    seen: ElementIdentity,
}

impl ElementReferences {
    /// Remembers the elements of a screen. Returns the mark that their references begin with.
    pub fn remember(
        &self,
        phone: &DeviceNames,
        principal: &Principal,
        elements: &Elements,
    ) -> String {
        // Not a counter: a reference from before a restart must not fit a later look.
        let mark = format!("{:04x}", rand::random::<u16>());
        let device = &phone.id;
        let look = ShownElements {
            device: device.clone(),
            phone: phone.identity.clone(),
            principal: principal.clone(),
            mark: mark.clone(),
            elements: elements.iter().map(|it| (it.index, ElementIdentity::from(it))).collect(),
        };
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_caller = looks.iter().filter(|it| it.is_of(device, principal)).count();
        let is_full = LOOKS_EACH <= of_caller || MAX_LOOKS <= looks.len();
        let is_oldest = |it: &ShownElements| of_caller < LOOKS_EACH || it.is_of(device, principal);
        if is_full && let Some(oldest) = looks.iter().position(is_oldest) {
            looks.remove(oldest);
        }
        looks.push_back(look);
        mark
    }

    /// The element that a reference means, from one of the last lists.
    pub fn find(
        &self,
        phone: &DeviceNames,
        principal: &Principal,
        reference: &str,
    ) -> Result<Reference, ToolError> {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mark, index) = reference.split_once('-').unwrap_or_default();
        let is_of_phone = |it: &&ShownElements| {
            let both = it.phone.as_ref().zip(phone.identity.as_ref());
            it.is_of(&phone.id, principal) && both.is_none_or(|(then, now)| then == now)
        };
        let look = looks.iter().rev().filter(is_of_phone).find(|it| it.mark == mark);
        let seen = index.parse::<usize>().ok().and_then(|index| {
            look?.elements.iter().find(|(known, _)| *known == index).map(|(_, seen)| seen)
        });
        let seen = seen.ok_or_else(|| ToolError::stale_reference(reference))?;
        Ok(Reference { text: reference.to_owned(), seen: seen.clone() })
    }
}

impl Reference {
    /// The middle of the element, if it is still on the screen as it was.
    pub fn place(&self, elements: &Elements, size: ScreenSize) -> Result<Point, ToolError> {
        if !elements.iter().any(|element| ElementIdentity::from(element) == self.seen) {
            return Err(ToolError::stale_reference(&self.text));
        }
        let [left, top, right, bottom] = self.seen.bounds;
        let middle = |from: i32, to: i32, length: u32| {
            let length = f64::from(length.max(1));
            let (from, to) = (f64::from(from).max(0.0), f64::from(to).min(length));
            f64::midpoint(from, to) / length
        };
        let (x, y) = (middle(left, right, size.width), middle(top, bottom, size.height));
        Point::from_fractions(x, y).map_err(|_| ToolError::stale_reference(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: ScreenSize = ScreenSize { width: 1000, height: 2000 };

    fn screen(text: &str, top: i32) -> Elements {
        let dump = format!(
            "<hierarchy rotation=\"0\"><node index=\"0\" text=\"{text}\" class=\"android.widget.Button\" \
             clickable=\"true\" bounds=\"[100,{top}][300,{}]\"/></hierarchy>",
            top + 100
        );
        Elements::read(&dump).unwrap()
    }

    #[test]
    fn a_reference_holds_for_the_last_looks_of_one_caller_and_one_place() {
        let named = |id: &str| DeviceNames::only(DeviceId::new(id));
        let (looks, phone) = (ElementReferences::default(), named("X"));
        let me = Principal::local();
        let mark = looks.remember(&phone, &me, &screen("Send", 400));
        let reference = format!("{mark}-0");
        let found = looks.find(&phone, &me, &reference).unwrap();
        let place = found.place(&screen("Send", 400), SIZE).unwrap();
        assert_eq!((place.x(), place.y()), (200, 225));
        for now in [screen("Delete", 400), screen("Send", 500), Elements::default()] {
            let told = found.place(&now, SIZE).unwrap_err().to_string();
            assert!(told.contains("get_ui_tree"), "{told}");
        }
        assert!(looks.find(&named("Y"), &me, &reference).is_err());
        for wrong in ["", "0", &format!("{mark}-1"), &format!("{mark}-x"), "zzzz-0"] {
            assert!(looks.find(&phone, &me, wrong).is_err(), "{wrong}");
        }
        // Another agent of the same caller looks as well, and somebody else.
        for look in 1..=LOOKS_EACH {
            assert!(looks.find(&phone, &me, &reference).is_ok(), "look {look}");
            looks.remember(&phone, &me, &screen("Send", 400));
            looks.remember(&phone, &Principal::new("anna"), &screen("Send", 400));
        }
        assert!(looks.find(&phone, &me, &reference).is_err(), "an earlier look");
    }

    #[test]
    fn a_reference_is_of_the_phone_that_was_looked_at() {
        let looks = ElementReferences::default();
        let me = Principal::local();
        let known = |identity: Option<&str>| DeviceNames {
            identity: identity.map(str::to_owned),
            ..DeviceNames::only(DeviceId::new("10.0.0.9:5555"))
        };
        let mark = looks.remember(&known(Some("a")), &me, &screen("Send", 400));
        for (now, is_found) in [(Some("a"), true), (None, true), (Some("b"), false)] {
            let found = looks.find(&known(now), &me, &format!("{mark}-0"));
            assert_eq!(found.is_ok(), is_found, "{now:?}");
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_remembered() {
        let looks = ElementReferences::default();
        for number in 0..MAX_LOOKS + 3 {
            looks.remember(
                &DeviceNames::only(DeviceId::new(number.to_string())),
                &Principal::local(),
                &Elements::default(),
            );
        }
        assert_eq!(looks.0.lock().unwrap().len(), MAX_LOOKS);
    }
}
