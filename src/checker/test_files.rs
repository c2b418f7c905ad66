//! Files of tests that users write, as they were opened, with their mistakes, and the tests of them as the engine runs them; how
//! long files may be.

use std::rc::Rc;

use super::given_lines;
use crate::acts::{self, ActsDocument, ActsReport, FileProblem, FileSource};
use crate::engine::run::Areas;
use crate::report::{Format, Report};
use crate::suite::discovery;
use crate::view_model::messages::File;
use crate::view_model::test_files::{TestFiles, TestMistake};

/// A longer file is read to no use.
pub const LONGEST: usize = 5_000_000;
/// How much text of tests is run before a reload: tests that were run are kept until then, since rows of reports point to them.
const ROOM: usize = 20_000_000;

type NamedText = (String, String);
/// What was run: the files, and what was said about them.
type RunFiles = (Vec<NamedText>, String);

/// The tests of a run.
#[derive(Clone)]
pub struct OpenedTests {
    documents: Rc<[ActsDocument]>,
    /// The tests as the engine runs them.
    pub areas: Areas,
    /// The values of the user's variables that are secrets.
    pub secrets: Vec<String>,
}

impl OpenedTests {
    /// The report of the format.
    #[must_use]
    pub fn file(&self, report: &Report) -> File {
        let text = ActsReport { documents: &self.documents, report }.write();
        File::new(acts::file_name(report), Format::Json, text)
    }
}

/// The files that are open.
#[derive(Default)]
pub struct OpenedFiles {
    files: Vec<NamedText>,
    /// What was run before. Whoever runs the same files again gets the same tests, which take no more memory.
    run: Vec<(RunFiles, OpenedTests)>,
}

impl OpenedFiles {
    /// Opens a file, in place of one of the same name.
    pub fn add(&mut self, name: &str, text: String) -> TestFiles {
        if text.len() > LONGEST {
            return self.refused(format!("{name} is longer than {} MB.", LONGEST / 1_000_000));
        }
        match self.files.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = text,
            None => self.files.push((name.to_owned(), text)),
        }
        self.view()
    }

    /// Closes a file.
    pub fn remove(&mut self, name: &str) -> TestFiles {
        self.files.retain(|(known, _)| known != name);
        self.view()
    }

    /// The same files, and why another could not be opened.
    #[must_use]
    pub fn refused(&self, problem: String) -> TestFiles {
        TestFiles { problem, ..self.view() }
    }

    /// The files and the mistakes in them.
    #[must_use]
    pub fn view(&self) -> TestFiles {
        let names = self.files.iter().map(|(name, _)| name.clone()).collect();
        match self.load() {
            Ok(documents) => {
                let tests = documents.iter().flat_map(|document| &document.suites).map(|suite| suite.tests.len());
                let tests = u32::try_from(tests.sum::<usize>()).unwrap_or(u32::MAX);
                TestFiles { names, tests, ..TestFiles::default() }
            }
            Err(problems) => {
                TestFiles { names, mistakes: problems.into_iter().map(mistake).collect(), ..TestFiles::default() }
            }
        }
    }

    /// The tests of the files, to be run with what the user says about them, line by line; or why they cannot be run.
    pub fn tests(&mut self, given: &str) -> Result<OpenedTests, String> {
        if let Some((_, tests)) = self.run.iter().find(|((files, known), _)| *files == self.files && known == given) {
            return Ok(tests.clone());
        }
        let mut settings = given_lines::read(given)?;
        let documents = self.load().map_err(|_| "There is a mistake in the files.".to_owned())?;
        let size = |files: &[NamedText]| files.iter().map(|(_, text)| text.len()).sum::<usize>();
        settings.agents = acts::named_agents(&documents, &settings.agents).map_err(|problem| format!("{problem}."))?;
        let spent: usize = self.run.iter().map(|((files, _), _)| size(files)).sum();
        if spent + size(&self.files) > ROOM {
            let room = ROOM / 1_000_000;
            return Err(format!("This page has run {room} MB of tests. Reload it to run other files."));
        }
        let secrets = settings.secrets();
        let areas = acts::areas(documents.clone(), settings, &discovery::AREA);
        let tests = OpenedTests { documents: documents.into(), areas, secrets };
        self.run.push(((self.files.clone(), given.to_owned()), tests.clone()));
        Ok(tests)
    }

    /// Reads the files. One that another includes is read as a part of that.
    fn load(&self) -> Result<Vec<ActsDocument>, Vec<FileProblem>> {
        let documents: Vec<_> =
            self.files.iter().filter_map(|(name, text)| acts::read_document(name, text).ok()).collect();
        let is_included = |name: &str| {
            let others = documents.iter().filter(|document| document.file != name);
            others
                .flat_map(|document| document.include.iter().map(|(named, _)| self.beside(&document.file, named)))
                .any(|included| included == name)
        };
        let names = || self.files.iter().map(|(name, _)| name.clone());
        let mut roots: Vec<String> = names().filter(|name| !is_included(name)).collect();
        if roots.is_empty() {
            // They include each other, which is a mistake to be told.
            roots = names().collect();
        }
        acts::load(self, &roots)
    }
}

