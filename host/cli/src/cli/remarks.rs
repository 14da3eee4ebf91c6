//! Notes on how a memory was made, and on memories that could not be made.

use myao_plugin::erasure::NOTHING_LEFT;
use myao_plugin::names;
use myao_plugin::printable::line;
use myao_plugin::storage::{Coverage, Deferral, Memory, STAND_IN_VERSION};

use super::app::App;
use super::output;

/// How to retry a deferred memory at once.
pub(super) fn retry(app: &App) -> String {
    let command = app.command("generate --retry");
    format!("Next: `{command}` retries deferred memories at once.")
}

/// The text of a memory, for people.
pub(super) fn text(memory: &Memory) -> &str {
    if memory.content == NOTHING_LEFT {
        "(nothing left of it: all of it was taken back)"
    } else {
        &memory.content
    }
}

/// `version 2` or `excerpt for now`.
pub(super) fn version(version: u32) -> String {
    match version {
        STAND_IN_VERSION => "excerpt for now".to_owned(),
        version => format!("version {version}"),
    }
}

/// The same for a column of versions.
pub(super) fn version_cell(version: u32, truncated: bool) -> String {
    let number = match version {
        STAND_IN_VERSION => "excerpt for now".to_owned(),
        version => version.to_string(),
    };
    if truncated {
        format!("{number}, cut off")
    } else {
        number
    }
}

/// Notes on how a text was made; `None` if all of its input went into one prompt.
pub(super) fn remarks(truncated: bool, coverage: Option<&Coverage>) -> Option<String> {
    let mut remarks = Vec::new();
    if truncated {
        remarks.push("cut off at its token limit".to_owned());
    }
    if let Some(coverage) = coverage {
        if coverage.chunks > 1 {
            let calls = output::count(coverage.calls.into(), "call");
            remarks.push(format!("made in {} parts with {calls}", coverage.chunks));
        }
        if coverage.covered < coverage.messages {
            let Coverage {
                messages, covered, ..
            } = coverage;
            remarks.push(format!("from {covered} of {messages} messages"));
        }
        remarks.extend(left_out(coverage));
        if coverage.refused > 0 {
            let parts = output::count(coverage.refused.into(), "part");
            remarks.push(format!("without {parts} that the model refuses"));
        }
        if coverage.unfounded > 0 {
            let lines = output::count(coverage.unfounded.into(), "line");
            remarks.push(format!(
                "without {lines} of the model that no message bears out"
            ));
        }
        if coverage.doubtful > 0 {
            let lines = output::count(coverage.doubtful.into(), "line");
            remarks.push(format!("{lines} may be wrong: no message shows the name"));
        }
        if coverage.refused_items > 0 {
            let reports = output::count(coverage.refused_items.into(), "report");
            remarks.push(format!(
                "without {reports} of decisions or tasks that no message bears out"
            ));
        }
    }
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// Returns true if some messages or memories did not fit.
pub(super) fn has_left_out(coverage: &Coverage) -> bool {
    coverage.covered < coverage.messages || coverage.refused > 0 || left_out(coverage).is_some()
}

fn left_out(coverage: &Coverage) -> Option<String> {
    let left_out = &coverage.left_out;
    let messages = output::count(left_out.messages.into(), "message");
    let parts = [
        (left_out.other_channels, "of other channels"),
        (left_out.workspace, "of the workspace"),
        (left_out.channel, "of the channel"),
    ]
    .map(|(n, whose)| (n, format!("{} {whose}", output::memories(n.into()))));
    let parts = parts
        .into_iter()
        .chain([(left_out.messages, format!("{messages} outside the thread"))]);
    let parts: Vec<String> = parts
        .filter(|(n, _)| *n > 0)
        .map(|(_, text)| text)
        .collect();
    (!parts.is_empty()).then(|| format!("without {}", parts.join(", ")))
}

/// A deferred memory, in one line.
pub(super) fn deferral(place: &str, deferral: &Deferral) -> String {
    format!(
        "deferred: {place} {}: failed {} ({}); tried again from {} on",
        names::memory_type(deferral.memory_type),
        output::count(deferral.failures.into(), "time"),
        line(&deferral.reason),
        output::time(deferral.until)
    )
}

#[cfg(test)]
mod tests {
    use myao_plugin::storage::{Coverage, LeftOut};
    use myao_testkit::conformance::whole;

    use super::remarks;

    #[test]
    fn nothing_is_said_of_what_went_in_at_once() {
        assert_eq!(remarks(false, Some(&whole(9))), None);
        assert_eq!(remarks(false, None), None);
    }

    #[test]
    fn cuts_parts_and_what_was_left_out_are_told() {
        let coverage = Coverage {
            covered: 8,
            chunks: 3,
            calls: 4,
            unfounded: 1,
            doubtful: 2,
            left_out: LeftOut {
                other_channels: 12,
                workspace: 1,
                messages: 30,
                channel: 0,
            },
            ..whole(9)
        };
        let expected = "cut off at its token limit; made in 3 parts with 4 calls; from 8 of 9 messages; \
             without 12 memories of other channels, 1 memory of the workspace, 30 messages outside the thread; \
             without 1 line of the model that no message bears out; \
             2 lines may be wrong: no message shows the name";
        assert_eq!(remarks(true, Some(&coverage)).as_deref(), Some(expected));
    }
}
