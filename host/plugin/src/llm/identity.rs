//! The identity of a model: two calls of the same model with the same input have the same digest.

use serde_json::{Value, json};

use super::Request;
use crate::digest::sha256_hex;

/// A model as the configuration describes it. Address and parameters are only in the digest, so that a secret in them
/// cannot leak. Keys are not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelIdentity {
    provider: String,
    model: String,
    digest: String,
}

impl ModelIdentity {
    /// The model at an address, with the parameters of its calls. Their order does not matter.
    #[must_use]
    pub fn new(provider: &str, model: &str, address: &str, parameters: &Value) -> Self {
        let mut parameters = parameters.clone();
        parameters.sort_all_objects();
        let described = json!([provider, model, address, parameters]);
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            digest: sha256_hex(described.to_string()),
        }
    }

    /// The provider, as the configuration names it: `openai`, …
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model, by the name that the provider uses.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// SHA-256 of everything that describes the model, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// SHA-256, in hexadecimal, of everything that an answer depends on: the model, the prompt, the maximum length of
    /// the answer and its form.
    #[must_use]
    pub fn input_digest(&self, request: &Request) -> String {
        let Request {
            system_prompt,
            max_tokens,
            answer_schema,
            purpose: _,
        } = request;
        let input = json!([self.digest, system_prompt, max_tokens]);
        let input = match answer_schema {
            Some(schema) => json!([input, schema]),
            None => input,
        };
        sha256_hex(input.to_string())
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use serde_json::json;

    use super::ModelIdentity;
    use crate::bindings::types::Scope;
    use crate::llm::{Agent, Purpose, Request};

    fn request(system_prompt: &str, max_tokens: u32) -> Request {
        Request {
            system_prompt: system_prompt.to_owned(),
            max_tokens,
            answer_schema: None,
            purpose: Purpose {
                agent: Agent::Memory,
                scope: Scope::Channel,
                scope_id: "C1".to_owned(),
                memory_type: None,
            },
        }
    }

    #[test]
    fn every_part_of_the_input_changes_its_digest() {
        let new = |provider, model, address, parameters| {
            ModelIdentity::new(provider, model, address, &parameters)
        };
        let with_schema = Request {
            answer_schema: Some("{}".to_owned()),
            ..request("prompt", 300)
        };
        let warm = json!({ "temperature": 1 });
        let base = new("openai", "m", "http://a", json!({}));
        let prompt = request("prompt", 300);
        let digests = [
            base.input_digest(&prompt),
            base.input_digest(&request("prompt ", 300)),
            base.input_digest(&request("prompt", 301)),
            base.input_digest(&with_schema),
            new("azure", "m", "http://a", json!({})).input_digest(&prompt),
            new("openai", "m2", "http://a", json!({})).input_digest(&prompt),
            new("openai", "m", "http://b", json!({})).input_digest(&prompt),
            new("openai", "m", "http://a", warm).input_digest(&prompt),
        ];
        let different: std::collections::BTreeSet<&String> = digests.iter().collect();
        assert_eq!(different.len(), digests.len());
        assert_eq!(base.input_digest(&prompt), digests[0]);
    }

    #[test]
    fn order_of_parameters_does_not_matter() {
        let one = json!({ "a": 1, "b": { "c": 2, "d": 3 } });
        let other = json!({ "b": { "d": 3, "c": 2 }, "a": 1 });
        let identity = |parameters| ModelIdentity::new("openai", "m", "", &parameters);
        assert_eq!(identity(one), identity(other));
    }
}
