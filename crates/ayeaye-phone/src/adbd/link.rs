//! The link to one host: the handshake, then packets for its streams.
use std::{collections::HashMap, time::Duration};

use futures::FutureExt as _;
use rand_bytes::token;
use tokio::{
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

use super::{
    packet::{self, Command, MAX_DATA, Packet, PacketError, VERSION_NO_CHECKSUM},
    stream::{self, Inbox, Opened},
};
use crate::{
    device::VirtualPhone,
    faults::LinkState,
    services::{self, FEATURES, MAX_NAME},
};

/// Most open streams of a link.
const MAX_STREAMS: usize = 256;
/// How long a host may take to say that it is one: silent connections must not take every place.
const FIRST_PACKET: Duration = Duration::from_mins(1);
/// Most packets that wait for the socket.
const OUT_QUEUE: usize = 16;

/// Serves one host until the link ends.
pub(super) async fn run(socket: TcpStream, phone: VirtualPhone) {
    // Before anything is read, so that no change is missed.
    let broken = phone.faults().link_broken();
    let (from, to) = socket.into_split();
    tokio::select! {
        () = broken => {}
        ended = serve(from, to, &phone) => {
            if let Err(error) = ended {
                tracing::debug!(%error, "an adb link ended");
            }
        }
    }
}

async fn serve(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    phone: &VirtualPhone,
) -> Result<(), PacketError> {
    let Some(host) = handshake(&mut from, &mut to, phone).await? else { return Ok(()) };
    let (sender, receiver) = mpsc::channel(OUT_QUEUE);
    let mut link = Streams {
        phone,
        host,
        out: sender,
        open: HashMap::new(),
        tasks: JoinSet::new(),
        last_id: 0,
    };
    tokio::select! {
        ended = link.read_all(&mut from) => ended,
        ended = write_all(receiver, &mut to, host.checksum) => ended.map_err(PacketError::LinkState),
    }
}

/// The parameters of the host.
#[derive(Debug, Clone, Copy)]
struct Host {
    max_data: usize,
    checksum: bool,
}

/// The handshake. `None` when the host disconnected before it was authorized.
async fn handshake(
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    phone: &VirtualPhone,
) -> Result<Option<Host>, PacketError> {
    let mut offered = None;
    let mut first = true;
    loop {
        let message = packet::read(from, false);
        // One that is known waits for as long as the phone is offline or asks its user.
        let message = if first {
            match timeout(FIRST_PACKET, message).await {
                Ok(message) => message,
                Err(_) => return Ok(None),
            }
        } else {
            message.await
        };
        first = false;
        let message = match message {
            Ok(message) => message,
            Err(PacketError::LinkState(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        match (message.command, phone.faults().link()) {
            (Command::Connect, link) => {
                let host = Host {
                    max_data: usize::try_from(message.arg1.clamp(4096, MAX_DATA)).unwrap_or(4096),
                    checksum: message.arg0 < VERSION_NO_CHECKSUM,
                };
                match link {
                    LinkState::Device => {
                        let banner = Packet::new(
                            Command::Connect,
                            VERSION_NO_CHECKSUM.min(message.arg0),
                            MAX_DATA,
                            banner(phone),
                        );
                        packet::write(to, &banner, host.checksum).await?;
                        return Ok(Some(host));
                    }
                    LinkState::Unauthorized => {
                        offered = Some(host);
                        packet::write(to, &challenge(), host.checksum).await?;
                    }
                    LinkState::Offline => {}
                }
            }
            // No signature is accepted, and nobody authorizes a public key.
            (Command::Auth, LinkState::Unauthorized) => {
                if let (Some(host), SIGNATURE) = (offered, message.arg0) {
                    packet::write(to, &challenge(), host.checksum).await?;
                }
            }
            (
                Command::Auth
                | Command::Open
                | Command::Okay
                | Command::Write
                | Command::Close
                | Command::Other(_),
                LinkState::Device | LinkState::Offline | LinkState::Unauthorized,
            ) => {}
        }
    }
}

/// The kinds of `AUTH`: a token to sign, and the token signed.
const TOKEN: u32 = 1;
const SIGNATURE: u32 = 2;

fn challenge() -> Packet {
    Packet::new(Command::Auth, TOKEN, 0, token().to_vec())
}

fn banner(phone: &VirtualPhone) -> Vec<u8> {
    let options = phone.phone().options();
    let (product, model) = (&options.product, &options.model);
    format!(
        "device::ro.product.name={product};ro.product.model={model};ro.product.device={product};\
         features={FEATURES}"
    )
    .into_bytes()
}

async fn write_all(
    mut packets: mpsc::Receiver<Packet>,
    to: &mut OwnedWriteHalf,
    checksum: bool,
) -> std::io::Result<()> {
    while let Some(packet) = packets.recv().await {
        packet::write(to, &packet, checksum).await?;
    }
    Ok(())
}

/// The open streams of one link.
struct Streams<'a> {
    phone: &'a VirtualPhone,
    host: Host,
    out: mpsc::Sender<Packet>,
    /// By our stream id.
    open: HashMap<u32, Inbox>,
    /// Ended with the link: dropping the set ends every stream's task.
    tasks: JoinSet<u32>,
    last_id: u32,
}

impl Streams<'_> {
    async fn read_all(&mut self, from: &mut OwnedReadHalf) -> Result<(), PacketError> {
        loop {
            let message = match packet::read(from, self.host.checksum).await {
                Ok(message) => message,
                Err(PacketError::LinkState(_)) => return Ok(()),
                Err(error) => return Err(error),
            };
            while let Some(done) = self.tasks.try_join_next() {
                if let Ok(id) = done {
                    self.open.remove(&id);
                }
            }
            match message.command {
                Command::Open => self.open(&message).await,
                Command::Write => {
                    // The host sends more only after our OKAY, so there is always room.
                    if let Some(inbox) = self.open.get(&message.arg1)
                        && inbox.data.try_send(message.data).is_err()
                    {
                        self.open.remove(&message.arg1);
                        self.send(Packet::new(Command::Close, message.arg1, message.arg0, ""))
                            .await;
                    }
                }
                Command::Okay => {
                    if let Some(inbox) = self.open.get(&message.arg1) {
                        inbox.ready.notify_one();
                    }
                }
                Command::Close => {
                    // The task sees the end of its channel.
                    self.open.remove(&message.arg1);
                }
                Command::Connect | Command::Auth | Command::Other(_) => {
                    tracing::debug!(command = ?message.command, "a message out of place");
                }
            }
        }
    }

    async fn open(&mut self, message: &Packet) {
        let theirs = message.arg0;
        let name = message.data.split(|byte| *byte == 0).next().unwrap_or_default();
        // `abb_exec` separates its arguments by zeros; the first is enough.
        let service = (name.len() <= MAX_NAME && self.open.len() < MAX_STREAMS)
            .then(|| services::granted(self.phone, name))
            .flatten();
        let Some(service) = service else {
            self.phone.count(|counts| counts.unknown_services += 1);
            return self.send(Packet::new(Command::Close, 0, theirs, "")).await;
        };
        self.last_id = self.last_id.wrapping_add(1).max(1);
        let ours = self.last_id;
        let (inbox, opened) = Opened::new(ours, theirs, self.host.max_data, self.out.clone());
        self.open.insert(ours, inbox);
        self.send(Packet::new(Command::Okay, ours, theirs, "")).await;
        self.tasks.spawn(stream::run(opened, service, self.phone.clone()).boxed());
    }

    async fn send(&self, packet: Packet) {
        if self.out.send(packet).await.is_err() {
            tracing::debug!("the writer of an adb link has ended");
        }
    }
}

/// Bytes for a host to sign. Nothing depends on them: no signature is ever accepted.
mod rand_bytes {
    use std::hash::{BuildHasher as _, RandomState};

    pub(super) fn token() -> [u8; 20] {
        let seed = RandomState::new().hash_one(0_u8).to_le_bytes();
        let mut token = [0; 20];
        token.iter_mut().zip(seed.iter().cycle()).for_each(|(to, from)| *to = *from);
        token
    }
}
