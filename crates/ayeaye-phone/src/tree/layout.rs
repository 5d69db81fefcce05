//! Lays elements out into nodes: a small flex layout with wrapped text and scrolling.
use std::collections::BTreeMap;

use super::element::{Alignment, Content, Element, Flow, Length, shown_text};
use super::{Node, Rect, Scrolled};
use crate::text::lines;

/// Scroll offsets of lists by name, in pixels.
pub(crate) type Offsets = BTreeMap<String, f32>;

/// Lays an element out into `rect`. Everything outside `rect` is clipped.
pub(crate) fn lay_out<E>(
    el: Element<E>,
    rect: Rect,
    scale: f32,
    offsets: &Offsets,
) -> Vec<Node<E>> {
    let mut layout = Layout { scale, offsets, nodes: Vec::new() };
    layout.place(el, Box2::from(rect), rect, 0, 0);
    layout.nodes
}

#[derive(Debug, Clone, Copy)]
struct Box2 {
    x: f32,
    y: f32,
    w: f32,
    h: f32,
}

impl From<Rect> for Box2 {
    #[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
    fn from(rect: Rect) -> Self {
        Self {
            x: rect.left as f32,
            y: rect.top as f32,
            w: rect.width() as f32,
            h: rect.height() as f32,
        }
    }
}

impl Box2 {
    #[expect(clippy::cast_possible_truncation, reason = "screen coordinates are small")]
    fn rounded(self) -> Rect {
        Rect::new(
            self.x.round() as i32,
            self.y.round() as i32,
            (self.x + self.w).round() as i32,
            (self.y + self.h).round() as i32,
        )
    }
}

struct Layout<'a, E> {
    scale: f32,
    offsets: &'a Offsets,
    nodes: Vec<Node<E>>,
}

