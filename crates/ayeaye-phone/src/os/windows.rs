//! Builds the windows on the screen, from bottom to top.
mod bars;
mod keyguard;
mod notifications;
mod recents;

use super::{Os, keyboard};
use crate::apps::launcher::{self};
use crate::apps::widgets::{self, SURFACE, WHITE};
use crate::apps::{Element, SystemEvent, ViewContext, Window};
use crate::system::LATIN_KEYBOARD;
use crate::tree::element::{Alignment, Color, Drawable, Edges};
use crate::tree::layout::lay_out;
use crate::tree::{Rect, WindowKind};

pub(crate) const SYSTEM_UI: &str = "com.android.systemui";

/// Beside a dialog, and its greatest width, in dp.
const DIALOG_MARGIN: f32 = 32.0;
const DIALOG_WIDTH: f32 = 560.0;

/// What bars and keyboard take from each edge, in dp.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insets {
    status: f32,
    /// The navigation bar at the left, bottom or right.
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
            now: self.local_time(),
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
            cancel: None,
        }
    }

    pub(crate) fn build_windows(&self) -> Vec<Window> {
        let (w, h) = self.display_size();
        let screen = Rect::new(0, 0, px(w), px(h));
        let insets = self.insets();
        let inside: Edges =
            [insets.nav[0], insets.status, insets.nav[2], insets.nav[1].max(0.0) + insets.keyboard];
        let mut windows = vec![self.app_window(screen, inside)];
        if let Some(dialog) = self.app_dialog() {
            let app = self.apps.get(self.foreground);
            // An app names none of its dialogs: Android gives them the title of the activity.
            let title = format!("{}/{}", self.foreground, app.activity());
            let window = self.dialog_window(self.foreground, &title, dialog.panel, screen);
            windows.push(Window { cancel: Some(dialog.cancel), ..window });
        }
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
        if self.shade {
            let el = self.shade_view(inside);
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
            let panel = widgets::dialog(&dialog.title, &dialog.text, buttons);
            windows.push(self.dialog_window("android", &dialog.title, panel, screen));
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
            // `FLAG_SECURE`: black in screenshots.
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

    /// In the middle of the screen. It takes the touches beside it too.
    fn dialog_window(
        &self,
        package: &'static str,
        title: &str,
        panel: Element,
        screen: Rect,
    ) -> Window {
        let margin = screen.inset(dp(DIALOG_MARGIN, self.scale()));
        let width = margin.width().min(dp(DIALOG_WIDTH, self.scale()));
        let left = screen.left + (screen.width() - width) / 2;
        let column = Rect::new(left, margin.top, left + width, margin.bottom);
        let el = Element::column(vec![panel])
            .main(Alignment::Center)
            .cross(Alignment::Stretch)
            .fill_parent();
        let mut window = self.window(package, title, WindowKind::Dialog, el, column);
        // What holds it in the middle is no part of it.
        window.nodes.remove(0);
        for node in &mut window.nodes {
            node.depth -= 1;
        }
        window.touchable = screen;
        window
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
}

fn px(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "screen coordinates are small")]
pub(crate) fn dp(n: f32, scale: f32) -> i32 {
    (n * scale).round() as i32
}
