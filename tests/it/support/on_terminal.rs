//! The program on a terminal of its own, as a person sees it.
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::Arc;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::sync::watch;

use super::{Binary, within};

/// A running command, and all that its terminal has shown.
pub struct OnTerminal {
    child: Child,
    keyboard: File,
    shown: watch::Receiver<String>,
    /// Its data folder stays for as long as it runs.
    _data: Arc<TempDir>,
}

impl OnTerminal {
    pub fn start(binary: &Binary, arguments: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let screen = || OpenOptions::new().read(true).write(true).open(&name).unwrap();
        let mut command: Command = binary.command(arguments);
        command.stdin(Stdio::from(screen())).stdout(screen()).stderr(screen());
        let child = command.spawn().unwrap();
        // Its own copies of the terminal go with it: reading ends when the program does.
        drop(command);
        let mut screen = File::from(master);
        let keyboard = screen.try_clone().unwrap();
        let (told, shown) = watch::channel(String::new());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                told.send_modify(|all| all.push_str(&text));
            }
        });
        Self { child, keyboard, shown, _data: binary.data.clone() }
    }

    /// Waits until the terminal has shown this.
    pub async fn wait_for(&mut self, text: &str) {
        let shown = &mut self.shown;
        within(30, text, async { shown.wait_for(|all| all.contains(text)).await.map(drop) })
            .await
            .unwrap_or_else(|_| panic!("{text}: the program ended without it"));
    }

    /// All that the terminal has shown so far.
    pub fn shown(&self) -> String {
        self.shown.borrow().clone()
    }

    /// Presses keys.
    pub fn press(&mut self, keys: impl AsRef<[u8]>) {
        self.keyboard.write_all(keys.as_ref()).unwrap();
    }

    /// Tells whether the terminal shows what is typed, also when the program has ended.
    pub fn echo(&self) -> impl Fn() -> bool + use<> {
        let keyboard = self.keyboard.try_clone().unwrap();
        move || tcgetattr(&keyboard).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    /// What the keys Ctrl-C send to a program in front.
    pub async fn interrupt(&self) {
        let pid = self.child.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().await.unwrap();
        assert!(sent.success());
    }

    /// Waits for the end; the exit code, and all that was shown.
    pub async fn end(mut self) -> (i32, String) {
        let status = within(30, "the end of the command", self.child.wait()).await.unwrap();
        // The reader ends with the last copy of the terminal.
        let all = within(5, "the rest", async {
            while self.shown.changed().await.is_ok() {}
            self.shown.borrow().clone()
        })
        .await;
        (status.code().expect("it ended by itself"), all)
    }
}
