//! Which panel shows the screen, and where on it.
//!
//! A phone that folds has two panels and shows one screen on either; `screencap` without a number
//! captures the first, lit or not. With a size set by `wm size`, as many phones have one for a lower
//! resolution, captures may have the panel's size while touches and elements refer to the set one.
//! Both are learnt when a run begins. A phone with one panel and one size is not asked again.
mod fit;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::{DeviceError, Frame, ScreenSize, ShownDisplay};
use ayeaye_frame::Earlier;
use tokio::time::Instant;

use self::fit::Fit;
use crate::client::DeviceClient;
use crate::parse::{self, Viewport, batch, split_batch};

/// Lists the panels, on Android 10 and later; before, the argument is not known and everything is
/// printed.
pub(crate) const ASK_PANELS: &str =
    "dumpsys SurfaceFlinger --display-id | grep -E '^Display [0-9]+ [(]'";
/// Lists what each panel shows.
const ASK_VIEWPORTS: &str = "dumpsys display | grep -E 'DisplayViewport[{]'";
/// How a phone is folded, since Android 12.
const ASK_POSTURE: &str = "dumpsys device_state | grep -E 'mCommittedState='";

/// How long captures, of which several are made in a row, believe which of several panels is lit.
const FRESH: Duration = Duration::from_millis(500);

/// What is known about a phone's displays.
#[derive(Debug, Default)]
pub(crate) struct Displays(Mutex<KnownDisplays>);

#[derive(Debug, Default)]
struct KnownDisplays {
    /// What touches refer to, as the phone is held.
    touched: Option<ScreenSize>,
    /// A capture has asked for that, since nothing had before.
    touched_asked: bool,
    /// The phone's panels, once asked for; more than one if it folds.
    panels: Option<Vec<u64>>,
    shown: Option<(ShownPanel, Instant)>,
    /// The displays that show something, panels of the phone or not.
    in_use: Vec<u32>,
    /// How the phone is folded, in its own word.
    posture: Option<String>,
    /// The panel of the last capture.
    captured: Option<ShownPanel>,
    /// How captures of this size become what is touched, of that size.
    fit: Option<(ScreenSize, ScreenSize, Option<Fit>)>,
    /// The last capture that was made so, while somebody holds it.
    fitted: Earlier,
}

/// The display that shows the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownPanel {
    /// For `screencap -d`.
    pub(crate) panel: u64,
    /// For `input -d`.
    pub(crate) display: u32,
}

impl KnownDisplays {
    fn panels(&self) -> &[u64] {
        self.panels.as_deref().unwrap_or_default()
    }
}

impl Displays {
    /// Takes note of the answers to [`ASK_PANELS`] and of the size that touches refer to.
    pub(crate) fn learn(&self, panels: &str, touched: Option<ScreenSize>) {
        self.known().panels = Some(parse::panels(panels));
        self.learn_size(touched);
    }

    /// Takes note of the size that touches refer to, if the phone said it.
    pub(crate) fn learn_size(&self, touched: Option<ScreenSize>) {
        if touched.is_some() {
            self.known().touched = touched;
        }
    }

    /// Takes note of the displays that show something. Where none is told, as of a phone that did not answer, those
    /// that were known stay.
    pub(crate) fn learn_use(&self, in_use: Option<Vec<u32>>) {
        if let Some(in_use) = in_use.filter(|it| !it.is_empty()) {
            self.known().in_use = in_use;
        }
    }

    /// The display that is looked at, where others show something too.
    pub(crate) fn among_several(&self) -> Option<u32> {
        let seen = self.seen();
        self.known().in_use.iter().any(|it| *it != seen).then_some(seen)
    }

    /// Whether the size that touches refer to has to be asked for before a capture can be understood. Once: a phone
    /// that does not say it has no other one than its captures'.
    pub(crate) fn must_ask_size(&self) -> bool {
        let mut known = self.known();
        known.touched.is_none() && !std::mem::replace(&mut known.touched_asked, true)
    }

