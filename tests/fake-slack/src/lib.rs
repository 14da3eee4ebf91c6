//! A small Slack for tests.
