//! `ayeaye pair`: makes a phone trust this computer over Wi-Fi, by the code that it shows or by a QR
//! code that it reads here.
//!
//! Android's QR code is that of a Wi-Fi network of the kind `ADB`: the name and the password of a
//! pairing. The phone that has read it announces a pairing service under that name (mDNS) and takes
//! the password there. adb, which listens for such services, tells where.
mod qr;

use std::time::Duration;

use ayeaye_adb::{AdbDevices, ConnectError, MdnsService, OfferKind, Paired};
use ayeaye_agent::DeviceSource as _;
use rand::seq::IndexedRandom as _;
use tokio::time::{Instant, sleep};

use crate::command::connect::{failed, tell_connected};
use crate::command::devices::serials;
use crate::command::{Exit, print_error};
use crate::terminal::{Answer, Terminal};
use crate::text::one_line;

/// How long a QR code is shown.
const SCAN_LIMIT: Duration = Duration::from_mins(3);
/// How long adb may take to connect a phone by itself once it is paired.
const CONNECT_LIMIT: Duration = Duration::from_secs(8);
/// How often adb is asked what it has heard meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// How long it may fail to answer that, as while it is started anew, before the code is taken back.
const TROUBLE_LIMIT: Duration = Duration::from_secs(10);

/// Pairs with the phone at the address, or without one with the phone that reads the QR code.
pub(super) async fn pair(
    adb: &AdbDevices,
    address: Option<&str>,
    code: Option<String>,
    terminal: Terminal,
) -> Exit {
    let paired = match address {
        Some(address) => {
            if let Err(err) = AdbDevices::check_pairing_address(address) {
                return failed(&err);
            }
            // What a phone shows is six digits; the words of QR codes are longer.
            let is_code = |it: &str| it.len() == 6 && it.bytes().all(|b| b.is_ascii_digit());
            if code.as_ref().is_some_and(|it| !is_code(it.trim())) {
                return failed(&ConnectError::InvalidCode);
            }
            let code = match code {
                Some(code) => code,
                None => match terminal.ask_secret("Pairing code:").await {
                    Answer::Text(code) => code,
                    Answer::Empty | Answer::Ended => return failed(&ConnectError::InvalidCode),
                },
            };
            by_code(adb, address, code.trim(), terminal).await
        }
        None => by_qr_code(adb, terminal).await,
    };
    match paired {
        Ok(Some(paired)) => connected(adb, &paired, terminal).await,
        Ok(None) => {
            let limit = SCAN_LIMIT.as_secs() / 60;
            print_error(&anyhow::anyhow!(
                "no phone has read the code within {limit} minutes\nhint: phone and computer must be on the same \
                 network; or use a pairing code: `ayeaye pair HOST:PORT`, with what the phone shows under Pair \
                 device with pairing code"
            ))
        }
        Err(err) => failed(&err),
    }
}

async fn by_code(
    adb: &AdbDevices,
    address: &str,
    code: &str,
    terminal: Terminal,
) -> Result<Option<Paired>, ConnectError> {
    let waiting = terminal.waiting(&format!("Pairing with {}", one_line(address)));
    let paired = adb.pair(address, code).await;
    drop(waiting);
    let paired = paired?;
    terminal.line(&format!("paired: {}", one_line(address)));
    Ok(Some(paired))
}

