//! From a request to its answer.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use myao_plugin::printable;
use myao_plugin::state::audit;
use serde_json::Value;

use super::Site;
use super::actions::{Done, act};
use super::agents::{Agency, Agents};
use super::door::{Door, LinkDoor, TeamDoor, is_from_elsewhere};
use super::failure::Failure;
use super::fields::Fields;
use super::headers::protect;
use super::html::{Look, Nav};
use super::language::Language;
use super::pages::{self, Shown, refused, signed_in};
use super::reader::Reader;
use super::route::{self, Route, Wanted};
use super::visitor::Visit;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("style.css");
const ICON: &str = include_str!("icon.svg");

/// The server behind the address.
pub(crate) struct Server {
    pub(crate) site: Arc<Site>,
    pub(crate) door: Door,
    pub(crate) agents: Option<Arc<dyn Agents>>,
}

/// The largest form: a correction.
const MAX_FORM_BYTES: usize = 16 << 10;

/// Answers a request. Its body is read only if it is a form of whoever opened the page, or an agent's.
pub(crate) async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    if request.uri().path() == route::AGENTS {
        let agency = Agency {
            site: &server.site,
            door: &server.door,
            agents: server.agents.as_deref(),
        };
        let mut answer = agency.answer(request).await;
        protect(answer.headers_mut());
        return answer;
    }
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
        if !self.door.is_own_host(headers) {
            return self.failed(Failure::Host, language);
        }
        let uri = &request.uri;
        let wanted = route::parse(uri.path(), uri.query());
        match (&wanted, &self.door) {
            (Some(Wanted::Style), _) => {
                return body(StatusCode::OK, "text/css; charset=utf-8", STYLE);
            }
            (Some(Wanted::Icon), _) => return body(StatusCode::OK, "image/svg+xml", ICON),
            (Some(Wanted::Open(secret)), Door::Link(door)) => {
                return self.open(door, request, secret, language).await;
            }
            (Some(Wanted::SignIn(to)), Door::Team(door)) => {
                return self.sign_in(door, to, language);
            }
            (Some(Wanted::SignedIn { code, state }), Door::Team(door)) => {
                return self.signed_in(door, headers, (code, state), language).await;
            }
            _ => {}
        }
        let is_json = uri.path().ends_with(".json");
        let shown = match self.visit(headers).await {
            Err(failure) => {
                // Whoever may not come in yet is led on to what they wanted.
                if let Some(Wanted::Page(to)) = &wanted {
                    return self.refused(failure, to, language);
                }
                Err(failure)
            }
            Ok(visit) => match wanted {
                Some(Wanted::Start) => return redirect(&Route::START, &[]),
                // A question costs; whoever asks only for the head gets no answer anyway.
                Some(Wanted::Page(Route::Ask { .. }) | Wanted::Json(Route::Ask { .. }))
                    if request.method == Method::HEAD =>
                {
                    self.shown(visit, &Route::ASK).await
                }
                Some(Wanted::Page(route) | Wanted::Json(route)) => self.shown(visit, &route).await,
                _ => Err(Failure::NoPage),
            },
        };
        match shown {
            Ok((shown, _)) if is_json => json(StatusCode::OK, &shown.json()),
            Ok((shown, nav)) => page(StatusCode::OK, &*shown, Look { language, nav }),
            Err(failure) if is_json => {
                log(&failure);
                json(failure.status(), &failure.json())
            }
            Err(failure) => self.failed(failure, language),
        }
    }

    /// Who makes a request that no other site made.
    async fn visit(&self, headers: &HeaderMap) -> Result<Visit, Failure> {
        let is_from_elsewhere = is_from_elsewhere(headers);
        // Such a request has no cookie, though its sender may be signed in.
        if is_from_elsewhere && matches!(self.door, Door::Team(_)) {
            return Err(Failure::Elsewhere);
        }
        let visit = self.door.visit(headers, self.site.clock.seconds()).await?;
        if is_from_elsewhere {
            return Err(Failure::Elsewhere);
        }
        Ok(visit)
    }

    async fn shown(&self, visit: Visit, route: &Route) -> Result<(Box<dyn Shown>, Nav), Failure> {
        if let (Door::Team(door), Route::Ask { question }) = (&self.door, route)
            && let Some(person) = visit.visitor.person()
            && !question.is_empty()
        {
            let settings = self.site.current.settings();
            let counted = door.people().count_question(&person.id, &settings);
            counted.map_err(|seconds| Failure::TooMany { seconds })?;
        }
        let nav = Nav::of(&visit.visitor);
        let shown = pages::show(Reader::new(self.site.clone(), visit), route).await?;
        Ok((shown, nav))
    }

    /// Carries out a form.
    async fn changed(&self, request: &Parts, body: Body) -> Response {
        let language = language(&request.headers);
        match self.change(request, body).await {
            Ok((Done::See(route), _)) => redirect(&route, &[]),
            Ok((Done::SignOut, _)) => match &self.door {
                Door::Team(door) => redirect(&Route::START, &[door.end(&request.headers)]),
                Door::Link(_) => self.failed(Failure::Method, language),
            },
            Ok((Done::Receipt(receipt), nav)) => {
                page(StatusCode::OK, &*receipt, Look { language, nav })
            }
            Err(failure) => self.failed(failure, language),
        }
    }

    async fn change(&self, request: &Parts, body: Body) -> Result<(Done, Nav), Failure> {
        let (headers, uri) = (&request.headers, &request.uri);
        let Some(Wanted::Page(route)) = route::parse(uri.path(), uri.query()) else {
            return Err(Failure::Method);
        };
        if !matches!(
            route,
            Route::Message { .. } | Route::Channel { .. } | Route::Me
        ) {
            return Err(Failure::Method);
        }
        if !self.door.is_own_host(headers) {
            return Err(Failure::Host);
        }
        let visit = self.visit(headers).await?;
        let form = to_bytes(body, MAX_FORM_BYTES).await;
        let mut form = Fields::of_form(&form.map_err(|_| Failure::Form)?);
        if !visit.is_own_form(&form.take("token")) {
            return Err(Failure::Elsewhere);
        }
        let nav = Nav::of(&visit.visitor);
        let reader = Reader::new(self.site.clone(), visit);
        Ok((act(&reader, &route, &mut form).await?, nav))
    }

    /// Exchanges the link's secret for the cookie.
    async fn open(
        &self,
        door: &LinkDoor,
        request: &Parts,
        secret: &str,
        language: Language,
    ) -> Response {
        // A preview of the link does not use it up.
        if request.method == Method::GET
            && let Some(cookie) = door.exchange(secret)
        {
            return match self
                .note_sign_in(audit::Actor::operator(audit::Door::Page))
                .await
            {
                Ok(()) => redirect(&Route::START, &[cookie]),
                Err(failure) => self.failed(failure, language),
            };
        }
        if door.is_open(&request.headers) {
            return redirect(&Route::START, &[]);
        }
        self.failed(Failure::Used, language)
    }

    /// Notes a sign-in before the cookies are handed out: nobody comes in unseen.
    async fn note_sign_in(&self, who: audit::Actor) -> Result<(), Failure> {
        let now = self.site.clock.seconds();
        Ok(self.site.workspace.by(who).note_sign_in(now).await?)
    }

    /// Sends somebody to Slack, to sign in there.
    fn sign_in(&self, door: &TeamDoor, to: &Route, language: Language) -> Response {
        match door.begin(to) {
            Ok((address, cookie)) => sent_to(&address, &[cookie]),
            Err(failure) => self.failed(failure, language),
        }
    }

    /// Takes somebody whom Slack sent back. The page that they get asks for the one they want itself: to a request that Slack's
    /// page makes, the browser adds no cookie of a session.
    async fn signed_in(
        &self,
        door: &TeamDoor,
        headers: &HeaderMap,
        sent: (&str, &str),
        language: Language,
    ) -> Response {
        let finished = async {
            let now = self.site.clock.seconds();
            let (user_id, cookies, to) = door.finish(headers, sent, now).await?;
            let who = audit::Actor::person(user_id, audit::Door::Page);
            self.note_sign_in(who).await?;
            Ok((cookies, to))
        };
        match finished.await {
            Ok((cookies, to)) => {
                let refresh = format!("0; url={}", to.address());
                // Nobody is made to ask: a question takes a click.
                let goes_on = !matches!(&to, Route::Ask { question } if !question.is_empty());
                let mut answer = page(StatusCode::OK, &signed_in(to), Look::bare(language));
                set_cookies(&mut answer, &cookies);
                if let Some(to) = HeaderValue::from_str(&refresh).ok().filter(|_| goes_on) {
                    answer.headers_mut().insert("refresh", to);
                }
                answer
            }
            Err(failure) => self.failed(failure, language),
        }
    }

    fn failed(&self, failure: Failure, language: Language) -> Response {
        self.refused(failure, &Route::START, language)
    }

    /// The page in place of another, which leads on to `to`.
    fn refused(&self, failure: Failure, to: &Route, language: Language) -> Response {
        log(&failure);
        let status = failure.status();
        let refusal = refused(failure, self.door.way_in(), to.clone());
        let mut answer = page(status, &refusal, Look::bare(language));
        if status == StatusCode::METHOD_NOT_ALLOWED {
            let allowed = HeaderValue::from_static("GET, HEAD");
            answer.headers_mut().insert(header::ALLOW, allowed);
        }
        answer
    }
}

