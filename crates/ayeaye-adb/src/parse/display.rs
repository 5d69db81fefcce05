//! Size and orientation of the screen.
use ayeaye_agent::ScreenSize;

/// The size in the natural orientation from `wm size`; an override takes precedence over the panel's
/// size.
pub(crate) fn wm_size(text: &str) -> Option<ScreenSize> {
    let said =
        |label: &str| text.lines().find_map(|line| size(line.trim().strip_prefix(label)?.trim()));
    said("Override size:").or_else(|| said("Physical size:"))
}

/// The size in the current orientation, from what `dumpsys window displays`, `dumpsys display` or
/// `dumpsys input` print about the first screen.
pub(crate) fn current_size(text: &str) -> Option<ScreenSize> {
    after(text, " cur=").and_then(size).or_else(|| active_viewport(text)).or_else(|| {
        // mOverrideDisplayInfo=DisplayInfo{"Built-in Screen", real 2640 x 1080, ...
        let info = after(text, "mOverrideDisplayInfo=DisplayInfo{")?.lines().next()?;
        size(&after(info, "real ")?.replacen(" x ", "x", 1))
    })
}

/// `logicalFrame=Rect(0, 0 - 2640, 1080)` or `logicalFrame=[0, 0, 1224, 2700]` of the built-in
/// screen. A screen that is off has an inactive viewport, which is as good.
fn active_viewport(text: &str) -> Option<ScreenSize> {
    let frame = after(text, "logicalFrame=")?;
    let end = frame.find([')', ']'])?;
    let mut numbers = frame
        .get(..end)?
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(str::parse::<u32>);
    let mut next = || numbers.next()?.ok();
    let (left, top, right, bottom) = (next()?, next()?, next()?, next()?);
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
