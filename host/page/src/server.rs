//! From a request to its answer.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use myao_plugin::printable;
use serde_json::Value;

use super::Site;
use super::access::{Access, is_from_elsewhere};
use super::actions::{Done, act};
use super::failure::Failure;
use super::headers::protect;
use super::language::Language;
use super::link_file::LinkFile;
use super::pages::{self, Shown, refused};
use super::reader::Reader;
use super::route::{self, Fields, Route, Wanted};

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("style.css");
const ICON: &str = include_str!("icon.svg");

/// What answers.
pub(crate) struct Server {
    pub(crate) site: Arc<Site>,
    pub(crate) access: Arc<Access>,
    pub(crate) link_file: Option<LinkFile>,
}

/// The largest form: a correction.
const MAX_FORM_BYTES: usize = 16 << 10;

/// Answers a request. Its body is read only if it is a form of whoever opened the page.
pub(crate) async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut answer = if parts.method == Method::POST {
        server.changed(&parts, body).await
    } else {
        server.answered(&parts).await
    };
    protect(answer.headers_mut());
    answer
}

impl Server {
    async fn answered(&self, request: &Parts) -> Response {
        let headers = &request.headers;
        let language = language(headers);
        if !matches!(request.method, Method::GET | Method::HEAD) {
            return self.failed(Failure::Method, language);
        }
        if !self.access.is_own_host(headers) {
            return self.failed(Failure::Host, language);
        }
        let uri = &request.uri;
        let wanted = route::parse(uri.path(), uri.query());
        match wanted {
            Some(Wanted::Style) => return body(StatusCode::OK, "text/css; charset=utf-8", STYLE),
            Some(Wanted::Icon) => return body(StatusCode::OK, "image/svg+xml", ICON),
            Some(Wanted::Open(secret)) => return self.open(request, &secret, language),
            _ => {}
        }
        let is_json = uri.path().ends_with(".json");
        let shown = if !self.access.is_open(headers) {
            Err(Failure::Closed)
        } else if is_from_elsewhere(headers) {
            Err(Failure::Elsewhere)
        } else {
            match wanted {
                Some(Wanted::Start) => return redirect(&Route::START, None),
                Some(Wanted::Page(route) | Wanted::Json(route)) => {
                    pages::show(self.reader(), &route).await
                }
                _ => Err(Failure::NoPage),
            }
        };
        match shown {
            Ok(shown) if is_json => json(StatusCode::OK, &shown.json()),
            Ok(shown) => page(StatusCode::OK, &*shown, language),
            Err(failure) if is_json => json(failure.status(), &failure.json()),
            Err(failure) => self.failed(failure, language),
        }
    }

    fn reader(&self) -> Reader {
        Reader::new(self.site.clone(), self.access.form_token())
    }

    /// Does what a form asks for.
    async fn changed(&self, request: &Parts, body: Body) -> Response {
        let language = language(&request.headers);
        match self.change(request, body).await {
            Ok(Done::See(route)) => redirect(&route, None),
            Ok(Done::Receipt(receipt)) => page(StatusCode::OK, &*receipt, language),
            Err(failure) => self.failed(failure, language),
        }
    }

    async fn change(&self, request: &Parts, body: Body) -> Result<Done, Failure> {
        let (headers, uri) = (&request.headers, &request.uri);
        let Some(Wanted::Page(route)) = route::parse(uri.path(), uri.query()) else {
            return Err(Failure::Method);
        };
        let has_form = matches!(route, Route::Message { .. } | Route::Channel { .. });
        if !self.site.can_change || !has_form {
            return Err(Failure::Method);
        }
        if !self.access.is_own_host(headers) {
            return Err(Failure::Host);
        }
        if !self.access.is_open(headers) {
            return Err(Failure::Closed);
        }
        if is_from_elsewhere(headers) {
            return Err(Failure::Elsewhere);
        }
        let form = to_bytes(body, MAX_FORM_BYTES).await;
        let mut form = Fields::of_form(&form.map_err(|_| Failure::Form)?);
        if !self.access.is_own_form(&form.take("token")) {
            return Err(Failure::Elsewhere);
        }
        act(&self.reader(), &route, &mut form).await
    }

    /// Exchanges the link's secret for the cookie.
    fn open(&self, request: &Parts, secret: &str, language: Language) -> Response {
        // A preview of the link does not use it up.
        if request.method == Method::GET
            && let Some(cookie) = self.access.exchange(secret)
        {
            self.renew_link();
            return redirect(&Route::START, Some(&cookie));
        }
        if self.access.is_open(&request.headers) {
            return redirect(&Route::START, None);
        }
        self.failed(Failure::Used, language)
    }

    /// Puts another link into the file, if there is one.
    fn renew_link(&self) {
        let Some(file) = &self.link_file else {
            return;
        };
        let renewed = self.access.renew().map_err(|error| error.to_string());
        let secret = renewed.map(|()| self.access.link().unwrap_or_default());
        let written = secret.and_then(|secret| file.write(&secret).map_err(|e| e.to_string()));
        if let Err(error) = written {
            tracing::warn!(
                "there is no new link to the page: {error}; start the program again for one"
            );
        }
    }

    fn failed(&self, failure: Failure, language: Language) -> Response {
        if let Failure::Store(error) | Failure::Call(error) = &failure {
            tracing::warn!("a page cannot be shown: {error}");
        }
        let status = failure.status();
        let mut answer = page(status, &refused(failure, &self.site), language);
        if status == StatusCode::METHOD_NOT_ALLOWED {
            let allowed = HeaderValue::from_static("GET, HEAD");
            answer.headers_mut().insert(header::ALLOW, allowed);
        }
        answer
    }
}

fn language(headers: &HeaderMap) -> Language {
    let accepted = headers.get(header::ACCEPT_LANGUAGE);
    Language::preferred(accepted.and_then(|value| value.to_str().ok()))
}

fn page(status: StatusCode, shown: &dyn Shown, language: Language) -> Response {
    let mut answer = body(status, HTML, shown.html(language).into_string());
    let tag = HeaderValue::from_static(language.tag());
    answer.headers_mut().insert(header::CONTENT_LANGUAGE, tag);
    answer
}

fn json(status: StatusCode, value: &Value) -> Response {
    let text = format!("{value:#}\n");
    body(
        status,
        "application/json",
        printable::json(&text).into_owned(),
    )
}

fn redirect(to: &Route, cookie: Option<&str>) -> Response {
    let mut answer = body(StatusCode::SEE_OTHER, HTML, "");
    let headers = answer.headers_mut();
    if let Ok(address) = HeaderValue::from_str(&to.address()) {
        headers.insert(header::LOCATION, address);
    }
    if let Some(Ok(cookie)) = cookie.map(HeaderValue::from_str) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    answer
}

fn body(status: StatusCode, kind: &'static str, text: impl Into<Body>) -> Response {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}
