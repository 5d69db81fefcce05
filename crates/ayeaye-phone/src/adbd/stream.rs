//! One stream of a link: a service over packets, with one unacknowledged packet each way.
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    sync::{Notify, mpsc},
};
use tokio_util::sync::CancellationToken;

use super::packet::{Command, Packet};
use crate::{
    device::VirtualPhone,
    services::{self, Service},
    stream::{ServiceEnd, Stream},
};

/// Bytes buffered between a service and the packets it sends.
const PIPE: usize = 1 << 20;
/// Bytes of its input, of which a packet waits in front.
const INPUT_PIPE: usize = 64 << 10;

/// The link's end of a stream. Dropping it means that the host closed the stream.
#[derive(Debug)]
pub(super) struct Inbox {
    pub(super) data: mpsc::Sender<Bytes>,
    /// The host acknowledged our last packet.
    pub(super) ready: Arc<Notify>,
}

/// The stream's own end.
#[derive(Debug)]
pub(super) struct Opened {
    ours: u32,
    theirs: u32,
    max_data: usize,
    out: mpsc::Sender<Packet>,
    data: mpsc::Receiver<Bytes>,
    ready: Arc<Notify>,
}

impl Opened {
    pub(super) fn new(
        ours: u32,
        theirs: u32,
        max_data: usize,
        out: mpsc::Sender<Packet>,
    ) -> (Inbox, Self) {
        let (sender, data) = mpsc::channel(1);
        let ready = Arc::new(Notify::new());
        let inbox = Inbox { data: sender, ready: ready.clone() };
        (inbox, Self { ours, theirs, max_data, out, data, ready })
    }
}

/// Runs a service to its end and returns our stream id.
pub(super) async fn run(opened: Opened, service: Service, phone: VirtualPhone) -> u32 {
    let Opened { ours, theirs, max_data, out, mut data, ready } = opened;
    let (mut to_service, input) = tokio::io::duplex(INPUT_PIPE);
    let (output, mut from_service) = tokio::io::duplex(PIPE);
    let closed = CancellationToken::new();

    let incoming = async {
        while let Some(bytes) = data.recv().await {
            if to_service.write_all(&bytes).await.is_err() {
                // The service has stopped reading; more input is dropped.
                tracing::trace!("input for a service that has stopped reading");
            }
            if out.send(Packet::new(Command::Okay, ours, theirs, "")).await.is_err() {
                break;
            }
        }
        // The host closed the stream, which ends the service's input and then its output.
        drop(to_service);
        closed.cancel();
        std::future::pending::<()>().await;
    };
    let outgoing = async {
        let mut buffer = BytesMut::new();
        let mut ended = false;
        // Whether the last packet was acknowledged.
        let mut acknowledged = true;
        loop {
            if buffer.is_empty() && !ended {
                ended = !read_more(&mut from_service, &mut buffer, max_data).await;
            }
            if buffer.is_empty() {
                break;
            }
            let packet = Packet::new(Command::Write, ours, theirs, buffer.split().freeze());
            if out.send(packet).await.is_err() {
                break;
            }
            // The end is seen meanwhile: as in adbd it closes the stream even if the last packet is never acknowledged.
            acknowledged = loop {
                tokio::select! {
                    () = ready.notified() => break true,
                    () = closed.cancelled() => break false,
                    more = read_more(&mut from_service, &mut buffer, max_data),
                        if !ended && buffer.len() < max_data => ended = !more,
                }
                if ended && buffer.is_empty() {
                    break false;
                }
            };
            if !acknowledged {
                break;
            }
        }
        drop(from_service);
        acknowledged
    };
    let serving = async {
        let stream = Stream { input: Box::new(input), output: Box::new(output) };
        services::serve(&phone, service, stream).await
    };
    let served = async {
        let (acknowledged, ended) = tokio::join!(outgoing, serving);
        // A cut link would take the last packet with it.
        if ended == ServiceEnd::CutLink && !acknowledged {
            closed.run_until_cancelled(ready.notified()).await;
        }
        ended
    };
    let ended = tokio::select! {
        ended = served => ended,
        () = incoming => ServiceEnd::Done,
    };
    match ended {
        ServiceEnd::CutLink => phone.faults().kill_link(),
        ServiceEnd::Done => {
            if out.send(Packet::new(Command::Close, ours, theirs, "")).await.is_err() {
                tracing::trace!("the link ended before its stream");
            }
        }
    }
    ours
}

/// Reads into what is left of the space for a packet; `false` at the end.
async fn read_more(from: &mut DuplexStream, buffer: &mut BytesMut, max_data: usize) -> bool {
    let room = max_data.saturating_sub(buffer.len());
    buffer.reserve(room);
    from.take(room as u64).read_buf(buffer).await.is_ok_and(|read| read > 0)
}
