//! Which answers of the model are posted.

use super::*;
use crate::bindings::errors::BadAnswer;

/// The result of these answers, one after the other.
fn answered(
    answers: &[Result<Completion, LlmError>],
) -> (Result<Reply, Error>, Vec<String>, usize) {
    let host = host();
    host.say(
        "C1",
        -10,
        "@みゃお 公開はいつになりましたか？ 教えてください",
    );
    for (call, answer) in answers.iter().enumerate() {
        host.llm.script(call, answer.clone());
    }
    let reply = mention(&host, &target(None, -10));
    (reply, host.llm.prompts(), host.chat.posts().len())
}

fn said(text: &str) -> Result<Completion, LlmError> {
    Ok(completion(text, FinishReason::Stop))
}

#[test]
fn an_answer_in_the_form_of_the_prompt_is_posted_without_that_form() {
    let (reply, _, _) = answered(&[said("**2024-03-01 19:00:00** みゃお:\n3月です。")]);
    assert_eq!(reply.unwrap().text, "3月です。");
}

#[test]
fn a_bad_answer_is_asked_for_once_more_with_the_reason() {
    let (reply, prompts, posts) = answered(&[said(" "), said("3月です。")]);
    assert_eq!((reply.unwrap().text.as_str(), posts), ("3月です。", 1));
    let (first, second) = (&prompts[0], &prompts[1]);
    let feedback = second.strip_prefix(first.as_str()).unwrap();
    assert!(feedback.contains("前回の回答は空でした"), "{feedback}");
}

#[test]
fn a_second_bad_answer_is_an_error_with_its_reason_and_nothing_is_posted() {
    let refusal = "I'm sorry, but I can't help with that.";
    let (reply, prompts, posts) = answered(&[said(""), said(refusal)]);
    assert_eq!(reply, Err(Error::BadAnswer(BadAnswer::Refusal)));
    assert_eq!((prompts.len(), posts), (2, 0));
}

#[test]
fn the_question_given_back_is_no_answer() {
    let echo = "@みゃお 公開はいつになりましたか？ 教えてください";
    let (reply, _, _) = answered(&[said(echo), said(echo)]);
    assert_eq!(reply, Err(Error::BadAnswer(BadAnswer::PromptRepeated)));
}

#[test]
fn an_answer_that_was_cut_off_ends_at_a_whole_sentence_and_says_so() {
    let cut = Ok(completion("3月22日です。担当は", FinishReason::Length));
    let (reply, _, _) = answered(&[cut]);
    let reply = reply.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.truncated),
        ("3月22日です。", true)
    );
}

#[test]
fn an_error_of_the_model_is_handed_on_and_nothing_is_posted() {
    let error = LlmError::RateLimited(Some(7));
    let (reply, prompts, posts) = answered(&[Err(error.clone())]);
    assert_eq!(reply, Err(Error::Llm(error)));
    assert_eq!((prompts.len(), posts), (1, 0));
}
