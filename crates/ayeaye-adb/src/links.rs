//! The phones of all adb servers: each once, with all the ways to it.
use std::sync::Arc;

use async_trait::async_trait;
use ayeaye_agent::{DeviceError, DeviceId, DeviceNames, Transport};
use futures::future::join_all;
use futures::{StreamExt as _, stream};
use tokio::time::timeout;

use crate::client::{DeviceClient, OtherWays, Route, transport};
use crate::identity::{ConnectionKey, Identities, Identity};
use crate::parse::{self, DeviceListing, NO_SERIAL};
use crate::server::Server;

/// How many phones are asked at the same time.
const MAX_CONCURRENT: usize = 64;

const DUPLICATE_SERIAL: &str =
    "several phones have this serial and cannot be told apart: disconnect all but one";
/// Its connection has a number, but that is another phone's after a restart of the server.
const NO_SERIAL_HINT: &str = "it has no serial that adb could call it by: reach it over the network (with no other phone plugged in, \
     `adb tcpip 5555`, then `ayeaye connect` with its address)";

/// One way to a phone: a line in the list of one server.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) server: Arc<Server>,
    /// The server's place among all.
    pub(crate) at: usize,
    pub(crate) line: DeviceListing,
    /// Its serial; with the server's address behind it where another phone has that serial.
    pub(crate) id: DeviceId,
    /// Why it cannot be addressed, if it cannot.
    pub(crate) nameless: Option<&'static str>,
}

/// A phone, as it is driven.
#[derive(Debug, Clone)]
pub(crate) struct Phone {
    /// The best way to it.
    pub(crate) link: Link,
    /// The names of the other ways.
    pub(crate) also: Vec<DeviceId>,
    /// The names of all ways with their servers, which no other phone has.
    full: Vec<DeviceId>,
    pub(crate) identity: Option<Identity>,
}

impl Link {
    pub(crate) fn is_ready(&self) -> bool {
        self.line.state == "device" && self.nameless.is_none()
    }

    /// Its serial and its server.
    fn full_name(&self) -> DeviceId {
        DeviceId::new(format!("{}@{}", self.line.serial, self.server.config().server))
    }

    /// Its connection, where the server gives them numbers.
    fn connection(&self) -> Option<ConnectionKey> {
        Some((self.at, self.line.serial.clone(), self.line.transport_id?))
    }

    /// Whether it may lead to another phone than when that was asked. What adb has lost on the network, or of an
    /// emulator, it takes up again by itself, and keeps the number of the connection; on a cable it gives a new one.
    pub(crate) fn has_to_be_asked_again(&self, identities: &Identities) -> bool {
        transport(&self.line.serial) != Transport::Usb
            && self.connection().is_some_and(|connection| identities.lapsed(&connection))
    }

    pub(crate) fn client(&self) -> DeviceClient {
        DeviceClient::at(Arc::clone(&self.server), self.id.clone(), &self.line.serial)
    }
}

impl Phone {
    fn alone(link: Link) -> Self {
        let full = vec![link.full_name()];
        Self { link, also: Vec::new(), full, identity: None }
    }

    pub(crate) fn names(&self) -> DeviceNames {
        DeviceNames {
            id: self.link.id.clone(),
            also: self.also.clone(),
            identity: self.identity.as_ref().map(Identity::key),
        }
    }

    fn goes_by(&self, id: &DeviceId) -> bool {
        self.link.id == *id || self.also.contains(id) || self.full.contains(id)
    }

    fn all_names(&self) -> impl Iterator<Item = &DeviceId> {
        std::iter::once(&self.link.id).chain(&self.also).chain(&self.full)
    }
}

/// All ways to one phone.
#[derive(Debug)]
pub(crate) struct Ways {
    pub(crate) servers: Vec<Arc<Server>>,
    pub(crate) identities: Arc<Identities>,
    pub(crate) phone: Identity,
}

impl Ways {
    /// Whether it is the phone that answers there, now.
    async fn lead_there(&self, client: &DeviceClient) -> bool {
        let asked = timeout(client.limits().describe, Identity::query(client)).await;
        let answer = asked.ok().and_then(Result::ok).flatten();
        answer.is_some_and(|identity| identity.is_same(&self.phone))
    }
}

