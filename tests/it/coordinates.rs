//! Where a model taps: for every profile, on every kind of screen, the pixel that its numbers mean.
//!
//! The numbers are written by the fake of the family ([`crate::support::families`]), which knows what
//! they mean from the family's own server; what is read from them must be within one pixel of that.
//! The fake rounds as the model would, and what it means is told after rounding.
use ayeaye_agent::{Action, Gesture, Model as _, Reply, ScreenSize, ToolCall};
use ayeaye_model::{Endpoint, ModelConfig, RemoteModel};

use crate::support::families::{Coords, FakeFamily, FamilyRequest, OracleAction, fake_families};

/// Width and height as held upright.
const SCREENS: [(u32, u32); 8] = [
    (1080, 2400),
    (1440, 3200),
    (720, 1280),
    // An override on a screen of 1080x2400.
    (720, 1600),
    // A tablet, which is wider than high.
    (2560, 1600),
    // Folded out, and the small screen of a fold.
    (2208, 1840),
    (904, 2316),
    // A television.
    (1920, 1080),
];

fn model(family: &dyn FakeFamily) -> RemoteModel {
    let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
    let mut config = ModelConfig::new(endpoint, family.model());
    config.profile = Some(family.profile().parse().unwrap());
    RemoteModel::new(config).unwrap()
}

/// Corners, edges, and places in between that no grid favours.
fn places((width, height): (u32, u32)) -> Vec<(f64, f64)> {
    let along = |length: u32| {
        let last = length - 1;
        [0, 1, last / 7, last / 3, length / 2, last * 5 / 7, last - 1, last].map(f64::from)
    };
    let ys = along(height);
    along(width).into_iter().flat_map(|x| ys.map(|y| (x, y))).collect()
}

/// What the model's numbers become on the screen.
fn tapped(
    model: &RemoteModel,
    family: &dyn FakeFamily,
    coords: &Coords,
    at: (f64, f64),
) -> (u32, u32) {
    let said = family.format_reply(&OracleAction::Tap(at), &FamilyRequest::nothing(), coords);
    let call = |(name, arguments): &(String, serde_json::Value)| ToolCall {
        id: "call_1".to_owned(),
        name: name.clone(),
        arguments: arguments.to_string(),
    };
    let reply = Reply {
        text: said.text.clone(),
        reasoning: said.reasoning.clone(),
        calls: said.calls.iter().map(call).collect(),
        finish_reason: Some(if said.calls.is_empty() { "stop" } else { "tool_calls" }.to_owned()),
        ..Reply::default()
    };
    let sent = ScreenSize { width: coords.sent.0, height: coords.sent.1 };
    let decision = model.read(&reply, sent);
    let Ok(Action::Gesture(Gesture::Click { point })) = decision.as_ref().map(|it| &it.action)
    else {
        panic!("{}: {said:?} became {decision:?}", family.profile());
    };
    let pixel = point.to_pixel(ScreenSize { width: coords.screen.0, height: coords.screen.1 });
    (pixel.x, pixel.y)
}

#[test]
fn every_profile_taps_within_a_pixel_of_what_the_model_means() {
    let mut points = 0;
    let mut worst: f64 = 0.0;
    for family in fake_families() {
        let (model, name) = (model(&*family), family.profile());
        // Upside down a screen is as large as upright.
        let ways_up =
            SCREENS.into_iter().flat_map(|(width, height)| [(width, height), (height, width)]);
        for screen in ways_up {
            let (width, height) = screen;
            let sent = model.picture_size(ScreenSize { width, height });
            let coords = Coords::new(screen, (sent.width, sent.height));
            assert!(coords.keeps_shape(32), "{name}: {sent:?} of {screen:?}");
            for at in places(screen) {
                let (x, y) = tapped(&model, &*family, &coords, at);
                let (true_x, true_y) = coords.rounded.borrow_mut().pop().unwrap();
                // Nobody can tap beyond the last pixel.
                let miss = |at: u32, truth: f64, length: u32| {
                    (f64::from(at) - truth.min(f64::from(length - 1))).abs()
                };
                let miss = miss(x, true_x, width).max(miss(y, true_y, height));
                assert!(
                    miss <= 1.0,
                    "{name} on {screen:?}: {at:?} is told as {true_x},{true_y} and tapped at {x},{y}"
                );
                worst = worst.max(miss);
                points += 1;
            }
        }
    }
    assert_eq!(points, fake_families().len() * 8 * 2 * 64);
    assert!(0.0 < worst, "a table in which nothing is ever rounded is no table");
}
