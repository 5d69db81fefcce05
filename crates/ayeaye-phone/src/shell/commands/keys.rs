//! Names of Android's key codes (`KeyEvent.java`), as `input keyevent` takes them.

/// Names without `KEYCODE_`, each with its code. Digits, letters and F keys are computed.
const NAMED: [(&str, u32); 113] = [
    ("SOFT_LEFT", 1),
    ("SOFT_RIGHT", 2),
    ("HOME", 3),
    ("BACK", 4),
    ("CALL", 5),
    ("ENDCALL", 6),
    ("STAR", 17),
    ("POUND", 18),
    ("DPAD_UP", 19),
    ("DPAD_DOWN", 20),
    ("DPAD_LEFT", 21),
    ("DPAD_RIGHT", 22),
    ("DPAD_CENTER", 23),
    ("VOLUME_UP", 24),
    ("VOLUME_DOWN", 25),
    ("POWER", 26),
    ("CAMERA", 27),
    ("CLEAR", 28),
    ("COMMA", 55),
    ("PERIOD", 56),
    ("ALT_LEFT", 57),
    ("ALT_RIGHT", 58),
    ("SHIFT_LEFT", 59),
    ("SHIFT_RIGHT", 60),
    ("TAB", 61),
    ("SPACE", 62),
    ("SYM", 63),
    ("EXPLORER", 64),
    ("ENVELOPE", 65),
    ("ENTER", 66),
    ("DEL", 67),
    ("GRAVE", 68),
    ("MINUS", 69),
    ("EQUALS", 70),
    ("LEFT_BRACKET", 71),
    ("RIGHT_BRACKET", 72),
    ("BACKSLASH", 73),
    ("SEMICOLON", 74),
    ("APOSTROPHE", 75),
    ("SLASH", 76),
    ("AT", 77),
    ("NUM", 78),
    ("HEADSETHOOK", 79),
    ("FOCUS", 80),
    ("PLUS", 81),
    ("MENU", 82),
    ("NOTIFICATION", 83),
    ("SEARCH", 84),
    ("MEDIA_PLAY_PAUSE", 85),
    ("MEDIA_STOP", 86),
    ("MEDIA_NEXT", 87),
    ("MEDIA_PREVIOUS", 88),
    ("MEDIA_REWIND", 89),
    ("MEDIA_FAST_FORWARD", 90),
    ("MUTE", 91),
    ("PAGE_UP", 92),
    ("PAGE_DOWN", 93),
    ("PICTSYMBOLS", 94),
    ("SWITCH_CHARSET", 95),
    ("ESCAPE", 111),
    ("FORWARD_DEL", 112),
    ("CTRL_LEFT", 113),
    ("CTRL_RIGHT", 114),
    ("CAPS_LOCK", 115),
    ("SCROLL_LOCK", 116),
    ("META_LEFT", 117),
    ("META_RIGHT", 118),
    ("FUNCTION", 119),
    ("SYSRQ", 120),
    ("BREAK", 121),
    ("MOVE_HOME", 122),
    ("MOVE_END", 123),
    ("INSERT", 124),
    ("FORWARD", 125),
    ("MEDIA_PLAY", 126),
    ("MEDIA_PAUSE", 127),
    ("MEDIA_CLOSE", 128),
    ("MEDIA_EJECT", 129),
    ("MEDIA_RECORD", 130),
    ("NUM_LOCK", 143),
    ("NUMPAD_ENTER", 160),
    ("VOLUME_MUTE", 164),
    ("INFO", 165),
    ("CHANNEL_UP", 166),
    ("CHANNEL_DOWN", 167),
    ("ZOOM_IN", 168),
    ("ZOOM_OUT", 169),
    ("SETTINGS", 176),
    ("TV_POWER", 177),
    ("APP_SWITCH", 187),
    ("LANGUAGE_SWITCH", 204),
    ("CONTACTS", 207),
    ("CALENDAR", 208),
    ("MUSIC", 209),
    ("CALCULATOR", 210),
    ("ASSIST", 219),
    ("BRIGHTNESS_DOWN", 220),
    ("BRIGHTNESS_UP", 221),
    ("SLEEP", 223),
    ("WAKEUP", 224),
    ("PAIRING", 225),
    ("VOICE_ASSIST", 231),
    ("SOFT_SLEEP", 276),
    ("CUT", 277),
    ("COPY", 278),
    ("PASTE", 279),
    ("SYSTEM_NAVIGATION_UP", 280),
    ("SYSTEM_NAVIGATION_DOWN", 281),
    ("SYSTEM_NAVIGATION_LEFT", 282),
    ("SYSTEM_NAVIGATION_RIGHT", 283),
    ("ALL_APPS", 284),
    ("REFRESH", 285),
    ("THUMBS_UP", 286),
];

/// What `input keyevent` sends for a key that it does not know.
pub(super) const UNKNOWN: u32 = 0;
/// The last code of Android 14.
const LAST: u32 = 316;

/// A number, or a name with or without `KEYCODE_`.
pub(super) fn code(word: &str) -> Option<u32> {
    if let Ok(number) = word.parse() {
        return (0..=LAST).contains(&number).then_some(number);
    }
    let name = word.strip_prefix("KEYCODE_").unwrap_or(word);
    match name.as_bytes() {
        [digit @ b'0'..=b'9'] => return Some(7 + u32::from(digit - b'0')),
        [letter @ b'A'..=b'Z'] => return Some(29 + u32::from(letter - b'A')),
        [b'F', ..] => {
            if let Some(number) = name[1..].parse::<u32>().ok().filter(|n| (1..=12).contains(n)) {
                return Some(130 + number);
            }
        }
        _ => {}
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_numbers() {
        for (word, expected) in [
            ("KEYCODE_HOME", 3),
            ("BACK", 4),
            ("66", 66),
            ("KEYCODE_A", 29),
            ("9", 9),
            ("KEYCODE_9", 16),
            ("F12", 142),
            ("KEYCODE_APP_SWITCH", 187),
            ("FORWARD", 125),
        ] {
            assert_eq!(code(word), Some(expected), "{word}");
        }
        for word in ["KEYCODE_NOPE", "-4", "home", "F13", "9999", ""] {
            assert_eq!(code(word), None, "{word}");
        }
    }
}
