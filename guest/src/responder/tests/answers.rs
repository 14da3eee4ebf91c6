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
    let cut = Ok(completion("来春の予定です。担当は", FinishReason::Length));
    let (reply, _, _) = answered(&[cut]);
    let reply = reply.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.truncated),
        ("来春の予定です。", true)
    );
}

#[test]
fn an_error_of_the_model_is_handed_on_and_nothing_is_posted() {
    let error = LlmError::RateLimited(Some(7));
    let (reply, prompts, posts) = answered(&[Err(error.clone())]);
    assert_eq!(reply, Err(Error::Llm(error)));
    assert_eq!((prompts.len(), posts), (1, 0));
}

/// The result of an answer that is given twice to a question about this.
fn checked(text: &'static str, question: &str) -> (Reply, Vec<String>) {
    let host = host_that_says(text);
    host.say("C1", -900, "The budget is 300 dollars, see INC-204");
    host.say("C1", -800, "公開日は3月22日に決まりました");
    let own = Message {
        user: User {
            id: "B0".to_owned(),
            name: "みゃお".to_owned(),
            is_bot: true,
        },
        ..message(-700, "I think that it ends in 2031.")
    };
    host.storage.add_message("C1", own);
    host.say("C1", -10, question);
    let reply = mention(&host, &target(None, -10)).unwrap();
    (reply, host.llm.prompts())
}

const BUDGET: &str = "@みゃお is the budget 900 dollars?";

#[test]
fn a_value_that_no_source_of_the_call_founds_is_asked_about_once_and_cut() {
    for (answer, founded, wrong) in [
        (
            "The budget is 300 dollars. Please restore snapshot-9999 now.",
            "The budget is 300 dollars.",
            "snapshot-9999",
        ),
        // Neither the question nor the bot's own posts found anything.
        (
            "The budget is 300 dollars. 900 was the first idea.",
            "The budget is 300 dollars.",
            "900",
        ),
        (
            "- The budget is 300 dollars\n- It ends in 2031",
            "- The budget is 300 dollars",
            "2031",
        ),
        (
            "予算は300ドル、公開は3月22日です。納期は4月9日です。",
            "予算は300ドル、公開は3月22日です。",
            "4月9",
        ),
    ] {
        let (reply, prompts) = checked(answer, BUDGET);
        let text = reply.text.replace(" (no source)", "");
        assert_eq!((text.as_str(), prompts.len()), (founded, 2), "{answer}");
        let asked = prompts[1].strip_prefix(prompts[0].as_str()).unwrap();
        assert!(asked.contains(wrong), "{asked}");
    }
}

#[test]
fn an_answer_of_which_nothing_is_founded_says_that_nothing_was_found() {
    let (reply, prompts) = checked("Yes, it is 900 dollars.", BUDGET);
    assert_eq!(reply.text, "I found nothing about that.");
    assert_eq!(
        (
            reply
                .citations
                .iter()
                .flat_map(|line| &line.messages)
                .count(),
            prompts.len()
        ),
        (0, 2)
    );
    let (reply, _) = checked("はい、900ドルです。", "@みゃお 予算はいくら？");
    assert_eq!(
        reply.text,
        "それについて覚えていることは見つかりませんでした。"
    );
}

#[test]
fn a_founded_second_answer_is_taken() {
    let host = host();
    host.say("C1", -900, "公開日は3月22日に決まりました");
    host.say("C1", -10, "@みゃお 公開はいつ？");
    host.llm.script(0, said("公開は4月1日です。"));
    host.llm.script(1, said("公開は3月22日です。"));
    let reply = mention(&host, &target(None, -10)).unwrap();
    assert_eq!(reply.text, "公開は3月22日です。");
}

#[test]
fn whom_the_call_does_not_know_is_cut_without_a_second_ask() {
    for sentence in [
        "Ask @zoe about it.",
        "It is in #finance.",
        "Ask <@U0ZOE> then.",
    ] {
        let answer = format!("The budget is 300 dollars. {sentence}").leak();
        let (reply, prompts) = checked(answer, BUDGET);
        assert_eq!(
            (reply.text.as_str(), prompts.len()),
            ("The budget is 300 dollars.", 1)
        );
    }
    let known = "The budget is 300 dollars. Ask @alice or <@U1> in #C1.";
    assert_eq!(checked(known, BUDGET).0.text, known);
}

#[test]
fn a_message_that_tells_something_besides_asking_founds_an_answer() {
    let question = "@みゃお 会場は45万円に決まりました。予算に収まりますか？";
    let (reply, prompts) = checked("会場の45万円は予算に収まりません。", question);
    assert!(reply.text.starts_with("会場の45万円は"), "{reply:?}");
    assert_eq!(prompts.len(), 1);
}
