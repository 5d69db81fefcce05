//! An adb server with virtual phones: what `adb` and its clients connect to on port 5037.
//!
//! No adb needs to be installed: this *is* the server, with only the phones it was given.
mod host;
mod protocol;
#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use self::host::{DeviceSelector, HostRequest};
use crate::{
    device::VirtualPhone,
    listener::accept,
    services::{self, FEATURES},
    stream::{ServiceEnd, Stream},
};

/// How long a client may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

/// An adb server with virtual phones.
#[derive(Debug)]
pub struct AdbServer {
    listener: TcpListener,
    phones: Phones,
}

/// The phones of a server. `adb disconnect` takes one out of the list and `adb connect` puts it back, with another
/// number. One whose link was lost, and that adb takes up again by itself, keeps its number.
#[derive(Debug, Clone)]
struct Phones {
    all: Arc<[VirtualPhone]>,
    attached: Arc<watch::Sender<Attached>>,
}

/// The number of each phone in the list, and the last one that was given.
#[derive(Debug)]
struct Attached {
    numbers: Vec<Option<u64>>,
    last: u64,
}

impl Phones {
    fn new(all: Vec<VirtualPhone>) -> Self {
        let numbers: Vec<_> = (1..).take(all.len()).map(Some).collect();
        let last = numbers.last().copied().flatten().unwrap_or_default();
        let attached = Arc::new(watch::Sender::new(Attached { numbers, last }));
        Self { all: all.into(), attached }
    }

    /// Those in the list, with their numbers.
    fn attached(&self) -> Vec<(u64, VirtualPhone)> {
        let attached = self.attached.borrow();
        let numbered = attached.numbers.iter().zip(self.all.iter());
        numbered.filter_map(|(number, phone)| Some(((*number)?, phone.clone()))).collect()
    }

    /// Puts the phones of this serial into the list or takes them out; without one, those that a network
    /// serial names. Returns how many there are and how many of them were the other way before.
    fn attach(&self, serial: Option<&str>, attach: bool) -> (usize, usize) {
        let (mut found, mut changed) = (0, 0);
        self.attached.send_modify(|attached| {
            let Attached { numbers, last } = attached;
            for (phone, number) in self.all.iter().zip(numbers) {
                let named = match serial {
                    Some(serial) => phone.serial() == serial,
                    None => phone.serial().contains(':'),
                };
                if named {
                    found += 1;
                    let was_attached = number.is_some();
                    changed += usize::from(was_attached != attach);
                    if !attach {
                        *number = None;
                    } else if !was_attached {
                        *last += 1;
                        *number = Some(*last);
                    }
                }
            }
        });
        (found, changed)
    }

    /// Ends when the list or the link of a phone in it changes after this call.
    fn changed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut attached = self.attached.subscribe();
        let mut links: Vec<_> =
            self.all.iter().map(|phone| Box::pin(phone.faults().link_changed())).collect();
        async move {
            tokio::select! {
                // The sender lives as long as the server.
                _ = attached.changed() => {}
                () = any_ready(&mut links) => {}
            }
        }
    }
}

impl AdbServer {
    /// Binds the socket; port 0 takes a free one. Use a loopback address: whoever reaches the port
    /// controls the phones.
    pub async fn bind(address: SocketAddr, phones: Vec<VirtualPhone>) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, phones: Phones::new(phones) })
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the token is cancelled; then every connection ends before this returns.
    pub async fn serve(self, shutdown: CancellationToken) {
        let phones = self.phones;
        accept(&self.listener, &shutdown, |stream| {
            let connection = Connection { stream, phones: phones.clone() };
            connection.run()
        })
        .await;
    }
}

struct Connection {
    stream: TcpStream,
    phones: Phones,
}

impl Connection {
    async fn run(self) {
        if let Err(error) = self.handle_request().await {
            tracing::debug!(%error, "an adb client is gone");
        }
    }

    /// Requests to the server, until one ends the connection or hands it to a phone.
    async fn handle_request(mut self) -> io::Result<()> {
        let Some(request) = self.request().await? else { return Ok(()) };
        let phones = self.phones.attached();
        let serials: Vec<&str> = phones.iter().map(|(_, phone)| phone.serial()).collect();
        match host::parse(&request, &serials) {
            HostRequest::Service => self.fail("no transport is chosen").await,
            HostRequest::Server(request) => self.about_server(&request).await,
            HostRequest::Device(which, request) => {
                let answer = host::find(&phones, &which)
                    .and_then(|(_, phone)| host::answer(phone, &request));
                match answer {
                    Ok(Some(text)) => protocol::okay_with(&mut self.stream, &text).await,
                    Ok(None) => protocol::okay(&mut self.stream).await,
                    Err(why) => self.fail(&why).await,
                }
            }
            HostRequest::Wait(which, state) => self.wait_for(&which, &state).await,
            HostRequest::Transport(which) => self.transport(&which, false).await,
            HostRequest::TransportWithId(which) => self.transport(&which, true).await,
        }
    }

