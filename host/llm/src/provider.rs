//! The providers, under LiteLLM's names: address, API, and the environment variable of the key.

/// The API that a provider has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    OpenAi,
    Azure,
    Anthropic,
    Gemini,
    Ollama,
}

/// One provider.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Provider {
    /// The part of a `model_id` before the slash.
    pub(super) name: &'static str,
    pub(super) api: Api,
    /// Its address, if `base_url` is not set; `None` if every user has a server of their own.
    pub(super) base_url: Option<&'static str>,
    /// The environment variable that holds the key, if `api_key` is not set.
    pub(super) key_variable: &'static str,
    /// True if its own server refuses calls without a key.
    pub(super) needs_key: bool,
}

const fn open_ai(
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
) -> Provider {
    Provider {
        name,
        api: Api::OpenAi,
        base_url: Some(base_url),
        key_variable,
        needs_key: true,
    }
}

const fn own_server(name: &'static str, key_variable: &'static str) -> Provider {
    Provider {
        name,
        api: Api::OpenAi,
        base_url: None,
        key_variable,
        needs_key: false,
    }
}

const OLLAMA: Provider = Provider {
    name: "ollama",
    api: Api::Ollama,
    base_url: Some("http://localhost:11434"),
    key_variable: "OLLAMA_API_KEY",
    needs_key: false,
};

/// All providers.
static PROVIDERS: [Provider; 14] = [
    open_ai("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    Provider {
        name: "azure",
        api: Api::Azure,
        base_url: None,
        key_variable: "AZURE_API_KEY",
        needs_key: true,
    },
    Provider {
        name: "anthropic",
        api: Api::Anthropic,
        base_url: Some("https://api.anthropic.com"),
        key_variable: "ANTHROPIC_API_KEY",
        needs_key: true,
    },
    Provider {
        name: "gemini",
        api: Api::Gemini,
        base_url: Some("https://generativelanguage.googleapis.com"),
        key_variable: "GEMINI_API_KEY",
        needs_key: true,
    },
    OLLAMA,
    Provider {
        name: "ollama_chat",
        ..OLLAMA
    },
    open_ai(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
    ),
    open_ai("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    open_ai("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    open_ai(
        "deepseek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
    ),
    open_ai("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
    open_ai(
        "together_ai",
        "https://api.together.xyz/v1",
        "TOGETHERAI_API_KEY",
    ),
    own_server("hosted_vllm", "HOSTED_VLLM_API_KEY"),
    own_server("lm_studio", "LM_STUDIO_API_KEY"),
];

impl Provider {
    /// The provider with a name.
    pub(super) fn of_name(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }
}

/// All names, for an error text.
pub(super) fn names() -> String {
    let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
    names.join(", ")
}
