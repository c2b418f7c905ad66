//! Loads files of tests with those that they include.

use super::document::ActsDocument;
use super::problem::{FileProblem, TextPlace};
use super::read_document::read_document;

/// Where texts of files come from.
pub trait FileSource {
    /// The text of the file, or why it cannot be read.
    fn read(&self, file: &str) -> Result<String, String>;

    /// The name of a file that another one names.
    fn beside(&self, file: &str, named: &str) -> String;
}

/// The documents of these files, those included behind the one that includes them; or every mistake in every file.
pub fn load(source: &dyn FileSource, files: &[String]) -> Result<Vec<ActsDocument>, Vec<FileProblem>> {
    let mut loading = Loading { source, open: Vec::new(), documents: Vec::new(), problems: Vec::new() };
    for file in files {
        loading.file(file, &[], None);
    }
    loading.check_ids();
    if loading.problems.is_empty() { Ok(loading.documents) } else { Err(loading.problems) }
}

struct Loading<'a> {
    source: &'a dyn FileSource,
    /// The files that include the one being read, outermost first.
    open: Vec<String>,
    documents: Vec<ActsDocument>,
    problems: Vec<FileProblem>,
}

impl Loading<'_> {
    /// Reads a file. `variables` are those of the file that names it, and `named` is where that does.
    fn file(&mut self, file: &str, variables: &[(String, String)], named: Option<(&str, TextPlace)>) {
        let problem = |message: String| {
            let (file, place) = named.map_or((file, None), |(by, at)| (by, Some(at)));
            FileProblem { file: file.to_owned(), place, message }
        };
        if self.open.iter().any(|open| open == file) {
            let circle = self.open.iter().map(String::as_str).chain([file]).collect::<Vec<_>>().join(" includes ");
            return self.problems.push(problem(format!("files include each other in a circle: {circle}")));
        }
        // Two files may include a third; it is run once.
        if self.documents.iter().any(|document| document.file == file) {
            return;
        }
        let text = match self.source.read(file) {
            Ok(text) => text,
            Err(why) => {
                let what = if named.is_some() { format!("{file} ") } else { String::new() };
                return self.problems.push(problem(format!("{what}cannot be read: {why}")));
            }
        };
        let mut document = match read_document(file, &text) {
            Ok(document) => document,
            Err(problems) => return self.problems.extend(problems),
        };
        // A file's own variables go before those of the file that includes it.
        for (name, value) in variables {
            if document.variables.iter().all(|(known, _)| known != name) {
                document.variables.push((name.clone(), value.clone()));
            }
        }
        self.open.push(file.to_owned());
        let (include, variables) = (document.include.clone(), document.variables.clone());
        self.documents.push(document);
        for (named, at) in include {
            self.file(&self.source.beside(file, &named), &variables, Some((file, at)));
        }
        self.open.pop();
    }

    /// Notes ids that several tests have: results could not be told apart.
    fn check_ids(&mut self) {
        let mut known: Vec<(&str, &str)> = Vec::new();
        for document in &self.documents {
            for test in document.suites.iter().flat_map(|suite| &suite.tests) {
                match known.iter().find(|(id, _)| *id == test.id) {
                    Some((id, file)) => self.problems.push(FileProblem {
                        file: document.file.clone(),
                        place: Some(test.at),
                        message: format!("the id {id} is that of another test, in {file}; ids are unique"),
                    }),
                    None => known.push((&test.id, &document.file)),
                }
            }
        }
    }
}
