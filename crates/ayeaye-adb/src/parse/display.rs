//! Size and orientation of the screen, and the panels that show it.
use ayeaye_agent::ScreenSize;

use super::text::lines;

/// A rectangle: left, top, right, bottom, the last two outside.
pub(crate) type PixelRect = [u32; 4];

/// How Android shows a logical display on a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Viewport {
    /// The number that `input -d` takes.
    pub(crate) display: u32,
    /// The number that `screencap -d` takes.
    pub(crate) panel: Option<u64>,
    /// Built in, and not a television or a recording.
    pub(crate) internal: bool,
    /// The panel is on.
    pub(crate) active: bool,
    /// What apps draw on and touches refer to.
    pub(crate) logical: ScreenSize,
    /// Where on the panel it is shown.
    pub(crate) shown_at: PixelRect,
    /// The panel, as wide and as tall as it is held.
    pub(crate) panel_size: ScreenSize,
}

/// The numbers of the panels, from `dumpsys SurfaceFlinger --display-id` (Android 10 and later). Later ones list
/// recordings and shared screens too.
pub(crate) fn panels(text: &str) -> Vec<u64> {
    let panel = |line: &str| {
        let (number, about) = line.trim().strip_prefix("Display ")?.split_once(' ')?;
        if about.starts_with("(Virtual") { None } else { number.parse().ok() }
    };
    let mut found: Vec<u64> = Vec::new();
    for panel in lines(text).filter_map(panel) {
        if !found.contains(&panel) {
            found.push(panel);
        }
    }
    found
}

/// How a phone is folded, in its own word: `mCommittedState=Optional[DeviceState{identifier=0, name='CLOSED'}]`
/// of `dumpsys device_state`.
pub(crate) fn posture(text: &str) -> Option<String> {
    let state = after(text, "mCommittedState=")?.lines().next()?;
    let name = after(state, "name=")?.trim_start_matches(['\'', '"']);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
    Some(name[..end].to_owned()).filter(|name| !name.is_empty() && name.len() <= 40)
}

/// The viewports that `dumpsys display` and `dumpsys input` print.
pub(crate) fn viewports(text: &str) -> Vec<Viewport> {
    const BEGINNINGS: [&str; 3] = ["DisplayViewport{", "Viewport INTERNAL: ", "Viewport: "];
    let mut found: Vec<Viewport> = Vec::new();
    let parts = BEGINNINGS.iter().flat_map(|beginning| text.split(beginning).skip(1));
    // A viewport ends with its line, or where the next one begins.
    for viewport in parts.filter_map(|part| viewport(part.lines().next()?)) {
        if !found.contains(&viewport) {
            found.push(viewport);
        }
    }
    found
}

fn viewport(text: &str) -> Option<Viewport> {
    let word = |label: &str| {
        let rest = after(text, label)?.trim_start_matches(['\'', '"', '[']);
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == ':')).unwrap_or(rest.len());
        rest.get(..end)
    };
    let [left, top, right, bottom] = area(after(text, "logicalFrame=")?)?;
    let logical = believable(right.checked_sub(left)?, bottom.checked_sub(top)?)?;
    let shown_at = after(text, "physicalFrame=").and_then(area);
    let sides = || {
        let (width, height) = match after(text, "deviceSize=[") {
            Some(sides) => sides.split_once(']')?.0.split_once(", ")?,
            None => (word("deviceWidth=")?, word("deviceHeight=")?),
        };
        believable(width.parse().ok()?, height.parse().ok()?)
    };
    let panel_size = sides().unwrap_or(logical);
    Some(Viewport {
        display: word("displayId=")?.parse().ok()?,
        panel: word("uniqueId=").and_then(|id| id.strip_prefix("local:")?.parse().ok()),
        internal: word("type=").is_none_or(|kind| kind == "INTERNAL"),
        active: word("isActive=").is_none_or(|it| it == "true" || it == "1"),
        logical,
        // Who does not say where shows it on the whole panel.
        shown_at: shown_at.unwrap_or([0, 0, panel_size.width, panel_size.height]),
        panel_size,
    })
}

/// `Rect(0, 0 - 2640, 1080)` or `[0, 0, 1224, 2700]`.
fn area(text: &str) -> Option<PixelRect> {
    let end = text.find([')', ']'])?;
    let mut numbers = text
        .get(..end)?
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(str::parse::<u32>);
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?, next()?])
}

/// The size in the natural orientation from `wm size`; an override takes precedence over the panel's
/// size.
pub(crate) fn wm_size(text: &str) -> Option<ScreenSize> {
    let said =
        |label: &str| lines(text).find_map(|line| size(line.trim().strip_prefix(label)?.trim()));
    said("Override size:").or_else(|| said("Physical size:"))
}

/// Dots per inch from `wm density`, an override taking precedence.
pub(crate) fn wm_density(text: &str) -> Option<u32> {
    let said = |label: &str| {
        let number = |line: &str| line.trim().strip_prefix(label)?.trim().parse().ok();
        lines(text).find_map(number).filter(|dpi| (60..=2000).contains(dpi))
    };
    said("Override density:").or_else(|| said("Physical density:"))
}

/// The size in the current orientation, from what `dumpsys window displays`, `dumpsys display` or
/// `dumpsys input` print about the first screen.
pub(crate) fn current_size(text: &str) -> Option<ScreenSize> {
    // Before anything that has the title of a window in it.
    let held = lines(text).find(|line| line.trim_start().starts_with("init=")).unwrap_or(text);
    after(held, " cur=").and_then(size).or_else(|| active_viewport(text)).or_else(|| {
        // mOverrideDisplayInfo=DisplayInfo{"Built-in Screen", real 2640 x 1080, ...
        let info = after(text, "mOverrideDisplayInfo=DisplayInfo{")?.lines().next()?;
        size(&after(info, "real ")?.replacen(" x ", "x", 1))
    })
}

/// `logicalFrame=Rect(0, 0 - 2640, 1080)` or `logicalFrame=[0, 0, 1224, 2700]` of the built-in
/// screen. A screen that is off has an inactive viewport, which is as good.
fn active_viewport(text: &str) -> Option<ScreenSize> {
    let [left, top, right, bottom] = area(after(text, "logicalFrame=")?)?;
    believable(right.checked_sub(left)?, bottom.checked_sub(top)?)
}

fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.split_once(label).map(|(_, rest)| rest)
}

fn size(text: &str) -> Option<ScreenSize> {
    let (width, rest) = text.split_once('x')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    believable(width.parse().ok()?, rest[..digits].parse().ok()?)
}

fn believable(width: u32, height: u32) -> Option<ScreenSize> {
    let possible = 1..=ayeaye_agent::MAX_SIDE;
    let both = possible.contains(&width) && possible.contains(&height);
    both.then_some(ScreenSize { width, height })
}
