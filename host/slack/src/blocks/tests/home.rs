//! The Home tab.

use super::*;

fn home() -> HomeContent {
    HomeContent {
        asks_again: None,
        tasks: Vec::new(),
        workspace: Some(memory(
            4,
            "- 全社で**新製品**を準備している\n- 連絡: <@U9>さん <!channel>",
        )),
        channels: vec![
            channel(
                "general",
                "- 発表会は3月20日\n- [手順](https://a.example/?a=1&b=2)を決めた",
            ),
            channel("ops_team", &"- 障害の対応をした <b>重要</b>\n".repeat(60)),
        ],
    }
}

#[test]
fn the_home_tab_shows_the_workspace_and_each_channel() {
    assert_are(&[
        ("home-ja.json", home_view(&home(), Japanese)),
        ("home-en.json", home_view(&home(), English)),
    ]);
}

#[test]
fn the_home_tab_says_what_to_do_when_there_is_nothing() {
    let nothing = HomeContent {
        asks_again: None,
        tasks: Vec::new(),
        workspace: None,
        channels: Vec::new(),
    };
    assert_are(&[
        ("home-nothing-ja.json", home_view(&nothing, Japanese)),
        ("home-nothing-en.json", home_view(&nothing, English)),
    ]);
    let no_workspace = HomeContent {
        workspace: None,
        ..home()
    };
    assert!(
        home_view(&no_workspace, English)
            .to_string()
            .contains("Nothing yet.")
    );
}

#[test]
fn a_home_tab_of_many_long_memories_stays_within_slacks_limits() {
    let long = "😀".repeat(5_000);
    let many = HomeContent {
        asks_again: None,
        tasks: Vec::new(),
        workspace: Some(memory(0, &long)),
        channels: (0..60)
            .map(|n| channel(&format!("channel-{n}"), &long))
            .collect(),
    };
    let view = home_view(&many, Japanese);
    assert_within_limits(&view);
    let view = view.to_string();
    assert!(view.contains("ほかに 14 チャンネル"));
    assert!(view.contains("#channel-45") && !view.contains("#channel-46"));
    assert!(view.contains("続き 4100 文字: `myao memory show channel-0`"));
    assert!(view.contains("続き 2300 文字: `myao memory show workspace`"));

    let out_of_budget = HomeContent {
        asks_again: Some(memory(0, "").made_at),
        ..many
    };
    let view = home_view(&out_of_budget, Japanese);
    assert_within_limits(&view);
    assert!(view.to_string().contains("ほかに 15 チャンネル"));
}

#[test]
fn the_home_tab_says_which_channels_are_off_the_record() {
    let mut home = home();
    home.channels[1].mode = Mode::Off;
    for (language, words) in [
        (Japanese, "今は覚えていません"),
        (English, "not remembered at present"),
    ] {
        let view = home_view(&home, language);
        assert_within_limits(&view);
        let shown = view.to_string();
        assert_eq!(shown.matches(words).count(), 1, "{shown}");
    }
}

#[test]
fn the_home_tab_says_when_models_are_asked_again() {
    let asks_again = Some(Moment {
        unix_seconds: 1_772_755_200,
        utc_offset_seconds: 9 * 3600,
    });
    let content = HomeContent {
        asks_again,
        ..home()
    };
    for (language, words) in [
        (Japanese, "予算を使い切りました。2026-03-06 09:00 から"),
        (
            English,
            "The budget for today is used up. From 2026-03-06 09:00 on",
        ),
    ] {
        let view = home_view(&content, language);
        assert_within_limits(&view);
        assert!(view["blocks"][1].to_string().contains(words), "{view}");
    }
}

#[test]
fn the_home_tab_offers_the_modes_of_the_readers_own_channels() {
    let mut home = home();
    home.channels[1].mode = Mode::Join;
    home.channels[1].id = "C2".to_owned();
    home.channels[1].may_choose = true;
    for (language, words) in [(Japanese, "自分からも答える"), (English, "Join in")] {
        let view = home_view(&home, language);
        assert_within_limits(&view);
        let blocks = view["blocks"].as_array().unwrap().iter();
        let offered: Vec<&Value> = blocks
            .filter(|block| !block["accessory"].is_null())
            .map(|block| &block["accessory"])
            .collect();
        assert_eq!(offered.len(), 1);
        assert_eq!(offered[0]["initial_option"]["value"], "C2:join");
        assert_eq!(offered[0]["initial_option"]["text"]["text"], words);
        assert_eq!(offered[0]["options"].as_array().unwrap().len(), 4);
    }
}