impl FileSource for OpenedFiles {
    fn read(&self, file: &str) -> Result<String, String> {
        let known = self.files.iter().find(|(name, _)| name == file);
        known.map(|(_, text)| text.clone()).ok_or_else(|| "open this file, too".to_owned())
    }

    /// Files that are picked have no folders: the last part of the name decides, unless the whole is open.
    fn beside(&self, file: &str, named: &str) -> String {
        let last = named.rsplit('/').next().unwrap_or(named);
        let in_folder = file.rsplit_once('/').map(|(folder, _)| format!("{folder}/{}", named.trim_start_matches("./")));
        let candidates = in_folder.iter().map(String::as_str).chain([named, last]);
        let open = candidates.into_iter().find(|name| self.files.iter().any(|(known, _)| known == name));
        open.unwrap_or(named).to_owned()
    }
}

fn mistake(problem: FileProblem) -> TestMistake {
    let FileProblem { file, place, message } = problem;
    let place = place.map(|place| format!("line {}, column {}", place.line, place.column)).unwrap_or_default();
    TestMistake { file, place, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUITE: &str = r#"acts_version: "1.0"
spec_version: "1.0"
suites:
  - id: NAME
    name: Suite
    tests:
      - id: NAME-1
        name: A card is there
        level: must
        steps: [{id: card, operation: get_agent_card, params: {}}]
"#;

    fn suite(name: &str) -> String {
        SUITE.replace("NAME", name)
    }

    #[test]
    fn files_are_opened_replaced_and_closed() {
        let mut files = OpenedFiles::default();
        assert_eq!(files.add("a.yaml", suite("one")).tests, 1);
        assert_eq!(files.add("b.yaml", suite("two")).tests, 2);
        assert_eq!(files.add("b.yaml", suite("three")).names, ["a.yaml", "b.yaml"]);
        assert_eq!(files.remove("a.yaml").tests, 1);
        let long = files.add("c.yaml", "#".repeat(LONGEST + 1));
        assert!(long.problem.contains("longer") && long.names == ["b.yaml"], "{long:?}");
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        let mut files = OpenedFiles::default();
        let seen = files.add("a.yaml", suite("one").replace("get_agent_card", "get_card"));
        let [mistake] = seen.mistakes.as_slice() else { panic!("{seen:?}") };
        assert_eq!((mistake.file.as_str(), mistake.place.starts_with("line 10, column ")), ("a.yaml", true));
        assert_eq!(seen.tests, 0);
        assert!(files.tests("").is_err());
    }

    #[test]
    fn an_included_file_is_found_among_those_that_are_open() {
        let mut files = OpenedFiles::default();
        let including = format!("{}include: [parts/b.yaml]\n", suite("one"));
        let seen = files.add("a.yaml", including);
        assert!(seen.mistakes.iter().any(|mistake| mistake.message.contains("open this file, too")), "{seen:?}");
        let seen = files.add("b.yaml", suite("two"));
        assert_eq!((seen.tests, seen.mistakes), (2, Vec::new()));
    }

    #[test]
    fn what_is_said_about_the_files_is_part_of_the_tests() {
        let mut files = OpenedFiles::default();
        files.add("a.yaml", suite("one"));
        let of = |files: &mut OpenedFiles, given: &str| files.tests(given).map(|tests| tests.areas.as_ptr());
        let plain = of(&mut files, "");
        assert_ne!(of(&mut files, "--var name=x"), plain);
        assert_eq!(of(&mut files, ""), plain);
        assert!(of(&mut files, "name=x").unwrap_err().starts_with("Expected --var NAME=VALUE"));
        let problem = of(&mut files, "--agent other=localhost:1").unwrap_err();
        assert_eq!(problem, "--agent other: no file names this agent under x-agents.");
        files.add("a.yaml", format!("{}x-agents: [other]\n", suite("one")));
        assert_eq!(
            of(&mut files, "").unwrap_err(),
            "a.yaml needs the agent other; say where it is with --agent other=URL."
        );
        assert!(of(&mut files, "--agent other=localhost:1").is_ok());
    }

    /// Rows of reports point to the tests as long as the page is there, so those are made once.
    #[test]
    fn the_same_files_take_memory_once() {
        let mut files = OpenedFiles::default();
        files.add("a.yaml", suite("one"));
        let first = files.tests("").map(|tests| tests.areas.as_ptr());
        files.add("b.yaml", suite("two"));
        assert_ne!(files.tests("").map(|tests| tests.areas.as_ptr()), first);
        files.remove("b.yaml");
        assert_eq!(files.tests("").map(|tests| tests.areas.as_ptr()), first);
        let long = format!("{}# {}", suite("one"), "x".repeat(LONGEST - 1_000));
        for round in 0..5 {
            files.add("a.yaml", format!("{long}{round}"));
            assert_eq!(files.tests("").is_err(), round >= 4, "round {round}");
        }
    }
}
