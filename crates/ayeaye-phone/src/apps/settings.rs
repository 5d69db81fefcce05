//! Settings: network, Bluetooth, display, sound and about.
use super::back_stack::BackStack;
use super::fields::Fields;
use super::widgets::{FieldView, SEARCH, app_bar};
use super::widgets::{
    ON_SURFACE_VARIANT, PRIMARY, SURFACE, card, icon_button, main_app_bar, page, row, search_pill,
    section_header, switch_row,
};
use super::{App, AppContext, Element, ViewContext};
use crate::text::icons;
use crate::tree::element::{Color, Content};

pub(crate) const PACKAGE: &str = "com.android.settings";
pub(crate) const ACTIVITY: &str = "com.android.settings.Settings";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    Open(Screen),
    Wifi,
    Join(&'static str),
    Bluetooth,
    Airplane,
    Brightness(f32),
    ScreenTimeout(u32),
    AutoRotate,
    Volume(usize, f32),
    /// A row without a screen behind it.
    Unavailable,
}

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Settings(event)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Main,
    Network,
    Wifi,
    Devices,
    Display,
    Timeout,
    Sound,
    About,
}

impl Screen {
    const ALL: [Self; 8] = [
        Self::Main,
        Self::Network,
        Self::Wifi,
        Self::Devices,
        Self::Display,
        Self::Timeout,
        Self::Sound,
        Self::About,
    ];

    fn class(self) -> &'static str {
        match self {
            Self::Main => ACTIVITY,
            Self::Network => "com.android.settings.Settings$NetworkDashboardActivity",
            Self::Wifi => "com.android.settings.Settings$WifiSettingsActivity",
            Self::Devices => "com.android.settings.Settings$BluetoothSettingsActivity",
            Self::Display => "com.android.settings.Settings$DisplaySettingsActivity",
            Self::Timeout => "com.android.settings.Settings$ScreenTimeoutActivity",
            Self::Sound => "com.android.settings.Settings$SoundSettingsActivity",
            Self::About => "com.android.settings.Settings$MyDeviceInfoActivity",
        }
    }
}

/// The activity that shows what an action of `android.settings` asks for: the first page for what has none.
pub(crate) fn page_of(action: &str) -> &'static str {
    let screen = match action {
        "WIRELESS_SETTINGS" | "AIRPLANE_MODE_SETTINGS" => Screen::Network,
        "WIFI_SETTINGS" => Screen::Wifi,
        "BLUETOOTH_SETTINGS" => Screen::Devices,
        "DISPLAY_SETTINGS" => Screen::Display,
        "SOUND_SETTINGS" => Screen::Sound,
        "DEVICE_INFO_SETTINGS" => Screen::About,
        _ => Screen::Main,
    };
    screen.class()
}

const NETWORKS: [(&str, &str); 4] = [
    ("Aurora", "Connected"),
    ("Cafe Lindgren", "Saved"),
    ("Guest-5G", "Open"),
    ("Hallway printer", "Secured"),
];

const TIMEOUTS: [(u32, &str); 5] = [
    (15_000, "15 seconds"),
    (30_000, "30 seconds"),
    (60_000, "1 minute"),
    (300_000, "5 minutes"),
    (1_800_000, "30 minutes"),
];

#[derive(Debug)]
pub(crate) struct Settings {
    stack: BackStack<Screen>,
    fields: Fields,
    volumes: [f32; 3],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            stack: BackStack::new(Screen::Main),
            fields: Fields::default(),
            volumes: [0.6, 0.4, 0.8],
        }
    }
}

