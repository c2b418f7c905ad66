//! Files that the agent has at URLs of its own, because a test case sends references to them: where, how many and how much.

use std::rc::Rc;

use crate::wire::url::encode;

/// The folder below the agent's base.
const FOLDER: &str = "/_files/";
/// How many files are kept, the newest ones.
const MAX_FILES: usize = 100;
/// How many of their bytes are kept.
const MAX_BYTES: usize = 32 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct HostedFile {
    pub(super) name: String,
    /// Empty if there is none.
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

/// The files, oldest first, each with the test case that sends its URL.
#[derive(Debug, Default)]
pub(super) struct HostedFiles(Vec<(String, Rc<HostedFile>)>);

impl HostedFile {
    /// Where it is, below the agent's base. Its digest tells files of one name apart, of several test cases for example.
    pub(super) fn path(&self) -> String {
        format!("{FOLDER}{:016x}/{}", digest(&self.bytes), encode(&self.name))
    }
}

/// FNV-1a, which is the same everywhere.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

impl HostedFiles {
    pub(super) fn add(&mut self, test_case: &str, files: Vec<Rc<HostedFile>>) {
        for file in files {
            self.0.retain(|(of, known)| of != test_case || *known != file);
            self.0.push((test_case.to_owned(), file));
        }
        let bytes = |files: &[(String, Rc<HostedFile>)]| files.iter().map(|(_, file)| file.bytes.len()).sum::<usize>();
        while self.0.len() > MAX_FILES || (self.0.len() > 1 && bytes(&self.0) > MAX_BYTES) {
            self.0.remove(0);
        }
    }

    /// Forgets the files of this test case, or all of them.
    pub(super) fn forget(&mut self, test_case: Option<&str>) {
        self.0.retain(|(known, _)| test_case.is_some_and(|test_case| test_case != known));
    }

    /// The file at a path below the agent's base, with its test case.
    pub(super) fn find(&self, path: &str) -> Option<&(String, Rc<HostedFile>)> {
        self.0.iter().find(|(_, file)| path.starts_with(FOLDER) && file.path() == path)
    }
}
