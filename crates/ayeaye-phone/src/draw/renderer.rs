//! Renders windows to a picture.
use std::collections::HashMap;
use std::sync::Arc;

use ayeaye_fonts::{FontId, Glyph, GlyphMask};
use tiny_skia::Pixmap;

use super::canvas::{Canvas, blend};
use crate::text::{
    icons,
    lines::{self, BASELINE, LINE},
};
use crate::tree::element::{Color, Content, Drawable, TextAlign, shown_text};
use crate::tree::{Node, Rect, Window, WindowKind};

/// Everything a picture depends on.
#[derive(Debug)]
pub(crate) struct Scene<'a, E> {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) windows: &'a [Window<E>],
    /// The blinking caret is visible.
    pub(crate) caret: bool,
    /// Rotation of spinners, 0 to 1.
    pub(crate) spinner_turn: f32,
    /// Toasts and heads-up notifications are drawn too.
    pub(crate) notifications: bool,
    pub(crate) snapshots: &'a [Option<Arc<Canvas>>],
}

/// Draws scenes, with a cache of glyphs and drawables.
#[derive(Debug, Default)]
pub(crate) struct Renderer {
    glyphs: HashMap<(Glyph, u32), Arc<GlyphMask>>,
    art: HashMap<String, Arc<Pixmap>>,
}

const PRIMARY: Color = Color(0xFF0B_57D0);
/// Lies over what is behind a dialog.
const DIM: Color = Color(0x7A00_0000);
/// The emoji font has no colours of its own.
const EMOJI: Color = Color(0xFFE0_921A);

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "screen coordinates are small"
)]
impl Renderer {
    pub(crate) fn paint<E>(&mut self, scene: &Scene<'_, E>) -> Canvas {
        let mut canvas = Canvas::new(scene.width, scene.height);
        for window in scene.windows {
            if window.kind == WindowKind::Notification && !scene.notifications {
                continue;
            }
            if window.kind == WindowKind::Dialog {
                // It takes the touches of the whole screen.
                canvas.round_rect(window.touchable, 0.0, DIM, window.touchable);
            }
            for node in &window.nodes {
                self.node(&mut canvas, node, scene);
            }
        }
        canvas
    }

    fn node<E>(&mut self, canvas: &mut Canvas, node: &Node<E>, scene: &Scene<'_, E>) {
        let el = &node.el;
        let s = node.scale;
        // Shadows and pressed glyphs may reach a little beyond the node.
        if node.visible().is_empty() && !node.clip.is_empty() {
            return;
        }
        let clip = node.clip;
        let radius = el.radius * s;
        if el.shadow {
            canvas.shadow(node.rect, radius, s, clip);
        }
        if let Some(color) = el.background {
            canvas.round_rect(node.rect, radius, color, clip);
        }
        if let Some((thick, color)) = el.border {
            canvas.stroke_round_rect(node.rect, radius, thick * s, color, clip);
        }
        let faded = if el.enabled { el.color } else { el.color.with_alpha(0x61) };
        match &el.content {
            Content::None => {}
            Content::Text => self.text(canvas, node, faded, scene.caret),
            Content::Icon(c) => self.icon(canvas, *c, node.rect, el.font_size * s, faded, clip),
            Content::Drawable(Drawable::Snapshot(i)) => {
                if let Some(Some(picture)) = scene.snapshots.get(*i) {
                    canvas.picture(picture, node.rect, radius, clip);
                }
            }
            Content::Drawable(art) => {
                let picture = self.drawable(*art, el.color, node.rect);
                if let Some(picture) = picture {
                    canvas.blit(&picture, node.rect.left, node.rect.top, clip);
                }
            }
            Content::Switch(on) => self.switch(canvas, node, *on),
            Content::Radio(on) => radio(canvas, node, *on),
            Content::Slider(at) => slider(canvas, node, *at),
            Content::Spinner => spinner(canvas, node, scene.spinner_turn),
        }
    }

    fn drawable(&mut self, art: Drawable, color: Color, rect: Rect) -> Option<Arc<Pixmap>> {
        let key = format!("{art:?} {color:?} {} {}", rect.width(), rect.height());
        if let Some(picture) = self.art.get(&key) {
            return Some(Arc::clone(picture));
        }
        let drawn = super::drawables::draw(
            art,
            color,
            rect.width().max(1) as u32,
            rect.height().max(1) as u32,
        )?;
        if self.art.len() > 100 {
            self.art.clear();
        }
        let drawn = Arc::new(drawn);
        self.art.insert(key, Arc::clone(&drawn));
        Some(drawn)
    }

