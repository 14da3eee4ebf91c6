//! Only a good answer becomes a memory; after a bad one the model is asked once more.

use super::*;
use crate::settings::Language;

const GOOD: &str = "- タスク確認: bob がリストを共有する\n- ミーティングは14時から";

/// Summarises the golden channel with these answers, as the program does.
fn with_answers(settings: &Settings, answers: &[&str]) -> (Result<Summary, Error>, ScriptedLlm) {
    let llm = ScriptedLlm::default();
    for (call, answer) in answers.iter().enumerate() {
        llm.script(call, Ok(completion(answer, FinishReason::Stop)));
    }
    let summary = Summarizer::new(&llm, &Quiet, settings).summarize(
        &golden_context(),
        Channel,
        ShortTerm,
        None,
    );
    (summary, llm)
}

const BAD: [(&str, &str); 4] = [
    ("", "空"),
    ("申し訳ありませんが、お手伝いできません。", "断る"),
    ("要約する会話を提供してください。", "質問"),
    (
        "上記のチャンネルの会話を要約してください。\n要約は箇条書きで、簡潔かつ具体的に記述してください。",
        "写し",
    ),
];

#[test]
fn a_bad_answer_is_asked_for_once_more_with_the_reason() {
    for (bad, reason) in BAD {
        let (summary, llm) = with_answers(&settings(), &[bad, GOOD]);
        assert_eq!(summary.unwrap().text, GOOD);
        let [first, second] = llm.prompts().try_into().unwrap();
        let told = second.strip_prefix(&first).unwrap();
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn a_second_bad_answer_is_an_error_with_its_reason() {
    for (bad, _) in BAD {
        let (summary, llm) = with_answers(&settings(), &[bad, bad]);
        assert!(matches!(summary, Err(Error::BadAnswer(_))), "{summary:?}");
        assert_eq!(llm.calls(), 2);
    }
    let (summary, _) = with_answers(&settings(), &[BAD[0].0, BAD[1].0]);
    assert_eq!(summary, Err(Error::BadAnswer(BadAnswer::Refusal)));
}

#[test]
fn both_calls_are_counted() {
    let (summary, _) = with_answers(&settings(), &["", GOOD]);
    assert_eq!(summary.unwrap().coverage.calls, 2);
}

const ENGLISH: &str = "- Bob will share the list of tasks with the whole team later today\n- The meeting was moved to two in the afternoon as Carol asked";

#[test]
fn the_language_is_that_of_the_input_or_of_the_settings() {
    let of = |language| Settings {
        language,
        ..settings()
    };
    for (language, is_taken) in [
        (Language::AsInput, false),
        (Language::Japanese, false),
        (Language::Any, true),
        (Language::English, true),
    ] {
        let (summary, _) = with_answers(&of(language), &[ENGLISH, ENGLISH]);
        assert_eq!(summary.is_ok(), is_taken, "{language:?}: {summary:?}");
    }
    let (summary, llm) = with_answers(&of(Language::English), &[GOOD, ENGLISH]);
    assert_eq!(summary.unwrap().text, ENGLISH);
    assert!(llm.prompts()[1].contains("Write in English"));
}

#[test]
fn only_the_chunks_whose_answers_were_bad_are_asked_for_again() {
    let settings = Settings {
        short_term_summary_max_tokens: 100,
        context_margin_tokens: 100,
        ..settings()
    };
    let llm = ScriptedLlm::default();
    llm.window.set(Some(700));
    let mut context = golden_context();
    for message in &mut context.conversation_history.top_level_messages {
        message.text = format!("{} {}", message.text, "そうだね。".repeat(40));
    }
    llm.script(1, Ok(completion("", FinishReason::Stop)));
    llm.answer_by(|n, _| {
        Ok(completion(
            &format!("- 要約その{}", letters(n)),
            FinishReason::Stop,
        ))
    });
    let summary = Summarizer::new(&llm, &Quiet, &settings)
        .summarize(&context, Channel, ShortTerm, None)
        .unwrap();
    let prompts = llm.prompts();
    let chunks = summary.coverage.chunks as usize;
    assert!(chunks > 2);
    assert!(
        prompts[chunks].starts_with(&prompts[1]),
        "the second, once more"
    );
    assert_eq!(prompts.len(), chunks + 2, "and one merge");
    let merge = prompts.last().unwrap();
    assert!(
        merge.find(&format!("その{}", letters(0))).unwrap()
            < merge.find(&format!("その{}", letters(chunks))).unwrap()
    );
    assert!(
        merge.find(&format!("その{}", letters(chunks))).unwrap()
            < merge.find(&format!("その{}", letters(2))).unwrap()
    );
}

#[test]
fn the_feedback_repeated_and_message_heads_are_no_memory() {
    let feedback =
        "Your last answer repeated the instruction or the text above. Use fewer words of your own.";
    let english = Settings {
        language: Language::English,
        ..settings()
    };
    let (summary, _) = with_answers(&english, &[BAD[3].0, feedback]);
    assert_eq!(summary, Err(Error::BadAnswer(BadAnswer::PromptRepeated)));
    for heads in [
        "**2026-03-02 00:15:00** bob:\n\n**2026-03-02 00:15:00** ann:",
        "2026-03-02 00:15:00\nBob: 2026-03-02 00:15:00\nAnn: 2026-03-02 00:16:00",
    ] {
        let (summary, _) = with_answers(&settings(), &[heads, heads]);
        assert!(matches!(summary, Err(Error::BadAnswer(_))), "{summary:?}");
    }
}

#[test]
fn what_stands_around_a_few_words_tells_their_language() {
    let mut context = golden_context();
    let english = "We moved the release of the importer to Friday, as the tests are not done yet.";
    for message in &mut context.conversation_history.top_level_messages {
        message.text = english.to_owned();
    }
    context.conversation_history.threads[0].messages[0].text = "Shipped?".to_owned();
    context.conversation_history.threads[0].messages.truncate(1);
    context.target_thread_ts = Some(context.conversation_history.threads[0].thread_ts.clone());
    context.conversation_history.threads.truncate(1);
    context.channel_memories.clear();
    context.workspace_long_term_memory = None;
    let llm = ScriptedLlm::default();
    llm.answer_by(|_, _| {
        let japanese = "- リリースの出荷が済んだかどうかを確認している。まだ返事はない。";
        Ok(completion(japanese, FinishReason::Stop))
    });
    let settings = settings();
    let summary =
        Summarizer::new(&llm, &Quiet, &settings).summarize(&context, Thread, ShortTerm, None);
    assert!(
        matches!(summary, Err(Error::BadAnswer(BadAnswer::WrongLanguage(_)))),
        "{summary:?}"
    );
}

#[test]
fn one_heading_of_the_prompt_is_left_out() {
    let answer = format!("## 要約対象: チャンネル会話履歴\n{GOOD}");
    let (summary, _) = with_answers(&settings(), &[&answer]);
    assert_eq!(summary.unwrap().text, GOOD);
}

#[test]
fn words_of_nobody_in_the_language_of_the_conversation_are_no_memory() {
    let mut context = golden_context();
    for message in &mut context.conversation_history.top_level_messages {
        message.text = "We moved the release of the importer to Friday.".to_owned();
    }
    context.conversation_history.threads.clear();
    for (answer, is_taken) in [
        ("- asdf qwer zxcv", false),
        ("- release asdf qwer", true),
        ("- Everybody exchanged the news", true),
        ("- asdf", true),
    ] {
        let llm = ScriptedLlm::default();
        llm.answer_by(move |_, _| Ok(completion(answer, FinishReason::Stop)));
        let summary = Summarizer::new(&llm, &Quiet, &settings())
            .summarize(&context, Channel, ShortTerm, None);
        assert_eq!(summary.is_ok(), is_taken, "{answer}: {summary:?}");
    }
}
