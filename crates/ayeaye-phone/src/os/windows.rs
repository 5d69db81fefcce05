//! The windows on the screen, from the bottom one to the top one.
use super::{Os, keyboard};
use crate::apps::launcher::{self, app_icon};
use crate::apps::widgets::{self, SURFACE, WHITE, format_time};
use crate::apps::{Element, SystemEvent, ViewContext, Window};
use crate::system::LATIN_KEYBOARD;
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Drawable, Edges, Length, ON_SURFACE};
use crate::tree::layout::lay_out;
use crate::tree::{Rect, WindowKind};

pub(crate) const SYSTEM_UI: &str = "com.android.systemui";
const NIGHT: Color = Color(0x5900_0000);

/// What the system takes from each edge, in dp, with the keyboard and without.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insets {
    status: f32,
    /// Left, bottom and right: where the navigation bar is.
    nav: [f32; 3],
    keyboard: f32,
}

impl Os {
    pub(crate) fn insets(&self) -> Insets {
        let landscape = self.is_landscape();
        let nav = match (landscape, self.rotation) {
            (true, 3) => [48.0, 0.0, 0.0],
            (true, _) => [0.0, 0.0, 48.0],
            (false, _) => [0.0, 48.0, 0.0],
        };
        let drawn = self.keyboard_shown() && self.system.input_method() == LATIN_KEYBOARD;
        Insets {
            status: if landscape { 28.0 } else { 40.0 },
            nav,
            keyboard: if drawn { keyboard::height(landscape).min(self.tall() * 0.55) } else { 0.0 },
        }
    }

    /// Height of the screen in dp.
    #[expect(clippy::cast_precision_loss, reason = "a screen is a few thousand pixels")]
    fn tall(&self) -> f32 {
        self.display_size().1 as f32 / self.scale()
    }

    pub(crate) fn is_landscape(&self) -> bool {
        let (w, h) = self.display_size();
        w > h
    }

