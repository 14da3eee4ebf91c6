//! The answers of model servers, on all wires.

use std::sync::OnceLock;

use myao::config::Config;
use myao_llm::config::Agent;
use myao_llm::read_stream;

/// One model for each wire.
const MODELS: [&str; 4] = ["openai/m", "anthropic/m", "gemini/m", "ollama/m"];

/// Any bytes are an answer no longer than they are, or an error; the same however the network cuts them. The first byte says
/// on which wire, the second in how long pieces.
pub fn model_streams(data: &[u8]) {
    static AGENTS: OnceLock<[Agent; 4]> = OnceLock::new();
    let agents = AGENTS.get_or_init(|| MODELS.map(agent));
    let Some(([wire, length], stream)) = data.split_first_chunk() else {
        return;
    };
    let agent = &agents[usize::from(*wire) % agents.len()];
    let answer = read_stream(agent, [stream]);
    let pieces = stream.chunks(1 + usize::from(*length));
    assert_eq!(
        read_stream(agent, pieces),
        answer,
        "in pieces, and as a whole"
    );
    if let Ok(answer) = answer {
        assert!(answer.text.len() <= stream.len(), "{answer:?}");
    }
}

fn agent(model: &str) -> Agent {
    let config = format!("agents: {{ memory: {{ model_id: {model} }} }}");
    Config::parse(&config, &|_| Ok(Vec::new()))
        .unwrap()
        .agents
        .memory
}
