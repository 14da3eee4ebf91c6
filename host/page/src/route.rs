//! The addresses of the page: read from requests and written into links by the same type, so that a link leads only to
//! what exists.

use myao_plugin::ts::TsKey;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::fields::Fields;

/// Characters that stay as they are in a path. A dot does not: an id that ends in `.json` is no JSON twin.
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_');
/// The ending of a page's JSON twin.
const JSON: &str = ".json";

/// Where agents ask.
pub const AGENTS: &str = "/mcp";
/// Where people begin to sign in.
const SIGN_IN: &str = "/sign-in";
/// Where Slack sends them back to.
pub const SIGNED_IN: &str = "/sign-in/done";

/// Which memory of a channel is shown over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Its versions.
    ShortTerm,
    /// The texts of its long-term memory.
    LongTerm,
}

/// The fields of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) words: String,
    /// The name of a channel; empty for all.
    pub(crate) channel: String,
    /// A day, `2026-03-04`; empty for no limit.
    pub(crate) since: String,
    pub(crate) until: String,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    Workspace {
        page: usize,
    },
    Channel {
        id: String,
        layer: Layer,
        page: usize,
        threads: usize,
    },
    Memory {
        id: u64,
    },
    Message {
        channel_id: String,
        ts: TsKey,
    },
    Search(Search),
    Upkeep,
    /// Somebody's own page: who they are, and their agents' tokens.
    Me,
    Answers {
        /// Only those that somebody found good, or bad.
        judged: Option<bool>,
    },
    Ask {
        question: String,
    },
}

/// The page or action that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    Page(Route),
    Json(Route),
    /// The link with its secret.
    Open(String),
    /// Begin to sign in, to see a page.
    SignIn(Route),
    /// Slack's answer to a sign-in.
    SignedIn {
        code: String,
        state: String,
    },
    Style,
    Icon,
    Start,
}

/// The page or action of a path and its query; `None` if the page does not exist.
pub(crate) fn parse(path: &str, query: Option<&str>) -> Option<Wanted> {
    match path {
        "/" => return Some(Wanted::Start),
        "/style.css" => return Some(Wanted::Style),
        "/icon.svg" => return Some(Wanted::Icon),
        SIGN_IN => {
            let to = Fields::of_query(query).take("to");
            return Some(Wanted::SignIn(page_of(&to).unwrap_or(Route::START)));
        }
        SIGNED_IN => {
            let mut query = Fields::of_query(query);
            return Some(Wanted::SignedIn {
                code: query.take("code"),
                state: query.take("state"),
            });
        }
        _ => {}
    }
    if let Some(secret) = path.strip_prefix("/open/") {
        return Some(Wanted::Open(secret.to_owned()));
    }
    match path.strip_suffix(JSON) {
        Some(path) => Some(Wanted::Json(route(path, query)?)),
        None => Some(Wanted::Page(route(path, query)?)),
    }
}

/// The page with an address.
pub(crate) fn page_of(address: &str) -> Option<Route> {
    match address.split_once('?') {
        Some((path, query)) => route(path, Some(query)),
        None => route(address, None),
    }
}

fn route(path: &str, query: Option<&str>) -> Option<Route> {
    let mut segments = path.strip_prefix('/')?.split('/');
    let (kind, id, more) = (segments.next()?, segments.next(), segments.next());
    if segments.next().is_some() {
        return None;
    }
    let mut query = Fields::of_query(query);
    match (kind, id, more) {
        ("workspace", None, None) => Some(Route::Workspace {
            page: query.number("page"),
        }),
        ("channel", Some(id), None) => Some(Route::Channel {
            id: percent_decode_str(id).decode_utf8().ok()?.into_owned(),
            layer: match query.take("of").as_str() {
                "long-term" => Layer::LongTerm,
                _ => Layer::ShortTerm,
            },
            page: query.number("page"),
            threads: query.number("threads"),
        }),
        ("message", Some(channel_id), Some(ts)) => Some(Route::Message {
            channel_id: percent_decode_str(channel_id)
                .decode_utf8()
                .ok()?
                .into_owned(),
            ts: TsKey::parse(&percent_decode_str(ts).decode_utf8().ok()?).ok()?,
        }),
        ("memory", Some(id), None) => Some(Route::Memory {
            id: id.parse().ok()?,
        }),
        ("upkeep", None, None) => Some(Route::Upkeep),
        ("me", None, None) => Some(Route::Me),
        ("answers", None, None) => Some(Route::Answers {
            judged: match query.take("only").as_str() {
                "good" => Some(true),
                "bad" => Some(false),
                _ => None,
            },
        }),
        ("search", None, None) => Some(Route::Search(Search {
            words: query.take("q"),
            channel: query.take("channel"),
            since: query.take("since"),
            until: query.take("until"),
        })),
        ("ask", None, None) => Some(Route::Ask {
            question: query.take("q"),
        }),
        _ => None,
    }
}

impl Route {
    /// The first page of all channels.
    pub(crate) const START: Self = Self::Workspace { page: 1 };

    /// The page on which questions are asked.
    pub(crate) const ASK: Self = Self::Ask {
        question: String::new(),
    };

    /// The page of a channel.
    pub(crate) fn channel(id: &str) -> Self {
        Self::Channel {
            id: id.to_owned(),
            layer: Layer::ShortTerm,
            page: 1,
            threads: 1,
        }
    }

    /// The address of the page.
    pub(crate) fn address(&self) -> String {
        self.written("")
    }

    /// The address of its JSON twin.
    pub(crate) fn json_address(&self) -> String {
        self.written(JSON)
    }