/// `None` when nobody has read the code.
async fn by_qr_code(adb: &AdbDevices, terminal: Terminal) -> Result<Option<Paired>, ConnectError> {
    // An adb that cannot hear the phone is told before anybody scans anything.
    adb.discover().await?;
    let (name, password) = (format!("ayeaye-{}", random_word(8)), random_word(12));
    let (plain, inverted) = qr::lines(&qr::pairing(&name, &password));
    terminal.line(
        "On the phone, open Developer options > Wireless debugging > Pair device with QR code, and scan this:\n",
    );
    for (plain, inverted) in plain.iter().zip(&inverted) {
        terminal.verbatim(&format!("  {}", terminal.on_white(plain, inverted)));
    }
    terminal.line("");
    let waiting = terminal.waiting("Waiting for a phone to scan it (Ctrl-C ends)");
    let deadline = Instant::now() + SCAN_LIMIT;
    let mut trouble_since = None;
    let offer = loop {
        let is_ours = |it: &MdnsService| it.kind == OfferKind::Pairing && it.name == name;
        match adb.discover().await {
            Ok(offers) => {
                trouble_since = None;
                if let Some(offer) = offers.into_iter().find(is_ours) {
                    break offer;
                }
            }
            Err(err @ (ConnectError::TooOld(_) | ConnectError::NoDiscovery(_))) => return Err(err),
            Err(err) => {
                let since: &mut Instant = trouble_since.get_or_insert_with(Instant::now);
                if TROUBLE_LIMIT <= since.elapsed() {
                    return Err(err);
                }
            }
        }
        if deadline <= Instant::now() {
            return Ok(None);
        }
        sleep(LOOK_EVERY).await;
    };
    waiting.now("Pairing");
    let paired = adb.pair(&offer.address, &password).await?;
    drop(waiting);
    terminal.line(&format!("paired: {}", one_line(&offer.address)));
    Ok(Some(paired))
}

/// A paired phone is connected by adb itself as soon as it hears of it, or by us.
async fn connected(adb: &AdbDevices, paired: &Paired, terminal: Terminal) -> Exit {
    let waiting = terminal.waiting("Waiting for adb to connect it");
    let serial = match &paired.name {
        Some(name) => wait_for(adb, name).await,
        None => None,
    };
    drop(waiting);
    if let Some(serial) = serial {
        tell_connected(adb, &serial, terminal).await;
        return Exit::Done;
    }
    terminal.line(
        "It is not connected yet. The phone's Wireless debugging page shows address and port:\n  \
         ayeaye connect HOST:PORT",
    );
    Exit::Done
}

/// The serial of the phone of this name once it is connected; `None` when adb hears nothing of it.
async fn wait_for(adb: &AdbDevices, name: &str) -> Option<String> {
    let deadline = Instant::now() + CONNECT_LIMIT;
    let mut tried = false;
    while Instant::now() < deadline {
        let offers = adb.discover().await.unwrap_or_default();
        let offer = offers.into_iter().find(|it| it.kind == OfferKind::Connect && it.name == name);
        for entry in adb.list().await.unwrap_or_default() {
            let by_name =
                |serial: &str| serial.strip_prefix(name).is_some_and(|it| it.starts_with("._adb"));
            let is_it = |serial: &&str| {
                by_name(serial) || offer.as_ref().is_some_and(|offer| offer.is_serial(serial))
            };
            if let Some(serial) = serials(&entry).find(is_it).filter(|_| entry.ready) {
                return Some(serial.to_owned());
            }
        }
        // adb may have been told not to connect by itself (ADB_MDNS_AUTO_CONNECT).
        if let (Some(offer), false) = (&offer, tried) {
            tried = true;
            if let Ok(serial) = adb.connect(&offer.address).await {
                return Some(serial);
            }
        }
        sleep(LOOK_EVERY).await;
    }
    None
}

/// Letters and digits that cannot be mistaken for a field of the code's text.
fn random_word(length: usize) -> String {
    const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let mut random = rand::rng();
    (0..length).filter_map(|_| LETTERS.choose(&mut random)).map(|it| char::from(*it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_long_and_never_the_same() {
        let words: std::collections::BTreeSet<_> = (0..50).map(|_| random_word(12)).collect();
        assert_eq!(words.len(), 50);
        assert!(
            words.iter().all(|it| it.len() == 12 && it.bytes().all(|c| c.is_ascii_alphanumeric()))
        );
    }
}
