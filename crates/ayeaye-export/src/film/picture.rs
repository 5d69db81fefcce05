//! Draws a film.
use jiff::Timestamp;

use super::story::{ActOutcome, Scene, StepScene, Story, Title};
use crate::Blobs;
use crate::draw::{
    Animation, Canvas, Colour, PixelRect, TextStyle, frame, resize, touch, wrap, write,
};
use crate::labels::{self, Tone};

/// Pixels from side to side: what chats and trackers show without scaling, also on a phone.
pub(super) const WIDTH: u32 = 400;
/// Room for a screen; its width and height are at most these.
const SCREEN: [u32; 2] = [376, 800];
/// Height of that room in a film without any screen.
const NO_SCREEN: u32 = 300;
/// Around everything.
const MARGIN: i32 = 12;
/// Room for words below the screen.
const CAPTION: i32 = 118;
/// One picture from the record, in bytes. The PNG of a photo on a tablet has some 12 MB.
const MAX_PICTURE: u64 = 32 << 20;

const GROUND: Colour = [0x14, 0x17, 0x1C];
const PANEL: Colour = [0x23, 0x28, 0x30];
const BRIGHT: Colour = [0xF4, 0xF6, 0xF8];
const QUIET: Colour = [0xA8, 0xB1, 0xBD];
const GREEN: Colour = [0x5F, 0xD0, 0x8A];
const AMBER: Colour = [0xF2, 0xB8, 0x4B];
const RED: Colour = [0xFF, 0x8A, 0x80];

const BIG: TextStyle = TextStyle { size: 23.0, bold: true, colour: BRIGHT };
const ACT: TextStyle = TextStyle { size: 17.0, bold: true, colour: BRIGHT };
const PLAIN: TextStyle = TextStyle { size: 15.0, bold: false, colour: QUIET };
const SMALL: TextStyle = TextStyle { size: 13.0, bold: false, colour: QUIET };

/// Hundredths of a second that the screen is seen before the mark, at least.
const LOOK: u16 = 80;
/// And with the mark, or an answer, at least.
const SEE: u16 = 120;
/// A card, at least.
const CARD: u16 = 200;
/// The last card, before the film begins again.
const END: u16 = 500;
/// What a text adds to that: for each of its characters, and at most.
const READ: u16 = 2;
const MAX_READ: u16 = 200;

/// The film as a file; `None` if it cannot be drawn.
pub(super) fn film(story: &Story, blobs: &dyn Blobs) -> Option<Vec<u8>> {
    let scenes = story.scenes();
    let mut film = Film::new(&scenes, story.steps)?;
    if let Some(title) = &story.title {
        film.title(title)?;
    }
    for scene in &scenes {
        match scene {
            Scene::Request(request) => film.card("The next request", request)?,
            Scene::Step(step) => film.step(step, blobs)?,
            Scene::Answer { who, text } => film.answer(who, text)?,
            Scene::LeftOut(steps) => {
                let steps = labels::count(u64::from(*steps), "step", "steps");
                film.card("To keep the film short", &format!("{steps} left out."))?;
            }
        }
    }
    let begun = story.title.as_ref().map(|title| title.at);
    film.ending(story, begun)?;
    film.animation.finish()
}

struct Film {
    animation: Animation,
    size: [u32; 2],
    /// Where screens are shown.
    room: PixelRect,
    /// Steps of the whole session.
    steps: u32,
    /// The screen that was seen last, where an answer is given.
    screen: Canvas,
}

impl Film {
    fn new(scenes: &[Scene], steps: u32) -> Option<Self> {
        let heights = scenes.iter().filter_map(|scene| match scene {
            Scene::Step(step) => Some(fitted(step.size)?[1]),
            _ => None,
        });
        let height = heights.max().unwrap_or(NO_SCREEN).max(NO_SCREEN);
        let [width, screen_height] = [WIDTH, height].map(|side| i32::try_from(side).unwrap_or(0));
        let room = PixelRect {
            left: MARGIN,
            top: MARGIN,
            right: width - MARGIN,
            bottom: MARGIN + screen_height,
        };
        let size = [WIDTH, u32::try_from(room.bottom + CAPTION).ok()?];
        let animation = Animation::new(size[0], size[1])?;
        let screen = Canvas::plain(size[0], size[1], GROUND)?;
        Some(Self { animation, size, room, steps, screen })
    }

    fn title(&mut self, title: &Title) -> Option<()> {
        let mut card = Card::new(self.size)?;
        card.put("Task", SMALL, 1, 0);
        card.put(&title.task, BIG, 10, 6);
        card.put(&title.phone, PLAIN, 2, 18);
        card.put(&labels::moment(title.at), PLAIN, 1, 0);
        self.animation.add(card.finish(), self.room, CARD + reading(&title.task))
    }

    fn card(&mut self, label: &str, text: &str) -> Option<()> {
        let mut card = Card::new(self.size)?;
        card.put(label, SMALL, 1, 0);
        card.put(text, BIG, 10, 6);
        self.animation.add(card.finish(), self.room, CARD + reading(text))
    }

