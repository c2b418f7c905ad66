//! What must come of each attack: `outcomes.txt`, one a line.

use std::path::Path;

/// What must come of an attack.
#[derive(Clone)]
pub(crate) struct Outcome {
    /// The exit code.
    pub(crate) exit: i32,
    /// The checks of the rows that fail, a `*` for the rest of a name. Each has to fail, and no others.
    pub(crate) fails: Vec<String>,
    /// What the report says, each in a row or in why the run is incomplete.
    pub(crate) says: Vec<String>,
}

/// The lines of the file that are not remarks, with family and name.
pub(crate) fn all() -> Vec<(String, String, Outcome)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/attacks/outcomes.txt");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(outcome).collect()
}

fn outcome(line: &str) -> (String, String, Outcome) {
    let cells: Vec<&str> = line.split(" | ").collect();
    let &[family, name, exit, fails, says] = cells.as_slice() else { panic!("not an outcome: {line}") };
    let list = |cell: &str, by: &str| cell.split(by).filter(|part| *part != "-").map(str::to_owned).collect();
    let exit = exit.parse().unwrap_or_else(|_| panic!("not an exit code: {line}"));
    (family.to_owned(), name.to_owned(), Outcome { exit, fails: list(fails, " "), says: list(says, " && ") })
}

/// The outcome of an attack, if there is one.
pub(crate) fn of(family: &str, name: &str) -> Option<Outcome> {
    all().into_iter().find(|(of, called, _)| of == family && called == name).map(|(_, _, outcome)| outcome)
}
