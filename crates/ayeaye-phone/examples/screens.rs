//! Writes a picture of every main screen to a folder, to be looked at by a person:
//! `cargo run -p ayeaye-phone --example screens -- FOLDER`.
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ayeaye_phone::{Phone, PhoneOptions};

type Done = Result<(), Box<dyn std::error::Error>>;

struct Tour {
    phone: Phone,
    folder: PathBuf,
    slowest: Duration,
}

// A clock that stands still: two runs draw the same pictures to the pixel.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Done {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let options =
        PhoneOptions { transitions: (Duration::ZERO, Duration::ZERO), ..PhoneOptions::default() };
    let mut tour = Tour { phone: Phone::new(options), folder, slowest: Duration::ZERO };
    tour.walk()?;
    let mut out = std::io::stdout();
    writeln!(out, "slowest picture: {:?}", tour.slowest)?;
    Ok(())
}

impl Tour {
    fn shot(&mut self, name: &str) -> Done {
        let start = Instant::now();
        let frame = self.phone.frame();
        let took = start.elapsed();
        writeln!(std::io::stdout(), "{name}: {took:?}")?;
        self.slowest = self.slowest.max(took);
        let path: &Path = &self.folder.join(format!("{name}.png"));
        let mut encoder =
            png::Encoder::new(std::fs::File::create(path)?, frame.width, frame.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_compression(png::Compression::Fast);
        encoder.write_header()?.write_image_data(&frame.rgba)?;
        Ok(())
    }

    fn tap(&self, what: &str) -> Done {
        let (x, y) = self.find(what)?;
        self.phone.tap(x, y);
        Ok(())
    }

    fn hold(&self, what: &str) -> Done {
        let at = self.find(what)?;
        self.phone.swipe(at, at, Duration::from_millis(700));
        Ok(())
    }

    /// Where the node is that has this text, description or id.
    fn find(&self, what: &str) -> Result<(f32, f32), String> {
        let state = self.phone.state();
        let fits = |n: &&ayeaye_phone::NodeState| {
            n.text == what || n.desc == what || n.id.ends_with(&format!("/{what}"))
        };
        let node = state
            .nodes
            .iter()
            .find(|n| n.clickable && fits(n))
            .or_else(|| state.nodes.iter().find(fits))
            .or_else(|| state.system_nodes.iter().find(fits))
            .ok_or_else(|| format!("nothing called {what}"))?;
        Ok(node.center())
    }

    fn key(&self, code: u32) {
        self.phone.key(code, false);
    }

    fn walk(&mut self) -> Done {
        self.shot("01-home")?;
        self.phone.swipe((540.0, 1500.0), (540.0, 700.0), Duration::from_millis(300));
        self.shot("02-drawer")?;
        self.key(3);
        self.tap("Settings")?;
        self.shot("03-settings")?;
        self.tap("Network & internet")?;
        self.shot("04-network")?;
        self.tap("Internet")?;
        self.shot("05-wifi")?;
        self.key(4);
        self.key(4);
        self.tap("Display")?;
        self.shot("06-display")?;
        self.key(4);
        // A drag does not roll on.
        self.phone.drag((540.0, 2000.0), (540.0, 700.0), Duration::from_millis(600));
        self.tap("About phone")?;
        self.shot("07-about")?;
        self.key(3);
        self.tap("Messages")?;
        self.shot("08-messages")?;
        self.hold("Mum")?;
        self.shot("08-selected")?;
        self.tap("Delete")?;
        self.shot("08-delete")?;
        self.key(4);
        self.key(4);
        self.tap("Ben Carter")?;
        self.shot("08-earlier")?;
        self.key(4);
        self.tap("Start chat")?;
        self.phone.commit_text("anna");
        self.shot("09-new-message")?;
        self.tap("Anna Berg")?;
        self.tap("compose")?;
        self.phone.commit_text("See you on Friday at noon \u{1F44D} \u{5348}\u{996d}");
        self.shot("10-compose")?;
        self.tap("Send SMS")?;
        self.key(4);
        self.phone.receive_message("Ben Carter", "Are you coming to the game tonight?");
        self.shot("11-sent")?;
        // A swipe puts the notification away; it would lie over the next screens.
        self.phone.swipe((540.0, 200.0), (540.0, 20.0), Duration::from_millis(150));
        self.key(3);
        self.tap("Notes")?;
        self.shot("12-notes")?;
        self.tap("New note")?;
        self.phone.commit_text("Trip to \u{5317}\u{4eac}");
        self.tap("body")?;
        self.phone
            .commit_text("Pack:\n- passport\n- \u{96e8}\u{4f1e} \u{2602}\n- camera \u{1F4F7}");
        self.shot("13-note")?;
        self.tap("Save")?;
        self.shot("14-saved")?;
        self.key(3);
        self.tap("Shop")?;
        self.shot("15-shop")?;
        self.tap("search")?;
        self.phone.commit_text("running shoes");
        self.key(66);
        self.tap("Price: low to high")?;
        self.shot("16-results")?;
        self.tap("Stride Running Shoes")?;
        self.tap("42")?;
        self.shot("17-product")?;
        self.tap("Add to cart")?;
        self.tap("cart")?;
        self.shot("18-cart")?;
        self.tap("checkout")?;
        self.shot("19-checkout")?;
        self.key(3);
        self.tap("Nimbus")?;
        self.shot("20-account")?;
        self.tap("sign_in")?;
        self.tap("username")?;
        self.phone.commit_text("kim");
        self.tap("password")?;
        self.phone.commit_text("secret");
        self.shot("21-sign-in")?;
        self.key(66);
        self.shot("22-waiting")?;
        self.key(3);
        self.tap("Clock")?;
        self.shot("23-alarm")?;
        self.tap("fab")?;
        self.shot("24-alarm-edit")?;
        self.key(4);
        self.tap("Clock")?;
        self.shot("25-clock")?;
        self.key(187);
        self.shot("26-recents")?;
        self.key(3);
        self.phone.show_dialog(
            "Shop isn't responding",
            "Do you want to close it?",
            &["Close app", "Wait"],
        );
        self.shot("27-dialog")?;
        self.tap("Wait")?;
        self.phone.set_rotation(1);
        self.shot("28-landscape-home")?;
        self.tap("Notes")?;
        self.tap("New note")?;
        self.shot("29-landscape-keyboard")?;
        self.phone.set_rotation(0);
        self.phone.set_pin(Some("2468"));
        self.phone.press_power();
        self.shot("30-off")?;
        self.key(224);
        self.shot("31-lock")?;
        self.phone.swipe((540.0, 1900.0), (540.0, 900.0), Duration::from_millis(200));
        self.tap("key2")?;
        self.tap("key4")?;
        self.shot("32-pin")
    }
}
