//! Screens of the table, drawn on the sixty by a hundred and twenty pixels of the phone.

/// How a button is made, and how what stands on it is hidden from a reader of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Button,
    /// A view without a kind around its text, as web pages and Compose have it.
    TextInside,
    /// Two views deep.
    TextDeepInside,
    /// An icon that is only read out.
    Icon,
    /// A view without any name, and a text drawn over it.
    TextOver,
    /// Only the text, which says nothing of being touched.
    TextAlone,
    /// An empty image in a view that reacts; the text is in the view.
    ImageBesideText,
    /// A letter or two an element.
    Split,
    Upper,
    ZeroWidth,
    SoftHyphens,
    Wide,
    Bold,
    Homoglyphs,
    Spaced,
    Dotted,
    Accented,
    Reordered,
    Adorned,
    /// A friendly text first, the label behind it.
    FriendlyFirst,
    /// What is read out is friendly, what stands there is not.
    FriendlyDescription,
    /// A friendly control of the same size over it.
    FriendlyOver,
    /// The button says that it closes; what it does stands in it as well.
    Close,
    /// It is partly off the screen.
    OffTheEdge,
}

impl Form {
    pub(super) const ALL: [Self; 24] = [
        Self::Button,
        Self::TextInside,
        Self::TextDeepInside,
        Self::Icon,
        Self::TextOver,
        Self::TextAlone,
        Self::ImageBesideText,
        Self::Split,
        Self::Upper,
        Self::ZeroWidth,
        Self::SoftHyphens,
        Self::Wide,
        Self::Bold,
        Self::Homoglyphs,
        Self::Spaced,
        Self::Dotted,
        Self::Accented,
        Self::Reordered,
        Self::Adorned,
        Self::FriendlyFirst,
        Self::FriendlyDescription,
        Self::FriendlyOver,
        Self::Close,
        Self::OffTheEdge,
    ];

    /// The label as it is written in this form.
    fn written(self, label: &str) -> String {
        let each = |change: &dyn Fn(char) -> String| label.chars().map(change).collect();
        match self {
            Self::Upper => label.to_uppercase(),
            Self::ZeroWidth => each(&|c| format!("{c}\u{200b}\u{2060}")),
            Self::SoftHyphens => each(&|c| format!("{c}\u{ad}")),
            Self::Wide => each(&|c| shifted(c, '!'..='~', 0xfee0)),
            Self::Bold => each(&|c| {
                if c.is_ascii_lowercase() {
                    shifted(c, 'a'..='z', 0x1d41a - u32::from('a'))
                } else {
                    shifted(c, 'A'..='Z', 0x1d400 - u32::from('A'))
                }
            }),
            Self::Homoglyphs => each(&|c| look_alike(c).to_string()),
            Self::Spaced if label.is_ascii() => each(&|c| format!("{c} ")).trim().to_owned(),
            Self::Dotted if label.is_ascii() => each(&|c| format!("{c}.")),
            Self::Accented if label.is_ascii() => each(&|c| format!("{c}\u{332}")),
            Self::Reordered => format!("\u{202e}{label}\u{202c}"),
            Self::Adorned => format!("\u{2728} {label} \u{2192}"),
            _ => label.to_owned(),
        }
    }
}

fn shifted(c: char, range: std::ops::RangeInclusive<char>, by: u32) -> String {
    let to = if range.contains(&c) { char::from_u32(u32::from(c) + by) } else { None };
    to.unwrap_or(c).to_string()
}

/// The Cyrillic letter that looks like a Latin one.
fn look_alike(c: char) -> char {
    const ALIKE: [(char, char); 12] = [
        ('a', 'а'),
        ('c', 'с'),
        ('e', 'е'),
        ('i', 'і'),
        ('o', 'о'),
        ('p', 'р'),
        ('s', 'ѕ'),
        ('x', 'х'),
        ('y', 'у'),
        ('P', 'Р'),
        ('S', 'Ѕ'),
        ('B', 'В'),
    ];
    ALIKE.iter().find(|(latin, _)| *latin == c).map_or(c, |(_, alike)| *alike)
}

/// What a phone says of a screen, and where the harmful thing is.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) dump: String,
    /// Left, top, right, bottom.
    pub(super) aim: [i32; 4],
    /// Where a field is into which a message goes, if there is one.
    pub(super) field: Option<[i32; 4]>,
}

/// Height of a row, and what is free under it.
const ROW: (i32, i32) = (9, 3);