impl<E> Layout<'_, E> {
    fn pads(&self, el: &Element<E>) -> (f32, f32) {
        ((el.pad[0] + el.pad[2]) * self.scale, (el.pad[1] + el.pad[3]) * self.scale)
    }

    /// Its preferred width, at most `max`.
    fn fit_width(&self, el: &Element<E>, max: f32) -> f32 {
        if let Length::Dp(dp) = el.width {
            return (dp * self.scale).min(max);
        }
        let (pad, _) = self.pads(el);
        let inner = (max - pad).max(0.0);
        let gaps = self.gaps(el);
        let content = match el.content {
            // A pixel more than measured, so that rounding never makes a text wrap.
            Content::Text => {
                lines::measure(&shown(el), el.font_size * self.scale, el.bold, inner, el.max_lines)
                    .0
                    .ceil()
                    + 1.0
            }
            _ => 0.0,
        };
        let children = match el.flow {
            Flow::Row => {
                let mut left = inner - gaps;
                let mut sum = gaps;
                for child in &el.children {
                    let w = self.fit_width(child, left.max(0.0));
                    left -= w;
                    sum += w;
                }
                sum
            }
            Flow::Column | Flow::Stack => {
                el.children.iter().map(|c| self.fit_width(c, inner)).fold(0.0, f32::max)
            }
        };
        (content.max(children) + pad).min(max)
    }

    fn gaps(&self, el: &Element<E>) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a few children")]
        let count = el.children.len().saturating_sub(1) as f32;
        el.gap * self.scale * count
    }

    /// Its height at this width.
    fn fit_height(&self, el: &Element<E>, width: f32) -> f32 {
        if let Length::Dp(dp) = el.height {
            return dp * self.scale;
        }
        let (pad_x, pad_y) = self.pads(el);
        let inner = (width - pad_x).max(0.0);
        let content = match el.content {
            Content::Text => {
                lines::measure(&shown(el), el.font_size * self.scale, el.bold, inner, el.max_lines)
                    .1
            }
            _ => 0.0,
        };
        let children = match el.flow {
            Flow::Row => {
                let widths = self.row_widths(el, inner);
                let heights = el.children.iter().zip(&widths).map(|(c, w)| self.fit_height(c, *w));
                heights.fold(0.0, f32::max)
            }
            Flow::Column => {
                let heights = el.children.iter().map(|c| {
                    if matches!((c.height, c.content.clone()), (Length::Fill(_), Content::None))
                        && c.children.is_empty()
                    {
                        return 0.0;
                    }
                    self.fit_height(c, self.across(el, c, inner))
                });
                heights.sum::<f32>() + self.gaps(el)
            }
            Flow::Stack => el
                .children
                .iter()
                .map(|c| self.fit_height(c, self.across(el, c, inner)))
                .fold(0.0, f32::max),
        };
        content.max(children) + pad_y
    }

    /// A child's width in a column or stack.
    fn across(&self, parent: &Element<E>, child: &Element<E>, inner: f32) -> f32 {
        match child.width {
            Length::Fill(_) => inner,
            Length::Fit if parent.cross == Alignment::Stretch => inner,
            Length::Fit | Length::Dp(_) => self.fit_width(child, inner),
        }
    }

    fn row_widths(&self, el: &Element<E>, inner: f32) -> Vec<f32> {
        let endless = el.scroll.is_some();
        let mut left = inner - self.gaps(el);
        let mut shares = 0.0;
        let mut widths = vec![0.0; el.children.len()];
        for (width, child) in widths.iter_mut().zip(&el.children) {
            if let Length::Fill(share) = child.width {
                shares += share;
            } else {
                *width = self.fit_width(child, if endless { f32::MAX } else { left.max(0.0) });
                left -= *width;
            }
        }
        for (width, child) in widths.iter_mut().zip(&el.children) {
            if let Length::Fill(share) = child.width {
                *width = (left.max(0.0) * share / shares).max(0.0);
            }
        }
        widths
    }

    fn place(&mut self, mut el: Element<E>, at: Box2, clip: Rect, depth: usize, index: usize) {
        let rect = at.rounded();
        let children = std::mem::take(&mut el.children);
        let s = self.scale;
        let inner = Box2 {
            x: at.x + el.pad[0] * s,
            y: at.y + el.pad[1] * s,
            w: (at.w - (el.pad[0] + el.pad[2]) * s).max(0.0),
            h: (at.h - (el.pad[1] + el.pad[3]) * s).max(0.0),
        };
        el.children = children;
        let mut boxes = match el.flow {
            Flow::Row => self.row_boxes(&el, inner),
            Flow::Column => self.column_boxes(&el, inner),
            Flow::Stack => self.stack_boxes(&el, inner),
        };
        let children = std::mem::take(&mut el.children);
        let mut scrolled = None;
        let mut inside = clip;
        if let Some(scroll) = &el.scroll {
            inside = clip.intersect(rect);
            let horizontal = el.flow == Flow::Row;
            let end = boxes
                .iter()
                .map(|b| if horizontal { b.x + b.w - inner.x } else { b.y + b.h - inner.y })
                .fold(0.0, f32::max);
            let max = (end - if horizontal { inner.w } else { inner.h }).max(0.0);
            let first = if scroll.from_end { max } else { 0.0 };
            let offset =
                self.offsets.get(&scroll.name).copied().unwrap_or(first).clamp(0.0, max).round();
            for b in &mut boxes {
                if horizontal {
                    b.x -= offset;
                } else {
                    b.y -= offset;
                }
            }
            scrolled = Some(Scrolled { name: scroll.name.clone(), horizontal, offset, max });
        }
        self.nodes.push(Node { el, rect, clip, depth, index, scrolled, scale: s });
        for (index, (child, at)) in children.into_iter().zip(boxes).enumerate() {
            self.place(child, at, inside, depth + 1, index);
        }
    }

    fn row_boxes(&self, el: &Element<E>, inner: Box2) -> Vec<Box2> {
        let widths = self.row_widths(el, inner.w);
        let used = widths.iter().sum::<f32>() + self.gaps(el);
        let mut x = inner.x + slack(el.main, inner.w - used);
        let mut boxes = Vec::with_capacity(widths.len());
        for (child, w) in el.children.iter().zip(widths) {
            let stretched = el.cross == Alignment::Stretch && child.height == Length::Fit;
            let h = if stretched || matches!(child.height, Length::Fill(_)) {
                inner.h
            } else {
                self.fit_height(child, w)
            };
            boxes.push(Box2 { x, y: inner.y + slack(el.cross, inner.h - h), w, h });
            x += w + el.gap * self.scale;
        }
        boxes
    }

    fn column_boxes(&self, el: &Element<E>, inner: Box2) -> Vec<Box2> {
        let widths: Vec<f32> =
            el.children.iter().map(|child| self.across(el, child, inner.w)).collect();
        let mut shares = 0.0;
        let mut used = self.gaps(el);
        let mut heights = Vec::with_capacity(widths.len());
        for (child, w) in el.children.iter().zip(&widths) {
            if let (Length::Fill(share), None) = (child.height, &el.scroll) {
                shares += share;
                heights.push(0.0);
            } else {
                let h = self.fit_height(child, *w);
                used += h;
                heights.push(h);
            }
        }
        if shares > 0.0 {
            let left = (inner.h - used).max(0.0);
            for (child, h) in el.children.iter().zip(&mut heights) {
                if let Length::Fill(share) = child.height {
                    *h = left * share / shares;
                }
            }
            used += left;
        }
        let start = if el.scroll.is_some() { 0.0 } else { slack(el.main, inner.h - used) };
        let mut y = inner.y + start.max(0.0);
        let mut boxes = Vec::with_capacity(widths.len());
        for (w, h) in widths.into_iter().zip(heights) {
            boxes.push(Box2 { x: inner.x + slack(el.cross, inner.w - w), y, w, h });
            y += h + el.gap * self.scale;
        }
        boxes
    }

    fn stack_boxes(&self, el: &Element<E>, inner: Box2) -> Vec<Box2> {
        let place = |child: &Element<E>| {
            let w = self.across(el, child, inner.w);
            let h = match child.height {
                Length::Fill(_) => inner.h,
                _ => self.fit_height(child, w),
            };
            Box2 {
                x: inner.x + slack(el.cross, inner.w - w),
                y: inner.y + slack(el.main, inner.h - h),
                w,
                h,
            }
        };
        el.children.iter().map(place).collect()
    }
}

/// The text to measure: the hint when a field is empty.
fn shown<E>(el: &Element<E>) -> String {
    match &el.field {
        Some(field) if el.text.is_empty() => field.hint.to_owned(),
        _ => shown_text(el),
    }
}

fn slack(place: Alignment, free: f32) -> f32 {
    match place {
        Alignment::Start | Alignment::Stretch => 0.0,
        Alignment::Center => free / 2.0,
        Alignment::End => free,
    }
}
