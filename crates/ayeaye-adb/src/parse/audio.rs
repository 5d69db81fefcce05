//! How loud a phone is, as `dumpsys audio` prints it.

/// What is heard of music and videos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MediaVolume {
    pub(crate) muted: bool,
    pub(crate) volume: u32,
    pub(crate) max: u32,
}

/// The stream of media. Its volume has a line of its own since Android 11; before, only that of each device
/// it may be heard on is told.
pub(crate) fn media_volume(text: &str) -> Option<MediaVolume> {
    let (_, stream) = text.split_once("- STREAM_MUSIC")?;
    let stream = stream.split("- STREAM_").next()?;
    let value = |name: &str| {
        let mut named = stream.lines().filter_map(|line| line.trim().strip_prefix(name));
        named.next().map(str::trim)
    };
    let max: u32 = value("Max:")?.parse().ok()?;
    let by_device = || {
        let device = value("Devices:")?.split([',', ' ']).next().filter(|it| !it.is_empty())?;
        let (_, rest) = value("Current:")?.split_once(&format!("({device}):"))?;
        rest.split(',').next()?.trim().parse::<u32>().ok()
    };
    let own = || value("streamVolume:")?.parse::<u32>().ok();
    let volume = own().or_else(by_device).filter(|volume| *volume <= max)?;
    Some(MediaVolume { muted: value("Muted:") == Some("true"), volume, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_of_media_is_read_from_either_form() {
        let new = "- STREAM_RING:\r\n   Muted: false\r\n   Max: 7\r\n   streamVolume:0\r\n- STREAM_MUSIC:\r\n   \
                   Muted: true\r\n   Muted Internally: false\r\n   Min: 0\r\n   Max: 15\r\n   streamVolume:5\r\n   \
                   Current: 2 (speaker): 7\r\n   Devices: speaker(2)\r\n- STREAM_ALARM:";
        assert_eq!(media_volume(new), Some(MediaVolume { muted: true, volume: 5, max: 15 }));
        for wrong in
            ["", "- STREAM_MUSIC:\n   Max: 15", "- STREAM_MUSIC:\n Max: 1\n streamVolume:9"]
        {
            assert_eq!(media_volume(wrong), None, "{wrong}");
        }
    }
}
