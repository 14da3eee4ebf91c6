//! What is too old is removed, although nobody has written for months: Slack's clock agrees with the machine's.

use myao_tests::export::{post, program_with};

use super::support::{connect_again, number, workspace};

#[test]
fn messages_of_a_quiet_workspace_are_removed() {
    let slack = workspace();
    let program = program_with("", &[post("general", 0, "ann", "We release on 4 March.")]);
    let kept = "SELECT COUNT(*) FROM messages WHERE text <> ''";
    assert_eq!(number(&program, kept), 1);
    let mut bot = connect_again(&slack, program, "retention: { messages_days: 7 }\n");
    bot.until_over("the message", |program| number(program, kept) == 0);
    bot.stop();
}
