//! The elements of a screen, from the XML of `uiautomator dump`.
//!
//! A dump comes from a phone and may be huge, broken off in the middle, or mixed with other output.
//! What can be read before the break is used; nothing is ever refused.
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

/// More elements than any screen can show; what follows is left out.
const MOST: usize = 5_000;
/// A larger document is cut here.
const LONGEST: usize = 8 << 20;
/// Texts are cut after so many characters.
const LONGEST_TEXT: usize = 500;

/// One element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// Its place among all elements, from 0, in the order of the document.
    pub(super) id: u32,
    /// Its text, else its description.
    pub(super) name: String,
    /// Its class, such as `android.widget.Button`.
    pub(super) kind: String,
    /// Left, top, right, bottom in pixels of the screen.
    pub(super) rect: [i32; 4],
    /// Whether it reacts to a touch.
    pub(super) clickable: bool,
}

impl Element {
    fn size(&self) -> u64 {
        let [left, top, right, bottom] = self.rect;
        u64::from(right.abs_diff(left)) * u64::from(bottom.abs_diff(top))
    }

    fn holds(&self, x: i32, y: i32) -> bool {
        let [left, top, right, bottom] = self.rect;
        (left..right).contains(&x) && (top..bottom).contains(&y)
    }
}

/// The elements of a screen, in the order of the document.
pub(super) fn elements(bytes: &[u8]) -> Vec<Element> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut elements = Vec::new();
    while elements.len() < MOST {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) if tag.name().as_ref() == "node" => {
                let id = u32::try_from(elements.len()).expect("fewer than MOST");
                elements.push(element(id, &tag));
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    elements
}

/// The smallest element there, the inner one of two alike.
pub(super) fn smallest_at(elements: &[Element], x: i32, y: i32) -> Option<&Element> {
    let there = elements.iter().filter(|it| it.holds(x, y));
    there.min_by_key(|it| (it.size(), std::cmp::Reverse(it.id)))
}

fn element(id: u32, tag: &BytesStart<'_>) -> Element {
    let (mut text, mut description) = (String::new(), String::new());
    let mut element =
        Element { id, name: String::new(), kind: String::new(), rect: [0; 4], clickable: false };
    for attribute in tag.attributes().with_checks(false).flatten() {
        let raw = || attribute.value.clone().into_owned();
        match attribute.key.as_ref() {
            "text" | "content-desc" | "class" => {
                let value = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_or_else(|_| raw(), std::borrow::Cow::into_owned);
                let value = value.chars().take(LONGEST_TEXT).collect();
                match attribute.key.as_ref() {
                    "text" => text = value,
                    "class" => element.kind = value,
                    _ => description = value,
                }
            }
            "clickable" | "long-clickable" => {
                element.clickable |= attribute.value.as_ref() == "true";
            }
            "bounds" => element.rect = bounds(&raw()).unwrap_or_default(),
            _ => {}
        }
    }
    element.name = if text.is_empty() { description } else { text };
    element
}

/// `[0,33][800,1216]`
fn bounds(text: &str) -> Option<[i32; 4]> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (from, to) = inner.split_once("][")?;
    let pair = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((x.trim().parse::<i32>().ok()?, y.trim().parse::<i32>().ok()?))
    };
    let ((left, top), (right, bottom)) = (pair(from)?, pair(to)?);
    (left <= right && top <= bottom).then_some([left, top, right, bottom])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCREEN: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
        <hierarchy rotation="0"><node index="0" text="" class="android.widget.FrameLayout"
        clickable="false" bounds="[0,0][1080,2400]"><node index="0" text="" content-desc="Anna &amp; Bo"
        class="android.widget.Button" clickable="true" bounds="[0,100][1080,300]"><node text="安娜"
        class="android.widget.TextView" clickable="false" bounds="[200,150][500,250]" /></node>
        <node text="hidden" bounds="[10,10][10,40]" /></node></hierarchy>"#;

    #[test]
    fn the_smallest_element_under_a_point_is_found() {
        let all = elements(SCREEN.as_bytes());
        let name = |x, y| smallest_at(&all, x, y).map(|it| (it.id, it.name.as_str()));
        assert_eq!(name(300, 200), Some((2, "安娜")));
        assert_eq!(name(900, 200), Some((1, "Anna & Bo")));
        assert_eq!(name(900, 2000), Some((0, "")));
        assert_eq!(name(1080, 200), None);
        assert_eq!(
            all.iter().map(|it| it.clickable).collect::<Vec<_>>(),
            [false, true, false, false]
        );
    }

    #[test]
    fn a_dump_in_other_output_is_read() {
        let noisy = format!("WARNING: linker\nUI hierchary dumped to: /dev/tty\n{SCREEN}\n<&\u{0}");
        assert_eq!(elements(noisy.as_bytes()).len(), 4);
    }

    #[test]
    fn a_broken_dump_gives_what_came_before() {
        let whole = elements(SCREEN.as_bytes());
        for cut in 0..SCREEN.len() {
            let part = elements(&SCREEN.as_bytes()[..cut]);
            assert!(whole.starts_with(&part), "cut at {cut}");
        }
        assert_eq!(elements(b"<node text=\"a\"/><node text=\"b\" bounds=\"[1,2][x\"").len(), 1);
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = "<node text=\"x\" bounds=\"[0,0][9,9]\">".repeat(60_000);
        let all = elements(deep.as_bytes());
        assert_eq!(all.len(), MOST);
        let billion = "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;\">]>\
             <node text=\"&c;\" bounds=\"[-5,-5][5,5]\"/>";
        assert_eq!(elements(billion.as_bytes())[0].name, "&c;");
    }

    proptest! {
        #[test]
        fn nothing_is_feared(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0..600_usize) {
            let mut document = SCREEN.as_bytes().to_vec();
            let at = at.min(document.len());
            document.splice(at..at, bytes.clone());
            for all in [elements(&document), elements(&bytes)] {
                smallest_at(&all, i32::MIN, i32::MAX);
            }
        }

        #[test]
        fn bounds_are_rectangles_or_nothing(text in "\\PC*|\\[-?[0-9]{0,11},[0-9]{0,11}\\]\\[[0-9]{0,9},-?[0-9]{0,11}\\]") {
            if let Some([left, top, right, bottom]) = bounds(&text) {
                prop_assert!(left <= right && top <= bottom);
            }
        }
    }
}
