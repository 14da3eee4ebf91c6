//! Japanese has no spaces between words, and CommonMark's rules for marks expect them.

use super::assert_all;

#[test]
fn marks_between_japanese_letters_get_an_edge() {
    assert_all(&[
        ("これは**重要**です", "これは¦*重要*¦です"),
        ("これは*重要*です", "これは¦_重要_¦です"),
        ("~~旧~~新", "~旧~¦新"),
        ("値は`x`です", "値は¦`x`¦です"),
        ("**まとめ**: 以上", "*まとめ*: 以上"),
        ("**まとめ**：以上", "*まとめ*¦：以上"),
        ("・**一**", "・¦*一*"),
        ("**甲**と**乙**", "*甲*¦と¦*乙*"),
    ]);
}

#[test]
fn bold_beside_japanese_punctuation_is_bold() {
    assert_all(&[
        ("これは**「重要」**です", "これは¦*「重要」*¦です"),
        ("**「A」**は**「B」**です", "*「A」*¦は¦*「B」*¦です"),
        ("**注意。**次に", "*注意。*¦次に"),
        ("（**注**）を見る", "（¦*注*¦）を見る"),
        ("値は**\"x\"**です", "値は¦*\"x\"*¦です"),
        ("結果は**`x`**です", "結果は¦*`x`*¦です"),
        ("~~（旧）~~新", "~（旧）~¦新"),
        ("a*(b+c)*d", "a*(b+c)*d"),
    ]);
}

#[test]
fn ranges_with_tildes_are_not_struck_out() {
    assert_all(&[("10~20人、5~6時", "10~20人、5~6時")]);
}

#[test]
fn addresses_end_where_japanese_goes_on() {
    assert_all(&[
        (
            "https://a.example/b_cを見て",
            "<https://a.example/b_c>を見て",
        ),
        ("「https://a.example」", "「<https://a.example>」"),
        (
            "<https://a.example|手順>と[手順](https://a.example)を",
            "手順 (<https://a.example>)と手順 (<https://a.example>)を",
        ),
    ]);
}