    fn view(&self) -> ViewContext<'_> {
        ViewContext {
            system: &self.system,
            time: self.clock(),
            elapsed: self.elapsed(),
            landscape: self.is_landscape(),
            device: &self.options,
            focus: self.focus,
            all_selected: self.all_selected,
        }
    }

    fn window(
        &self,
        package: &'static str,
        title: &str,
        kind: WindowKind,
        el: Element,
        rect: Rect,
    ) -> Window {
        Window {
            package,
            title: title.to_owned(),
            kind,
            nodes: lay_out(el, rect, self.scale(), &self.scrolls),
            touchable: rect,
        }
    }

    pub(crate) fn build_windows(&self) -> Vec<Window> {
        let (w, h) = self.display_size();
        let screen = Rect::new(0, 0, px(w), px(h));
        let insets = self.insets();
        let inside: Edges =
            [insets.nav[0], insets.status, insets.nav[2], insets.nav[1].max(0.0) + insets.keyboard];
        let mut windows = vec![self.app_window(screen, inside)];
        if self.recents {
            let el = self.recents_view(inside);
            windows.push(self.window(
                launcher::PACKAGE,
                &format!("{}/{}", launcher::PACKAGE, launcher::ACTIVITY),
                WindowKind::Modal,
                el,
                screen,
            ));
        }
        if insets.keyboard > 0.0 {
            windows.push(self.keyboard_window(screen, &insets));
        }
        if self.locked {
            let el = self.lock_view(inside);
            windows.push(self.window(
                SYSTEM_UI,
                "NotificationShade",
                WindowKind::Modal,
                el,
                screen,
            ));
        }
        if let Some(dialog) = self.dialogs.front() {
            let mut buttons = Vec::new();
            for (i, label) in dialog.buttons.iter().enumerate() {
                let id = ["android:id/button1", "android:id/button2", "android:id/button3"]
                    .get(i)
                    .copied()
                    .unwrap_or("android:id/button");
                buttons.push(widgets::text_button(label, id, SystemEvent::Dialog(i)));
            }
            let el =
                widgets::dialog(&dialog.title, &dialog.text, buttons, SystemEvent::Nothing.into());
            windows.push(self.window("android", &dialog.title, WindowKind::Modal, el, screen));
        }
        windows.push(self.status_bar(screen, &insets));
        if !self.locked || self.bouncer {
            windows.push(self.nav_bar(screen, &insets));
        }
        if let Some(heads_up) = &self.heads_up {
            windows.push(self.heads_up_window(&heads_up.from, &heads_up.text, screen, &insets));
        }
        if let Some((text, _)) = &self.toast {
            windows.push(self.toast_window(text, screen));
        }
        windows
    }

    fn app_window(&self, screen: Rect, inside: Edges) -> Window {
        let package = self.foreground;
        let app = self.apps.get(package);
        let content = app.view(&self.view());
        let home = package == launcher::PACKAGE && !self.apps.launcher.is_drawer();
        let el = if home {
            Element::stack(vec![
                Element::drawable(Drawable::Wallpaper, 1.0, 1.0, WHITE)
                    .fill_parent()
                    .class("android.view.View"),
                Element::column(vec![content]).fill_parent().edges(inside),
            ])
            .fill_parent()
        } else if app.is_secure() {
            // Windows that forbid screenshots are black in them.
            Element::stack(vec![
                Element::column(vec![content]).fill_parent().edges(inside),
                Element::spacer().background(Color(0xFF00_0000)),
            ])
            .fill_parent()
        } else {
            Element::column(vec![content]).fill_parent().edges(inside).background(SURFACE)
        };
        let title = format!("{package}/{}", app.activity());
        self.window(package, &title, WindowKind::App, el, screen)
    }

    fn keyboard_window(&self, screen: Rect, insets: &Insets) -> Window {
        let s = self.scale();
        let bottom = screen.bottom - dp(insets.nav[1], s);
        let rect = Rect::new(
            screen.left + dp(insets.nav[0], s),
            bottom - dp(insets.keyboard, s),
            screen.right - dp(insets.nav[2], s),
            bottom,
        );
        let (digits, action) = self.field_traits();
        let el = keyboard::view(self.keyboard, self.is_landscape(), digits, action);
        self.window(
            "com.android.inputmethod.latin",
            "InputMethod",
            WindowKind::InputMethod,
            el,
            rect,
        )
    }

    /// Whether bars lie on something dark.
    fn over_dark(&self) -> bool {
        let home = self.foreground == launcher::PACKAGE && !self.apps.launcher.is_drawer();
        self.locked
            || self.recents
            || !self.dialogs.is_empty()
            || home
            || self.apps.get(self.foreground).is_secure()
    }

    fn status_bar(&self, screen: Rect, insets: &Insets) -> Window {
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
            Element::text(format_time(self.clock()), 14.5)
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

    fn nav_bar(&self, screen: Rect, insets: &Insets) -> Window {
        let s = self.scale();
        let dark = self.over_dark();
        let drawn = insets.keyboard > 0.0;
        let ink = if dark { WHITE } else { Color(0xFF44_474F) };
        let button = |face: Element, desc: &str, id, event: SystemEvent| {
            Element::stack(vec![face])
                .class("android.widget.ImageView")
                .main(Alignment::Center)
                .cross(Alignment::Center)
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
            // On its side the bar keeps its order as seen on the upright phone.
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

    fn heads_up_window(&self, from: &str, text: &str, screen: Rect, insets: &Insets) -> Window {
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
        // Only the card takes touches.
        window.touchable = window.nodes.get(1).map_or(Rect::default(), |node| node.rect);
        window
    }

    fn toast_window(&self, text: &str, screen: Rect) -> Window {
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

    fn lock_view(&self, inside: Edges) -> Element {
        let (hour, minute) = self.clock();
        let body = if self.bouncer { self.pin_pad() } else { self.lock_face(hour, minute) };
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

    fn lock_face(&self, hour: u32, minute: u32) -> Element {
        let (size, gap) = if self.is_landscape() { (56.0, 8.0) } else { (96.0, 56.0) };
        Element::column(vec![
            Element::space(gap),
            Element::icon(icons::LOCK, 22.0, WHITE).desc("Locked"),
            Element::text(format!("{hour:02}:{minute:02}"), size)
                .color(WHITE)
                .id("lockscreen_clock_view"),
            Element::text("Tue, 12 May", 18.0).color(WHITE),
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
            Element::stack(vec![Element::text(&label, size * 0.38).color(WHITE)])
                .main(Alignment::Center)
                .cross(Alignment::Center)
                .width(Length::Dp(size))
                .height(Length::Dp(size))
                .radius(size / 2.0)
                .background(Color(0x33FF_FFFF))
                .desc(label)
                .id(id)
                .click(event)
        };
        let glyph_key = |icon, desc: &str, event: SystemEvent, id| {
            Element::stack(vec![Element::icon(icon, size * 0.36, ON_SURFACE)])
                .main(Alignment::Center)
                .cross(Alignment::Center)
                .width(Length::Dp(size))
                .height(Length::Dp(size))
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

    fn recents_view(&self, inside: Edges) -> Element {
        let (w, h) = self.display_size();
        #[expect(clippy::cast_precision_loss, reason = "a screen is a few thousand pixels")]
        let (w, h) = (w as f32 / self.scale(), h as f32 / self.scale());
        let share = if self.is_landscape() { 0.56 } else { 0.66 };
        let cards: Vec<Element> = self
            .tasks
            .iter()
            .enumerate()
            .filter_map(|(i, task)| {
                let entry = launcher::entry(task.package)?;
                let snapshot =
                    Element::drawable(Drawable::Snapshot(i), w * share, h * share, WHITE)
                        .radius(26.0)
                        .background(SURFACE)
                        .id("snapshot");
                Some(
                    Element::column(vec![app_icon(entry, 44.0), snapshot])
                        .class("android.widget.FrameLayout")
                        .cross(Alignment::Center)
                        .gap(10.0)
                        .desc(entry.label)
                        .id("task")
                        .click(SystemEvent::OpenTask(task.package)),
                )
            })
            .collect();
        let body = if cards.is_empty() {
            widgets::empty_state(icons::CLOSE, "No recent items").fill_parent()
        } else {
            let side = w * (1.0 - share) / 2.0;
            Element::column(vec![
                Element::row(cards).gap(18.0).pad(side, 0.0).fill_parent().scroll("recents"),
                Element::row(vec![
                    Element::text("Clear all", 15.0)
                        .class("android.widget.Button")
                        .color(WHITE)
                        .background(Color(0x40FF_FFFF))
                        .radius(20.0)
                        .pad(22.0, 11.0)
                        .id("clear_all")
                        .click(SystemEvent::ClearTasks),
                ])
                .main(Alignment::Center)
                .fill_width()
                .pad(0.0, 12.0),
            ])
            .fill_parent()
        };
        Element::stack(vec![
            Element::drawable(Drawable::Wallpaper, 1.0, 1.0, WHITE)
                .fill_parent()
                .class("android.view.View"),
            Element::spacer().background(Color(0x8C0C_1226)).click(SystemEvent::Home),
            Element::column(vec![body]).fill_parent().edges(inside),
        ])
        .fill_parent()
        .id("overview_panel")
    }
}

fn px(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "screen coordinates are small")]
pub(crate) fn dp(n: f32, scale: f32) -> i32 {
    (n * scale).round() as i32
}
