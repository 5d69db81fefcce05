//! Controls of the phones over HTTP, for tests and demos in other processes.
//!
//! | request | does |
//! |---|---|
//! | `GET /state` | `{"serial", "phone": …, "wire": …, "faults": …}`: the complete state |
//! | `GET /screen.png` | the display, regardless of faults and secure windows |
//! | `POST /fault` | changes the given fields of the fault plan ([`FaultPlan`](crate::FaultPlan)); returns the plan |
//! | `POST /fault/clear` | a healthy phone again; hanging commands go on |
//! | `POST /release` | hanging commands go on, and no more hang |
//! | `POST /kill-link` | cuts every open connection to the phone |
//! | `POST /reboot` | cuts every connection and changes the boot id |
//! | `POST /dialog` `{"title", "text", "buttons": […]}` | shows a system dialog |
//! | `POST /message` `{"from", "text"}` | delivers a text message |
//! | `POST /lock` `{"pin": "1234"}` or `{}` | sets the PIN (none: swipe) and turns the screen off |
//! | `POST /power` | presses the power button |
//! | `POST /rotate` `{"quarter_turns": 0…3}` | rotates the phone |
//! | `POST /black` `{"on": true}` | makes the screen black |
//!
//! `?serial=…` selects one of several phones; the first is the default. Only loopback addresses are
//! served: whoever reaches this port controls the phones.
use std::{io, net::SocketAddr, sync::Arc};

use axum::{
    Json, Router,
    extract::{FromRequest, Query, Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{device::VirtualPhone, faults::FaultPlan};

/// The control port.
#[derive(Debug)]
pub struct ControlServer {
    listener: TcpListener,
    phones: Arc<[VirtualPhone]>,
}

impl ControlServer {
    /// Listens on a loopback address; port 0 takes a free one.
    pub async fn bind(address: SocketAddr, phones: Vec<VirtualPhone>) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the control port is for loopback addresses only",
            ));
        }
        Ok(Self { listener: TcpListener::bind(address).await?, phones: phones.into() })
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the token is cancelled.
    pub async fn serve(self, shutdown: CancellationToken) -> io::Result<()> {
        let routes = Router::new()
            .route("/state", get(state))
            .route("/screen.png", get(screen))
            .route("/fault", post(fault))
            .route("/fault/clear", post(clear))
            .route("/release", post(release))
            .route("/kill-link", post(kill_link))
            .route("/reboot", post(reboot))
            .route("/dialog", post(dialog))
            .route("/message", post(message))
            .route("/lock", post(lock))
            .route("/power", post(power))
            .route("/rotate", post(rotate))
            .route("/black", post(black))
            .layer(middleware::from_fn(only_local_names))
            .with_state(self.phones);
        axum::serve(self.listener, routes).with_graceful_shutdown(shutdown.cancelled_owned()).await
    }
}

/// Against web pages, which can reach a loopback port by DNS rebinding or by posting a form.
async fn only_local_names(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let name = host.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    let local = matches!(name, Some("127.0.0.1" | "localhost" | "[::1]"));
    if !local || request.headers().contains_key(header::ORIGIN) {
        return error_response(StatusCode::FORBIDDEN, "only local programs are served");
    }
    next.run(request).await
}

#[derive(Debug, Deserialize)]
struct DeviceSelector {
    serial: Option<String>,
}

type Phones = State<Arc<[VirtualPhone]>>;

fn find_device(
    phones: &[VirtualPhone],
    which: &DeviceSelector,
) -> Result<VirtualPhone, Box<Response>> {
    let phone = match &which.serial {
        None => phones.first(),
        Some(serial) => phones.iter().find(|phone| phone.serial() == serial),
    };
    let missing = || Box::new(error_response(StatusCode::NOT_FOUND, "no such phone"));
    phone.cloned().ok_or_else(missing)
}

fn error_response(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "error": why }))).into_response()
}

fn done() -> Response {
    Json(json!({ "ok": true })).into_response()
}

/// Runs `act` on the selected phone.
fn on_device(
    phones: &Phones,
    which: &DeviceSelector,
    act: impl FnOnce(&VirtualPhone) -> Response,
) -> Response {
    find_device(&phones.0, which).map_or_else(|error_response| *error_response, |phone| act(&phone))
}

async fn state(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    on_device(&phones, &which, |phone| {
        Json(json!({
            "serial": phone.serial(),
            "phone": phone.phone().state(),
            "wire": phone.adb_counts(),
            "faults": phone.faults().plan(),
        }))
        .into_response()
    })
}

