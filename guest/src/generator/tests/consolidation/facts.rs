//! Reads the planted facts. The README beside them describes the format.

/// A fact that is said once.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// `F01` to `F40`, in the order in which they are planted.
    pub(super) id: String,
    /// `date`, `amount`, `url`, `id`, `name` or `decision`.
    pub(super) kind: String,
    /// The message that says it: `name: text`.
    pub(super) message: String,
    parts: Vec<String>,
}

impl Fact {
    /// A question about it: what was said, without the first part.
    pub(super) fn question(&self) -> String {
        let (_, said) = self.message.split_once(": ").unwrap();
        format!("{}?", said.replacen(&self.parts[0], " … ", 1))
    }

    /// Returns true if a memory contains it: all its parts in one line.
    pub(super) fn is_in(&self, memory: &str) -> bool {
        memory
            .lines()
            .any(|line| self.parts.iter().all(|part| line.contains(part.as_str())))
    }
}

/// The facts, in the order in which they are planted.
pub(super) fn all() -> Vec<Fact> {
    let text = include_str!("../../../../tests/fixtures/consolidation/facts.txt");
    (1..)
        .zip(text.lines())
        .map(|(number, line)| read(number, line))
        .collect()
}

fn read(number: usize, line: &str) -> Fact {
    let [kind, parts, message] = line.split(" | ").collect::<Vec<_>>()[..] else {
        panic!("facts.txt, line {number}: three fields are wanted");
    };
    Fact {
        id: format!("F{number:02}"),
        kind: kind.to_owned(),
        message: message.to_owned(),
        parts: parts.split(" & ").map(str::to_owned).collect(),
    }
}

/// Messages with nothing to remember: `name: text`.
pub(super) fn chatter() -> Vec<String> {
    let text = include_str!("../../../../tests/fixtures/consolidation/chatter.txt");
    text.lines().map(str::to_owned).collect()
}
