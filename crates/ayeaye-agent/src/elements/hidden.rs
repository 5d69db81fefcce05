//! Which elements of a screen show what must not be kept: passwords, and secrets that are spread over
//! several elements, such as a code with a box for each digit.
use std::ops::Range;

use super::{Element, Elements, dump};

/// Longer texts are no pieces of a secret.
const LONGEST_PIECE: usize = 4;

/// The elements of a screen that hide typed text, or that show a secret, alone or together with their neighbours.
/// `places` finds the secrets in a text, as byte ranges.
pub(crate) fn hidden_elements(
    elements: &Elements,
    shows_secret: impl Fn(&str) -> bool,
    places: impl Fn(&str) -> Vec<Range<usize>>,
) -> Vec<&Element> {
    let all: Vec<&Element> = elements.iter().collect();
    let pieces =
        all.iter().enumerate().map(|(index, it)| (index, shown(&it.text, &it.description)));
    let spread = spread_over(pieces, places);
    let alone =
        |it: &Element| it.password || shows_secret(&it.text) || shows_secret(&it.description);
    let hidden = |(index, it): &(usize, &Element)| spread.contains(index) || alone(it);
    all.into_iter().enumerate().filter(hidden).map(|(_, it)| it).collect()
}

impl Elements {
    /// The elements without the texts of those that show a secret together with their neighbours.
    pub(crate) fn without_spread(mut self, places: impl Fn(&str) -> Vec<Range<usize>>) -> Self {
        let texts = self.0.iter().map(|it| shown(&it.text, &it.description)).enumerate();
        for index in spread_over(texts, places) {
            let Some(element) = self.0.get_mut(index) else { continue };
            for text in [&mut element.text, &mut element.description, &mut element.hint] {
                text.clear();
            }
        }
        self
    }
}

/// A dump of the screen without the contents of password fields, which some Android builds write in clear, and without
/// the texts of elements that together show a secret.
pub(crate) fn without_hidden(xml: &str, places: impl Fn(&str) -> Vec<Range<usize>>) -> String {
    let Some(document) = dump::parse(xml) else { return String::new() };
    let nodes: Vec<_> = document.descendants().filter(|it| it.has_tag_name("node")).collect();
    let text =
        |node: &roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap_or_default().to_owned();
    let texts: Vec<_> =
        nodes.iter().map(|node| (text(node, "text"), text(node, "content-desc"))).collect();
    let pieces = texts.iter().enumerate().map(|(index, (text, said))| (index, shown(text, said)));
    let spread = spread_over(pieces, places);
    let mut hidden: Vec<Range<usize>> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let names: &[&str] = match node.attribute("password") {
            _ if spread.contains(&index) => &["text", "content-desc"],
            Some("true") => &["text"],
            _ => continue,
        };
        let ranges = names.iter().filter_map(|name| node.attribute_node(*name));
        hidden.extend(ranges.map(|it| it.range_value()));
    }
    hidden.sort_unstable_by_key(|range| range.start);
    let mut clean = String::with_capacity(xml.len());
    let mut from = 0;
    for range in hidden {
        clean.push_str(&xml[from..range.start]);
        from = range.end;
    }
    clean.push_str(&xml[from..]);
    clean
}

/// What stands on an element, else what is read out for it.
fn shown<'a>(text: &'a str, description: &'a str) -> &'a str {
    if text.trim().is_empty() { description.trim() } else { text.trim() }
}

/// Short texts that follow one another, joined; and which part each of them is.
type JoinedTexts = (String, Vec<(usize, Range<usize>)>);

/// Which of these texts, in the order of the screen, hold a secret together with their neighbours. What
/// is empty is passed over; a longer text ends a row.
fn spread_over<'a>(
    texts: impl Iterator<Item = (usize, &'a str)>,
    places: impl Fn(&str) -> Vec<Range<usize>>,
) -> std::collections::HashSet<usize> {
    let mut rows: Vec<JoinedTexts> = vec![JoinedTexts::default()];
    for (index, text) in texts {
        if text.is_empty() {
            continue;
        }
        if LONGEST_PIECE < text.chars().count() {
            rows.push(JoinedTexts::default());
            continue;
        }
        let (row, pieces) = rows.last_mut().expect("there is always one");
        let from = row.len();
        row.push_str(text);
        pieces.push((index, from..row.len()));
    }
    let mut spread = std::collections::HashSet::new();
    for (row, pieces) in rows.iter().filter(|(_, pieces)| 1 < pieces.len()) {
        for place in places(row) {
            let begin = pieces.partition_point(|(_, piece)| piece.end <= place.start);
            let inside = pieces[begin..].iter().take_while(|(_, piece)| piece.start < place.end);
            spread.extend(inside.map(|(index, _)| *index));
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = r#"<hierarchy rotation="0"><node text="Your code" bounds="[0,0][9,9]"/>
        <node text="" bounds="[0,10][60,20]"><node text="4" bounds="[0,10][10,20]"/><node text="" bounds="[10,10][20,20]"><node
        content-desc="8" bounds="[10,10][20,20]"/></node><node text="2" bounds="[20,10][30,20]"/><node text="9" bounds="[30,10][40,20]"/></node>
        <node text="7" bounds="[0,30][9,39]"/><node text="Page 1" bounds="[0,40][9,49]"/><node text="4" bounds="[0,50][9,59]"/></hierarchy>"#;

    fn places(text: &str) -> Vec<Range<usize>> {
        text.match_indices("4829").map(|(at, it)| at..at + it.len()).collect()
    }

    #[test]
    fn a_code_with_an_element_for_each_digit_is_found() {
        let elements = Elements::read(CODE).unwrap();
        let found = hidden_elements(&elements, |_| false, places);
        let lefts: Vec<i32> = found.iter().map(|it| it.bounds[0]).collect();
        assert_eq!(lefts, [0, 10, 20, 30]);
        assert!(found.iter().all(|it| it.bounds[1] == 10));
        let clean = without_hidden(CODE, places);
        for kept in ["Your code", "Page 1", r#"text="7""#, r#"text="4" bounds="[0,50]"#] {
            assert!(clean.contains(kept), "{kept}: {clean}");
        }
        for digit in ["8", "2", "9"] {
            assert!(!clean.contains(&format!("=\"{digit}\"")), "{digit}: {clean}");
        }
        assert_eq!(without_hidden(CODE, |_| Vec::new()), CODE);
        let left = elements.without_spread(places);
        let left: Vec<&str> = left.iter().map(Element::name).filter(|it| !it.is_empty()).collect();
        assert_eq!(left, ["Your code", "7", "Page 1", "4"]);
    }
}
