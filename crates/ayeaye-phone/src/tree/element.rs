//! Elements: the description of a screen. Lengths are in dp; `E` is the type of UI events.

/// 0xAARRGGBB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Color(pub(crate) u32);

impl Color {
    pub(crate) const fn with_alpha(self, alpha: u8) -> Self {
        Self((self.0 & 0x00FF_FFFF) | ((alpha as u32) << 24))
    }

    pub(crate) const fn channels(self) -> [u8; 4] {
        let [a, r, g, b] = self.0.to_be_bytes();
        [r, g, b, a]
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Length {
    Fit,
    /// A share of the remaining space.
    Fill(f32),
    Dp(f32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Column,
    Row,
    /// Children are drawn over each other.
    Stack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    Start,
    Center,
    End,
    Stretch,
}

/// Left, top, right, bottom.
pub(crate) type Edges = [f32; 4];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextAlign {
    Start,
    Center,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShoeShape {
    Runner,
    HighTop,
    Boot,
    Sandal,
}

/// Vector drawings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Drawable {
    Wallpaper,
    Shoe(ShoeShape, Color),
    /// Clock hands at this many minutes past twelve.
    Dial(u16),
    Battery(u8),
    Signal,
    WifiFan,
    BackTriangle,
    RoundHome,
    SquareRecents,
    /// The snapshot of a recent task, by its index.
    Snapshot(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    None,
    Text,
    Icon(char),
    Drawable(Drawable),
    Switch(bool),
    Radio(bool),
    /// 0 to 1.
    Slider(f32),
    Spinner,
}

/// A text field; the app holds its text under `name`.
#[expect(clippy::struct_excessive_bools, reason = "independent traits")]
#[derive(Debug, Clone)]
pub(crate) struct FieldSpec<E> {
    pub(crate) name: &'static str,
    pub(crate) caret: usize,
    pub(crate) all_selected: bool,
    pub(crate) hint: &'static str,
    pub(crate) password: bool,
    pub(crate) multi_line: bool,
    pub(crate) digits: bool,
    /// The editor action (IME action number) and its event.
    pub(crate) action: Option<(u32, E)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Scroll {
    pub(crate) name: String,
    /// Starts scrolled to its end, as conversations do.
    pub(crate) from_end: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "independent traits")]
#[derive(Debug, Clone)]
pub(crate) struct Element<E> {
    pub(crate) class: &'static str,
    /// Resource id without the package, unless it has a colon in it.
    pub(crate) id: &'static str,
    pub(crate) text: String,
    pub(crate) desc: String,
    pub(crate) content: Content,
    pub(crate) font_size: f32,
    pub(crate) color: Color,
    pub(crate) bold: bool,
    pub(crate) align: TextAlign,
    pub(crate) max_lines: usize,
    pub(crate) background: Option<Color>,
    pub(crate) radius: f32,
    pub(crate) border: Option<(f32, Color)>,
    pub(crate) shadow: bool,
    pub(crate) width: Length,
    pub(crate) height: Length,
    pub(crate) pad: Edges,
    pub(crate) gap: f32,
    pub(crate) flow: Flow,
    pub(crate) main: Alignment,
    pub(crate) cross: Alignment,
    pub(crate) scroll: Option<Scroll>,
    pub(crate) click: Option<E>,
    pub(crate) long_click: Option<E>,
    /// Makes an event of the touched position along its width, 0 to 1.
    pub(crate) seek: Option<fn(f32) -> E>,
    pub(crate) field: Option<FieldSpec<E>>,
    pub(crate) checked: Option<bool>,
    pub(crate) enabled: bool,
    pub(crate) selected: bool,
    pub(crate) focused: bool,
    pub(crate) children: Vec<Self>,
}

pub(crate) const ON_SURFACE: Color = Color(0xFF1A_1C20);

impl<E> Element<E> {
    fn new(flow: Flow, class: &'static str) -> Self {
        Self {
            class,
            id: "",
            text: String::new(),
            desc: String::new(),
            content: Content::None,
            font_size: 16.0,
            color: ON_SURFACE,
            bold: false,
            align: TextAlign::Start,
            max_lines: usize::MAX,
            background: None,
            radius: 0.0,
            border: None,
            shadow: false,
            width: Length::Fit,
            height: Length::Fit,
            pad: [0.0; 4],
            gap: 0.0,
            flow,
            main: Alignment::Start,
            cross: Alignment::Start,
            scroll: None,
            click: None,
            long_click: None,
            seek: None,
            field: None,
            checked: None,
            enabled: true,
            selected: false,
            focused: false,
            children: Vec::new(),
        }
    }

    pub(crate) fn column(children: Vec<Self>) -> Self {
        Self {
            children,
            cross: Alignment::Stretch,
            ..Self::new(Flow::Column, "android.widget.LinearLayout")
        }
    }

    pub(crate) fn row(children: Vec<Self>) -> Self {
        Self {
            children,
            cross: Alignment::Center,
            ..Self::new(Flow::Row, "android.widget.LinearLayout")
        }
    }

    pub(crate) fn stack(children: Vec<Self>) -> Self {
        Self { children, ..Self::new(Flow::Stack, "android.widget.FrameLayout") }
    }

    /// A box with its child in the middle.
    pub(crate) fn centered(child: Self) -> Self {
        Self { main: Alignment::Center, cross: Alignment::Center, ..Self::stack(vec![child]) }
    }

    pub(crate) fn text(text: impl Into<String>, size: f32) -> Self {
        Self {
            text: text.into(),
            font_size: size,
            content: Content::Text,
            ..Self::new(Flow::Column, "android.widget.TextView")
        }
    }

    pub(crate) fn icon(glyph: char, size: f32, color: Color) -> Self {
        Self {
            content: Content::Icon(glyph),
            font_size: size,
            color,
            width: Length::Dp(size),
            height: Length::Dp(size),
            ..Self::new(Flow::Column, "android.widget.ImageView")
        }
    }

    pub(crate) fn drawable(art: Drawable, width: f32, height: f32, color: Color) -> Self {
        Self {
            content: Content::Drawable(art),
            color,
            width: Length::Dp(width),
            height: Length::Dp(height),
            ..Self::new(Flow::Column, "android.widget.ImageView")
        }
    }

    /// Flexible empty space.
    pub(crate) fn spacer() -> Self {
        Self {
            width: Length::Fill(1.0),
            height: Length::Fill(1.0),
            ..Self::new(Flow::Column, "android.view.View")
        }
    }

    pub(crate) fn space(dp: f32) -> Self {
        Self {
            width: Length::Dp(dp),
            height: Length::Dp(dp),
            ..Self::new(Flow::Column, "android.view.View")
        }
    }

    pub(crate) fn control(content: Content, class: &'static str, width: f32, height: f32) -> Self {
        Self {
            content,
            width: Length::Dp(width),
            height: Length::Dp(height),
            ..Self::new(Flow::Column, class)
        }
    }
}

/// Setters, each returning the element.
impl<E> Element<E> {
    pub(crate) fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }
    pub(crate) fn id(mut self, id: &'static str) -> Self {
        self.id = id;
        self
    }
    pub(crate) fn desc(mut self, desc: impl Into<String>) -> Self {
        self.desc = desc.into();
        self
    }
    pub(crate) fn color(mut self, color: Color) -> Self {
        self.color = color;
        self
    }
    pub(crate) fn bold(mut self) -> Self {
        self.bold = true;
        self
    }
    pub(crate) fn center_text(mut self) -> Self {
        self.align = TextAlign::Center;
        self
    }
    pub(crate) fn lines(mut self, max: usize) -> Self {
        self.max_lines = max;
        self
    }
    pub(crate) fn background(mut self, color: Color) -> Self {
        self.background = Some(color);
        self
    }
    pub(crate) fn radius(mut self, dp: f32) -> Self {
        self.radius = dp;
        self
    }
    pub(crate) fn border(mut self, dp: f32, color: Color) -> Self {
        self.border = Some((dp, color));
        self
    }
    pub(crate) fn shadow(mut self) -> Self {
        self.shadow = true;
        self
    }
    pub(crate) fn width(mut self, width: Length) -> Self {
        self.width = width;
        self
    }
    pub(crate) fn height(mut self, height: Length) -> Self {
        self.height = height;
        self
    }
    /// Width and height in dp.
    pub(crate) fn size(self, width: f32, height: f32) -> Self {
        self.width(Length::Dp(width)).height(Length::Dp(height))
    }
    pub(crate) fn fill_width(self) -> Self {
        self.width(Length::Fill(1.0))
    }
    pub(crate) fn fill_parent(self) -> Self {
        self.width(Length::Fill(1.0)).height(Length::Fill(1.0))
    }
    pub(crate) fn pad(mut self, horizontal: f32, vertical: f32) -> Self {
        self.pad = [horizontal, vertical, horizontal, vertical];
        self
    }
    pub(crate) fn edges(mut self, edges: Edges) -> Self {
        self.pad = edges;
        self
    }
    pub(crate) fn gap(mut self, dp: f32) -> Self {
        self.gap = dp;
        self
    }
    pub(crate) fn main(mut self, place: Alignment) -> Self {
        self.main = place;
        self
    }
    pub(crate) fn cross(mut self, place: Alignment) -> Self {
        self.cross = place;
        self
    }
    pub(crate) fn scroll(mut self, name: impl Into<String>) -> Self {
        self.scroll = Some(Scroll { name: name.into(), from_end: false });
        self.class("android.widget.ScrollView")
    }
    pub(crate) fn scroll_from_end(mut self, name: impl Into<String>) -> Self {
        self.scroll = Some(Scroll { name: name.into(), from_end: true });
        self.class("androidx.recyclerview.widget.RecyclerView")
    }
    pub(crate) fn click(mut self, event: impl Into<E>) -> Self {
        self.click = Some(event.into());
        self
    }
    pub(crate) fn long_click(mut self, event: impl Into<E>) -> Self {
        self.long_click = Some(event.into());
        self
    }
    pub(crate) fn seek(mut self, event: fn(f32) -> E) -> Self {
        self.seek = Some(event);
        self
    }
    pub(crate) fn checked(mut self, on: bool) -> Self {
        self.checked = Some(on);
        self
    }
    pub(crate) fn enabled(mut self, on: bool) -> Self {
        self.enabled = on;
        self
    }
    pub(crate) fn selected(mut self, on: bool) -> Self {
        self.selected = on;
        self
    }
    pub(crate) fn focused(mut self, on: bool) -> Self {
        self.focused = on;
        self
    }
}

/// The text as shown: bullets for a password.
pub(crate) fn shown_text<E>(el: &Element<E>) -> String {
    if el.field.as_ref().is_some_and(|field| field.password) {
        "\u{2022}".repeat(el.text.chars().count())
    } else {
        el.text.clone()
    }
}