    /// Asks for the panels unless they are known. True if it has just turned out that there are
    /// several.
    pub(crate) async fn ask_panels_once(&self, client: &DeviceClient) -> Result<bool, DeviceError> {
        if self.known().panels.is_some() {
            return Ok(false);
        }
        let output = client.shell_quick("its displays", ASK_PANELS).await?;
        self.known().panels = Some(parse::panels(&output.stdout));
        Ok(self.are_several())
    }

    /// Whether the phone has more than one panel.
    pub(crate) fn are_several(&self) -> bool {
        1 < self.known().panels().len()
    }

    /// The display to capture; `None` if there is only one panel, or the phone does not say.
    pub(crate) async fn for_capture(
        &self,
        client: &DeviceClient,
    ) -> Result<Option<ShownPanel>, DeviceError> {
        let known = self.known().shown.filter(|(_, at)| at.elapsed() < FRESH);
        match known {
            Some((shown, _)) => Ok(Some(shown)),
            None => self.ask_shown(client).await,
        }
    }

    async fn ask_shown(&self, client: &DeviceClient) -> Result<Option<ShownPanel>, DeviceError> {
        if !self.are_several() {
            return Ok(None);
        }
        let ask = batch(&[ASK_VIEWPORTS, ASK_POSTURE]);
        let output = client.shell_quick("its displays", &ask).await?;
        let [viewports, posture] = split_batch(&output.stdout);
        let viewports = parse::viewports(viewports);
        let mut known = self.known();
        known.posture = parse::posture(posture);
        let Some(viewport) = lit(&viewports) else { return Ok(None) };
        let named = viewport.panel.filter(|panel| known.panels().contains(panel));
        let Some(panel) = named else { return Ok(None) };
        let shown = ShownPanel { panel, display: viewport.display };
        known.touched = Some(viewport.logical);
        known.shown = Some((shown, Instant::now()));
        Ok(Some(shown))
    }

    /// All panels, where the phone has several and does not say which is lit.
    pub(crate) fn candidates(&self, shown: Option<ShownPanel>) -> Vec<u64> {
        let known = self.known();
        let unclear = shown.is_none() && 1 < known.panels().len();
        if unclear { known.panels().to_vec() } else { Vec::new() }
    }

    /// Takes note of the panel of a capture.
    pub(crate) fn captured(&self, shown: Option<ShownPanel>) {
        self.known().captured = shown;
    }

    /// The display of the last capture, where there are several.
    pub(crate) fn shown_on(&self) -> Option<ShownDisplay> {
        let known = self.known();
        let ShownPanel { panel, display } = known.captured?;
        Some(ShownDisplay { display, panel, posture: known.posture.clone() })
    }

    /// The number of the display that is looked at: the first where nothing else is known.
    pub(crate) fn seen(&self) -> u32 {
        let known = self.known();
        let shown = known.captured.or(known.shown.map(|(shown, _)| shown));
        shown.map_or(0, |shown| shown.display)
    }

    /// The display of a gesture decided on the last capture; an error if the phone was folded or
    /// unfolded since.
    pub(crate) async fn for_gesture(
        &self,
        client: &DeviceClient,
        what: &str,
    ) -> Result<Option<u32>, DeviceError> {
        let Some(shown) = self.ask_shown(client).await? else { return Ok(None) };
        let captured = self.known().captured;
        if captured.is_some_and(|captured| captured != shown) {
            let reason = "the phone was folded or unfolded since its screen was seen";
            return Err(client.refused(what, reason));
        }
        Ok(Some(shown.display))
    }

