//! `ip` and `ifconfig`: the address on Wi-Fi, which leads nowhere.
use super::CommandOutput;
use crate::device::VirtualPhone;

const ADDRESS: &str = "192.168.1.23";
const MAC: &str = "02:15:b2:00:00:01";

/// `ip route`, and `ip addr` of all or one.
pub(super) fn ip(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let connected = device.phone().state().wifi;
    let words = match words {
        ["-4" | "-o", rest @ ..] | ["-f", "inet", rest @ ..] => rest,
        words => words,
    };
    match words {
        ["route" | "r"] | ["route" | "r", "show" | "list"] => {
            let route =
                format!("192.168.1.0/24 dev wlan0 proto kernel scope link src {ADDRESS} \n");
            CommandOutput::ok(if connected { route } else { String::new() })
        }
        ["addr" | "address" | "a"] | ["addr" | "address" | "a", "show" | "list"] => {
            CommandOutput::ok(format!("{}{}", loopback(), wifi(connected)))
        }
        ["addr" | "address" | "a", "show" | "list", "dev", name]
        | ["addr" | "address" | "a", "show" | "list", name] => match *name {
            "wlan0" => CommandOutput::ok(wifi(connected)),
            "lo" => CommandOutput::ok(loopback()),
            name => CommandOutput::error(1, format!("Device \"{name}\" does not exist.\n")),
        },
        _ => CommandOutput::unsupported(device, &format!("ip {}", words.join(" "))),
    }
}

fn loopback() -> String {
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    \
     link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n       \
     valid_lft forever preferred_lft forever\n"
        .to_owned()
}

fn wifi(connected: bool) -> String {
    let (flags, state) = if connected {
        ("BROADCAST,MULTICAST,UP,LOWER_UP", "UP")
    } else {
        ("BROADCAST,MULTICAST", "DOWN")
    };
    let address = format!(
        "    inet {ADDRESS}/24 brd 192.168.1.255 scope global wlan0\n       valid_lft forever preferred_lft forever\n"
    );
    format!(
        "21: wlan0: <{flags}> mtu 1500 qdisc mq state {state} group default qlen 3000\n    \
         link/ether {MAC} brd ff:ff:ff:ff:ff:ff\n{}",
        if connected { address } else { String::new() }
    )
}

/// `ifconfig [wlan0]`.
pub(super) fn ifconfig(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let ([] | ["wlan0"]) = words else {
        return CommandOutput::unsupported(device, &format!("ifconfig {}", words.join(" ")));
    };
    let connected = device.phone().state().wifi;
    let address =
        format!("          inet addr:{ADDRESS}  Bcast:192.168.1.255  Mask:255.255.255.0 \n");
    CommandOutput::ok(format!(
        "wlan0     Link encap:Ethernet  HWaddr {MAC}\n{}          {} MTU:1500  Metric:1\n\n",
        if connected { address } else { String::new() },
        if connected { "UP BROADCAST RUNNING MULTICAST " } else { "BROADCAST MULTICAST " },
    ))
}
