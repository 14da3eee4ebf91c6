//! The tokens that people make for their agents.

use myao_plugin::digest::sha256;
use myao_plugin::state::agent_tokens::AgentToken;

use super::failure::Failure;
use super::reader::Reader;
use super::secret::Secret;

/// The maximum number of a person's tokens.
pub(crate) const MOST: usize = 20;
/// The maximum length of a token's name, in characters.
const MAX_NAME: usize = 100;
/// How a token begins, so that people and scanners recognise one.
const PREFIX: &str = "myao_";

/// Makes a token for whoever looks at the page. Only its hash is kept.
pub(crate) async fn issue(reader: &Reader, name: &str) -> Result<(String, AgentToken), Failure> {
    let person = reader.visitor().person().ok_or(Failure::NoPage)?;
    let workspace = reader.changed();
    let is_named = !name.is_empty() && name.chars().count() <= MAX_NAME;
    if reader.site.agents.is_none() || !is_named {
        return Err(Failure::Form);
    }
    if workspace.agent_tokens(&person.id).await?.len() >= MOST {
        return Err(Failure::Form);
    }
    let secret = Secret::random()?;
    let token = format!("{PREFIX}{}", secret.text());
    let hash = sha256(&token);
    let now = reader.site.clock.seconds();
    let kept = workspace
        .add_agent_token(&person.id, name, hash, now)
        .await?;
    Ok((token, kept))
}
