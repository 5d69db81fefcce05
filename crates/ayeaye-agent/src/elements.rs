//! The elements of a screen, from the XML of `uiautomator dump`.
//!
//! Nothing depends on there being any: many apps show none, and phones fail to dump them in time.
use crate::Pixel;
use crate::journal::TargetRecord;

/// Most elements that are read; more is a list without an end.
const MOST: u32 = 20_000;

/// Everything a screen says it consists of, in the order of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements(Vec<Element>);

/// One element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its place in the tree, from 0.
    pub index: usize,
    /// What it shows.
    pub text: String,
    /// What is read out for it.
    pub description: String,
    /// Such as `android.widget.Button`.
    pub class: String,
    /// Such as `com.example.notes:id/new_note`; often empty.
    pub resource_id: String,
    /// Left, top, right, bottom in pixels of the screen; right and bottom are the first outside.
    pub bounds: [i32; 4],
    /// It hides what is typed into it.
    pub password: bool,
    /// It reacts to a tap.
    pub clickable: bool,
    /// Whether it is switched on, where it can be.
    pub checked: Option<bool>,
}

impl Elements {
    /// The elements of a dump; `None` when it is not one.
    pub fn read(xml: &str) -> Option<Self> {
        let options = roxmltree::ParsingOptions {
            nodes_limit: MOST * 2,
            ..roxmltree::ParsingOptions::default()
        };
        let document = roxmltree::Document::parse_with_options(xml, options).ok()?;
        let nodes = document.descendants().filter(|node| node.has_tag_name("node"));
        let elements = nodes.take(MOST as usize).enumerate().filter_map(|(index, node)| {
            let said = |name: &str| node.attribute(name).unwrap_or_default();
            let flag = |name: &str| said(name) == "true";
            Some(Element {
                index,
                text: said("text").to_owned(),
                description: said("content-desc").to_owned(),
                class: said("class").to_owned(),
                resource_id: said("resource-id").to_owned(),
                bounds: bounds(said("bounds"))?,
                password: flag("password"),
                clickable: flag("clickable"),
                checked: flag("checkable").then(|| flag("checked")),
            })
        });
        Some(Self(elements.collect()))
    }

    /// In the order of the document: parents before their children.
    pub fn iter(&self) -> impl Iterator<Item = &Element> {
        self.0.iter()
    }

    /// The smallest element at a place; of two alike the later one, which is drawn above.
    pub fn at(&self, place: Pixel) -> Option<&Element> {
        self.0
            .iter()
            .filter(|it| it.covers(place))
            .min_by_key(|it| (it.area(), usize::MAX - it.index))
    }
}

/// The same dump, with nothing in the fields that hide what is typed: some builds write it in clear.
pub(crate) fn without_passwords(xml: &str) -> String {
    let options =
        roxmltree::ParsingOptions { nodes_limit: MOST * 2, ..roxmltree::ParsingOptions::default() };
    let Ok(document) = roxmltree::Document::parse_with_options(xml, options) else {
        return String::new();
    };
    let hidden = document
        .descendants()
        .filter(|node| node.attribute("password") == Some("true"))
        .filter_map(|node| node.attribute_node("text").map(|text| text.range_value()));
    let mut clean = String::with_capacity(xml.len());
    let mut from = 0;
    for range in hidden {
        clean.push_str(&xml[from..range.start]);
        from = range.end;
    }
    clean.push_str(&xml[from..]);
    clean
}

impl Element {
    /// What a person would call it.
    pub fn name(&self) -> &str {
        if self.text.is_empty() { &self.description } else { &self.text }
    }

    fn covers(&self, place: Pixel) -> bool {
        let [left, top, right, bottom] = self.bounds.map(i64::from);
        let (x, y) = (i64::from(place.x), i64::from(place.y));
        left <= x && x < right && top <= y && y < bottom
    }

    fn area(&self) -> i64 {
        let [left, top, right, bottom] = self.bounds.map(i64::from);
        (right - left).max(0).saturating_mul((bottom - top).max(0))
    }
}

impl From<&Element> for TargetRecord {
    fn from(element: &Element) -> Self {
        Self {
            id: element.index.to_string(),
            name: element.name().chars().take(200).collect(),
            kind: element.class.chars().take(200).collect(),
            rect: element.bounds,
        }
    }
}

/// `[left,top][right,bottom]`
fn bounds(text: &str) -> Option<[i32; 4]> {
    let (first, second) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
    let pair = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((x.parse::<i32>().ok()?, y.parse::<i32>().ok()?))
    };
    let ((left, top), (right, bottom)) = (pair(first)?, pair(second)?);
    Some([left, top, right, bottom])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCREEN: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
        <node index="0" text="" class="android.widget.FrameLayout" clickable="false" password="false" bounds="[0,0][1080,2400]">
          <node index="0" text="Name" class="android.widget.EditText" clickable="true" password="false" bounds="[40,300][1040,440]" />
          <node index="1" text="" content-desc="Password" class="android.widget.EditText" clickable="true" password="true" bounds="[40,500][1040,640]" />
        </node></hierarchy>"#;

    #[test]
    fn the_smallest_element_under_a_place_is_meant() {
        let elements = Elements::read(SCREEN).unwrap();
        let at = |x, y| elements.at(Pixel { x, y }).map(|it| (it.name().to_owned(), it.password));
        assert_eq!(at(500, 350), Some(("Name".to_owned(), false)));
        assert_eq!(at(500, 600), Some(("Password".to_owned(), true)));
        assert_eq!(at(1040, 350), Some((String::new(), false)));
        assert_eq!(at(2000, 350), None);
        let target = TargetRecord::from(elements.at(Pixel { x: 500, y: 600 }).unwrap());
        assert_eq!((target.id.as_str(), target.rect), ("2", [40, 500, 1040, 640]));
    }

    #[test]
    fn what_is_no_dump_has_no_elements() {
        assert_eq!(Elements::read(""), None);
        assert_eq!(Elements::read("ERROR: could not get idle state."), None);
        let bomb = r#"<!DOCTYPE a [<!ENTITY b "bb">]><hierarchy>&b;</hierarchy>"#;
        assert_eq!(Elements::read(bomb), None);
        let odd =
            r#"<hierarchy><node bounds="[1,2][x,4]"/><node bounds="[-5,0][9,9]"/></hierarchy>"#;
        assert_eq!(Elements::read(odd).unwrap().iter().count(), 1);
    }

    #[test]
    fn what_a_password_field_shows_is_left_out() {
        let shown = SCREEN.replace(
            r#"text="" content-desc="Password""#,
            r#"text="hunter2" content-desc="Password""#,
        );
        assert!(shown.contains("hunter2"));
        let clean = without_passwords(&shown);
        assert_eq!(clean, SCREEN);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_fear(text in "\\PC{0,200}", inner in "[<>/a-z\"= \\[\\],0-9]{0,200}") {
            Elements::read(&text);
            Elements::read(&format!("<hierarchy>{inner}</hierarchy>"));
        }
    }
}