    fn glyph(&mut self, glyph: Glyph, size: f32) -> Arc<GlyphMask> {
        let key = (glyph, (size * 4.0) as u32);
        if self.glyphs.len() > 4000 {
            self.glyphs.clear();
        }
        let drawn = || Arc::new(ayeaye_fonts::rasterize(glyph, size, (0.0, 0.0)));
        Arc::clone(self.glyphs.entry(key).or_insert_with(drawn))
    }

    fn icon(
        &mut self,
        canvas: &mut Canvas,
        c: char,
        rect: Rect,
        size: f32,
        color: Color,
        clip: Rect,
    ) {
        // The icon font draws on a square em whose bottom is the baseline.
        let glyph = self.glyph(ayeaye_fonts::icon(c), size);
        let x = rect.left + ((rect.width() as f32 - size) / 2.0).round() as i32;
        let y = rect.top + f32::midpoint(rect.height() as f32, size).round() as i32;
        canvas.glyph(&glyph, x, y, color, clip);
    }

    fn text<E>(&mut self, canvas: &mut Canvas, node: &Node<E>, color: Color, caret: bool) {
        let el = &node.el;
        let size = el.font_size * node.scale;
        let left = node.rect.left as f32 + el.pad[0] * node.scale;
        let top = node.rect.top as f32 + el.pad[1] * node.scale;
        let width = node.rect.width() as f32 - (el.pad[0] + el.pad[2]) * node.scale;
        let line_height = (size * LINE).round();
        let mut shown = shown_text(el);
        let mut color = color;
        let empty = shown.is_empty();
        if let Some(field) = &el.field
            && empty
        {
            field.hint.clone_into(&mut shown);
            color = Color(0xFF74_777F);
        }
        let lines = lines::wrap(&shown, size, el.bold, width, el.max_lines);
        if el.field.as_ref().is_some_and(|f| f.all_selected) && !empty {
            for (row, line) in lines.iter().enumerate() {
                let y = (top + row as f32 * line_height) as i32;
                let mark =
                    Rect::new(left as i32, y, (left + line.width) as i32, y + line_height as i32);
                canvas.fill(mark, PRIMARY.with_alpha(0x44), node.clip);
            }
        }
        for (row, line) in lines.iter().enumerate() {
            let y = (top + row as f32 * line_height + size * BASELINE).round() as i32;
            if y - (line_height as i32) > node.clip.bottom
                || y + (line_height as i32) < node.clip.top
            {
                continue;
            }
            let start = match el.align {
                TextAlign::Start => left,
                TextAlign::Center => left + (width - line.width) / 2.0,
            };
            let mut x = start;
            let cut = if line.cut { "\u{2026}" } else { "" };
            for c in shown[line.start..line.end].chars().chain(cut.chars()) {
                if !ayeaye_fonts::is_invisible(c) && !c.is_whitespace() {
                    let found = ayeaye_fonts::find(c, el.bold);
                    let glyph = self.glyph(found, size);
                    let ink =
                        if found.font == FontId::Emoji && c >= '\u{1F000}' { EMOJI } else { color };
                    canvas.glyph(&glyph, x.round() as i32, y, ink, node.clip);
                }
                x += ayeaye_fonts::advance(c, el.bold) * size;
            }
        }
        let Some(field) = &el.field else { return };
        if el.focused && caret && !field.all_selected {
            // Bullets are three bytes for each character of the password.
            let at = if field.password {
                el.text.get(..field.caret).unwrap_or("").chars().count() * 3
            } else {
                field.caret
            };
            let (row, x) =
                if empty { (0, 0.0) } else { lines::locate(&shown, &lines, at, size, el.bold) };
            let x = (left + x).round() as i32;
            let y = (top + row as f32 * line_height).round() as i32;
            let thick = (2.0 * node.scale).round().max(2.0) as i32;
            let bar = Rect::new(x, y, x + thick, y + line_height as i32);
            canvas.fill(bar, PRIMARY, node.clip);
        }
    }