    /// The screen, and then the same with what was done on it.
    fn step(&mut self, step: &StepScene, blobs: &dyn Blobs) -> Option<()> {
        let mut picture = Canvas::plain(self.size[0], self.size[1], GROUND)?;
        let screen = seen(step, blobs);
        let place = self.put_screen(&mut picture, screen.as_ref())?;
        self.caption(&mut picture, step);
        self.screen = picture.clone();
        let words = reading(&format!("{}{}", step.act, step.thought));
        let marked = screen.and_then(|screen| marked(screen, step));
        match marked {
            None => self.animation.add(picture, self.room, SEE + words),
            Some(marked) => {
                self.animation.add(picture.clone(), self.room, LOOK + words)?;
                picture.put(&marked, place);
                self.animation.add(picture, self.room, SEE)
            }
        }
    }

    /// Words that came in, below the screen that was seen last.
    fn answer(&mut self, who: &str, text: &str) -> Option<()> {
        let mut picture = self.screen.clone();
        picture.fill(self.caption_area(), GROUND, 1.0);
        let mut top = self.room.bottom + 14;
        line(&mut picture, who, SMALL, &mut top);
        for words in wrap(text, ACT, self.text_width(), 3) {
            line(&mut picture, &words, ACT, &mut top);
        }
        self.animation.add(picture, self.room, SEE + reading(text))
    }

    fn ending(&mut self, story: &Story, begun: Option<Timestamp>) -> Option<()> {
        let mut card = Card::new(self.size)?;
        let ending = story.ending.as_ref();
        let label = match ending {
            Some(ending) => ending.label,
            None if story.cut_short => labels::END_NOT_READABLE,
            None => labels::stop_label(None),
        };
        let colour = match label.tone {
            Tone::Good => GREEN,
            Tone::Bad => RED,
            Tone::Waiting => AMBER,
            Tone::Running | Tone::Paused | Tone::Neutral => BRIGHT,
        };
        card.put(label.word, TextStyle { colour, ..BIG }, 2, 0);
        let message = ending.map_or("", |ending| ending.message.trim());
        let message = if message.is_empty() { label.sentence } else { message };
        card.put(message, TextStyle { colour: BRIGHT, ..PLAIN }, 14, 8);
        let mut facts = labels::count(u64::from(self.steps), "step", "steps");
        if let (Some(ending), Some(begun)) = (ending, begun) {
            let took = labels::millis(labels::between(begun, ending.at));
            facts = format!("{facts} \u{b7} {took}");
        }
        card.put(&facts, PLAIN, 1, 18);
        self.animation.add(card.finish(), self.room, END)
    }

    /// Puts the screen in the middle of its room, or says that there is none; where its corner is.
    fn put_screen(&self, picture: &mut Canvas, screen: Option<&Canvas>) -> Option<(i32, i32)> {
        let Some(screen) = screen else {
            picture.fill(self.room, PANEL, 1.0);
            let text = "No picture of this screen";
            let middle = i32::midpoint(self.room.top, self.room.bottom);
            write(picture, text, PLAIN, (self.room.left + 16, middle - PLAIN.line_height() / 2));
            return Some((self.room.left, self.room.top));
        };
        let (width, height) =
            (i32::try_from(screen.width()).ok()?, i32::try_from(screen.height()).ok()?);
        let left = self.room.left + (self.room.right - self.room.left - width) / 2;
        let top = self.room.top + (self.room.bottom - self.room.top - height) / 2;
        picture.put(screen, (left, top));
        Some((left, top))
    }

    /// The number and the act on the first line, and why below it.
    fn caption(&self, picture: &mut Canvas, step: &StepScene) {
        let number = format!("{} / {}", step.number, self.steps);
        #[expect(clippy::cast_possible_truncation, reason = "a few pixels")]
        let wide = SMALL.width(&number).ceil() as i32;
        let mut top = self.room.bottom + 14;
        write(picture, &number, SMALL, (self.room.right - wide, top + 4));
        #[expect(clippy::cast_precision_loss, reason = "a few pixels")]
        let room = self.text_width() - wide as f32 - 14.0;
        for words in wrap(&step.act, ACT, room, 1) {
            line(picture, &words, ACT, &mut top);
        }
        top += 3;
        // As at the end of the film: what waits or is not certain is amber.
        let style = match step.outcome {
            ActOutcome::Fine => PLAIN,
            ActOutcome::Uncertain => TextStyle { colour: AMBER, ..PLAIN },
            ActOutcome::Failed => TextStyle { colour: RED, ..PLAIN },
        };
        for words in wrap(&step.thought, style, self.text_width(), 3) {
            line(picture, &words, style, &mut top);
        }
        self.progress(picture, step.number);
    }

    /// How far the session is, as a thin line between screen and caption.
    fn progress(&self, picture: &mut Canvas, number: u32) {
        let PixelRect { left, right, bottom, .. } = self.room;
        let whole = PixelRect { left, right, top: bottom + 6, bottom: bottom + 9 };
        picture.fill(whole, PANEL, 1.0);
        let along = i64::from(right - left) * i64::from(number.min(self.steps))
            / i64::from(self.steps.max(1));
        let right = left + i32::try_from(along).unwrap_or(0);
        picture.fill(PixelRect { right, ..whole }, GREEN, 1.0);
    }

