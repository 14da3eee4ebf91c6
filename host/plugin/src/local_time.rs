//! The only place where a UTC offset is applied.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Offset as _, TimeZone};

use crate::Timestamp;

/// Gives points in time the UTC offset of a time zone. Made from any time zone of `chrono`; cheap to clone.
#[derive(Clone)]
pub struct LocalTime {
    offset_seconds: Arc<dyn Fn(i64) -> i32 + Send + Sync>,
}

impl LocalTime {
    /// A point in time with the offset at that moment; 0 if the time is out of range.
    #[must_use]
    pub fn at(&self, unix_seconds: i64) -> Timestamp {
        Timestamp {
            unix_seconds,
            utc_offset_seconds: (self.offset_seconds)(unix_seconds),
        }
    }
}

impl<Z: TimeZone + Send + Sync + 'static> From<Z> for LocalTime {
    fn from(timezone: Z) -> Self {
        let offset_seconds = move |unix_seconds| {
            DateTime::from_timestamp(unix_seconds, 0).map_or(0, |time| {
                let offset = timezone.offset_from_utc_datetime(&time.naive_utc());
                offset.fix().local_minus_utc()
            })
        };
        Self {
            offset_seconds: Arc::new(offset_seconds),
        }
    }
}

impl fmt::Debug for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalTime").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use chrono::{FixedOffset, Utc};

    use super::*;

    #[test]
    fn times_have_the_offset_of_the_zone() {
        let tokyo = LocalTime::from(FixedOffset::east_opt(9 * 3600).unwrap());
        assert_eq!(tokyo.at(1_709_287_200).utc_offset_seconds, 9 * 3600);
        assert_eq!(tokyo.at(1_709_287_200).unix_seconds, 1_709_287_200);
        assert_eq!(LocalTime::from(Utc).at(0).utc_offset_seconds, 0);
        assert_eq!(tokyo.at(i64::MAX).utc_offset_seconds, 0);
    }
}
