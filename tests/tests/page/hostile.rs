//! What people write and are called never becomes more than text.

use std::collections::{BTreeSet, VecDeque};

use myao_plugin::state::sync::SyncState as _;
use myao_testkit::blocking;
use myao_tests::export::{post, program_with};
use myao_tests::kills::workspace;
use myao_tests::page::Served;
use rusqlite::Connection;

/// Texts, names and queries that want to be more.
const HOSTILE: [&str; 60] = [
    "<script>alert(1)</script>",
    "</bdi></p><script src=https://evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=\"javascript:alert(1)\"></iframe>",
    "<a href=\"javascript:alert(1)\">click</a>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content=\"0;url=https://evil.example\">",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example><button>ok</button></form>",
    "<!-- --><b>--><!--",
    "<![CDATA[ ]]> <?xml ?> <!DOCTYPE x>",
    "\" onmouseover=\"alert(1)",
    "' autofocus onfocus='alert(1)",
    "\"><script>alert(1)</script>",
    "&lt;script&gt; &#60;script&#62; &amp;lt;",
    "javascript:alert(document.cookie)",
    "data:text/html,<script>alert(1)</script>",
    "https://evil.example/?a=1&b=\"2\"",
    "//evil.example/path",
    "../../../etc/passwd",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "\u{202e}gpj.exe\u{202c} \u{2066}x\u{2069}",
    "ab\u{0}cd\u{8}\u{1b}[31mred\u{7f}\u{9b}",
    "line\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "\u{2028}x\u{2029}y\u{feff}z\u{200f}",
    "<plaintext><textarea><title></title>",
    "<ｓｃｒｉｐｔ>ａｌｅｒｔ</ｓｃｒｉｐｔ>",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301} Z̷̢͘a̸l̵g̶o",
    "%3Cscript%3E%00%0d%0a",
    "</details></summary></main></body></html>",
    "<javascript:alert(1)|click>",
    "<https://evil.example/|https://acme.slack.com/archives/C1/p1>",
    "<https://evil.example/\" onclick=\"alert(1)|x>",
    "<//evil.example/x|x>",
    "<data:text/html;base64,PHNjcmlwdD4=|x>",
    "<!date^0^{date}^javascript:alert(1)|x>",
    "<!subteam^S1|\"><b>>",
    "<#C1|</a><script>>",
    "<@U1|' onload='alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&lt;a href=\"https://evil.example\"&gt;x&lt;/a&gt;",
    "&#x3C;script&#x3E; &#0; &#xD800;",
    "[x](javascript:alert(1)) ![y](https://evil.example/y.png)",
    "`</code><script>alert(1)</script>`",
    "```</pre><script>alert(1)</script>```",
    "<object data=https://evil.example/x.swf>",
    "<embed src=https://evil.example/x>",
    "<video><source onerror=alert(1)>",
    "<math><mi xlink:href=\"javascript:alert(1)\">x</mi></math>",
    "<svg><use href=\"https://evil.example/x.svg#a\"/></svg>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<input autofocus onfocus=alert(1)>",
    "<body background=https://evil.example/x.png>",
    "<td style=\"background:url(https://evil.example/x)\">",
    "?q=1&next=https://evil.example#\"><b>",
    "/\\evil.example/",
    "\t\u{a0}\u{3000}\u{200b}\u{2060}",
];

/// What pages consist of.
const TAGS: &[&str] = &[
    "!DOCTYPE",
    "a",
    "bdi",
    "body",
    "button",
    "code",
    "datalist",
    "dd",
    "del",
    "details",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "head",
    "header",
    "html",
    "input",
    "ins",
    "label",
    "li",
    "link",
    "main",
    "mark",
    "meta",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "rect",
    "section",
    "small",
    "span",
    "strong",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
];

/// An export of messages whose texts, authors and channels have these names, and memories of them.
fn hostile() -> Served {
    let long = "海<b>".repeat(4_000);
    let texts = HOSTILE.iter().copied().chain([long.as_str()]);
    let posts = (0..).zip(texts).map(|(minute, text)| {
        let text = format!("We decided on 4 March at 14:00: {text}");
        post("general", minute, "ann", &text)
    });
    let mut posts: Vec<_> = posts.collect();
    for minute in 0..5 {
        let reply = post("general", 100 + minute, "bob", HOSTILE[0]);
        posts.push(reply.in_thread(minute));
    }
    for channel in ["one", "two", "three"] {
        posts.push(post(channel, 3, "ann", "We decided on 5 March: <script>"));
    }
    let program = program_with("", &posts);
    program
        .run(&["generate", "--now", "2026-03-02T09:00:00Z"])
        .succeeded();
    blocking(workspace(&program).set_address("https://acme.slack.com/")).unwrap();
    let database = Connection::open(program.path("myao.db")).unwrap();
    let rename = |table: &str, id: &str, name: &str| {
        let sql = format!("UPDATE {table} SET name = ?2 WHERE id = ?1");
        assert_eq!(database.execute(&sql, [id, name]).unwrap(), 1, "{id}");
    };
    rename("channels", "CGENERAL", HOSTILE[1]);
    rename("channels", "CONE", HOSTILE[15]);
    rename("channels", "CTWO", HOSTILE[24]);
    rename("channels", "CTHREE", &long);
    rename("users", "UANN", HOSTILE[13]);
    rename("users", "UBOB", HOSTILE[23]);
    Served::opened(program)
}

