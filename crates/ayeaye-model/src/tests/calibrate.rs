//! A model calibrated over HTTP.
use ayeaye_agent::{Action, Gesture, Model as _, ModelErrorKind, Reply};

use super::fake::{Act, Fake, JSON, http, says};
use super::{config, model};
use crate::calibrate::probe_image::ProbeImage;
use crate::{CalibrationPlan, CoordSystem, ModelConfig, RemoteModel};

#[tokio::test]
async fn a_model_is_calibrated_over_the_wire() {
    let plan = CalibrationPlan { probes: 12, seed: 9 };
    let answers = |speaks: CoordSystem| -> Vec<Act> {
        let tap = |number| {
            let scene = ProbeImage::new(plan.seed, number);
            let sent = crate::picture::Resize::MaxPixels(1440 * 3200).apply(scene.screen());
            let (x, y) = scene.target();
            let (width, height) = speaks.extent(sent);
            let point = format!("{:.0},{:.0}", x * width, y * height);
            says(&format!("explain:e\taction:CLICK\tpoint:{point}\tsummary:s"))
        };
        (1..=plan.probes).map(tap).collect()
    };
    for (speaks, differs) in
        [(CoordSystem::THOUSANDTHS, None), (CoordSystem::PIXELS, Some(CoordSystem::PIXELS))]
    {
        let fake = Fake::start(answers(speaks)).await;
        let mut told = 0;
        let found = model(&fake).calibrate(plan, |_| told += 1).await.unwrap();
        assert_eq!((found.correction(), told, found.readable), (differs, 12, 12), "{found:?}");
        // With what was found in the settings, taps land.
        let settled = ModelConfig { space: found.detected, ..config(&fake) };
        let settled = RemoteModel::new(settled).unwrap();
        let scene = ProbeImage::new(plan.seed, 1);
        let picture = settled.picture(&scene.draw());
        let (width, height) = speaks.extent(picture.size);
        let (x, y) = scene.target();
        let text =
            format!("explain:e\taction:CLICK\tpoint:{:.0},{:.0}\tsummary:s", x * width, y * height);
        let reply = Reply { text, ..Reply::default() };
        let decision = settled.read(&reply, picture.size).unwrap();
        let Action::Gesture(Gesture::Click { point }) = decision.action else { panic!("a tap") };
        assert!((point.fractions().0 - x).abs() < 0.002 && (point.fractions().1 - y).abs() < 0.002);
    }
    let fake = Fake::start(vec![http("401 Unauthorized", JSON, "{}")]).await;
    let error = model(&fake).calibrate(plan, |_| {}).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unauthorized, "{error}");
    assert!(error.message.contains("key"), "{error}");
}
