//! The gate on screens as phones describe them.
mod attacks;
mod benign;
mod deleted;
mod dialer;
mod drawn;
mod home;
mod in_apps;
mod laws;
mod long_names;
mod named;
mod policies;
mod questions;
mod slides;
mod table;
mod told;

use super::*;
use crate::{Elements, Gesture, Pixel, Point, ScreenSize};

/// What the user has asked for, where nothing else is said: it leaves nothing to be touched that has an effect.
pub(super) const TASK: &str = "Read me the newest note";
pub(super) const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };

/// A screen that is drawn up for a test: a title, texts and controls from the top down, 160 pixels each.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    package: String,
    activity: String,
    /// The app that shows what is on it.
    shown_by: String,
    /// As the phone calls the app in front.
    label: &'static str,
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
            shown_by: package.to_owned(),
            label: "",
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

    /// What is on it is another app's: a window over the one that the phone says is in front.
    pub(super) fn shown_by(mut self, package: &str) -> Self {
        package.clone_into(&mut self.shown_by);
        self
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.TextView", "", 160);
        self
    }

    pub(super) fn button(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.Button", r#"clickable="true""#, 160);
        self
    }

    /// A control of no kind.
    pub(super) fn view(mut self, text: &str) -> Self {
        self.node("", text, "android.view.View", r#"clickable="true""#, 160);
        let child = format!(
            r#"><node text="{}" class="android.widget.TextView" bounds="[60,{}][900,{}]"/></node>"#,
            escaped(text),
            self.top() - 150,
            self.top() - 10
        );
        let parent = self.nodes.pop().unwrap_or_default().replace(&escaped(text), "");
        self.nodes.push(parent.trim_end_matches("/>").to_owned() + &child);
        self
    }

    /// A row of a list of mail: who wrote it, its subject, how it begins.
    pub(super) fn letter(mut self, texts: [&str; 3]) -> Self {
        let top = self.top();
        let child = |(at, text): (i32, &&str)| {
            let from = top + at * 50;
            format!(
                r#"<node text="{}" class="android.widget.TextView" bounds="[60,{from}][900,{}]"/>"#,
                escaped(text),
                from + 50
            )
        };
        let children: String = (0..).zip(&texts).map(child).collect();
        self.node("", texts[0], "android.widget.LinearLayout", r#"clickable="true""#, 160);
        let row = self.nodes.pop().unwrap_or_default().replace(&escaped(texts[0]), "");
        self.nodes.push(format!("{}>{children}</node>", row.trim_end_matches("/>")));
        self
    }

    /// A button that has the focus.
    pub(super) fn focused_button(mut self, text: &str) -> Self {
        let flags = r#"clickable="true" focused="true""#;
        self.node(text, "", "android.widget.Button", flags, 160);
        self
    }

    /// The positive button of a dialog of the system: `k:` and its text.
    pub(super) fn system_button(mut self, text: &str) -> Self {
        let id = "android:id/button1";
        self.node(text, id, "android.widget.Button", r#"clickable="true""#, 160);
        self.rename(&format!("k:{text}"));
        self
    }

    /// An icon that is only read out.
    pub(super) fn described(mut self, text: &str) -> Self {
        let flags = format!(r#"clickable="true" content-desc="{}""#, escaped(text));
        self.node("", "", "android.widget.ImageView", &flags, 160);
        self.rename(text);
        self
    }

    /// A button without a name, and a text on the right of it: `l:` and the text.
    pub(super) fn labelled(mut self, text: &str) -> Self {
        self.node("", "", "android.widget.ImageButton", r#"clickable="true""#, 160);
        self.rename(&format!("l:{text}"));
        let (from, to) = (self.top() - 160, self.top());
        let button = self.nodes.pop().unwrap_or_default().replace("[1040,", "[640,");
        self.nodes.push(button);
        self.nodes.push(format!(
            r#"<node text="{}" class="android.widget.TextView" bounds="[660,{from}][1040,{to}]"/>"#,
            escaped(text)
        ));
        self
    }

    /// A row that reacts to nothing, with a text on the left and a control far from it: what is beside a control is
    /// its name. `attributes` are those of the control.
    pub(super) fn beside(mut self, name: &str, text: &str, class: &str, attributes: &str) -> Self {
        self.node("", "", class, attributes, 160);
        self.rename(name);
        let (from, to) = (self.top() - 160, self.top());
        let control = self.nodes.pop().unwrap_or_default();
        let control = control.replace("[40,", "[480,").replace("[1040,", "[640,");
        self.nodes.push(format!(
            r#"<node class="android.widget.LinearLayout" bounds="[0,{from}][1080,{to}]"><node text="{}" class="android.widget.TextView" bounds="[40,{}][240,{}]"/>{control}</node>"#,
            escaped(text),
            from + 40,
            to - 40,
        ));
        self
    }

    /// What lies behind all that follows, and closes it.
    pub(super) fn behind(mut self, text: &str) -> Self {
        self.nodes.push(format!(
            r#"<node content-desc="{}" clickable="true" class="android.view.View" bounds="[0,0][1080,1100]"/>"#,
            escaped(text)
        ));
        self
    }

    /// A page that tells nothing of itself: `WEB`.
    pub(super) fn web_view(mut self) -> Self {
        self.node("", "", "android.webkit.WebView", r#"clickable="true""#, 1800);
        self.rename("WEB");
        self
    }

    fn top(&self) -> i32 {
        80 + self.rows.iter().map(|(_, height)| height).sum::<i32>()
    }

    fn rename(&mut self, name: &str) {
        if let Some(row) = self.rows.last_mut() {
            name.clone_into(&mut row.0);
        }
    }

    pub(super) fn icon(mut self, id: &str) -> Self {
        self.node("", id, "android.widget.ImageButton", r#"clickable="true""#, 160);
        self
    }

    pub(super) fn row(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.LinearLayout", r#"clickable="true""#, 160);
        self
    }

    /// One thing to tap, with many texts in it.
    pub(super) fn card(mut self, texts: &[&str]) -> Self {
        self.node("", "", "android.view.View", r#"clickable="true""#, 160);
        let (top, each) = (self.top() - 155, 150 / i32::try_from(texts.len()).unwrap());
        let mut card = self.nodes.pop().unwrap_or_default().trim_end_matches("/>").to_owned() + ">";
        card.extend((0..).zip(texts).map(|(at, text)| {
            let (from, to) = (top + at * each, top + (at + 1) * each);
            format!(
                r#"<node text="{}" class="android.widget.TextView" bounds="[60,{from}][900,{to}]"/>"#,
                escaped(text)
            )
        }));
        self.nodes.push(card + "</node>");
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

    /// A field in which something stands.
    pub(super) fn filled(mut self, text: &str) -> Self {
        let flags = r#"clickable="true" focused="true""#;
        self.node(text, "", "android.widget.EditText", flags, 160);
        self
    }

    /// The same without the focus.
    pub(super) fn left(mut self, text: &str) -> Self {
        self.node(text, "", "android.widget.EditText", r#"clickable="true""#, 160);
        self
    }

    /// A slider without a name; `name` is only what the scene calls it.
    pub(super) fn slider(mut self, name: &str) -> Self {
        self.node("", "", "android.widget.SeekBar", r#"clickable="true""#, 160);
        self.rename(name);
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
        let screen = format!(
            r#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][1080,2400]">{}</node></hierarchy>"#,
            self.nodes.concat()
        );
        screen.replace("<node ", &format!(r#"<node package="{}" "#, escaped(&self.shown_by)))
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
        let words = UserWords::new([task]);
        let screen = ScreenFacts::new(None, gesture, SIZE, false);
        let history = GateHistory::default();
        judge(&Policy::default(), &self.request(&words, gesture, &screen, &history))
    }

    /// While the keyboard is shown.
    pub(super) fn judge_on_keyboard(&self, task: &str, gesture: &Gesture) -> Verdict {
        let elements = Elements::read(&self.xml()).unwrap();
        let words = UserWords::new([task]);
        let screen = self.facts(gesture).above_keyboard(&elements, gesture, SIZE);
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
            label: self.label,
            screen,
            history,
            marked: false,
        }
    }
}

/// The verdict on a screen that was not drawn by [`Scene`].
pub(super) fn judge_on(elements: &Elements, gesture: &Gesture) -> Verdict {
    judge_after(0, elements, gesture)
}

/// The same after so many typed characters.
pub(super) fn judge_after(typed: u64, elements: &Elements, gesture: &Gesture) -> Verdict {
    let history = GateHistory { typed, ..GateHistory::default() };
    let (words, scene) = (UserWords::new([TASK]), Scene::of("com.example.some", ""));
    let screen = ScreenFacts::new(Some(elements), gesture, SIZE, false);
    judge(&Policy::default(), &scene.request(&words, gesture, &screen, &history))
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
