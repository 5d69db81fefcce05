//! The status bar and the navigation bar.
use super::{Insets, Os, SYSTEM_UI, dp};
use crate::apps::launcher;
use crate::apps::widgets::{SURFACE, WHITE, format_clock};
use crate::apps::{Element, SystemEvent, Window};
use crate::text::icons;
use crate::tree::element::{Color, Drawable};
use crate::tree::{Rect, WindowKind};

impl Os {
    /// Whether the bars are over a dark background.
    fn over_dark(&self) -> bool {
        let home = self.foreground == launcher::PACKAGE && !self.apps.launcher.is_drawer();
        self.locked
            || self.recents
            || self.has_dialog()
            || home
            || self.apps.get(self.foreground).is_secure()
    }

    pub(super) fn status_bar(&self, screen: Rect, insets: &Insets) -> Window {
        let s = self.scale();
        let ink = if self.over_dark() { WHITE } else { Color(0xFF2B_2D33) };
        let system = &self.system;
        let mut icons_row = Vec::new();
        if self.locked {
            icons_row.push(Element::text("Example Mobile", 13.0).color(ink).lines(1));
        }
        if system.bluetooth() {
            icons_row.push(Element::icon(icons::BLUETOOTH, 15.0, ink).desc("Bluetooth on."));
        }
        if system.airplane() {
            icons_row.push(Element::icon(icons::AIRPLANE, 16.0, ink).desc("Airplane mode."));
        }
        if system.wifi() {
            icons_row.push(
                Element::drawable(Drawable::WifiFan, 17.0, 14.0, ink)
                    .desc("Wifi signal full.")
                    .id("wifi_signal"),
            );
        }
        if !system.airplane() {
            icons_row.push(
                Element::drawable(Drawable::Signal, 14.0, 14.0, ink)
                    .desc("Phone four bars.")
                    .id("mobile_signal"),
            );
        }
        icons_row.push(Element::text("87%", 13.0).color(ink).id("battery_percentage_view"));
        icons_row.push(
            Element::drawable(Drawable::Battery(87), 13.0, 16.0, ink).desc("Battery 87 percent."),
        );
        let el = Element::row(vec![
            Element::text(format_clock(self.local_time()), 14.5)
                .bold()
                .color(ink)
                .fill_width()
                .id("clock"),
            Element::row(icons_row).gap(5.0),
        ])
        .fill_parent()
        .edges([22.0 + insets.nav[0], 4.0, 20.0 + insets.nav[2], 0.0])
        .id("status_bar");
        let rect = Rect { bottom: dp(insets.status, s), ..screen };
        self.window(SYSTEM_UI, "StatusBar", WindowKind::SystemBar, el, rect)
    }

    pub(super) fn nav_bar(&self, screen: Rect, insets: &Insets) -> Window {
        let s = self.scale();
        let dark = self.over_dark();
        let drawn = insets.keyboard > 0.0;
        let ink = if dark { WHITE } else { Color(0xFF44_474F) };
        let button = |face: Element, desc: &str, id, event: SystemEvent| {
            Element::centered(face)
                .class("android.widget.ImageView")
                .fill_parent()
                .desc(desc)
                .id(id)
                .click(event)
        };
        let back = if drawn {
            Element::icon(icons::EXPAND_MORE, 26.0, ink)
        } else {
            Element::drawable(Drawable::BackTriangle, 20.0, 20.0, ink)
        };
        let mut buttons = vec![button(back, "Back", "back", SystemEvent::Back)];
        if !self.locked {
            buttons.push(button(
                Element::drawable(Drawable::RoundHome, 20.0, 20.0, ink),
                "Home",
                "home",
                SystemEvent::Home,
            ));
            buttons.push(button(
                Element::drawable(Drawable::SquareRecents, 20.0, 20.0, ink),
                "Overview",
                "recent_apps",
                SystemEvent::Recents,
            ));
        }
        let below = if drawn {
            Some(Color(0xFFE3_E7F1))
        } else if dark {
            None
        } else {
            Some(SURFACE)
        };
        let (el, rect) = if insets.nav[1] > 0.0 {
            let rect = Rect { top: screen.bottom - dp(insets.nav[1], s), ..screen };
            (Element::row(buttons).pad(24.0, 0.0), rect)
        } else {
            // In landscape the buttons keep their order along the phone's edge.
            buttons.reverse();
            let rect = if insets.nav[0] > 0.0 {
                buttons.reverse();
                Rect { right: dp(insets.nav[0], s), ..screen }
            } else {
                Rect { left: screen.right - dp(insets.nav[2], s), ..screen }
            };
            (Element::column(buttons).pad(0.0, 24.0), rect)
        };
        let mut el = el.fill_parent().id("nav_buttons");
        el.background = below;
        self.window(SYSTEM_UI, "NavigationBar0", WindowKind::SystemBar, el, rect)
    }
}
