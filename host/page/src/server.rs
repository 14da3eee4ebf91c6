//! From a request to its answer.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use myao_plugin::printable;
use serde_json::Value;

use super::Site;
use super::access::{Access, is_from_elsewhere};
use super::failure::Failure;
use super::headers::protect;
use super::language::Language;
use super::link_file::LinkFile;
use super::pages::{self, Shown, refused};
use super::reader::Reader;
use super::route::{self, Route, Wanted};

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("style.css");
const ICON: &str = include_str!("icon.svg");

/// What answers.
pub(crate) struct Server {
    pub(crate) site: Arc<Site>,
    pub(crate) access: Arc<Access>,
    pub(crate) link_file: Option<LinkFile>,
}

/// Answers a request. Its body is never read.
pub(crate) async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let mut answer = server.answered(&parts).await;
    protect(answer.headers_mut());
    answer
}

impl Server {
    async fn answered(&self, request: &Parts) -> Response {
        let headers = &request.headers;
        let language = language(headers);
        if !matches!(request.method, Method::GET | Method::HEAD) {
            let mut refusal = self.failed(Failure::Method, language);
            let allowed = HeaderValue::from_static("GET, HEAD");
            refusal.headers_mut().insert(header::ALLOW, allowed);
            return refusal;
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
                    pages::show(Reader::new(self.site.clone()), &route).await
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
        page(status, &refused(failure, &self.site), language)
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
