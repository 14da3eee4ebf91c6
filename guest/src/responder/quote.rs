//! stub
use super::target::Situation;
pub(super) fn answer(_: &Situation, _: &dyn Fn(&str) -> Option<String>) -> String {
    String::new()
}