    /// The address where people begin to sign in to see the page.
    pub(crate) fn sign_in_address(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("to", &self.address());
        format!("{SIGN_IN}?{}", query.finish())
    }

    fn written(&self, ending: &str) -> String {
        let path = match self {
            Self::Workspace { .. } => "/workspace".to_owned(),
            Self::Channel { id, .. } => format!("/channel/{}", utf8_percent_encode(id, &PLAIN)),
            Self::Memory { id } => format!("/memory/{id}"),
            Self::Message { channel_id, ts } => format!(
                "/message/{}/{}",
                utf8_percent_encode(channel_id, &PLAIN),
                utf8_percent_encode(&ts.to_string(), &PLAIN)
            ),
            Self::Upkeep => "/upkeep".to_owned(),
            Self::Me => "/me".to_owned(),
            Self::Answers { .. } => "/answers".to_owned(),
            Self::Search(_) => "/search".to_owned(),
            Self::Ask { .. } => "/ask".to_owned(),
        };
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.query() {
            if !value.is_empty() {
                query.append_pair(name, &value);
            }
        }
        match query.finish().as_str() {
            "" => format!("{path}{ending}"),
            query => format!("{path}{ending}?{query}"),
        }
    }

    fn query(&self) -> Vec<(&'static str, String)> {
        let number = |number: usize| match number {
            1 => String::new(),
            number => number.to_string(),
        };
        match self {
            Self::Workspace { page } => vec![("page", number(*page))],
            Self::Channel {
                layer,
                page,
                threads,
                ..
            } => {
                let layer = match layer {
                    Layer::ShortTerm => "",
                    Layer::LongTerm => "long-term",
                };
                vec![
                    ("of", layer.to_owned()),
                    ("page", number(*page)),
                    ("threads", number(*threads)),
                ]
            }
            Self::Memory { .. } | Self::Message { .. } | Self::Upkeep | Self::Me => Vec::new(),
            Self::Search(search) => vec![
                ("q", search.words.clone()),
                ("channel", search.channel.clone()),
                ("since", search.since.clone()),
                ("until", search.until.clone()),
            ],
            Self::Answers { judged } => {
                let only = match judged {
                    Some(true) => "good",
                    Some(false) => "bad",
                    None => "",
                };
                vec![("only", only.to_owned())]
            }
            Self::Ask { question } => vec![("q", question.clone())],
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use myao_plugin::ts::TsKey;

    use super::{Layer, Route, Search, Wanted, parse};

    fn parsed(address: &str) -> Option<Wanted> {
        match address.split_once('?') {
            Some((path, query)) => parse(path, Some(query)),
            None => parse(address, None),
        }
    }

    #[test]
    fn an_address_leads_to_the_page_that_wrote_it() {
        let search = Search {
            words: "crane & 監視 <b>=?#%".to_owned(),
            channel: "general".to_owned(),
            since: "2026-03-04".to_owned(),
            until: String::new(),
        };
        let channel = |id: &str| Route::Channel {
            id: id.to_owned(),
            layer: Layer::LongTerm,
            page: 7,
            threads: 2,
        };
        for route in [
            Route::START,
            Route::Workspace { page: 12 },
            Route::channel("C07GENERAL1"),
            channel("C1.json"),
            channel("../../etc"),
            channel("a/b?c#d e\u{0}\u{202e}<script>\"'"),
            channel("雑談"),
            Route::Memory { id: u64::MAX },
            Route::Message {
                channel_id: "C1/..".to_owned(),
                ts: TsKey::parse("1709287200.000100").unwrap(),
            },
            Route::Upkeep,
            Route::Me,
            Route::Answers { judged: None },
            Route::Answers {
                judged: Some(false),
            },
            Route::Search(search),
            Route::Search(Search::default()),
            Route::Ask {
                question: "What, if \"anything\"?".to_owned(),
            },
        ] {
            let address = route.address();
            assert!(
                address.starts_with('/') && !address.starts_with("//"),
                "{address}"
            );
            assert!(!address.contains(['"', '\'', '<', '>', ' ']), "{address}");
            assert_eq!(
                parsed(&address),
                Some(Wanted::Page(route.clone())),
                "{address}"
            );
            let sign_in = Wanted::SignIn(route.clone());
            assert_eq!(parsed(&route.sign_in_address()), Some(sign_in));
            let twin = route.json_address();
            assert_eq!(parsed(&twin), Some(Wanted::Json(route)), "{twin}");
        }
    }

    #[test]
    fn other_addresses_lead_nowhere() {
        for address in [
            "/nothing",
            "/channel",
            "/channel/C1/x",
            "/memory/x",
            "/memory/-1",
            "/message/C1",
            "/message/C1/now",
            "/message/C1/1%2E000001/x",
            "/workspace/",
            "/channel/%ff",
            "",
            "//evil.example/",
        ] {
            assert_eq!(parsed(address), None, "{address}");
        }
    }

    #[test]
    fn a_sign_in_leads_to_no_other_site() {
        for to in [
            "",
            "https://evil.example/",
            "//evil.example/",
            "/sign-in",
            "/open/1",
        ] {
            let wanted = parsed(&format!("/sign-in?to={to}"));
            assert_eq!(wanted, Some(Wanted::SignIn(Route::START)), "{to}");
        }
    }

    #[test]
    fn bad_numbers_are_the_first_page() {
        for query in [
            "page=0",
            "page=-3",
            "page=x",
            "page=99999999999999999999999",
        ] {
            let wanted = parsed(&format!("/workspace?{query}"));
            assert_eq!(wanted, Some(Wanted::Page(Route::START)), "{query}");
        }
    }
}
