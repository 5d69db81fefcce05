//! Heads-up notifications and toasts.
use super::{Insets, Os, SYSTEM_UI, dp};
use crate::apps::widgets::{self, WHITE};
use crate::apps::{Element, SystemEvent, Window};
use crate::tree::element::{Alignment, Color, Edges};
use crate::tree::{Rect, WindowKind};

const SHADE: Color = Color(0xFF1C_1F26);

impl Os {
    pub(super) fn heads_up_window(
        &self,
        from: &str,
        text: &str,
        screen: Rect,
        insets: &Insets,
    ) -> Window {
        let s = self.scale();
        let card = Element::row(vec![
            widgets::avatar(from, 42.0),
            Element::column(vec![
                Element::row(vec![
                    Element::text(from, 15.5).bold().lines(1).id("android:id/title"),
                    Element::text("\u{b7} Messages \u{b7} now", 13.0)
                        .color(widgets::ON_SURFACE_VARIANT),
                ])
                .gap(6.0),
                Element::text(text, 15.0).lines(2).id("android:id/text"),
            ])
            .fill_width()
            .gap(2.0),
        ])
        .gap(14.0)
        .pad(16.0, 14.0)
        .background(WHITE)
        .radius(26.0)
        .shadow()
        .fill_width()
        .desc(format!("Messages notification: {from}: {text}"))
        .id("expandableNotificationRow")
        .click(SystemEvent::HeadsUp);
        let width = dp(if self.is_landscape() { 480.0 } else { 392.0 }, s).min(screen.width());
        let left = (screen.width() - width) / 2;
        let top = dp(insets.status, s);
        let rect = Rect::new(left, top, left + width, top + dp(130.0, s));
        let el = Element::column(vec![card]).fill_parent().pad(8.0, 8.0);
        let mut window =
            self.window(SYSTEM_UI, "NotificationShade", WindowKind::Notification, el, rect);
        // Touches beside the card pass through.
        window.touchable = window.nodes.get(1).map_or(Rect::default(), |node| node.rect);
        window
    }

    pub(super) fn shade_view(&self, inside: Edges) -> Element {
        let tile = |label: &str, on: bool| {
            Element::centered(Element::text(label, 15.0).color(if on { SHADE } else { WHITE }))
                .pad(18.0, 16.0)
                .radius(26.0)
                .background(if on { Color(0xFFC4_D7F7) } else { Color(0xFF3A_3D46) })
                .desc(label)
        };
        Element::stack(vec![
            Element::spacer().background(SHADE),
            Element::column(vec![
                Element::text(self.local_time().strftime("%H:%M").to_string(), 30.0)
                    .color(WHITE)
                    .id("clock"),
                Element::row(vec![
                    tile("Internet", self.system.wifi()),
                    tile("Bluetooth", self.system.bluetooth()),
                ])
                .gap(12.0)
                .id("quick_qs_panel"),
                Element::text("No notifications", 15.0).color(WHITE).id("no_notifications"),
                Element::spacer(),
            ])
            .gap(20.0)
            .pad(20.0, 12.0)
            .fill_parent()
            .edges(inside),
        ])
        .fill_parent()
        .id("notification_panel")
    }

    pub(super) fn toast_window(&self, text: &str, screen: Rect) -> Window {
        let chip = Element::text(text, 14.5)
            .color(WHITE)
            .background(Color(0xFF33_3640))
            .radius(22.0)
            .pad(18.0, 11.0)
            .lines(2);
        let el = Element::column(vec![chip])
            .main(Alignment::End)
            .cross(Alignment::Center)
            .fill_parent()
            .edges([40.0, 0.0, 40.0, if self.insets().keyboard > 0.0 { 340.0 } else { 96.0 }]);
        let mut window = self.window(SYSTEM_UI, "Toast", WindowKind::Notification, el, screen);
        window.touchable = Rect::default();
        window
    }
}
