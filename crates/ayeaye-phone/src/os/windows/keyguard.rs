//! The lock screen and its PIN pad.
use super::Os;
use crate::apps::widgets::{WHITE, format_date};
use crate::apps::{Element, SystemEvent};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Drawable, Edges, Length, ON_SURFACE};

const NIGHT: Color = Color(0x5900_0000);

impl Os {
    pub(super) fn lock_view(&self, inside: Edges) -> Element {
        let body = if self.bouncer { self.pin_pad() } else { self.lock_face() };
        Element::stack(vec![
            Element::drawable(Drawable::Wallpaper, 1.0, 1.0, WHITE)
                .fill_parent()
                .class("android.view.View"),
            Element::spacer().background(if self.bouncer {
                Color(0xB310_1830)
            } else {
                NIGHT.with_alpha(0x30)
            }),
            Element::column(vec![body]).fill_parent().edges(inside),
        ])
        .fill_parent()
        .id("notification_panel")
    }

    fn lock_face(&self) -> Element {
        let now = self.local_time();
        let (size, gap) = if self.is_landscape() { (56.0, 8.0) } else { (96.0, 56.0) };
        Element::column(vec![
            Element::space(gap),
            Element::icon(icons::LOCK, 22.0, WHITE).desc("Locked"),
            Element::text(now.strftime("%H:%M").to_string(), size)
                .color(WHITE)
                .id("lockscreen_clock_view"),
            Element::text(format_date(now.date()), 18.0).color(WHITE),
            Element::spacer(),
            Element::text("Swipe up to unlock", 15.5).color(WHITE).id("keyguard_indication_text"),
            Element::space(18.0),
        ])
        .cross(Alignment::Center)
        .gap(4.0)
        .fill_parent()
    }

    fn pin_pad(&self) -> Element {
        let landscape = self.is_landscape();
        let size = if landscape { 52.0 } else { 78.0 };
        let key = |label: String, event: SystemEvent, id| {
            Element::centered(Element::text(&label, size * 0.38).color(WHITE))
                .size(size, size)
                .radius(size / 2.0)
                .background(Color(0x33FF_FFFF))
                .desc(label)
                .id(id)
                .click(event)
        };
        let glyph_key = |icon, desc: &str, event: SystemEvent, id| {
            Element::centered(Element::icon(icon, size * 0.36, ON_SURFACE))
                .size(size, size)
                .radius(size / 2.0)
                .background(Color(0xFFC4_D7F7))
                .desc(desc)
                .id(id)
                .click(event)
        };
        let ids = ["key0", "key1", "key2", "key3", "key4", "key5", "key6", "key7", "key8", "key9"];
        let digit = |d: usize| {
            let c = char::from(b'0' + u8::try_from(d).unwrap_or(0));
            key(d.to_string(), SystemEvent::Pin(c), ids[d])
        };
        let gap = if landscape { 8.0 } else { 20.0 };
        let mut rows: Vec<Element> = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
            .iter()
            .map(|row| Element::row(row.iter().map(|d| digit(*d)).collect()).gap(gap))
            .collect();
        rows.push(
            Element::row(vec![
                glyph_key(icons::BACKSPACE, "Delete", SystemEvent::PinDelete, "delete_button"),
                digit(0),
                glyph_key(icons::KEYBOARD_RETURN, "Enter", SystemEvent::PinEnter, "key_enter"),
            ])
            .gap(gap),
        );
        let dots = "\u{2022}".repeat(self.pin_typed.chars().count());
        let message = if self.pin_wrong { "Wrong PIN. Try again" } else { "Enter PIN" };
        let head = Element::column(vec![
            Element::icon(icons::LOCK, 24.0, WHITE),
            Element::text(message, 18.0).color(WHITE).id("bouncer_message_area"),
            Element::text(dots, 30.0).color(WHITE).height(Length::Dp(44.0)).id("pinEntry"),
        ])
        .cross(Alignment::Center)
        .gap(8.0);
        let pad = Element::column(rows).gap(gap * 0.8).cross(Alignment::Center);
        if landscape {
            Element::row(vec![head.width(Length::Fill(1.0)), pad.width(Length::Fill(1.0))])
                .fill_parent()
        } else {
            Element::column(vec![
                Element::space(60.0),
                head,
                Element::spacer(),
                pad,
                Element::space(40.0),
            ])
            .cross(Alignment::Center)
            .fill_parent()
        }
    }
}
