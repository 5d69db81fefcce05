//! The services of a phone, for the adb server and adbd alike: a name, then a stream both ways.

#[cfg(test)]
mod dump_tests;
#[cfg(test)]
mod timing_tests;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt as _;

use crate::{
    device::VirtualPhone,
    profile::pause,
    shell::{self, Framing},
    stream::{ServiceEnd, Stream},
    sync,
    transfer::Paced,
};

/// Most bytes of a service's name, which includes the command line.
pub(crate) const MAX_NAME: usize = 64 << 10;

/// Characters of an unknown listener in the answer, whose length has four digits.
const MAX_LISTENER: usize = 1000;

/// The features the phone announces: those it has.
pub(crate) const FEATURES: &str = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,sendrecv_v2";

/// A known service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Service {
    Shell(shell::Request),
    Sync,
    Framebuffer,
    Reboot,
    /// Answers with this text: the phone does not support it.
    Refuse(String),
    /// Stays open and silent, as `jdwp` does without debuggable apps.
    Idle,
    TrackJdwp,
    /// `reverse:…`, with the answer: nothing is ever forwarded.
    Reverse(String),
}

impl Service {
    /// `None` for unknown services, which a phone answers by closing the stream.
    pub(crate) fn parse(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?;
        let (service, rest) = name.split_once(':').unwrap_or((name, ""));
        Some(match service {
            "exec" if !rest.is_empty() => Self::Shell(shell::Request {
                framing: Framing::Raw,
                terminal: false,
                command: Some(rest.to_owned()),
            }),
            "sync" if rest.is_empty() => Self::Sync,
            "framebuffer" if rest.is_empty() => Self::Framebuffer,
            "reboot" => Self::Reboot,
            "root" => Self::refusal("adbd cannot run as root in production builds\n"),
            "unroot" => Self::refusal("adbd not running as root\n"),
            "remount" => Self::refusal("Not running as root. Try \"adb root\" first.\n"),
            "disable-verity" | "enable-verity" => {
                Self::refusal("Device is locked. Please unlock the device first\n")
            }
            "tcpip" | "usb" => Self::refusal("error: a virtual phone keeps its port\n"),
            "jdwp" => Self::Idle,
            "track-jdwp" | "track-app" => Self::TrackJdwp,
            "abb" | "abb_exec" => Self::refusal("cmd: abb is not supported by a virtual phone\n"),
            "reverse" => Self::Reverse(reverse(rest)),
            _ => return Self::parse_shell(service, rest),
        })
    }

    fn parse_shell(service: &str, command: &str) -> Option<Self> {
        let mut options = service.split(',');
        if options.next() != Some("shell") {
            return None;
        }
        let mut framing = Framing::Raw;
        let mut terminal = command.is_empty();
        for option in options {
            match option {
                "v2" => framing = Framing::V2,
                "raw" => terminal = false,
                "pty" => terminal = true,
                // `TERM=…`, and what later clients may say: adbd ignores it.
                _ => {}
            }
        }
        let command = (!command.is_empty()).then(|| command.to_owned());
        Some(Self::Shell(shell::Request { framing, terminal, command }))
    }

    fn refusal(text: &str) -> Self {
        Self::Refuse(text.to_owned())
    }
}

/// The service of this name, if the phone grants it.
pub(crate) fn granted(device: &VirtualPhone, name: &[u8]) -> Option<Service> {
    let closed = name.starts_with(b"exec:") && device.faults().exec_closed();
    Service::parse(name).filter(|_| !closed)
}

/// Runs a service to its end, which also ends the stream.
pub(crate) async fn serve(device: &VirtualPhone, service: Service, stream: Stream) -> ServiceEnd {
    device.count(|counts| {
        counts.services += 1;
        counts.requests += 1;
    });
    let Stream { input, output } = stream;
    let stream = Stream { input, output: Box::new(Paced::new(output, device.link())) };
    let timing = device.timing();
    pause(match service {
        Service::Shell(_) => timing.shell,
        _ => timing.round_trip,
    })
    .await;
    match service {
        Service::Shell(request) => shell::serve(device, request, stream).await,
        Service::Sync => {
            sync::serve(device, stream).await;
            ServiceEnd::Done
        }
        Service::Framebuffer => framebuffer(device, stream).await,
        Service::Reboot => {
            finish(stream, b"").await;
            device.reboot();
            ServiceEnd::Done
        }
        Service::Refuse(text) => finish(stream, text.as_bytes()).await,
        Service::Idle => wait_for_end(stream, b"").await,
        Service::TrackJdwp => wait_for_end(stream, b"0000").await,
        Service::Reverse(answer) => finish(stream, answer.as_bytes()).await,
    }
}

