//! Connections that do not come about.
use super::*;

#[test]
fn a_connection_that_cannot_mend_itself_says_what_helps() {
    for (why, part) in [
        ("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))", "CA:FALSE"),
        ("invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"),
        ("invalid peer certificate: certificate expired", "renewed"),
        ("received corrupt message of type InvalidContentType", "http://"),
    ] {
        assert!(untrusted(why, false).unwrap().contains(part), "{why}");
        assert!(!untrusted(why, true).unwrap().contains("SSL_CERT_FILE"), "{why}");
    }
    let windows =
        r#"Other(OtherError(Os { code: -2146762482, kind: Uncategorized, message: "…" }))"#;
    for (why, part) in [
        ("Other(OtherError(CaUsedAsEndEntity))", "CA:FALSE"),
        ("UnknownIssuer", "to the system's store"),
        (windows, "to the system's store"),
        (windows, "renewed"),
        ("certificate expired", "renewed"),
    ] {
        let why = format!("invalid peer certificate: {why}");
        assert!(untrusted(&why, true).unwrap().contains(part), "{why}");
    }
    for why in ["tcp connect error: Connection refused (os error 111)", "dns error: no such host"] {
        assert_eq!(untrusted(why, false).or(untrusted(why, true)), None, "{why}");
    }
}

#[test]
fn a_proxy_that_wants_a_password_is_not_asked_again() {
    let retry = Recovery::Retry { after: None };
    for (why, part, recovery) in [
        ("tunnel error: proxy authorization required", "user name and password", Recovery::GiveUp),
        ("tunnel error: unsuccessful", "through a proxy, and that fails", retry),
        ("tcp connect error: Connection refused (os error 111)", "start it", retry),
    ] {
        let (way_out, found) = unconnected(why);
        assert!(way_out.contains(part) && found == recovery, "{why}: {way_out}");
    }
}

#[test]
fn a_name_that_no_machine_has_is_told_from_a_resolver_that_does_not_answer() {
    let lookup = |why: &str| format!("client error (Connect): dns error: {why}");
    for why in [
        "failed to lookup address information: Name or service not known",
        "failed to lookup address information: nodename nor servname provided, or not known",
        "No such host is known. (os error 11001)",
        "Der angegebene Host ist unbekannt. (os error 11001)",
        "failed to lookup address information: Name does not resolve",
    ] {
        assert!(unconnected(&lookup(why)).0.starts_with("no machine has this name"), "{why}");
    }
    let busy = "failed to lookup address information: Temporary failure in name resolution";
    assert!(unconnected(&lookup(busy)).0.starts_with("start it"));
}
