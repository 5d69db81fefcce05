//! A screen in words, for a model that cannot be shown it.
use super::{Element, Elements};
use crate::ScreenSize;

/// Most elements that are told, and the longest name of one, in characters.
const MOST_TOLD: usize = 60;
const LONGEST_TOLD: usize = 120;

impl Elements {
    /// The texts and controls of the screen, one a line, with the middle of each in thousandths of the screen, without
    /// the contents of password fields. `None` if nothing has a name.
    pub(crate) fn in_words(&self, size: ScreenSize) -> Option<String> {
        let told: Vec<String> = self.iter().filter_map(|it| self.line(it, size)).collect();
        let mut text = told.iter().take(MOST_TOLD).fold(String::new(), |text, line| text + line);
        let more = told.len().saturating_sub(MOST_TOLD);
        if 0 < more {
            text.extend(["- and ", &more.to_string(), " more\n"]);
        }
        (!told.is_empty()).then_some(text)
    }

    fn line(&self, element: &Element, size: ScreenSize) -> Option<String> {
        let name = if element.reacts() { self.label(element) } else { element.name().to_owned() };
        // Nobody can see what is beside the screen, and the system's bars are not the app's.
        let [left, top, right, bottom] = element.bounds.map(i64::from);
        let (width, height) = (i64::from(size.width.max(1)), i64::from(size.height.max(1)));
        let (x, y) = (left.midpoint(right), top.midpoint(bottom));
        let inside = (0..width).contains(&x) && (0..height).contains(&y);
        if name.is_empty() || !inside || element.resource_id.starts_with("com.android.systemui") {
            return None;
        }
        let name: String = name.chars().take(LONGEST_TOLD).collect();
        let class = element.class.rsplit('.').next().unwrap_or_default();
        let (x, y) = (x * 1000 / width, y * 1000 / height);
        let mut traits = Vec::new();
        if element.password {
            traits.push("hides what is typed");
        }
        match element.checked {
            Some(true) => traits.push("on"),
            Some(false) => traits.push("off"),
            None => {}
        }
        if element.reacts() {
            traits.push("can be tapped");
        }
        let traits =
            if traits.is_empty() { String::new() } else { format!(", {}", traits.join(", ")) };
        Some(format!("- {class} {name:?} at ({x}, {y}){traits}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_told_without_what_is_secret() {
        let dump = r#"<hierarchy rotation="0"><node class="a.FrameLayout" bounds="[0,0][1000,2000]">
            <node text="12:00" resource-id="com.android.systemui:id/clock" class="a.TextView" bounds="[0,0][90,40]"/>
            <node text="Balance" class="android.widget.TextView" bounds="[0,100][400,200]"/>
            <node text="hunter2" hint="PIN" password="true" clickable="true" class="android.widget.EditText" bounds="[0,400][1000,600]"/>
            <node clickable="true" class="android.widget.Button" bounds="[800,1800][1000,2000]"><node text="Pay" class="a.TextView" bounds="[850,1850][950,1950]"/></node>
            <node text="beside" class="a.TextView" bounds="[0,2100][400,2200]"/>
            <node checkable="true" checked="true" content-desc="Wi-Fi" class="a.Switch" bounds="[0,700][1000,800]"/>
            </node></hierarchy>"#;
        let size = ScreenSize { width: 1000, height: 2000 };
        let words = Elements::read(dump).unwrap().in_words(size).unwrap();
        assert_eq!(
            words,
            "- TextView \"Balance\" at (200, 75)\n\
             - EditText \"PIN\" at (500, 250), hides what is typed, can be tapped\n\
             - Button \"Pay\" at (900, 950), can be tapped\n\
             - TextView \"Pay\" at (900, 950)\n\
             - Switch \"Wi-Fi\" at (500, 375), on, can be tapped\n"
        );
        let nothing = r#"<hierarchy><node class="a.View" bounds="[0,0][9,9]"/></hierarchy>"#;
        assert_eq!(Elements::read(nothing).unwrap().in_words(size), None);
        let many = r#"<node text="x" class="a.T" bounds="[0,0][9,9]"/>"#.repeat(MOST_TOLD + 2);
        let many = Elements::read(&format!("<hierarchy>{many}</hierarchy>")).unwrap();
        let words = many.in_words(size).unwrap();
        assert!(words.ends_with("- and 2 more\n") && words.lines().count() == MOST_TOLD + 1);
    }
}