#[async_trait]
impl OtherWays for Ways {
    async fn instead_of(&self, way: &Route, is_gone: bool) -> Option<Route> {
        let is_it =
            |link: &Link| Arc::ptr_eq(&link.server, &way.server) && link.line.serial == way.serial;
        // A server has one cable and one console to each phone: another of them is another phone.
        let kind = rank_of(transport(&way.serial));
        let is_twin = |link: &Link| {
            Arc::ptr_eq(&link.server, &way.server)
                && rank(link) == kind
                && kind < rank_of(Transport::Tcp)
        };
        let mut others = Vec::new();
        for link in links(&self.servers, &self.identities).await.ok()? {
            if is_it(&link) || is_twin(&link) {
                continue;
            }
            let known = identity(&link, &self.identities).await;
            let over_network = kind == rank_of(Transport::Tcp) && rank(&link) == kind;
            if known.is_some_and(|identity| is_one(&identity, &self.phone, over_network)) {
                others.push(link);
            }
        }
        if others.is_empty() {
            return None;
        }
        let name = DeviceId::new(&way.serial);
        let current = DeviceClient::at(Arc::clone(&way.server), name, &way.serial);
        if !is_gone && self.lead_there(&current).await {
            return None;
        }
        others.sort_by_key(rank);
        for link in others {
            if self.lead_there(&link.client()).await {
                return Some(Route { server: link.server, serial: link.line.serial });
            }
        }
        None
    }
}

/// Every phone, in the order of the lists. An error only where no server answers.
pub(crate) async fn phones(
    servers: &[Arc<Server>],
    identities: &Identities,
) -> Result<Vec<Phone>, DeviceError> {
    let links = links(servers, identities).await?;
    let asked: Vec<_> = links.iter().map(|link| identity(link, identities)).collect();
    let known: Vec<_> = stream::iter(asked).buffered(MAX_CONCURRENT).collect().await;
    let phones = merged(links.into_iter().zip(known).collect(), identities);
    for phone in &phones {
        let Some(identity) = &phone.identity else { continue };
        phone.all_names().for_each(|name| identities.remember(name, identity));
    }
    Ok(phones)
}

/// The phone that a name means: a way to it that is ready, one that was, its own serial number, or a way that
/// is not ready.
pub(crate) fn find<'a>(
    phones: &'a [Phone],
    id: &DeviceId,
    identities: &Identities,
) -> Option<&'a Phone> {
    let named = phones.iter().find(|phone| phone.goes_by(id));
    if named.is_some_and(|phone| phone.link.is_ready()) {
        return named;
    }
    let remembered = identities.remembered(id).and_then(|was| {
        phones.iter().find(|phone| {
            let over_network = [id.as_str(), &phone.link.line.serial]
                .into_iter()
                .all(|serial| transport(serial) == Transport::Tcp);
            phone.identity.as_ref().is_some_and(|is| is_one(is, &was, over_network))
        })
    });
    let by_serialno = || {
        let is_it = |phone: &&Phone| {
            phone.identity.as_ref().and_then(Identity::serialno) == Some(id.as_str())
        };
        let mut found = phones.iter().filter(is_it);
        found.next().filter(|_| found.next().is_none())
    };
    remembered.or_else(by_serialno).or(named)
}

/// The error for a name that means no phone.
pub(crate) fn not_found(phones: &[Phone], id: &DeviceId) -> DeviceError {
    let alike = phones.iter().filter(|phone| phone.link.line.serial == id.as_str());
    let others: Vec<&str> = alike.map(|phone| phone.link.id.as_str()).collect();
    if others.is_empty() {
        return DeviceError::NotFound(id.clone());
    }
    let told = format!("not connected; another phone has that serial: {}", others.join(", "));
    DeviceError::NotReady(id.clone(), told)
}

async fn links(servers: &[Arc<Server>], identities: &Identities) -> Result<Vec<Link>, DeviceError> {
    let lists = join_all(servers.iter().map(|server| server.query("host:devices-l"))).await;
    let mut links: Vec<Link> = Vec::new();
    let (mut trouble, mut answered) = (None, false);
    for (at, (server, list)) in servers.iter().zip(lists).enumerate() {
        let list = match list {
            Ok(list) => list,
            Err(error) => {
                tracing::debug!(%error, "an adb server does not answer");
                identities.listed(at, None);
                trouble.get_or_insert(error);
                continue;
            }
        };
        answered = true;
        let lines = parse::devices(&String::from_utf8_lossy(&list));
        let numbered = lines.iter().filter_map(|it| Some((it.serial.clone(), it.transport_id?)));
        identities.listed(at, Some(numbered.collect()));
        for line in &lines {
            let alike = lines.iter().filter(|other| other.serial == line.serial).count();
            let link = Link {
                server: Arc::clone(server),
                at,
                id: DeviceId::new(&line.serial),
                line: line.clone(),
                nameless: match alike {
                    1 if line.serial == NO_SERIAL => Some(NO_SERIAL_HINT),
                    1 => None,
                    _ => Some(DUPLICATE_SERIAL),
                },
            };
            if !link.is_ready()
                && let Some(connection) = link.connection()
            {
                identities.lost(&connection);
            }
            links.push(link);
        }
    }
    match trouble {
        Some(error) if !answered => Err(error),
        _ => Ok(links),
    }
}