    fn switch<E>(&mut self, canvas: &mut Canvas, node: &Node<E>, on: bool) {
        let (r, clip, s) = (node.rect, node.clip, node.scale);
        let round = r.height() as f32 / 2.0;
        let mid = i32::midpoint(r.top, r.bottom);
        if on {
            canvas.round_rect(r, round, PRIMARY, clip);
            let knob = (12.0 * s) as i32;
            let x = r.right - (4.0 * s) as i32 - knob;
            let place = Rect::new(x - knob, mid - knob, x + knob, mid + knob);
            canvas.round_rect(place, knob as f32, Color(0xFFFF_FFFF), clip);
            self.icon(canvas, icons::CHECK, place, 16.0 * s, PRIMARY, clip);
        } else {
            canvas.round_rect(r, round, Color(0xFFE1_E2EC), clip);
            canvas.stroke_round_rect(r, round, 2.0 * s, Color(0xFF74_777F), clip);
            let knob = (8.0 * s) as i32;
            let x = r.left + (8.0 * s) as i32 + knob;
            let place = Rect::new(x - knob, mid - knob, x + knob, mid + knob);
            canvas.round_rect(place, knob as f32, Color(0xFF74_777F), clip);
        }
        if !node.el.enabled {
            canvas.round_rect(r, round, Color(0x99F8_F9FF), clip);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
fn radio<E>(canvas: &mut Canvas, node: &Node<E>, on: bool) {
    let s = node.scale;
    let color = if on { PRIMARY } else { Color(0xFF44_474F) };
    let r = node.rect;
    canvas.stroke_round_rect(r, r.width() as f32 / 2.0, 2.0 * s, color, node.clip);
    if on {
        let dot = r.inset(r.width() / 4);
        canvas.round_rect(dot, dot.width() as f32 / 2.0, color, node.clip);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "screen coordinates are small"
)]
fn slider<E>(canvas: &mut Canvas, node: &Node<E>, at: f32) {
    let (r, clip, s) = (node.rect, node.clip, node.scale);
    let mid = i32::midpoint(r.top, r.bottom);
    let half = (8.0 * s) as i32;
    let x = r.left + (r.width() as f32 * at.clamp(0.0, 1.0)) as i32;
    let track = Rect::new(r.left, mid - half, r.right, mid + half);
    canvas.round_rect(track, half as f32, Color(0xFFD7_E3F8), clip);
    canvas.round_rect(Rect { right: x, ..track }, half as f32, PRIMARY, clip);
    let (w, h) = ((2.0 * s) as i32, (20.0 * s) as i32);
    let gap = Rect::new(x - w * 3, mid - half, x + w * 3, mid + half);
    canvas.fill(gap, Color(0xFFF8_F9FF), clip);
    canvas.round_rect(Rect::new(x - w, mid - h, x + w, mid + h), w as f32, PRIMARY, clip);
}

#[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
fn spinner<E>(canvas: &mut Canvas, node: &Node<E>, spinner_turn: f32) {
    let r = node.rect;
    let (cx, cy) = ((r.left + r.right) as f32 / 2.0, (r.top + r.bottom) as f32 / 2.0);
    let outer = r.width() as f32 / 2.0;
    let thick = 4.0 * node.scale;
    canvas.fill_coverage(r, PRIMARY, node.clip, |x, y| {
        let (dx, dy) = (x - cx, y - cy);
        let turn = (dy.atan2(dx) / std::f32::consts::TAU + 1.0 - spinner_turn).rem_euclid(1.0);
        if turn > 0.7 {
            return 0.0;
        }
        let d = dx.hypot(dy);
        (outer - d).min(d - outer + thick)
    });
}

/// The kind of animation between two screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransitionKind {
    Forward,
    Back,
    Open,
    Home,
    /// A cross-fade without motion.
    Fade,
}

/// A frame of a transition; `at` runs from 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "screen coordinates are small"
)]
pub(crate) fn blend_transition(from: &Canvas, to: &Canvas, how: TransitionKind, at: f32) -> Canvas {
    if (from.width, from.height) != (to.width, to.height) {
        return to.clone();
    }
    let eased = 1.0 - (1.0 - at.clamp(0.0, 1.0)).powi(2);
    let alpha = ((at * 1.6).clamp(0.0, 1.0) * 255.0) as u32;
    let (w, h) = (to.width as i32, to.height as i32);
    let (dx, dy) = match how {
        TransitionKind::Forward => ((0.22 * w as f32 * (1.0 - eased)) as i32, 0),
        TransitionKind::Back => ((-0.22 * w as f32 * (1.0 - eased)) as i32, 0),
        TransitionKind::Open => (0, (0.14 * h as f32 * (1.0 - eased)) as i32),
        TransitionKind::Home => (0, (-0.08 * h as f32 * (1.0 - eased)) as i32),
        TransitionKind::Fade => (0, 0),
    };
    let mut out = from.clone();
    for y in 0..h {
        let from_y = y - dy;
        if from_y < 0 || from_y >= h {
            continue;
        }
        let left = dx.max(0);
        let right = (w + dx).min(w);
        let to_row = (from_y * w) as usize * 4;
        let out_row = (y * w) as usize * 4;
        let source =
            &to.data[to_row + (left - dx) as usize * 4..to_row + (right - dx) as usize * 4];
        let target = &mut out.data[out_row + left as usize * 4..out_row + right as usize * 4];
        for (t, s) in target.chunks_exact_mut(4).zip(source.chunks_exact(4)) {
            blend(t, [s[0], s[1], s[2]], alpha);
        }
    }
    out
}
