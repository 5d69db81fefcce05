//! The gate on screens as phones describe them.
mod attacks;
mod benign;
mod laws;

use super::*;
use crate::{Elements, Gesture, Pixel, Point, ScreenSize};

pub(super) const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };

/// A screen that is drawn up for a test: a title, texts and controls from the top down, 160 pixels each.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    package: String,
    activity: String,
    nodes: Vec<String>,
    rows: Vec<(String, i32)>,
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

impl Scene {
    pub(super) fn of(component: &str, title: &str) -> Self {
        let (package, activity) = component.split_once('/').unwrap_or((component, ""));
        let mut scene = Self {
            package: package.to_owned(),
            activity: activity.to_owned(),
            nodes: Vec::new(),
            rows: Vec::new(),
        };
        if !title.is_empty() {
            scene.node(title, "", "android.widget.TextView", "", 110);
        }
        scene
    }

    fn node(&mut self, text: &str, id: &str, class: &str, flags: &str, height: i32) {
        let from = 80 + self.rows.iter().map(|(_, height)| height).sum::<i32>();
        let name = if text.is_empty() { id } else { text };
        self.rows.push((name.to_owned(), height));
        self.nodes.push(format!(
            r#"<node text="{}" resource-id="{}" class="{class}" {flags} bounds="[40,{from}][1040,{}]"/>"#,
            escaped(text),
            escaped(id),
            from + height
        ));
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.TextView", "", 160);
        self
    }

    pub(super) fn button(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.Button", r#"clickable="true""#, 160);
        self
    }

    pub(super) fn icon(mut self, id: &str) -> Self {
        self.node("", id, "android.widget.ImageButton", r#"clickable="true""#, 160);
        self
    }

    pub(super) fn row(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.LinearLayout", r#"clickable="true""#, 160);
        self
    }

    pub(super) fn switch(mut self, text: &str) -> Self {
        let flags = r#"clickable="true" checkable="true" checked="false""#;
        self.node(text, "", "android.widget.Switch", flags, 160);
        self
    }

    pub(super) fn field(mut self, hint: &str) -> Self {
        let flags = format!(r#"clickable="true" focused="true" hint="{}""#, escaped(hint));
        self.node("", hint, "android.widget.EditText", &flags, 160);
        self
    }

    pub(super) fn hidden_field(mut self, id: &str) -> Self {
        let flags = r#"clickable="true" focused="true" password="true""#;
        self.node("", id, "android.widget.EditText", flags, 160);
        self
    }

    /// A tap on the row of this name.
    pub(super) fn tap(&self, name: &str) -> Gesture {
        let mut from = 80;
        for (row, height) in &self.rows {
            if row == name {
                let y = i64::from(from + height / 2) * 1000 / 2400;
                return Gesture::Click { point: Point::new(500, y).unwrap() };
            }
            from += height;
        }
        panic!("no {name} in {:?}", self.rows)
    }

    pub(super) fn xml(&self) -> String {
        format!(
            r#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][1080,2400]">{}</node></hierarchy>"#,
            self.nodes.concat()
        )
    }

    pub(super) fn facts(&self, gesture: &Gesture) -> ScreenFacts {
        let elements = Elements::read(&self.xml()).unwrap();
        ScreenFacts::new(Some(&elements), gesture, SIZE, false)
    }

    pub(super) fn judge(&self, task: &str, gesture: &Gesture) -> Verdict {
        self.judge_with(&Policy::default(), task, gesture, &GateHistory::default())
    }

    pub(super) fn judge_with(
        &self,
        policy: &Policy,
        task: &str,
        gesture: &Gesture,
        history: &GateHistory,
    ) -> Verdict {
        let (words, screen) = (UserWords::new([task]), self.facts(gesture));
        judge(policy, &self.request(&words, gesture, &screen, history))
    }

    pub(super) fn judge_blind(&self, task: &str, gesture: &Gesture) -> Verdict {
        let (words, screen) = (UserWords::new([task]), ScreenFacts::default());
        let history = GateHistory::default();
        judge(&Policy::default(), &self.request(&words, gesture, &screen, &history))
    }

    fn request<'a>(
        &'a self,
        words: &'a UserWords,
        gesture: &'a Gesture,
        screen: &'a ScreenFacts,
        history: &'a GateHistory,
    ) -> GateRequest<'a> {
        GateRequest {
            words,
            gesture,
            package: &self.package,
            activity: &self.activity,
            label: "",
            screen,
            history,
            marked: false,
        }
    }
}

pub(super) fn type_text(text: &str) -> Gesture {
    Gesture::Type { text: text.to_owned(), point: None, clear: false, submit: false }
}

pub(super) fn submit(text: &str) -> Gesture {
    Gesture::Type { text: text.to_owned(), point: None, clear: false, submit: true }
}

#[test]
fn scenes_are_read_as_they_are_drawn() {
    let scene = Scene::of("com.example.notes", "Notes").button("New note");
    let tap = scene.tap("New note");
    let Gesture::Click { point } = &tap else { panic!("{tap:?}") };
    assert!(matches!(point.to_pixel(SIZE), Pixel { y: 260..280, .. }));
    let facts = scene.facts(&tap);
    assert_eq!(facts.header, ["Notes"]);
    assert_eq!(facts.aimed[0].names, ["New note"]);
}