async fn screen(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    let phone = match find_device(&phones.0, &which) {
        Ok(phone) => phone,
        Err(error_response) => return *error_response,
    };
    let drawn = tokio::task::spawn_blocking(move || phone.phone().frame().to_png()).await;
    match drawn {
        Ok(Ok(png)) => ([(header::CONTENT_TYPE, "image/png")], png).into_response(),
        Ok(Err(_)) | Err(_) => {
            error_response(StatusCode::INTERNAL_SERVER_ERROR, "the screen could not be drawn")
        }
    }
}

async fn fault(
    phones: Phones,
    Query(which): Query<DeviceSelector>,
    Json(change): Json<Value>,
) -> Response {
    on_device(&phones, &which, |phone| match changed(&phone.faults().plan(), &change) {
        Ok(plan) => {
            phone.inject(|now| *now = plan.clone());
            Json(plan).into_response()
        }
        Err(why) => error_response(StatusCode::BAD_REQUEST, &why),
    })
}

/// The plan with the given fields replaced.
fn changed(plan: &FaultPlan, change: &Value) -> Result<FaultPlan, String> {
    let mut whole = serde_json::to_value(plan).map_err(|error| error.to_string())?;
    match (&mut whole, change) {
        (Value::Object(whole), Value::Object(change)) => {
            whole.extend(change.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        _ => return Err("an object with fields of the fault plan is wanted".to_owned()),
    }
    serde_json::from_value(whole).map_err(|error| error.to_string())
}

async fn clear(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    on_device(&phones, &which, |phone| {
        phone.inject(|plan| *plan = FaultPlan::default());
        phone.faults().release();
        done()
    })
}

async fn release(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    on_device(&phones, &which, |phone| {
        phone.faults().release();
        done()
    })
}

async fn kill_link(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    on_device(&phones, &which, |phone| {
        phone.faults().kill_link();
        done()
    })
}

async fn reboot(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    on_device(&phones, &which, |phone| {
        phone.reboot();
        done()
    })
}

/// A body in JSON. axum's own extractor keeps a path to each field, which would be compiled for each type again.
struct Body<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let Json(body) = Json::<Value>::from_request(request, state)
            .await
            .map_err(IntoResponse::into_response)?;
        serde_json::from_value(body)
            .map(Self)
            .map_err(|error| error_response(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialog {
    title: String,
    text: String,
    buttons: Vec<String>,
}

async fn dialog(
    phones: Phones,
    Query(which): Query<DeviceSelector>,
    Body(it): Body<Dialog>,
) -> Response {
    on_device(&phones, &which, |phone| {
        let buttons: Vec<&str> = it.buttons.iter().map(String::as_str).collect();
        phone.phone().show_dialog(&it.title, &it.text, &buttons);
        done()
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    from: String,
    text: String,
}

async fn message(
    phones: Phones,
    Query(which): Query<DeviceSelector>,
    Body(it): Body<Message>,
) -> Response {
    on_device(&phones, &which, |phone| {
        phone.phone().receive_message(&it.from, &it.text);
        done()
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lock {
    pin: Option<String>,
}

async fn lock(
    phones: Phones,
    Query(which): Query<DeviceSelector>,
    Body(it): Body<Lock>,
) -> Response {
    on_device(&phones, &which, |phone| {
        phone.phone().set_pin(it.pin.as_deref());
        if phone.phone().is_awake() {
            phone.phone().press_power();
        }
        done()
    })
}

async fn power(phones: Phones, Query(which): Query<DeviceSelector>) -> Response {
    on_device(&phones, &which, |phone| {
        phone.phone().press_power();
        done()
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotate {
    quarter_turns: u8,
}

async fn rotate(
    phones: Phones,
    Query(which): Query<DeviceSelector>,
    Body(it): Body<Rotate>,
) -> Response {
    on_device(&phones, &which, |phone| {
        if it.quarter_turns > 3 {
            return error_response(StatusCode::BAD_REQUEST, "quarter_turns is 0, 1, 2 or 3");
        }
        phone.phone().set_rotation(it.quarter_turns);
        done()
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Black {
    on: bool,
}

async fn black(
    phones: Phones,
    Query(which): Query<DeviceSelector>,
    Body(it): Body<Black>,
) -> Response {
    on_device(&phones, &which, |phone| {
        phone.phone().set_black(it.on);
        done()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{LinkState, Trigger};

    #[test]
    fn a_plan_is_changed_field_by_field() {
        let plan = FaultPlan { shell_delay_ms: 5, ..FaultPlan::default() };
        let change = json!({ "link": "offline", "black": "every" });
        let plan = changed(&plan, &change).unwrap();
        assert_eq!(plan.shell_delay_ms, 5);
        assert_eq!((plan.link, plan.black), (LinkState::Offline, Some(Trigger::Every)));
        assert!(changed(&plan, &json!({ "blak": "every" })).is_err());
        assert!(changed(&plan, &json!([])).is_err());
        assert_eq!(changed(&plan, &json!({ "black": null })).unwrap().black, None);
    }
}