async fn identity(link: &Link, identities: &Identities) -> Option<Identity> {
    if !link.is_ready() {
        return None;
    }
    identities.of(link.connection(), &link.client()).await
}

/// Puts the ways to one phone together, and gives every phone a name of its own.
fn merged(links: Vec<(Link, Option<Identity>)>, identities: &Identities) -> Vec<Phone> {
    let mut groups: Vec<(Option<Identity>, Vec<Link>)> = Vec::new();
    for (link, identity) in links {
        let same = identity.as_ref().and_then(|identity| {
            groups.iter_mut().find(|(of, _)| of.as_ref().is_some_and(|of| of.is_same(identity)))
        });
        match same {
            Some((_, ways)) => ways.push(link),
            None => groups.push((identity, vec![link])),
        }
    }
    let mut phones = Vec::new();
    for (identity, mut ways) in groups {
        if are_several_phones(&ways, identity.as_ref()) {
            phones.extend(ways.into_iter().map(Phone::alone));
            continue;
        }
        // Stable: of two equally good ways that of the first server.
        ways.sort_by_key(rank);
        let full = ways.iter().map(Link::full_name).collect();
        let mut ways = ways.into_iter();
        let Some(link) = ways.next() else { continue };
        let also = ways.map(|way| way.id).collect();
        phones.push(Phone { link, also, full, identity });
    }
    name_apart(&mut phones, identities);
    phones
}

/// Whether two ways lead to one phone. Of two over the network that has to be proven: there, phones of a cloud
/// are reached, of which many run on one kernel.
fn is_one(one: &Identity, other: &Identity, over_network: bool) -> bool {
    if over_network { one.is_surely(other) } else { one.is_same(other) }
}

/// Whether ways that look like one phone cannot be one, or may not be: a server has one cable and one console to
/// each phone. So it is with emulators that were started from one snapshot at one time, and with phones on one
/// kernel.
fn are_several_phones(ways: &[Link], identity: Option<&Identity>) -> bool {
    let over_network = ways.iter().filter(|way| rank(way) == rank_of(Transport::Tcp)).count();
    if 1 < over_network && identity.is_none_or(|it| !it.is_surely(it)) {
        return true;
    }
    let is_one_of_two = |way: &Link| {
        let kind = rank(way);
        let same = |other: &&Link| other.at == way.at && rank(other) == kind;
        kind < rank_of(Transport::Tcp) && 1 < ways.iter().filter(same).count()
    };
    ways.iter().any(is_one_of_two)
}

/// The better way has the lower rank.
fn rank(way: &Link) -> u8 {
    rank_of(transport(&way.line.serial))
}

fn rank_of(transport: Transport) -> u8 {
    match transport {
        Transport::Usb | Transport::Virtual => 0,
        Transport::Emulator => 1,
        Transport::Tcp => 2,
    }
}

/// Two servers may each have an `emulator-5554`, at once or by turns. The name stays that of the server that had it
/// first: whoever means its phone must not come to another one. The others get the address of their server.
fn name_apart(phones: &mut [Phone], identities: &Identities) {
    for at in 0..phones.len() {
        let (before, rest) = phones.split_at_mut(at);
        let Some(phone) = rest.first_mut() else { continue };
        let is_taken = |id: &DeviceId| {
            let same = |other: &Phone| other.link.at != phone.link.at && other.goes_by(id);
            before.iter().any(same)
        };
        let plain = phone.link.id.clone();
        let has_moved = || {
            let was = identities.remembered(&plain);
            was.zip(phone.identity.as_ref()).is_some_and(|(was, is)| was.is_same(is))
        };
        let owner = identities.owner(&plain);
        if is_taken(&plain) || (owner.is_some_and(|it| it != phone.link.at) && !has_moved()) {
            if let Some(other) = before.iter().find(|other| other.link.id == plain) {
                identities.owns(other.link.at, &plain);
            }
            phone.link.id = phone.link.full_name();
        } else if transport(plain.as_str()) == Transport::Emulator {
            // The number is that of a console on the server's machine.
            identities.owns(phone.link.at, &plain);
        }
        let taken: Vec<_> = phone.also.iter().filter(|id| is_taken(id)).cloned().collect();
        phone.also.retain(|id| !taken.contains(id) && *id != phone.link.id);
    }
    for phone in phones {
        let id = phone.link.id.clone();
        let mut seen = vec![id];
        phone.also.retain(|name| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
    }
}