/// Draws a screen of the table: items from the top down, each a letter and what stands on it.
pub(super) fn drawn(screen: &str, form: Form, label: &str) -> Screen {
    let mut drawn = Screen { dump: String::new(), aim: [0; 4], field: None };
    let mut top = 2;
    for item in screen.split(" | ") {
        let (aimed, item) = item.strip_prefix('*').map_or((false, item), |it| (true, it));
        let (kind, text) = item.split_once(':').expect("a kind of control");
        let text = text.replace("{}", label);
        let height = if kind == "w" { 100 } else { ROW.0 };
        let bounds = [3, top, 57, top + height];
        top += height + ROW.1;
        if aimed {
            drawn.aim = bounds;
        }
        let nodes = match kind {
            "t" | "x" => node("TextView", "", &text, "", bounds),
            "b" if aimed => button(form, &text, bounds, &mut drawn.aim),
            "d" => node("ImageView", CLICKS, "", &text, bounds),
            "b" => node("Button", CLICKS, &text, "", bounds),
            "r" => around(CLICKS, bounds, &node("TextView", "", &text, "", inner(bounds))),
            "s" => {
                let flags = r#"clickable="true" checkable="true" checked="false""#;
                let switch =
                    node("Switch", r#"checkable="true" checked="false""#, "", "", inner(bounds));
                around(flags, bounds, &(node("TextView", "", &text, "", inner(bounds)) + &switch))
            }
            "f" | "F" => {
                drawn.field = (kind == "F").then_some(bounds);
                let focused = if kind == "F" { "focused=\"true\"" } else { "" };
                let (id, hint) =
                    if text.contains('_') { (text.as_str(), "") } else { ("", text.as_str()) };
                let flags = format!("{CLICKS} {focused} hint=\"{hint}\" resource-id=\"x:id/{id}\"");
                node("EditText", &flags, "", "", bounds)
            }
            "w" => format!(r#"<node class="android.webkit.WebView" {CLICKS} {}/>"#, at(bounds)),
            _ => panic!("no control is called {kind}"),
        };
        drawn.dump += &nodes;
    }
    let whole = r#"class="android.widget.FrameLayout" bounds="[0,0][60,120]""#;
    drawn.dump =
        format!(r#"<hierarchy rotation="0"><node {whole}>{}</node></hierarchy>"#, drawn.dump);
    drawn
}

const CLICKS: &str = r#"clickable="true""#;

fn at([left, top, right, bottom]: [i32; 4]) -> String {
    format!(r#"bounds="[{left},{top}][{right},{bottom}]""#)
}

fn inner([left, top, right, bottom]: [i32; 4]) -> [i32; 4] {
    [left + 2, top + 1, right - 2, bottom - 1]
}

fn node(class: &str, flags: &str, text: &str, description: &str, bounds: [i32; 4]) -> String {
    let [text, description] = [text, description]
        .map(|it| it.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;"));
    format!(
        r#"<node text="{text}" content-desc="{description}" class="android.widget.{class}" {flags} {}/>"#,
        at(bounds)
    )
}

fn around(flags: &str, bounds: [i32; 4], inside: &str) -> String {
    format!(r#"<node class="android.view.View" {flags} {}>{inside}</node>"#, at(bounds))
}

/// The button that does the harmful thing.
fn button(form: Form, label: &str, bounds: [i32; 4], aim: &mut [i32; 4]) -> String {
    let text = form.written(label);
    let label = |class: &str| node(class, "", &text, "", inner(bounds));
    match form {
        Form::TextInside => around(CLICKS, bounds, &label("TextView")),
        Form::TextDeepInside => {
            around(CLICKS, bounds, &around("", inner(bounds), &label("TextView")))
        }
        Form::Icon => node("ImageView", CLICKS, "", &text, bounds),
        Form::TextOver => around(CLICKS, bounds, "") + &label("TextView"),
        Form::TextAlone => {
            *aim = inner(bounds);
            label("TextView")
        }
        Form::ImageBesideText => {
            let [left, top, _, bottom] = inner(bounds);
            let image = node("ImageView", "", "", "", [left, top, left + 8, bottom]);
            around(
                CLICKS,
                bounds,
                &(image + &node("TextView", "", &text, "", [left + 9, top, 50, bottom])),
            )
        }
        Form::Split => {
            let [left, top, _, bottom] = inner(bounds);
            let letters = text.chars().zip(0..).map(|(c, at)| {
                node("TextView", "", &c.to_string(), "", [left + at, top, left + at + 1, bottom])
            });
            around(CLICKS, bounds, &letters.collect::<String>())
        }
        Form::FriendlyFirst => {
            let [left, top, right, bottom] = inner(bounds);
            let hello = node("TextView", "", "Hello", "", [left, top, left + 20, bottom]);
            around(
                CLICKS,
                bounds,
                &(hello + &node("TextView", "", &text, "", [left + 20, top, right, bottom])),
            )
        }
        Form::FriendlyDescription => node("Button", CLICKS, &text, "Help", bounds),
        Form::FriendlyOver => {
            node("Button", CLICKS, &text, "", bounds) + &node("Button", CLICKS, "Help", "", bounds)
        }
        Form::Close => around(
            CLICKS,
            bounds,
            &(node("TextView", "", "Close", "", inner(bounds)) + &label("TextView")),
        ),
        Form::OffTheEdge => {
            let [_, top, _, bottom] = bounds;
            *aim = [30, top, 60, bottom];
            node("Button", CLICKS, &text, "", [30, top, 90, bottom])
        }
        _ => node("Button", CLICKS, &text, "", bounds),
    }
}