impl Settings {
    fn screen(&self) -> Screen {
        *self.stack.top()
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        let system = &mut *cx.system;
        match event {
            Event::Open(screen) => {
                self.stack.push(screen);
                cx.unfocus();
                cx.forward();
            }
            Event::Wifi => system.set_wifi(!system.wifi()),
            Event::Join(name) => {
                system.put("global", "wifi_ssid", Some(name));
                cx.toast(format!("Connected to {name}"));
            }
            Event::Bluetooth => system.set_bluetooth(!system.bluetooth()),
            Event::Airplane => system.set_airplane(!system.airplane()),
            Event::Brightness(at) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "1 to 255"
                )]
                let value = (at.clamp(0.0, 1.0) * 254.0) as u32 + 1;
                system.put("system", "screen_brightness", Some(&value.to_string()));
            }
            Event::ScreenTimeout(ms) => {
                system.put("system", "screen_off_timeout", Some(&ms.to_string()));
            }
            Event::AutoRotate => {
                let on = system.is_on("system", "accelerometer_rotation");
                system.put("system", "accelerometer_rotation", Some(if on { "0" } else { "1" }));
            }
            Event::Volume(i, at) => {
                if let Some(volume) = self.volumes.get_mut(i) {
                    *volume = at.clamp(0.0, 1.0);
                }
            }
            Event::Unavailable => cx.toast("Not available on this phone"),
        }
    }

    fn main(&self, cx: &ViewContext<'_>) -> Element {
        let network =
            if cx.system.wifi() { "Mobile, Wi\u{2011}Fi, hotspot" } else { "Mobile, hotspot" };
        let devices = if cx.system.bluetooth() { "Bluetooth, pairing" } else { "Bluetooth is off" };
        #[rustfmt::skip]
        let entries = [
            (icons::WIFI, 0x0B_57D0, "Network & internet", network, Event::Open(Screen::Network)),
            (icons::DEVICES, 0x0F_8A5F, "Connected devices", devices, Event::Open(Screen::Devices)),
            (icons::STAR, 0xB3_5A00, "Apps", "Recent apps, default apps", Event::Unavailable),
            (icons::NOTIFICATIONS, 0xB3_2650, "Notifications", "Notification history", Event::Unavailable),
            (icons::BATTERY, 0x0F_8A5F, "Battery", "87%", Event::Unavailable),
            (icons::STORAGE, 0x5B_4FC4, "Storage", "31% used, 88 GB free", Event::Unavailable),
            (icons::VOLUME, 0xB3_5A00, "Sound & vibration", "Volume, ringtone", Event::Open(Screen::Sound)),
            (icons::BRIGHTNESS, 0x8A_6D00, "Display", "Brightness, screen timeout", Event::Open(Screen::Display)),
            (icons::WALLPAPER, 0xB3_2650, "Wallpaper & style", "Colours, icons", Event::Unavailable),
            (icons::LOCK, 0x0B_57D0, "Security & privacy", "Screen lock, app security", Event::Unavailable),
            (icons::LOCATION, 0x0F_8A5F, "Location", "On", Event::Unavailable),
            (icons::LANGUAGE, 0x5F_6368, "System", "Languages, gestures, time", Event::Unavailable),
            (icons::INFO, 0x5F_6368, "About phone", &cx.device.model, Event::Open(Screen::About)),
        ];
        let query = self.fields.text("search_action_bar").trim().to_lowercase();
        let search = FieldView::new("search_action_bar", "Search settings", &self.fields)
            .action(SEARCH, Event::Unavailable);
        let rows = entries
            .into_iter()
            .filter(|(_, _, title, ..)| title.to_lowercase().contains(&query))
            .map(|(icon, color, title, summary, event)| {
                row(Some((icon, Color(0xFF00_0000 | color))), title, summary).click(event)
            });
        let list = vec![
            Element::column(vec![search_pill(cx, search)]).edges([0.0, 0.0, 0.0, 10.0]),
            card(rows.collect()),
            Element::space(24.0),
        ];
        page(main_app_bar("Settings", Vec::new()), scrolling("settings", list))
    }

    fn network(cx: &ViewContext<'_>) -> Element {
        let system = cx.system;
        let wifi = if system.airplane() || !system.wifi() {
            "Off".to_owned()
        } else {
            system.get("global", "wifi_ssid").unwrap_or_default()
        };
        let internet =
            row(Some((icons::WIFI, PRIMARY)), "Internet", &wifi).click(Event::Open(Screen::Wifi));
        let sim = if system.airplane() { "Off" } else { "Example Mobile" };
        let list = vec![card(vec![
            internet,
            row(Some((icons::CALL, PRIMARY)), "SIMs", sim).click(Event::Unavailable),
            switch_row(
                Some((icons::AIRPLANE, PRIMARY)),
                "Airplane mode",
                "",
                system.airplane(),
                "android:id/switch_widget",
                Event::Airplane,
            ),
            row(Some((icons::SECURITY, PRIMARY)), "VPN", "None").click(Event::Unavailable),
        ])];
        page(app_bar("Network & internet", Vec::new()), scrolling("network", list))
    }

    fn wifi(cx: &ViewContext<'_>) -> Element {
        let system = cx.system;
        let on = system.wifi();
        let mut list = vec![card(vec![switch_row(
            None,
            "Wi\u{2011}Fi",
            if on { "" } else { "Off" },
            on,
            "android:id/switch_widget",
            Event::Wifi,
        )])];
        if on {
            let joined = system.get("global", "wifi_ssid").unwrap_or_default();
            let networks = NETWORKS.iter().map(|(name, state)| {
                let state = match (*name == joined, *state) {
                    (true, _) => "Connected",
                    (false, "Connected") => "Saved",
                    (false, other) => other,
                };
                let event = if state == "Secured" { Event::Unavailable } else { Event::Join(name) };
                row(Some((icons::WIFI, PRIMARY)), name, state).click(event)
            });
            list.push(section_header("Networks"));
            list.push(card(networks.collect()));
        } else {
            list.push(
                Element::text("To see available networks, turn Wi\u{2011}Fi on.", 15.0)
                    .color(ON_SURFACE_VARIANT)
                    .pad(20.0, 20.0),
            );
        }
        page(app_bar("Internet", Vec::new()), scrolling("wifi", list))
    }

    fn devices(cx: &ViewContext<'_>) -> Element {
        let on = cx.system.bluetooth();
        let mut list = vec![card(vec![switch_row(
            Some((icons::BLUETOOTH, PRIMARY)),
            "Bluetooth",
            if on { "Visible as Aurora phone" } else { "Off" },
            on,
            "android:id/switch_widget",
            Event::Bluetooth,
        )])];
        if on {
            list.push(section_header("Saved devices"));
            list.push(card(vec![
                row(Some((icons::VOLUME, PRIMARY)), "Kitchen speaker", "Not connected")
                    .click(Event::Unavailable),
                row(Some((icons::DEVICES, PRIMARY)), "Car", "Not connected")
                    .click(Event::Unavailable),
            ]));
        }
        page(app_bar("Bluetooth", Vec::new()), scrolling("devices", list))
    }

    fn display(cx: &ViewContext<'_>) -> Element {
        let system = cx.system;
        let timeout = system.number("system", "screen_off_timeout", 30_000);
        let named = TIMEOUTS.iter().find(|(ms, _)| *ms == timeout).map_or("Custom", |t| t.1);
        let brightness = Element::column(vec![
            Element::text("Brightness level", 16.5).id("android:id/title"),
            slider(system.brightness(), "brightness", |at| Event::Brightness(at).into()),
        ])
        .pad(20.0, 14.0)
        .gap(6.0);
        let list = vec![card(vec![
            brightness,
            row(None, "Screen timeout", &format!("After {named} of inactivity"))
                .click(Event::Open(Screen::Timeout)),
            switch_row(
                None,
                "Auto-rotate screen",
                "",
                system.is_on("system", "accelerometer_rotation"),
                "android:id/switch_widget",
                Event::AutoRotate,
            ),
            row(None, "Font size", "Default").click(Event::Unavailable),
        ])];
        page(app_bar("Display", Vec::new()), scrolling("display", list))
    }

    fn timeout(cx: &ViewContext<'_>) -> Element {
        let now = cx.system.number("system", "screen_off_timeout", 30_000);
        let rows = TIMEOUTS.iter().map(|(ms, name)| {
            let mut el = row(None, name, "");
            el.children.insert(
                0,
                Element::control(
                    Content::Radio(*ms == now),
                    "android.widget.RadioButton",
                    22.0,
                    22.0,
                )
                .checked(*ms == now),
            );
            el.click(Event::ScreenTimeout(*ms)).checked(*ms == now)
        });
        let list = vec![card(rows.collect())];
        page(app_bar("Screen timeout", Vec::new()), scrolling("timeout", list))
    }

    fn sound(&self) -> Element {
        type Volume = (&'static str, fn(f32) -> super::Event);
        const NAMES: [Volume; 3] = [
            ("Media volume", |at| Event::Volume(0, at).into()),
            ("Ring volume", |at| Event::Volume(1, at).into()),
            ("Alarm volume", |at| Event::Volume(2, at).into()),
        ];
        let rows = NAMES.iter().zip(self.volumes).map(|((name, event), at)| {
            Element::column(vec![
                Element::text(*name, 16.5).id("android:id/title"),
                slider(at, "seekbar", *event),
            ])
            .pad(20.0, 14.0)
            .gap(6.0)
        });
        let list = vec![card(rows.collect())];
        page(app_bar("Sound & vibration", Vec::new()), scrolling("sound", list))
    }

    fn about(cx: &ViewContext<'_>) -> Element {
        let d = cx.device;
        let facts = [
            ("Device name", d.model.clone()),
            ("Model", d.model.clone()),
            ("Manufacturer", d.manufacturer.clone()),
            ("Android version", d.android.clone()),
            ("Serial number", d.serial.clone()),
            ("Screen", format!("{} \u{d7} {}, {} dpi", d.width, d.height, d.density)),
            ("Build number", format!("{}.{}.aosp", d.product, d.sdk)),
        ];
        let rows =
            facts.iter().map(|(name, value)| row(None, name, value).click(Event::Unavailable));
        let list = vec![card(rows.collect()), Element::space(24.0)];
        page(
            app_bar(
                "About phone",
                vec![icon_button(icons::SEARCH, "Search", "search", Event::Unavailable)],
            ),
            scrolling("about", list),
        )
    }
}

fn scrolling(name: &'static str, list: Vec<Element>) -> Element {
    Element::column(list)
        .pad(16.0, 6.0)
        .fill_parent()
        .background(SURFACE)
        .scroll(name)
        .id("recycler_view")
}

fn slider(at: f32, id: &'static str, event: fn(f32) -> super::Event) -> Element {
    Element::control(Content::Slider(at), "android.widget.SeekBar", 100.0, 44.0)
        .fill_width()
        .id(id)
        .seek(event)
}

impl App for Settings {
    fn activity(&self) -> &'static str {
        self.screen().class()
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        match self.screen() {
            Screen::Main => self.main(cx),
            Screen::Network => Self::network(cx),
            Screen::Wifi => Self::wifi(cx),
            Screen::Devices => Self::devices(cx),
            Screen::Display => Self::display(cx),
            Screen::Timeout => Self::timeout(cx),
            Screen::Sound => self.sound(),
            Screen::About => Self::about(cx),
        }
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
        self.stack.pop()
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.stack.reset();
        self.fields.clear();
    }

    fn open(&mut self, class: &str) -> bool {
        let Some(screen) = Screen::ALL.into_iter().find(|screen| screen.class() == class) else {
            return false;
        };
        self.stack.raise(screen);
        true
    }
}
