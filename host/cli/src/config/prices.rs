//! `prices`: what models cost.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use myao_llm::config::ModelId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// `prices`: by provider and model, as `model_id` names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    /// What amounts are in, for people: `USD`.
    pub currency: Option<String>,
    /// By `provider/model`.
    pub models: BTreeMap<String, Price>,
}

/// What a million tokens of one model cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of the prompt.
    pub input: PerMillion,
    /// Of the part of the prompt that the provider had cached. Default: as `input`.
    pub cached: Option<PerMillion>,
    /// Of the answer.
    pub output: PerMillion,
}

/// A map, because the models' keys are on the same level as `currency`.
impl JsonSchema for Prices {
    fn schema_name() -> Cow<'static, str> {
        "Prices".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": { "currency": generator.subschema_for::<Option<String>>() },
            "additionalProperties": generator.subschema_for::<Price>(),
        })
    }
}

/// The price of a million tokens, exact to six decimals: what one token costs, in millionths of a millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
pub struct PerMillion(#[schemars(with = "f64")] pub u64);

/// A higher price is a mistake, and would overflow in sums.
pub(super) const MOST_PER_MILLION: f64 = 1e9;

impl<'de> Deserialize<'de> for PerMillion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let price = f64::deserialize(deserializer)?;
        if !(0.0..=MOST_PER_MILLION).contains(&price) {
            return Err(D::Error::custom(
                "expected the price of a million tokens, from 0 on",
            ));
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was just checked"
        )]
        let millionths = (price * 1e6).round() as u64;
        Ok(Self(millionths))
    }
}

impl Prices {
    /// The price of a model: the price of the model that answered (`gpt-4o-2024-08-06`), or else of the model that was
    /// asked.
    #[must_use]
    pub fn of(&self, provider: &str, answered_by: &str, asked: &str) -> Option<Price> {
        [answered_by, asked]
            .into_iter()
            .find_map(|model| self.models.get(&format!("{provider}/{model}")))
            .copied()
    }
}

impl<'de> Deserialize<'de> for Prices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PricesVisitor)
    }
}

/// Every key except `currency` is a model.
struct PricesVisitor;

impl<'de> Visitor<'de> for PricesVisitor {
    type Value = Prices;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("prices by model")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Prices, A::Error> {
        let mut prices = Prices::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "currency" {
                prices.currency = Some(map.next_value()?);
                continue;
            }
            key.parse::<ModelId>().map_err(A::Error::custom)?;
            prices.models.insert(key, map.next_value()?);
        }
        Ok(prices)
    }
}
