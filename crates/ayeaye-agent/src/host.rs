//! Hosts of web pages.

/// Whether a host, or a domain it belongs to, is in a list.
pub(crate) fn lists_host(list: &[String], host: &str) -> bool {
    list.iter().any(|entry| {
        let domain = entry.trim().trim_start_matches("*.");
        let rest = host.len().checked_sub(domain.len());
        rest.is_some_and(|rest| {
            host.is_char_boundary(rest)
                && host[rest..].eq_ignore_ascii_case(domain)
                && (rest == 0 || host[..rest].ends_with('.'))
        })
    })
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
