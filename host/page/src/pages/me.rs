//! Somebody's own page: who they are, and the tokens with which their agents ask.

use maud::{Markup, html};
use myao_bot::people::Person;
use myao_bot::reading::times::rfc3339;
use myao_plugin::state::agent_tokens::AgentToken;
use myao_plugin::{Timestamp, User};
use serde_json::{Value, json};

use super::Shown;
use super::items::Items;
use crate::failure::Failure;
use crate::html::{Frame, Look, form, name, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;
use crate::tokens;

struct Me {
    person: Person,
    items: Items,
    tokens: Vec<Listed>,
    /// Where agents ask.
    address: String,
    form_token: String,
}

struct Listed {
    token: AgentToken,
    made: Timestamp,
    used: Option<Timestamp>,
}

pub(super) async fn read(reader: &Reader) -> Result<impl Shown + use<>, Failure> {
    let person = reader.visitor().person().ok_or(Failure::NoPage)?.clone();
    let address = reader.site.agents.clone();
    let tokens = match address {
        Some(_) => reader.site.workspace.agent_tokens(&person.id).await?,
        None => Vec::new(),
    };
    let local = |seconds| reader.site.clock.local(seconds);
    let tokens = tokens.into_iter().map(|token| Listed {
        made: local(token.made_at),
        used: token.used_at.map(local),
        token,
    });
    let own = User {
        id: person.id.clone(),
        name: person.name.clone(),
        is_bot: false,
    };
    Ok(Me {
        items: Items::of_person(reader, own).await?,
        tokens: tokens.collect(),
        address: address.unwrap_or_default(),
        form_token: reader.token().to_owned(),
        person,
    })
}

impl Shown for Me {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::ME.of(language);
        let sign_out = html! {
            p class="field" { button name="do" value="sign-out" { (texts::SIGN_OUT.of(language)) } }
        };
        let main = html! {
            h1 { (title) }
            p { strong { (name(&self.person.name)) } }
            p { (texts::ME_HINT.of(language)) }
            (form(&Route::Me, &self.form_token, &sign_out))
            (self.items.html(language))
            h2 { (texts::AGENTS.of(language)) }
            p { (texts::AGENTS_HINT.of(language)) }
            pre { code { (self.address) } }
            (self.listed(language))
            @if self.tokens.len() < tokens::MOST { (self.issue(language)) }
        };
        Frame {
            look,
            title,
            route: Some(&Route::Me),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let tokens = self.tokens.iter().map(|listed| {
            json!({
                "id": listed.token.id,
                "name": listed.token.name,
                "made_at": rfc3339(listed.made),
                "used_at": listed.used.map(rfc3339),
            })
        });
        json!({
            "user_id": self.person.id,
            "user_name": self.person.name,
            "is_admin": self.person.is_admin,
            "items": self.items.json(),
            "tokens": tokens.collect::<Value>(),
        })
    }
}

impl Me {
    fn listed(&self, language: Language) -> Markup {
        html! {
            @if !self.tokens.is_empty() {
                table {
                    thead {
                        tr {
                            th scope="col" { (texts::TOKEN.of(language)) }
                            th scope="col" { (texts::MADE.of(language)) }
                            th scope="col" { (texts::USED_LAST.of(language)) }
                            th scope="col" { (texts::WITHDRAW.of(language)) }
                        }
                    }
                    tbody {
                        @for listed in &self.tokens {
                            tr {
                                th scope="row" { (name(&listed.token.name)) }
                                td { (time(listed.made)) }
                                td { @if let Some(used) = listed.used { (time(used)) } @else { "–" } }
                                td { (self.withdraw(&listed.token, language)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn withdraw(&self, token: &AgentToken, language: Language) -> Markup {
        let label = texts::withdraw(&token.name, language);
        let fields = html! {
            input type="hidden" name="id" value=(token.id);
            button name="do" value="withdraw" aria-label=(label) { (texts::WITHDRAW.of(language)) }
        };
        form(&Route::Me, &self.form_token, &fields)
    }

    fn issue(&self, language: Language) -> Markup {
        let fields = html! {
            p class="field grow" {
                label for="name" { (texts::TOKEN_NAME.of(language)) }
                input id="name" name="name" required maxlength="100" autocomplete="off";
            }
            p class="field" { button name="do" value="issue" { (texts::ISSUE.of(language)) } }
        };
        form(&Route::Me, &self.form_token, &fields)
    }
}

struct Issued {
    /// It is shown this once.
    secret: String,
    kept: AgentToken,
}

/// Shows a new token.
pub(crate) fn issued(secret: String, kept: AgentToken) -> impl Shown {
    Issued { secret, kept }
}

impl Shown for Issued {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::ISSUED.of(language);
        let main = html! {
            h1 { (title) }
            p { strong { (name(&self.kept.name)) } }
            p { (texts::ISSUED_HINT.of(language)) }
            pre { code { "Authorization: Bearer " (self.secret) } }
            p { a href=(Route::Me.address()) { (texts::ME.of(language)) } }
        };
        Frame {
            look,
            title,
            route: None,
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        json!({ "id": self.kept.id })
    }
}