    async fn about_server(&mut self, request: &str) -> io::Result<()> {
        let (name, rest) = request.split_once(':').unwrap_or((request, ""));
        let text = match name {
            "version" => host::VERSION.to_owned(),
            // Answered as expected, but the server stays: others may use it.
            "kill" => return protocol::okay(&mut self.stream).await,
            "devices" => host::list(&self.phones.attached(), false),
            "devices-l" => host::list(&self.phones.attached(), true),
            "track-devices" => return self.track(false).await,
            "track-devices-l" => return self.track(true).await,
            "host-features" => FEATURES.to_owned(),
            "list-forward" | "reconnect-offline" => String::new(),
            "connect" => match self.phones.attach(Some(rest), true) {
                (0, _) => {
                    // Only virtual phones listen here.
                    format!("failed to connect to '{rest}': Connection refused")
                }
                (_, 0) => format!("already connected to {rest}"),
                _ => format!("connected to {rest}"),
            },
            "disconnect" if rest.is_empty() => {
                self.phones.attach(None, false);
                "disconnected everything".to_owned()
            }
            "disconnect" => match self.phones.attach(Some(rest), false) {
                (_, 0) => return self.fail(&format!("no such device '{rest}'")).await,
                _ => format!("disconnected {rest}"),
            },
            "pair" => return self.late_failure("Failed: Unable to start pairing client.").await,
            "mdns" if rest == "check" => "ERROR: mdns daemon unavailable".to_owned(),
            "mdns" if rest == "services" => String::new(),
            _ => return self.fail("unknown host service").await,
        };
        protocol::okay_with(&mut self.stream, &text).await
    }

    /// Sends the list of devices now and after each change.
    async fn track(&mut self, long: bool) -> io::Result<()> {
        protocol::okay(&mut self.stream).await?;
        let mut last = None;
        loop {
            let changes = self.phones.changed();
            let list = host::list(&self.phones.attached(), long);
            if last.as_ref() != Some(&list) {
                self.stream.write_all(protocol::length_prefixed(&list).as_bytes()).await?;
                last = Some(list);
            }
            let mut byte = [0];
            tokio::select! {
                read = self.stream.read(&mut byte) => if read? == 0 { return Ok(()) },
                () = changes => {}
            }
        }
    }

    /// `wait-for-any-device`: the first OKAY says that the request was understood.
    async fn wait_for(&mut self, which: &DeviceSelector, wanted: &str) -> io::Result<()> {
        let (transport, wanted) = wanted.split_once('-').unwrap_or(("any", wanted));
        let usb = transport == "usb";
        protocol::okay(&mut self.stream).await?;
        let reached = |state: Option<&str>| match wanted {
            "any" => state.is_some(),
            "disconnect" => state.is_none() || state == Some("offline"),
            wanted => state == Some(wanted),
        };
        loop {
            let changes = self.phones.changed();
            let phones = self.phones.attached();
            let state = match host::find(&phones, which) {
                Ok((_, phone)) if !usb => Some(host::state(phone)),
                _ => None,
            };
            if reached(state) {
                return protocol::okay(&mut self.stream).await;
            }
            let mut byte = [0];
            tokio::select! {
                read = self.stream.read(&mut byte) => if read? == 0 { return Ok(()) },
                () = changes => {}
            }
        }
    }

    async fn transport(mut self, which: &DeviceSelector, numbered: bool) -> io::Result<()> {
        let phones = self.phones.attached();
        let found = host::find(&phones, which)
            .and_then(|(id, phone)| host::usable(phone).map(|()| (id, phone.clone())));
        let (id, phone) = match found {
            Ok(found) => found,
            Err(why) => return self.fail(&why).await,
        };
        protocol::okay(&mut self.stream).await?;
        if numbered {
            self.stream.write_all(&id.to_le_bytes()).await?;
        }
        let broken = phone.faults().link_broken();
        tokio::select! {
            done = self.service(&phone) => done,
            // As with a real server, the stream just ends when the phone is lost.
            () = broken => Ok(()),
        }
    }

    async fn service(mut self, phone: &VirtualPhone) -> io::Result<()> {
        let Some(name) = self.request().await? else { return Ok(()) };
        let Some(service) = services::granted(phone, name.as_bytes()) else {
            // Real servers answer host requests on a transport, too.
            if let Some(request) = name.strip_prefix("host:") {
                return match host::answer(phone, request) {
                    Ok(Some(text)) => protocol::okay_with(&mut self.stream, &text).await,
                    Ok(None) => protocol::okay(&mut self.stream).await,
                    Err(why) => self.fail(&why).await,
                };
            }
            phone.count(|counts| counts.unknown_services += 1);
            return self.fail("closed").await;
        };
        protocol::okay(&mut self.stream).await?;
        let (input, output) = self.stream.into_split();
        let stream = Stream { input: Box::new(input), output: Box::new(output) };
        let ended = services::serve(phone, service, stream).await;
        match ended {
            ServiceEnd::Done => {}
            ServiceEnd::CutLink => phone.faults().kill_link(),
        }
        Ok(())
    }

    /// `None` at the end of the connection, and for clients that do not speak adb.
    async fn request(&mut self) -> io::Result<Option<String>> {
        let read = match timeout(REQUEST_TIMEOUT, protocol::read_request(&mut self.stream)).await {
            Ok(Ok(read)) => read,
            Ok(Err(protocol::RequestError::ServiceEnd(_))) | Err(_) => return Ok(None),
            Ok(Err(error)) => {
                tracing::debug!(%error, "not an adb client");
                self.fail("unknown request").await?;
                return Ok(None);
            }
        };
        if let Ok(request) = String::from_utf8(read) {
            return Ok(Some(request));
        }
        self.fail("a request that is not UTF-8").await?;
        Ok(None)
    }

    /// A service that is granted before it is known that it fails.
    async fn late_failure(&mut self, why: &str) -> io::Result<()> {
        protocol::okay(&mut self.stream).await?;
        self.fail(why).await
    }

    async fn fail(&mut self, why: &str) -> io::Result<()> {
        protocol::fail(&mut self.stream, why).await
    }
}

async fn any_ready<F: Future<Output = ()> + Unpin>(futures: &mut [F]) {
    std::future::poll_fn(|context| {
        let ready =
            futures.iter_mut().any(|future| std::pin::Pin::new(future).poll(context).is_ready());
        if ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
