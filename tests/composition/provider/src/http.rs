//! A POST over `wasi:http` in two halves, so that several can be under way at once.

use std::io::{Read as _, Write as _};

use wasip2::http::outgoing_handler;
use wasip2::http::types::{
    ErrorCode, Fields, FutureIncomingResponse, IncomingResponse, Method, OutgoingBody,
    OutgoingRequest, RequestOptions, Scheme,
};

/// In nanoseconds. A model may think for a while before it answers.
const CONNECT_TIMEOUT: u64 = 10_000_000_000;
const ANSWER_TIMEOUT: u64 = 120_000_000_000;

/// Why there is no response.
pub(crate) enum Fault {
    /// The address is none, or a header is not allowed.
    Request(&'static str),
    /// The connection.
    Connection(ErrorCode),
    /// The response broke off.
    Body(std::io::Error),
}

/// A whole response.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The header `retry-after`, if it is in seconds.
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Vec<u8>,
}

/// Sends JSON. The response is on its way.
pub(crate) fn send(
    url: &str,
    key: Option<&str>,
    json: &[u8],
) -> Result<FutureIncomingResponse, Fault> {
    let request = OutgoingRequest::new(headers(key, json.len())?);
    let (scheme, rest) = url
        .split_once("://")
        .ok_or(Fault::Request("the address has no scheme"))?;
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let scheme = match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        _ => {
            return Err(Fault::Request(
                "the address is neither of http nor of https",
            ));
        }
    };
    let is_set = request
        .set_method(&Method::Post)
        .and_then(|()| request.set_scheme(Some(&scheme)))
        .and_then(|()| request.set_authority(Some(authority)))
        .and_then(|()| request.set_path_with_query(Some(path)));
    is_set.map_err(|()| Fault::Request("the address is not valid"))?;
    let body = request
        .body()
        .map_err(|()| Fault::Request("the request has no body"))?;
    let options = RequestOptions::new();
    // A host that knows no timeouts has its own.
    let _ = options.set_connect_timeout(Some(CONNECT_TIMEOUT));
    let _ = options.set_first_byte_timeout(Some(ANSWER_TIMEOUT));
    let response = outgoing_handler::handle(request, Some(options)).map_err(Fault::Connection)?;
    write(body, json);
    Ok(response)
}

fn headers(key: Option<&str>, length: usize) -> Result<Fields, Fault> {
    let mut headers = vec![
        ("content-type".to_owned(), b"application/json".to_vec()),
        ("content-length".to_owned(), length.to_string().into_bytes()),
    ];
    if let Some(key) = key {
        headers.push((
            "authorization".to_owned(),
            format!("Bearer {key}").into_bytes(),
        ));
    }
    Fields::from_list(&headers).map_err(|_| Fault::Request("the key cannot be in a header"))
}

/// What goes wrong here, the response says better: a server may answer before it has read everything.
fn write(body: OutgoingBody, json: &[u8]) {
    if let Ok(mut stream) = body.write() {
        let _ = stream.write_all(json);
        let _ = stream.blocking_flush();
    }
    let _ = OutgoingBody::finish(body, None);
}

/// Waits for the response.
pub(crate) fn receive(response: &FutureIncomingResponse) -> Result<Response, Fault> {
    response.subscribe().block();
    let response = match response.get() {
        Some(Ok(response)) => response.map_err(Fault::Connection)?,
        // It is taken once, after it has come.
        Some(Err(())) | None => return Err(Fault::Request("there is no response")),
    };
    let retry_after = retry_after(&response);
    Ok(Response {
        status: response.status(),
        retry_after,
        body: read(&response)?,
    })
}

fn retry_after(response: &IncomingResponse) -> Option<u32> {
    let values = response.headers().get("retry-after");
    std::str::from_utf8(values.first()?).ok()?.parse().ok()
}

fn read(response: &IncomingResponse) -> Result<Vec<u8>, Fault> {
    let body = response
        .consume()
        .map_err(|()| Fault::Request("the response has no body"))?;
    let mut stream = body
        .stream()
        .map_err(|()| Fault::Request("the response has no body"))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(Fault::Body)?;
    Ok(bytes)
}
