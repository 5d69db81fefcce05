//! An endpoint that speaks TLS with a certificate for which nobody vouches.
//!
//! Certificate and key are for these tests alone: `openssl ca -selfsign` with a new key on P-256, for `IP:127.0.0.1` as
//! `subjectAltName`, `basicConstraints=critical,CA:FALSE`, and good from 2020 to 2120.
use std::io::{ErrorKind, Read as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use super::says;
use crate::support::{Answer, FakeVlm, KEY, Rig, RigOptions, quick_model};

const CERTIFICATE: &[u8] = include_bytes!("untrusted.pem");
const KEY_OF_IT: &[u8] = include_bytes!("untrusted.key.pem");

/// What came over encrypted connections, and how many were begun. Nothing is answered.
#[derive(Default)]
struct Heard {
    connections: usize,
    bytes: Vec<u8>,
}

/// Listens until the process ends; returns the address.
fn listen() -> (String, Arc<Mutex<Heard>>) {
    let chain = vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(KEY_OF_IT).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Heard::default()));
    let log = heard.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            log.lock().unwrap().connections += 1;
            let mut stream = stream.unwrap();
            let bytes = read(&mut stream, config.clone());
            // Before the connection is closed, which the other side waits for.
            log.lock().unwrap().bytes.extend(bytes);
        }
    });
    (url, heard)
}

/// The beginning of what is said behind the handshake; nothing, if the other side does not go through with that.
fn read(stream: &mut TcpStream, config: Arc<ServerConfig>) -> Vec<u8> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut connection = ServerConnection::new(config).unwrap();
    let mut bytes = vec![0; 4096];
    loop {
        match Stream::new(&mut connection, stream).read(&mut bytes) {
            Err(err) if err.kind() == ErrorKind::Interrupted => {}
            read => {
                bytes.truncate(read.unwrap_or(0));
                return bytes;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_whose_certificate_nobody_vouches_for_is_sent_nothing() {
    let (url, heard) = listen();
    let mut model = quick_model(&url, "gelab-fake", Duration::from_secs(20));
    model.limits.connect = Duration::from_secs(10);
    if let Err(err) = ayeaye_model::RemoteModel::new(model.clone()) {
        // A machine without certificates cannot speak TLS at all, and the start says so.
        assert!(matches!(err, ayeaye_model::ConfigError::Tls(_)), "{err}");
        return;
    }
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let options = RigOptions { model: Some(model), ..RigOptions::quick() };
    let failed = Rig::with(vlm, options).await.start("do it").await;
    assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{failed}");
    let message = failed["message"].as_str().unwrap();
    says("cannot be reached", message);
    says("certificate", message);
    let heard = heard.lock().unwrap();
    assert!(0 < heard.connections, "it was called");
    assert_eq!(String::from_utf8_lossy(&heard.bytes), "", "and told nothing");
}

/// Nothing else is wrong with the certificate of these tests.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_trusts_the_certificate_gets_through() {
    let (url, heard) = listen();
    // Another test may have been quicker.
    rustls::crypto::ring::default_provider().install_default().ok();
    // This machine's own certificates are not asked for, and there may be none.
    let trusting = reqwest::Client::builder()
        .tls_certs_only([reqwest::Certificate::from_pem(CERTIFICATE).unwrap()])
        .build()
        .unwrap();
    let unanswered = trusting.get(&url).bearer_auth(KEY).send().await;
    assert!(unanswered.is_err(), "nothing is answered: {unanswered:?}");
    let heard = String::from_utf8_lossy(&heard.lock().unwrap().bytes).into_owned();
    assert!(heard.contains(KEY), "{heard}");
}
