//! Fixed texts.

use super::{Text, text};

pub(crate) const SKIP: Text = text("本文へ", "Skip to the content");
pub(crate) const NAVIGATION: Text = text("ページ", "Pages");
pub(crate) const AS_JSON: Text = text("このページを JSON で", "This page as JSON");
pub(crate) const WORKSPACE: Text = text("ワークスペース", "Workspace");
pub(crate) const SEARCH: Text = text("検索", "Search");
pub(crate) const SEARCH_RESULTS: Text = text("検索結果", "Results");
pub(crate) const ASK: Text = text("質問", "Ask");
pub(crate) const ANSWER: Text = text("回答", "Answer");
pub(crate) const ANSWERS: Text = text("答えたこと", "Answers");
pub(crate) const ANSWERS_HINT: Text = text(
    "Slack で答えたこと（新しい順）。答えに 👍 や 👎 を付けると、ここで数えます。",
    "What was answered in Slack, newest first. Thumbs on an answer, 👍 or 👎, are counted here.",
);
pub(crate) const NO_ANSWERS: Text = text("まだありません。", "There are none yet.");
pub(crate) const ALL_ANSWERS: Text = text("すべて", "all");
pub(crate) const OF_ITS_OWN_ACCORD: Text = text("頼まれずに", "unasked");
pub(crate) const GOOD: Text = text("良かった", "good");
pub(crate) const BAD: Text = text("良くなかった", "not good");
pub(crate) const ANSWER_GONE: Text = text(
    "この答えは取り消されたか、まだ保存されていません。",
    "This answer was taken back, or is not stored yet.",
);
pub(crate) const QUESTION_GONE: Text = text("質問は削除されました。", "The question was deleted.");
pub(crate) const SOURCES: Text = text("出典", "Sources");
pub(crate) const QUESTION: Text = text("質問文", "Question");
pub(crate) const SEARCH_WORDS: Text = text("言葉", "Words");
pub(crate) const CHANNEL: Text = text("チャンネル", "Channel");
pub(crate) const CHANNELS: Text = text("チャンネル", "Channels");
pub(crate) const SINCE: Text = text("この日から", "From");
pub(crate) const UNTIL: Text = text("この日まで", "To");
pub(crate) const PREVIOUS: Text = text("前へ", "Previous");
pub(crate) const NEXT: Text = text("次へ", "Next");
pub(crate) const IN_SLACK: Text = text("Slack で開く", "Open in Slack");
pub(crate) const PRIVATE: Text = text("非公開", "private");
pub(crate) const OFF_RECORD: Text = text(
    "このチャンネルの発言は、いまは覚えていません。覚えなくなった時:",
    "What is said in this channel is not remembered. It is off the record since",
);
pub(crate) const NEWEST_MEMORY: Text = text("最新の記憶", "Newest memory");
pub(crate) const VERSIONS: Text = text("版", "Versions");
pub(crate) const THREADS: Text = text("スレッド", "Threads");
pub(crate) const NOW: Text = text("いまの記憶", "What is remembered now");
pub(crate) const TIMELINE: Text = text("記憶の変遷", "How the memory changed");
pub(crate) const SHORT_TERM: Text = text("最近のこと", "Recent");
pub(crate) const LONG_TERM: Text = text("これまでのこと", "So far");
pub(crate) const FIRST_TEXT: Text = text("最初の記憶です。", "The first text.");
pub(crate) const NO_CHANGE: Text = text("文面は変わっていません。", "The text did not change.");
pub(crate) const RECORDS: Text = text("そのまま残した言葉", "Kept word for word");
pub(crate) const PINNED: Text = text("覚えておくこと", "Pinned messages");
pub(crate) const ITEMS: Text = text("決まったこと・作業・質問", "Decisions, tasks and questions");
pub(crate) const CLOSED_ITEMS: Text = text("終わったもの", "No longer open");
pub(crate) const CHANGE_ITEM: Text = text("変更する", "Change");
pub(crate) const STATE: Text = text("状態", "State");
pub(crate) const OWNER: Text = text("担当", "Who");
pub(crate) const DUE: Text = text("期限", "Until");
pub(crate) const UNDO_ITEM: Text = text(
    "人による最後の変更を戻す",
    "Undo the last change by a person",
);
pub(crate) const CORRECTIONS: Text = text("訂正", "Corrections");
pub(crate) const CORRECTED: Text = text(
    "次の訂正が優先します。取り消し線の行は、訂正した人が選んだものです。",
    "Corrections outrank it. Lines that their authors picked are struck out:",
);
pub(crate) const NO_SOURCE: Text = text("出典は分かりません", "no source is known");
pub(crate) const LINES: Text = text("文面と出典", "The text, and where each line comes from");
pub(crate) const MADE_FROM: Text = text("元になった記憶", "Memories that it was made from");
pub(crate) const SINCE_REPLACED: Text = text("その後に更新済み", "since replaced");
pub(crate) const MADE: Text = text("作成", "Made");
pub(crate) const MESSAGES: Text = text("メッセージ", "Messages");
pub(crate) const ENGINE: Text = text("作り方", "Made by");
pub(crate) const COVERAGE: Text = text("元の範囲", "Made from");
pub(crate) const COST: Text = text("費用", "Cost");
pub(crate) const WHOLE: Text = text("すべてのメッセージから", "all messages");
pub(crate) const CUT_OFF: Text = text("長さの上限で切れています", "cut off at its token limit");
pub(crate) const STAND_IN: Text = text(
    "モデルが使えない間の抜粋です。モデルが戻ると作り直します。",
    "Extracted while the model fails, which makes this memory anew when it is back.",
);
pub(crate) const STAND_IN_NAME: Text = text("当面の抜粋", "excerpt for now");
pub(crate) const SET_ASIDE: Text = text(
    "何から作られたか分からないので、ほかでは使われていません。",
    "It is not known what this was made from, so it is used nowhere else.",
);
pub(crate) const NOTHING_LEFT: Text = text(
    "元のメッセージがすべて取り消されたため、何も残っていません。",
    "Nothing is left of it: all of it was taken back.",
);
pub(crate) const SEARCH_HINT: Text = text(
    "言葉のほかに、「先週の火曜」のような時や #チャンネル も分かります。",
    "Times such as “since Friday” and #channels are understood, too.",
);
pub(crate) const ASK_HINT: Text = text(
    "覚えている発言から答え、出典を示します。何も投稿されません。モデルを設定していれば、その料金がかかります。",
    "Answers from what was said, with sources. Nothing is posted. With a model, a question costs what its call costs.",
);
pub(crate) const NOTHING_FOUND: Text = text(
    "見つかりませんでした。言葉を減らすか、変えてみてください。",
    "Nothing is found. Try fewer or other words.",
);
pub(crate) const BAD_DAY: Text = text(
    "日付は 2026-03-04 の形で入れてください。",
    "A day is written as 2026-03-04.",
);
pub(crate) const NO_CHANNELS: Text = text(
    "まだ何もありません。次のコマンドで Slack のエクスポートを取り込み、記憶を作ってください。",
    "There is nothing yet. Import a Slack export and make memories of it:",
);
pub(crate) const NO_MEMORIES: Text = text(
    "このチャンネルの記憶はまだありません。次のコマンドで作れます。",
    "Nothing is remembered of this channel yet. This command makes what is due:",
);
pub(crate) const CLOSED: Text = text(
    "このページは、一度だけ使えるリンクから開いてください。",
    "Open this page with a link that works once.",
);
pub(crate) const CLOSED_TITLE: Text = text("開いていません", "Not open");
pub(crate) const USED: Text = text(
    "このリンクは使用済みか、正しくありません。リンクは一度だけ使えます。",
    "This link was used already, or is not right. A link works once.",
);
pub(crate) const SIGN_IN_TITLE: Text = text("サインイン", "Sign in");
pub(crate) const SIGN_IN: Text = text("Slack でサインイン", "Sign in with Slack");
pub(crate) const SIGN_IN_HINT: Text = text(
    "ここでは、あなたが Slack で見られるものだけが見えます。",
    "Here you see what you may see in Slack, and nothing else.",
);
pub(crate) const SIGNED_IN: Text = text("サインインしました", "You are signed in");
pub(crate) const NOT_SIGNED_IN: Text = text(
    "サインインできませんでした。もう一度お試しください。続くようなら、理由は myao の出力にあります。",
    "You are not signed in. Please try again. If that does not help, the output of myao says why.",
);
pub(crate) const STRANGER: Text = text(
    "このワークスペースのメンバーだけが見られます。",
    "Only members of this workspace may see this.",
);
pub(crate) const NOT_KNOWN: Text = text(
    "Slack につながっていないため、いまは何を見せてよいか分かりません。少し待ってから、もう一度お試しください。",
    "What you may see is not known now, because Slack cannot be reached. Please try again in a moment.",
);
pub(crate) const TOO_MANY: Text = text("質問が多すぎます。", "You asked too many questions.");
pub(crate) const TOO_LONG: Text = text(
    "長すぎます。質問や検索は4,000文字までです。",
    "This is too long. A question or a search can have 4,000 characters.",
);
pub(crate) const ME: Text = text("自分", "You");
pub(crate) const ME_HINT: Text = text(
    "公開チャンネルと、あなたが参加しているチャンネルの記憶が見えます。",
    "You see what is remembered of public channels, and of the channels that you are in.",
);
pub(crate) const SIGN_OUT: Text = text("サインアウト", "Sign out");
pub(crate) const AGENTS: Text = text("エージェント", "Agents");
pub(crate) const AGENTS_HINT: Text = text(
    "あなたのエージェントは、トークンを使って、あなたに見えるものを次のアドレスで検索し、質問できます（Model Context Protocol）。何も書き込めません。",
    "With a token, an agent of yours searches and asks, of what you see, at this address (Model Context Protocol). It changes nothing.",
);
pub(crate) const TOKEN: Text = text("トークン", "Token");
pub(crate) const TOKEN_NAME: Text = text(
    "使う場所（例: ノート PC のエージェント）",
    "What uses it, such as “agent on my laptop”",
);
pub(crate) const ISSUE: Text = text("トークンを作る", "Make a token");
pub(crate) const ISSUED: Text = text("新しいトークン", "New token");
pub(crate) const ISSUED_HINT: Text = text(
    "エージェントの設定に、このヘッダーを入れてください。トークンは、いまだけ表示されます。",
    "Put this header into the agent's settings. The token is shown only now.",
);
pub(crate) const USED_LAST: Text = text("最後に使った", "Last used");
pub(crate) const WITHDRAW: Text = text("取り消す", "Take back");
pub(crate) const AGAIN: Text = text(
    "新しいリンクは、次のコマンドで表示されます。",
    "This command shows another link:",
);
pub(crate) const ELSEWHERE: Text = text(
    "別のサイトから開かれました。自分で開いたのなら、続けてください。",
    "Another site opened this page. If that was you, go on:",
);
pub(crate) const GO_ON: Text = text("続ける", "Go on");
pub(crate) const ELSEWHERE_TITLE: Text = text("別のサイトから", "From another site");
pub(crate) const NO_PAGE: Text = text(
    "このページはありません。なくなったか、ここでは見られません。",
    "This page does not exist, or may not be seen here.",
);
pub(crate) const NO_PAGE_TITLE: Text = text("ページがありません", "No such page");
pub(crate) const HOST: Text = text(
    "この名前ではページを開けません。myao serve が表示したアドレスを使ってください。",
    "The page has no such name. Use the address that myao serve printed.",
);
pub(crate) const METHOD: Text = text("このページは読むだけです。", "This page can only be read.");
pub(crate) const BAD_FORM: Text = text(
    "フォームに足りないものがあります。前のページに戻って、もう一度試してください。",
    "The form is not complete. Go back to the page and try again.",
);
pub(crate) const CHANGE: Text = text("覚える・忘れる", "Pin or forget");
pub(crate) const MESSAGE: Text = text("メッセージ", "Message");
pub(crate) const PIN: Text = text("覚えておく", "Pin it");
pub(crate) const UNPIN: Text = text("覚えておくのをやめる", "Take your pin off");
pub(crate) const PIN_HINT: Text = text(
    "覚えておくメッセージは、このチャンネルの記憶と回答にいつも使われます。Slack で付けたピンは Slack で外します。",
    "A pinned message is kept in mind in this channel. What people pinned in Slack is unpinned there.",
);
pub(crate) const PIN_IN_SLACK: Text = text(
    "覚えておくには、Slack でメッセージをピン留めします。訂正は、ボットへのメンションに「訂正:」と書きます。",
    "To have a message kept, pin it in Slack. To correct a memory, mention the bot with “correction:”.",
);
pub(crate) const FORGET: Text = text("忘れる", "Forget");
pub(crate) const FORGET_NOW: Text = text("このメッセージを忘れる", "Forget this message");
pub(crate) const WOULD_GO: Text = text(
    "忘れると、次のものが消えます。",
    "If you forget it, this goes:",
);
pub(crate) const FORGET_HINT: Text = text(
    "元には戻せません。Slack のメッセージそのものは残ります。",
    "There is no way back. The message itself stays in Slack.",
);
pub(crate) const FORGOTTEN: Text = text("忘れました", "Forgotten");
pub(crate) const NONE_LEFT: Text = text(
    "保存したものすべての中を探しましたが、どこにも残っていません。",
    "It was looked for in everything that is stored: none is left.",
);
pub(crate) const STILL_SAID: Text = text(
    "同じ言葉が次の場所にあります。ほかの人も同じことを言ったか、ほかの発言から作られたものです。",
    "The same words stand here. Others have said the same, or it was made from what others said:",
);
pub(crate) const NOT_REACHED: Text = text(
    "次のものには届きません: データベースの控えや写し、モデルの提供元に残るもの、Slack のメッセージそのもの。",
    "Not reached: backups and copies of the database, what the model's provider keeps, and the message itself in Slack.",
);
pub(crate) const CORRECT: Text = text("訂正する", "Correct it");
pub(crate) const CORRECTION: Text = text("正しくは", "What is right");
pub(crate) const CORRECT_HINT: Text = text(
    "古い記録より優先します。取り消す行は、次の画面で選べます。訂正は投稿されません。",
    "It outranks older records. What it strikes you pick on the next page. It is not posted.",
);
pub(crate) const STRIKE: Text = text("消す", "Strike what is ticked");
pub(crate) const STRIKE_HINT: Text = text(
    "選んだ発言の、訂正と食い違う部分は、このチャンネルではもう使われません。",
    "What these messages say differently is used in this channel no more.",
);
pub(crate) const REFUSED_TITLE: Text = text("できません", "Refused");
pub(crate) const FAILED: Text = text(
    "ページを作れませんでした。理由は myao の出力にあります。",
    "The page cannot be shown. The output of myao says why.",
);
pub(crate) const FAILED_TITLE: Text = text("失敗しました", "Failed");
pub(crate) const SPENT: Text = text(
    "今日使える予算を使い切ったので、いまは答えられません。明日もう一度聞くか、検索で発言を探してください。",
    "The budget for today is used up. Ask again tomorrow, or search the messages.",
);
pub(crate) const NO_ANSWER: Text = text(
    "いまは答えられません。少し待ってもう一度聞くか、検索で発言を探してください。",
    "There is no answer now. Wait a little and ask again, or search the messages.",
);
pub(crate) const CALL_FAILED: Text = text(
    "答えられませんでした。理由は myao の出力にあります。",
    "There is no answer. The output of myao says why.",
);
pub(crate) const UPKEEP: Text = text("実行と使用量", "Runs and usage");
pub(crate) const RUNS: Text = text("最近の実行で作った記憶", "What the newest runs made");
pub(crate) const NO_RUNS: Text = text("まだありません。", "There is nothing yet.");
pub(crate) const SKIPPED: Text = text("まだ記憶にしていない発言", "Skipped so far");
pub(crate) const NONE_SKIPPED: Text = text(
    "ありません。すべてのチャンネルの発言が記憶に入っています。",
    "Nothing: all messages of all channels are in a memory.",
);
pub(crate) const NOT_YET: Text = text("次の実行で記憶にします。", "The next run takes them.");
pub(crate) const GOES_ON: Text = text(
    "会話が続いているので、終わるか長くなるまで待っています。",
    "The conversation goes on; a memory is made when it is over, or longer.",
);
pub(crate) const TOO_OLD: Text = text(
    "古い発言だけなので、実行では飛ばします。過去の記憶は myao backfill で作れます。",
    "They are old, so runs leave them out; myao backfill makes memories of the past.",
);
pub(crate) const FAILURES: Text = text("作れなかった記憶", "Memories that could not be made");
pub(crate) const NO_FAILURES: Text = text("ありません。", "There are none.");
pub(crate) const FAILED_CALLS: Text = text(
    "答えがなかったモデルの呼び出し（30 日間）",
    "Calls of models without an answer in 30 days",
);
pub(crate) const LAST: Text = text("最後は", "last");
pub(crate) const COST_BY_DAY: Text = text("1 日ごとの費用", "cost by day");
pub(crate) const TRIED_AGAIN: Text = text("次に試すとき:", "tried again from");
pub(crate) const USAGE: Text = text("モデルの使用量（30 日間）", "What models took in 30 days");
pub(crate) const NO_USAGE: Text = text(
    "この 30 日間、モデルは呼ばれていません。",
    "No model was asked in these 30 days.",
);
pub(crate) const TOKENS_BY_DAY: Text = text("1 日ごとのトークン", "tokens by day");
pub(crate) const DAY: Text = text("日", "Day");
pub(crate) const CALLS: Text = text("呼び出し", "Calls");
pub(crate) const INPUT_TOKENS: Text = text("入力トークン", "Input tokens");
pub(crate) const OUTPUT_TOKENS: Text = text("出力トークン", "Output tokens");
pub(crate) const DURATION: Text = text("時間", "Time");
pub(crate) const MORE_IN_JSON: Text = text("ほかは JSON にあります", "the JSON has all");