/// What is wrong with a page: a tag or an attribute that is not the page's own, a link that leads elsewhere, a control character.
fn faults(path: &str, html: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let controls = html.chars().filter(|c| {
        (c.is_control() && *c != '\n' && *c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    });
    faults.extend(controls.map(|c| format!("{path}: {c:?}")));
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let (tag, after) = tag(rest);
        rest = after;
        let name = tag
            .split([' ', '/'])
            .find(|part| !part.is_empty())
            .unwrap_or("");
        if !TAGS.contains(&name) {
            faults.push(format!("{path}: <{tag}>"));
        }
        for (name, value) in attributes(tag) {
            let is_right = match name.as_str() {
                "href" | "action" => {
                    (value.starts_with('/') && !value.starts_with("//"))
                        || value.starts_with("https://acme.slack.com/archives/")
                        || value == "#main"
                }
                name => !name.starts_with("on") && name != "style" && name != "src",
            };
            if !is_right {
                faults.push(format!("{path}: {name}={value}"));
            }
        }
    }
    faults
}

/// A tag up to its end, which quotes do not hide, and what follows.
fn tag(html: &str) -> (&str, &str) {
    let mut is_quoted = false;
    for (at, c) in html.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '>' if !is_quoted => return (&html[..at], &html[at + 1..]),
            _ => {}
        }
    }
    (html, "")
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let name = before.rsplit(' ').next().unwrap().to_owned();
        let (value, next) = after.split_once('"').unwrap();
        found.push((name, value.to_owned()));
        rest = next;
    }
    found
}

#[test]
fn faults_are_found() {
    for html in [
        "<script>",
        "<a href=\"javascript:x\">",
        "<a href=\"//evil.example\">",
        "<p onclick=\"x\">",
        "<img src=\"x\">",
        "a\u{0}",
        "<bdi>\u{202e}</bdi>",
    ] {
        assert_eq!(faults("", html).len().min(1), 1, "{html}");
    }
    assert_eq!(
        faults("", "<p><a href=\"/workspace?a=%3Cb%3E\">x &lt; y</a></p>"),
        [""; 0]
    );
}

#[test]
fn no_text_name_or_query_gets_out_of_its_place() {
    let served = hostile();
    let query =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02x}")).collect() };
    let mut waiting: VecDeque<String> = VecDeque::from(["/workspace".to_owned()]);
    for text in HOSTILE {
        waiting.push_back(format!("/search?q={}", query(text)));
        waiting.push_back(format!(
            "/search?q=decided&channel={}&since={}",
            query(text),
            query(text)
        ));
        waiting.push_back(format!("/ask?q={}", query(text)));
        waiting.push_back(format!("/channel/{}", query(text)));
        waiting.push_back(format!("/workspace?page={}", query(text)));
    }
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let (mut wrong, mut texts) = (Vec::new(), String::new());
    while let Some(path) = waiting.pop_front() {
        let answer = served.get(&path);
        assert!(
            [200, 404].contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert_eq!(answer.header("set-cookie"), None);
        let is_json = path.contains(".json");
        if is_json {
            let kind = answer.header("content-type").unwrap();
            assert_eq!(kind, "application/json", "{path}");
            assert!(
                !answer.body.contains(['\u{0}', '\u{202e}', '\u{2028}']),
                "{path}"
            );
            assert!(answer.json().is_object());
            continue;
        }
        wrong.extend(faults(&path, &answer.body));
        texts.push_str(&answer.body);
        for link in answer.links() {
            let own = link.split('#').next().unwrap().to_owned();
            if own.starts_with('/')
                && !own.ends_with(".css")
                && !own.ends_with(".svg")
                && seen.insert(own.clone())
            {
                waiting.push_back(own);
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(
        seen.iter()
            .filter(|path| path.starts_with("/memory/"))
            .count()
            >= 6,
        "{seen:?}"
    );
    for shown in [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;/bdi&gt;&lt;/p&gt;&lt;script",
        "&quot; onmouseover=&quot;alert(1)",
        "\\u{202e}gpj.exe",
        "ab\\u{0}cd",
        "&amp;lt;script&amp;gt;",
    ] {
        assert!(texts.contains(shown), "{shown}");
    }
}
