//! The overview of recent tasks.
use super::Os;
use crate::apps::launcher::{self, app_icon};
use crate::apps::widgets::{self, SURFACE, WHITE};
use crate::apps::{Element, SystemEvent};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Drawable, Edges};

impl Os {
    pub(super) fn recents_view(&self, inside: Edges) -> Element {
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
