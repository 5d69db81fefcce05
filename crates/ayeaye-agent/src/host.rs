//! Hosts of web pages.

/// Whether a host, or a domain it belongs to, is in a list.
pub(crate) fn lists_host(list: &[String], host: &str) -> bool {
    list.iter().any(|entry| {
        let domain = entry.trim().trim_start_matches("*.");
        let plain = if domain.is_ascii() { None } else { host_of(domain) };
        let domain = plain.as_deref().unwrap_or(domain);
        let rest = host.len().checked_sub(domain.len());
        rest.is_some_and(|rest| {
            host.is_char_boundary(rest)
                && host[rest..].eq_ignore_ascii_case(domain)
                && (rest == 0 || host[..rest].ends_with('.'))
        })
    })
}

/// How a list has to name the domain that is meant here: as it is, where a list finds the hosts of that name by it.
/// `None` for what is the name of no host.
pub fn as_listed(domain: &str) -> Option<String> {
    let host = host_of(domain.trim_matches('.'))?;
    if host.split('.').any(str::is_empty) {
        return None;
    }
    // What is not ASCII is looked up in the form of the name system.
    let is_found = if domain.is_ascii() {
        domain.eq_ignore_ascii_case(&host)
    } else {
        !domain.starts_with('.')
    };
    Some(if is_found { domain.to_owned() } else { host })
}

/// The host of an address, with or without its scheme, as browsers read it: letters beyond ASCII in the form of the
/// name system (`xn--…`), numbers as the address they stand for. `None` where they would read none.
pub(crate) fn host_of(address: &str) -> Option<String> {
    let address = address.trim();
    let url =
        if address.contains("://") || address.starts_with("http:") || address.starts_with("https:")
        {
            url::Url::parse(address)
        } else {
            url::Url::parse(&format!("http://{address}"))
        };
    let url = url.ok()?;
    // The same address in the form of the newer ones.
    if let Some(url::Host::Ipv6(address)) = url.host()
        && let Some(address) = address.to_ipv4_mapped()
    {
        return Some(address.to_string());
    }
    let host = url.host_str()?.trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_lowercase())
}

/// The host of an address as the address bar of a browser shows it, with or without its scheme, in lower case.
/// `None` for what is typed there to search.
pub(crate) fn host_of_address(shown: &str) -> Option<String> {
    let shown = shown.trim();
    if shown.contains(char::is_whitespace) {
        return None;
    }
    let rest = match shown.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some((scheme, _)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => return None,
        _ => shown,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let (host, port) = host.rsplit_once(':').unwrap_or((host, ""));
    let host = host.trim_end_matches('.');
    let whole = !host.is_empty() && host.split('.').all(|part| !part.is_empty());
    let is_host = whole && host.contains('.') && !host.contains(':');
    (is_host && port.bytes().all(|b| b.is_ascii_digit())).then(|| host.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_domains() {
        let list = |entry: &str| vec![entry.to_owned()];
        assert!(lists_host(&list("example.com"), "www.Example.com"));
        assert!(lists_host(&list("*.example.com"), "example.com"));
        assert!(!lists_host(&list("example.com"), "notexample.com"));
        assert!(!lists_host(&list("example.com"), "éxample.com"));
    }

    #[test]
    fn what_a_list_finds_nothing_by_is_named_as_it_would() {
        for (domain, name) in [
            ("Example.com", Some("Example.com")),
            ("müller.de", Some("müller.de")),
            (".müller.de", Some("xn--mller-kva.de")),
            ("example.com.", Some("example.com")),
            ("0.1", Some("0.0.0.1")),
            ("a..b", None),
            ("evil.256", None),
            (".", None),
        ] {
            assert_eq!(as_listed(domain).as_deref(), name, "{domain}");
            if let Some(name) = name {
                let host = host_of(name).unwrap();
                assert!(lists_host(&[name.to_owned()], &host), "{name}");
            }
        }
    }

    #[test]
    fn a_host_is_read_as_browsers_do() {
        for (address, host) in [
            ("https://user@en.WIKIPEDIA.org:443/x", "en.wikipedia.org"),
            ("b\u{430}nk.org", "xn--bnk-6cd.org"),
            ("müller.de", "xn--mller-kva.de"),
            ("evil\u{3002}example", "evil.example"),
            ("https:\\\\evil.example", "evil.example"),
            ("http:evil.example", "evil.example"),
            ("http://%65vil.example", "evil.example"),
            ("http://2130706433/", "127.0.0.1"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://[::ffff:1.2.3.4]/", "1.2.3.4"),
            ("[0:0:0:0:0:FFFF:102:304]:80/x", "1.2.3.4"),
            ("http://[2001:db8::1]/", "[2001:db8::1]"),
            ("ev\u{ad}il.example.", "evil.example"),
        ] {
            assert_eq!(host_of(address).as_deref(), Some(host), "{address}");
        }
        assert_eq!(host_of("no host"), None);
        assert!(lists_host(&["müller.de".to_owned()], "www.xn--mller-kva.de"));
    }

    #[test]
    fn the_host_is_what_the_page_is_of() {
        for (shown, host) in [
            ("example.org", "example.org"),
            ("https://Login.Example.org/a?b=c#d", "login.example.org"),
            ("http://example.org:8080/", "example.org"),
            ("example.org/https://bank.org", "example.org"),
            ("https://bank.org@evil.net/", "evil.net"),
            ("evil.net\\@bank.org", "evil.net"),
            ("bank.org.evil.net", "bank.org.evil.net"),
            ("b\u{430}nk.org", "b\u{430}nk.org"),
        ] {
            assert_eq!(host_of_address(shown).as_deref(), Some(host), "{shown}");
        }
        for none in [
            "",
            "Search or type URL",
            "bank",
            "file:///bank.org",
            "bank..org",
            "bank.org:8o",
            "[::1]",
        ] {
            assert_eq!(host_of_address(none), None, "{none}");
        }
    }
}
