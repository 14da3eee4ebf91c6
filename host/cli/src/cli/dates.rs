//! Days and times of arguments, in the configured time zone.

use myao_plugin::Timestamp;

use super::app::App;
use super::args::MomentArg;

/// The start of a range, in milliseconds since 1970.
pub(super) fn beginning(app: &App, moment: MomentArg) -> i64 {
    moment.beginning(app.config.timezone)
}

/// The last second of the range.
pub(super) fn last_second(app: &App, moment: MomentArg) -> Timestamp {
    app.local_time(
        moment
            .end(app.config.timezone)
            .saturating_sub(1)
            .div_euclid(1000),
    )
}

/// The moment as of which something is asked: the whole second counts, or the whole day.
pub(super) fn as_of(app: &App, moment: MomentArg) -> Timestamp {
    app.time(Some(moment))
}