/// The answer of a phone from which nothing is forwarded. As in adbd, only the host's adb server says OKAY to
/// having understood: a list comes alone.
fn reverse(request: &str) -> String {
    let why = match request.split_once(':').unwrap_or((request, "")) {
        ("list-forward", _) => return "0000".to_owned(),
        ("killforward-all", _) => return "OKAY".to_owned(),
        ("killforward", "") => "bad killforward: ".to_owned(),
        ("killforward", listener) => {
            let listener: String = listener.chars().take(MAX_LISTENER).collect();
            format!("listener '{listener}' not found")
        }
        ("forward", _) => "a virtual phone has no ports to forward".to_owned(),
        _ => "not a reverse forwarding command".to_owned(),
    };
    format!("FAIL{:04x}{why}", why.len())
}

async fn finish(mut stream: Stream, bytes: &[u8]) -> ServiceEnd {
    let sent = async {
        stream.output.write_all(bytes).await?;
        stream.output.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "the peer did not wait for an answer");
    }
    ServiceEnd::Done
}

async fn wait_for_end(mut stream: Stream, first: &[u8]) -> ServiceEnd {
    if stream.output.write_all(first).await.is_ok()
        && let Err(error) = tokio::io::copy(&mut stream.input, &mut tokio::io::sink()).await
    {
        tracing::debug!(%error, "a silent service ended");
    }
    ServiceEnd::Done
}

/// A picture after the header of AOSP's `framebuffer_service.cpp`, version 2: 14 little-endian words
/// for version, bits per pixel, colour space (1: sRGB), size, and the offset of each channel.
async fn framebuffer(device: &VirtualPhone, mut stream: Stream) -> ServiceEnd {
    let Ok(frame) = device.capture().await else {
        return ServiceEnd::Done;
    };
    let faults = device.faults().for_capture();
    let size = u32::try_from(frame.rgba.len()).unwrap_or(u32::MAX);
    let fields: [u32; 14] = [2, 32, 1, size, frame.width, frame.height, 0, 8, 16, 8, 8, 8, 24, 8];
    let mut whole = BytesMut::with_capacity(56 + frame.rgba.len());
    whole.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    whole.extend_from_slice(&frame.rgba);
    let limit = faults.truncate_to.or(faults.drop_after);
    whole.truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    if faults.drop_after.is_some() {
        return match stream.output.write_all(&whole).await {
            Ok(()) => ServiceEnd::CutLink,
            Err(_) => ServiceEnd::Done,
        };
    }
    finish(stream, &whole).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str) -> shell::Request {
        match Service::parse(name.as_bytes()) {
            Some(Service::Shell(request)) => request,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn shells_are_told_apart() {
        let of = |framing, terminal, command: Option<&str>| shell::Request {
            framing,
            terminal,
            command: command.map(str::to_owned),
        };
        assert_eq!(request("shell:ls"), of(Framing::Raw, false, Some("ls")));
        assert_eq!(request("shell:"), of(Framing::Raw, true, None));
        assert_eq!(request("exec:a:b"), of(Framing::Raw, false, Some("a:b")));
        assert_eq!(request("shell,v2,raw:ls"), of(Framing::V2, false, Some("ls")));
        assert_eq!(
            request("shell,v2,TERM=xterm-256color,raw:ls"),
            of(Framing::V2, false, Some("ls"))
        );
        assert_eq!(request("shell,v2,pty:"), of(Framing::V2, true, None));
        assert_eq!(request("shell,v3:x"), of(Framing::Raw, false, Some("x")));
        assert_eq!(request("shell,,v2,new=1,raw:ls"), of(Framing::V2, false, Some("ls")));
        assert_eq!(request("shell,v2,raw:"), of(Framing::V2, false, None));
    }

    #[test]
    fn reverse_forwarding_is_answered_as_by_adbd() {
        for (request, answer) in [
            ("list-forward", "0000"),
            ("killforward-all", "OKAY"),
            ("killforward:tcp:80", "FAIL001blistener 'tcp:80' not found"),
            ("forward:tcp:80;tcp:90", "FAIL0027a virtual phone has no ports to forward"),
        ] {
            let service = Service::parse(format!("reverse:{request}").as_bytes());
            assert_eq!(service, Some(Service::Reverse(answer.to_owned())), "{request}");
        }
    }

    #[test]
    fn what_is_not_there_is_closed() {
        for name in ["tcp:80", "localabstract:x", "exec:", "", "shellx:", "sync:x"] {
            assert_eq!(Service::parse(name.as_bytes()), None, "{name}");
        }
        assert_eq!(Service::parse(b"shell:\xff"), None);
    }
}