    /// The capture as touches and elements refer to it.
    pub(crate) async fn fitted(
        &self,
        client: &DeviceClient,
        frame: Frame,
    ) -> Result<Frame, DeviceError> {
        let size = frame.size();
        let Some(touched) = self.known().touched else { return Ok(frame) };
        // Sideways the phone has been turned since.
        if touched == size || (touched.width, touched.height) == (size.height, size.width) {
            return Ok(frame);
        }
        let known = self.known().fit.filter(|fit| (fit.0, fit.1) == (size, touched));
        let fit = if let Some((_, _, fit)) = known {
            fit
        } else {
            let viewports = ask_viewports(client).await?;
            let fit = lit(&viewports).and_then(|viewport| Fit::new(size, viewport));
            let logical = lit(&viewports).map_or(touched, |viewport| viewport.logical);
            tracing::info!(
                device = %client.id(), captures = %size, touches = %logical, fitted = fit.is_some(),
                "captures and touches differ in size"
            );
            // Of a phone that is being turned one of the two is late: what does not fit now may fit at the next look.
            let is_turning = is_sideways(size) != is_sideways(logical);
            if fit.is_some() || !is_turning {
                let mut known = self.known();
                known.touched = Some(logical);
                known.fit = Some((size, logical, fit));
            } else {
                // And is not to be taken for seen again by the same digest.
                return Ok(frame.with_digest(None));
            }
            fit
        };
        let Some(fit) = fit else { return Ok(frame) };
        let earlier = self.known().fitted.clone();
        let digest = frame.digest();
        let scaling = tokio::task::spawn_blocking(move || fit.apply(&frame, &earlier));
        let unscaled = |_| client.garbled("a screenshot", "it could not be scaled");
        let fitted = scaling.await.map_err(unscaled)?.with_digest(digest);
        self.known().fitted = fitted.as_earlier();
        Ok(fitted)
    }

    /// Never held over an await.
    fn known(&self) -> MutexGuard<'_, KnownDisplays> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_sideways(size: ScreenSize) -> bool {
    size.height < size.width
}

async fn ask_viewports(client: &DeviceClient) -> Result<Vec<Viewport>, DeviceError> {
    let output = client.shell_quick("its displays", ASK_VIEWPORTS).await?;
    Ok(parse::viewports(&output.stdout))
}

/// The built-in display that is on; the main one if several are, or none. Where none is built in, as in some emulators,
/// it is one of the others that is on.
fn lit(viewports: &[Viewport]) -> Option<&Viewport> {
    if viewports.iter().all(|it| !it.internal) {
        let on = || viewports.iter().filter(|it| it.active);
        return on().find(|it| it.display == 0).or_else(|| on().next());
    }
    let built_in = || viewports.iter().filter(|it| it.internal);
    let on = || built_in().filter(|it| it.active);
    on().find(|it| it.display == 0)
        .or_else(|| on().next())
        .or_else(|| built_in().find(|it| it.display == 0))
        .or_else(|| built_in().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_display_is_built_in_the_one_that_is_on_is_seen() {
        let viewport = |kind: &str, active: bool, display: u32| {
            format!(
                "DisplayViewport{{type={kind}, valid=true, isActive={active}, displayId={display}, \
                 uniqueId='local:1{display}', logicalFrame=Rect(0, 0 - 1280, 720)}}"
            )
        };
        for (shown, expected) in [
            // As Tencent's emulator has it.
            (vec![("EXTERNAL", false, 0), ("EXTERNAL", true, 2)], Some(2)),
            (vec![("EXTERNAL", true, 2), ("EXTERNAL", true, 0)], Some(0)),
            (vec![("EXTERNAL", false, 0), ("EXTERNAL", false, 2)], None),
            (vec![("INTERNAL", false, 0), ("EXTERNAL", true, 2)], Some(0)),
            (vec![("INTERNAL", false, 0), ("INTERNAL", true, 1)], Some(1)),
            (vec![], None),
        ] {
            let parts = shown.iter().map(|(kind, active, at)| viewport(kind, *active, *at));
            let told = parts.collect::<Vec<_>>().join(", ");
            let found = parse::viewports(&told);
            assert_eq!(lit(&found).map(|it| it.display), expected, "{told}");
        }
    }
}