    fn caption_area(&self) -> PixelRect {
        PixelRect { left: 0, top: self.room.bottom + 10, right: i32::MAX, bottom: i32::MAX }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few hundred pixels")]
    fn text_width(&self) -> f32 {
        (self.room.right - self.room.left) as f32
    }
}

/// Words on a plain ground, from a quarter of its height down, or from as far above as they need.
struct Card {
    canvas: Canvas,
    blocks: Vec<Block>,
}

/// A text on a card.
struct Block {
    text: String,
    style: TextStyle,
    lines: Vec<String>,
    /// Pixels above it.
    gap: i32,
}

impl Card {
    fn new([width, height]: [u32; 2]) -> Option<Self> {
        let canvas = Canvas::plain(width, height, GROUND)?;
        Some(Self { canvas, blocks: Vec::new() })
    }

    fn put(&mut self, text: &str, style: TextStyle, max_lines: usize, gap: i32) {
        let lines = wrap(text, style, self.width(), max_lines);
        self.blocks.push(Block { text: text.to_owned(), style, lines, gap });
    }

    #[expect(clippy::cast_precision_loss, reason = "a few hundred pixels")]
    fn width(&self) -> f32 {
        (self.canvas.area().right - 4 * MARGIN) as f32
    }

    fn height(&self) -> i32 {
        let lines = |block: &Block| i32::try_from(block.lines.len()).unwrap_or(i32::MAX);
        self.blocks
            .iter()
            .map(|block| lines(block).saturating_mul(block.style.line_height()) + block.gap)
            .sum()
    }

    /// The longest text gives way until all have room: a film of screens in landscape is low.
    fn finish(mut self) -> Canvas {
        let most = self.canvas.area().bottom - 2 * MARGIN;
        while most < self.height() {
            let width = self.width();
            let longest = self.blocks.iter_mut().max_by_key(|block| block.lines.len());
            let Some(block) = longest.filter(|block| 1 < block.lines.len()) else { break };
            block.lines = wrap(&block.text, block.style, width, block.lines.len() - 1);
        }
        let bottom = self.canvas.area().bottom;
        let mut top = (bottom / 4).min(bottom - MARGIN - self.height());
        for block in &self.blocks {
            top += block.gap;
            for words in &block.lines {
                write(&mut self.canvas, words, block.style, (2 * MARGIN, top));
                top += block.style.line_height();
            }
        }
        self.canvas
    }
}

fn line(picture: &mut Canvas, text: &str, style: TextStyle, top: &mut i32) {
    write(picture, text, style, (MARGIN, *top));
    *top += style.line_height();
}

/// The screen in its size in the film; `None` if it was not seen or cannot be shown.
fn seen(step: &StepScene, blobs: &dyn Blobs) -> Option<Canvas> {
    let picture = step.picture.as_ref().filter(|picture| picture.bytes <= MAX_PICTURE)?;
    let decoded = blobs.picture(picture)?;
    let screen = decoded.canvas();
    let [width, height] = fitted([screen.width(), screen.height()])?;
    resize(screen, width, height)
}

/// The screen with what was meant and touched; `None` if it touched no place.
fn marked(mut screen: Canvas, step: &StepScene) -> Option<Canvas> {
    if step.mark.is_none() && step.target.is_none() {
        return None;
    }
    if let Some([left, top, right, bottom]) = step.target {
        let along = |thousandths: u16, side: u32| {
            i32::try_from(u64::from(thousandths) * u64::from(side) / 1000).unwrap_or(0)
        };
        let (width, height) = (screen.width(), screen.height());
        let area = PixelRect {
            left: along(left, width),
            top: along(top, height),
            right: along(right, width),
            bottom: along(bottom, height),
        };
        frame(&mut screen, area);
    }
    if let Some(mark) = step.mark {
        touch(&mut screen, mark);
    }
    Some(screen)
}

/// The largest size of the same shape in the room for screens; `None` for one that is a line or nothing.
fn fitted([width, height]: [u32; 2]) -> Option<[u32; 2]> {
    let (width, height) = (u64::from(width), u64::from(height));
    if width == 0 || height == 0 {
        return None;
    }
    let [most_wide, most_high] = SCREEN.map(u64::from);
    let by_height = [width * most_high / height, most_high];
    let fitted =
        if by_height[0] <= most_wide { by_height } else { [most_wide, height * most_wide / width] };
    let [width, height] = fitted.map(|side| u32::try_from(side).unwrap_or(0));
    (0 < width && 0 < height).then_some([width, height])
}

/// Hundredths of a second to read a text.
fn reading(text: &str) -> u16 {
    let characters = u16::try_from(text.chars().count()).unwrap_or(u16::MAX);
    characters.saturating_mul(READ).min(MAX_READ)
}
