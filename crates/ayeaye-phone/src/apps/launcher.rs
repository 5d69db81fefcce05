//! The home screen and the app drawer.
use super::fields::Fields;
use super::widgets::{FieldView, SEARCH, SURFACE, WHITE, format_clock, format_date, search_pill};
use super::{
    App, AppContext, Element, SystemEvent, ViewContext, account, clock, messages, notes, settings,
    shop,
};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Length};

pub(crate) const PACKAGE: &str = "com.android.launcher3";
pub(crate) const ACTIVITY: &str = "com.android.launcher3.uioverrides.QuickstepLauncher";

/// An app with an icon.
#[derive(Debug)]
pub(crate) struct LauncherEntry {
    pub(crate) package: &'static str,
    pub(crate) label: &'static str,
    pub(crate) activity: &'static str,
    pub(crate) icon: char,
    pub(crate) color: Color,
}

#[rustfmt::skip]
pub(crate) const ENTRIES: [LauncherEntry; 6] = [
    LauncherEntry { package: account::PACKAGE, label: "Nimbus", activity: account::ACTIVITY, icon: icons::ACCOUNT_CIRCLE, color: Color(0xFF6A_4FC4) },
    LauncherEntry { package: clock::PACKAGE, label: "Clock", activity: clock::ACTIVITY, icon: icons::SCHEDULE, color: Color(0xFF1F_3A6E) },
    LauncherEntry { package: messages::PACKAGE, label: "Messages", activity: messages::ACTIVITY, icon: icons::CHAT, color: Color(0xFF1A_73E8) },
    LauncherEntry { package: notes::PACKAGE, label: "Notes", activity: notes::ACTIVITY, icon: icons::NOTE, color: Color(0xFFF0_A500) },
    LauncherEntry { package: settings::PACKAGE, label: "Settings", activity: settings::ACTIVITY, icon: icons::SETTINGS, color: Color(0xFF5F_6368) },
    LauncherEntry { package: shop::PACKAGE, label: "Shop", activity: shop::ACTIVITY, icon: icons::SHOPPING_BAG, color: Color(0xFF0F_8A5F) },
];

pub(crate) fn entry(package: &str) -> Option<&'static LauncherEntry> {
    ENTRIES.iter().find(|entry| entry.package == package)
}

/// The app's round icon.
pub(crate) fn app_icon(entry: &LauncherEntry, size: f32) -> Element {
    Element::centered(Element::icon(entry.icon, size * 0.54, WHITE))
        .size(size, size)
        .background(entry.color)
        .radius(size / 2.0)
}

#[derive(Debug, Default)]
pub(crate) struct Launcher {
    drawer: bool,
    fields: Fields,
}

impl Launcher {
    pub(crate) fn is_drawer(&self) -> bool {
        self.drawer
    }

    pub(crate) fn set_drawer(&mut self, open: bool) {
        self.drawer = open;
        self.fields.clear();
    }

    fn tile(entry: &LauncherEntry, color: Color) -> Element {
        // As on a real launcher: the text view is the icon and takes the taps.
        let mut label = Element::text(entry.label, 13.0).lines(1).center_text().color(color);
        label.desc = entry.label.to_owned();
        Element::column(vec![app_icon(entry, 60.0), label])
            .class("android.widget.TextView")
            .cross(Alignment::Center)
            .gap(6.0)
            .width(Length::Fill(1.0))
            .pad(2.0, 10.0)
            .desc(entry.label)
            .id("icon")
            .click(SystemEvent::Launch(entry.package))
    }

    fn home(cx: &ViewContext<'_>) -> Element {
        let date =
            Element::text(format_date(cx.now.date()), 22.0).color(WHITE).id("smartspace_date");
        let weather =
            Element::text(format!("{} \u{b7} 18 \u{b0}C", format_clock(cx.now)), 15.0).color(WHITE);
        let top = Element::column(vec![date, weather])
            .gap(4.0)
            .pad(26.0, if cx.landscape { 8.0 } else { 28.0 });
        let (in_page, hotseat) = ENTRIES.split_at(2);
        let mut page_row: Vec<Element> = in_page.iter().map(|e| Self::tile(e, WHITE)).collect();
        page_row.push(Element::spacer());
        page_row.push(Element::spacer());
        let bottom: Vec<Element> = hotseat.iter().map(|e| Self::tile(e, WHITE)).collect();
        let search = Element::row(vec![
            Element::icon(icons::SEARCH, 24.0, Color(0xFF0B_57D0)),
            Element::text("Search apps", 16.0).color(Color(0xFF44_474F)).fill_width(),
            Element::icon(icons::MIC, 24.0, Color(0xFF44_474F)),
        ])
        .gap(14.0)
        .pad(18.0, 14.0)
        .background(Color(0xF2FF_FFFF))
        .radius(28.0)
        .desc("Search apps")
        .id("search_container_hotseat")
        .click(SystemEvent::Drawer);
        Element::column(vec![
            top,
            Element::spacer(),
            Element::row(page_row).pad(10.0, 0.0),
            Element::row(bottom).pad(10.0, 4.0).id("hotseat"),
            Element::column(vec![search]).edges([22.0, 6.0, 22.0, 18.0]),
        ])
        .fill_parent()
        .id("workspace")
    }

    fn all(&self, cx: &ViewContext<'_>) -> Element {
        let wanted = self.fields.text("fallback_search_view").trim().to_lowercase();
        let found: Vec<&LauncherEntry> =
            ENTRIES.iter().filter(|e| e.label.to_lowercase().contains(&wanted)).collect();
        let mut rows = vec![
            search_pill(
                cx,
                FieldView::new("fallback_search_view", "Search apps", &self.fields)
                    .action(SEARCH, SystemEvent::Nothing),
            ),
            Element::space(12.0),
        ];
        for chunk in found.chunks(4) {
            let mut row: Vec<Element> =
                chunk.iter().map(|e| Self::tile(e, Color(0xFF1A_1C20))).collect();
            row.resize_with(4, Element::spacer);
            rows.push(Element::row(row));
        }
        if found.is_empty() {
            rows.push(super::widgets::empty_state(icons::SEARCH, "No apps found"));
        }
        Element::column(rows)
            .pad(16.0, 16.0)
            .fill_parent()
            .background(SURFACE)
            .scroll("drawer")
            .id("apps_view")
    }
}

impl App for Launcher {
    fn activity(&self) -> &'static str {
        ACTIVITY
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        if self.drawer { self.all(cx) } else { Self::home(cx) }
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
        let was = self.drawer;
        self.set_drawer(false);
        was
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.set_drawer(false);
    }

    fn open(&mut self, class: &str) -> bool {
        self.set_drawer(false);
        class == ACTIVITY
    }
}
