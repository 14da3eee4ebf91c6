//! stub
use super::app::App; use super::args::DoctorArgs; use std::process::ExitCode;
pub(crate) fn without_configuration(_: bool, _: &anyhow::Error) -> anyhow::Result<ExitCode> { Ok(ExitCode::FAILURE) }
pub(crate) async fn run(_: &App, _: &DoctorArgs) -> anyhow::Result<ExitCode> { Ok(ExitCode::FAILURE) }
