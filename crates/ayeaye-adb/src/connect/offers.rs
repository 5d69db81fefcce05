//! Phones that announce themselves on the network (mDNS), as the adb server lists them.
use crate::parse::sanitize;

/// A phone that offers debugging on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MdnsService {
    /// The name that the phone announces, such as `adb-R58M12ABCDE-Hq2xYz`.
    pub name: String,
    /// What it offers.
    pub kind: OfferKind,
    /// Where it listens, as `HOST:PORT`.
    pub address: String,
}

/// What a phone on the network offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferKind {
    /// `_adb-tls-pairing._tcp`: it shows a pairing code now, or has read one from a QR code.
    Pairing,
    /// `_adb-tls-connect._tcp`: wireless debugging is on.
    Connect,
    /// `_adb._tcp`: the way of `adb tcpip`, without TLS.
    Plain,
}

impl OfferKind {
    /// The type of the service, without the dot that some servers put behind it.
    pub fn service(self) -> &'static str {
        match self {
            Self::Pairing => "_adb-tls-pairing._tcp",
            Self::Connect => "_adb-tls-connect._tcp",
            Self::Plain => "_adb._tcp",
        }
    }
}

impl MdnsService {
    /// Whether a serial is this phone's over the network.
    pub fn is_serial(&self, serial: &str) -> bool {
        serial == self.address
            || serial.strip_prefix(self.name.as_str()).is_some_and(|rest| rest.starts_with("._adb"))
    }
}

/// The answer to `host:mdns:services`: name, type and address, with tabs between. A line that is
/// something else is left out.
pub(crate) fn offers(text: &str) -> Vec<MdnsService> {
    let mut found: Vec<MdnsService> = Vec::new();
    for offer in text.lines().filter_map(offer) {
        // adb tells a phone with several addresses, or one that it has heard of twice, several times.
        if !found.iter().any(|it| it.name == offer.name && it.kind == offer.kind) {
            found.push(offer);
        }
    }
    found
}

fn offer(line: &str) -> Option<MdnsService> {
    let mut fields = line.split('\t').map(str::trim);
    let (name, service, address) = (fields.next()?, fields.next()?, fields.next()?);
    let service = service.trim_end_matches('.').trim_end_matches(".local");
    let kind = [OfferKind::Pairing, OfferKind::Connect, OfferKind::Plain]
        .into_iter()
        .find(|kind| kind.service() == service)?;
    let address = super::address::PhoneAddress::parse_for_pairing(address).ok()?;
    let name = sanitize(name);
    let offer = MdnsService { name, kind, address: address.as_str().to_owned() };
    (!offer.name.is_empty()).then_some(offer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_backends_of_adb_are_read() {
        let text = "adb-X1-abc\t_adb-tls-connect._tcp\t10.0.0.9:37000\n\
                    adb-X1-abc\t_adb-tls-pairing._tcp.\t10.0.0.9:40000\n\
                    adb-X1-abc\t_adb-tls-connect._tcp\t10.0.0.10:37000\n\
                    My TV (2)\t_adb._tcp\t[fe80::7]:5555\nodd\nx\t_http._tcp\t1.2.3.4:80\n\
                    x\t_adb._tcp\tnowhere\nList of discovered mdns services\n";
        let found = offers(text);
        let told: Vec<_> =
            found.iter().map(|it| (it.name.as_str(), it.kind, it.address.as_str())).collect();
        assert_eq!(
            told,
            [
                ("adb-X1-abc", OfferKind::Connect, "10.0.0.9:37000"),
                ("adb-X1-abc", OfferKind::Pairing, "10.0.0.9:40000"),
                ("My TV (2)", OfferKind::Plain, "[fe80::7]:5555"),
            ]
        );
        assert!(found[0].is_serial("adb-X1-abc._adb-tls-connect._tcp"));
        assert!(found[0].is_serial("10.0.0.9:37000"));
        assert!(!found[0].is_serial("adb-X1-abcd._adb-tls-connect._tcp"));
    }
}
