//! The help of the program: its commands in groups, as clap lists them in one.

use std::fmt::Write as _;

use clap::Command;

const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Start here",
        &["try", "init", "run", "search", "ask", "doctor"],
    ),
    (
        "Look",
        &["memory", "items", "serve", "chat", "usage", "audit", "eval"],
    ),
    (
        "Change what is remembered",
        &["correct", "pin", "forget", "off", "on"],
    ),
    (
        "Make memories",
        &["import", "backfill", "generate", "rebuild", "embed"],
    ),
    (
        "Operate",
        &[
            "slack",
            "mcp",
            "config",
            "parked",
            "catch-up",
            "backup",
            "database",
            "completions",
        ],
    ),
    ("See what a model sees", &["prompt", "summarize", "replay"]),
];

/// Lists the commands in groups.
pub(super) fn in_groups(command: Command) -> Command {
    let style = *command.get_styles().get_header();
    let (on, off) = (style.render(), style.render_reset());
    let mut lists = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(lists, "{on}{title}:{off}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(lists, "  {name:<13}{about}");
        }
        lists.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{lists}{on}Options:{off}\n{{options}}\n\n\
        `myao help COMMAND` shows the options of a command.\n"
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn each_command_is_in_one_group_and_its_line_fits_a_terminal() {
        let command = Cli::command();
        let visible = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let visible: BTreeSet<&str> = visible.map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        assert_eq!(grouped, visible.into_iter().collect::<Vec<_>>());
        let help = in_groups(command).render_help().to_string();
        let lists = help.split("Options:").next().unwrap_or_default();
        for line in lists.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
