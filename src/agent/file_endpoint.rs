//! Serves the files that test cases send references to.

use std::rc::Rc;

use super::hosted_files::HostedFile;
use super::request::path_of;
use super::responses::response;
use super::scripted_agent::ScriptedAgent;
use crate::host::StreamedResponse;
use crate::wire::http::{Method, Request};

impl ScriptedAgent {
    /// The file that a request asks for, and its test case.
    pub(super) fn hosted_file(&self, request: &Request) -> Option<(String, Rc<HostedFile>)> {
        let path = self.path_below_base(path_of(&request.url));
        let found = self.0.files.borrow().find(path).cloned();
        found.filter(|_| request.method == Method::Get)
    }
}

/// The file as an answer.
pub(super) fn serve_file(file: &HostedFile) -> StreamedResponse {
    let media_type = if file.media_type.is_empty() { "application/octet-stream" } else { &file.media_type };
    response(200, [("content-type", media_type)].into_iter().collect(), file.bytes.clone())
}
