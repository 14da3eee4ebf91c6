//! What the command line prints with `--in CHANNEL`.

use myao_tests::program::Program;

/// All that is printed for a place, each with the place and the command.
pub(crate) fn look(
    config: &str,
    place: &str,
    channels: &[String],
) -> Vec<(String, String, String)> {
    let program = Program::with_config(config);
    let commands = channels
        .iter()
        .flat_map(|id| [vec!["show", id], vec!["history", id, "--long-term"]])
        .chain([
            vec!["list"],
            vec!["list", "--json"],
            vec!["show", "workspace"],
            vec!["history", place, "--json"],
            vec!["diff", place, "1", "2"],
        ]);
    let run = |command: Vec<&str>| {
        let ran = program.run(&[&["memory", "--in", place], &command[..]].concat());
        let text = format!("{:?}\n{}\n{}", ran.code, ran.stdout, ran.stderr);
        (place.to_owned(), command.join(" "), text)
    };
    commands.map(run).collect()
}