fn log(failure: &Failure) {
    match failure {
        Failure::Store(error) | Failure::NoAnswer(error) | Failure::Call(error) => {
            tracing::warn!("a page cannot be shown: {error}");
        }
        Failure::NotKnown(error) => tracing::warn!("a page is not shown to somebody: {error}"),
        Failure::SignIn(error) => tracing::info!("somebody could not sign in: {error}"),
        _ => {}
    }
}

fn language(headers: &HeaderMap) -> Language {
    let accepted = headers.get(header::ACCEPT_LANGUAGE);
    Language::preferred(accepted.and_then(|value| value.to_str().ok()))
}

fn page(status: StatusCode, shown: &dyn Shown, look: Look) -> Response {
    let mut answer = body(status, HTML, shown.html(look).into_string());
    let tag = HeaderValue::from_static(look.language.tag());
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

fn redirect(to: &Route, cookies: &[String]) -> Response {
    sent_to(&to.address(), cookies)
}

fn sent_to(address: &str, cookies: &[String]) -> Response {
    let mut answer = body(StatusCode::SEE_OTHER, HTML, "");
    if let Ok(address) = HeaderValue::from_str(address) {
        answer.headers_mut().insert(header::LOCATION, address);
    }
    set_cookies(&mut answer, cookies);
    answer
}

fn set_cookies(answer: &mut Response, cookies: &[String]) {
    let values = cookies.iter().map(|cookie| HeaderValue::from_str(cookie));
    for value in values.flatten() {
        answer.headers_mut().append(header::SET_COOKIE, value);
    }
}

fn body(status: StatusCode, kind: &'static str, text: impl Into<Body>) -> Response {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}
