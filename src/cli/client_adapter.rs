//! A command that shows what its client reads: it is started for each answer, and prints the result as JSON (docs/SCENARIOS.md);
//! its exit codes, and how much of its output is read.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::acts::{ClientAdapter, ClientReading, StatedAnswer};
use crate::report::text::one_line;
use crate::server::StatedAnswers;
use crate::wire::exchange::Exchange;
use crate::wire::json;

/// The exit code of an adapter whose client does not have an operation.
const UNSUPPORTED: i32 = 64;

/// How often is looked whether a command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How much of a command's output is read, in bytes.
const MAX_OUTPUT: u64 = 5 << 20;

/// The longest reason that is told, in characters.
const LONGEST_REASON: usize = 300;

/// A client under test, behind a command.
pub(super) struct CommandAdapter {
    pub(super) command: String,
    pub(super) agent: StatedAnswers,
    /// How long a command may take.
    pub(super) patience: Duration,
}

/// What a command said when it was over.
struct Said {
    /// `None` for one that was stopped because it took too long.
    status: Option<ExitStatus>,
    output: Vec<u8>,
    errors: Vec<u8>,
}

/// A command that goes on; it is ended when nobody waits for it any more.
struct StartedCommand(Child);

impl Drop for StartedCommand {
    fn drop(&mut self) {
        // It may be over.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl ClientAdapter for CommandAdapter {
    fn name(&self) -> String {
        one_line(&self.command, 100)
    }

    fn read(&self, answer: StatedAnswer) -> LocalBoxFuture<'_, (ClientReading, Vec<Exchange>)> {
        async move {
            self.agent.state(answer.operation == "get_agent_card", answer.payload);
            let reading = match self.run(answer.operation).await {
                Ok(said) => self.reading(&said),
                Err(problem) => ClientReading::NotShown(format!("the adapter cannot be started: {problem}")),
            };
            (reading, self.agent.take_exchanges())
        }
        .boxed_local()
    }
}

impl CommandAdapter {
    async fn run(&self, operation: &str) -> std::io::Result<Said> {
        let mut command = shell(&self.command);
        command.args([self.agent.origin(), operation]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut started = StartedCommand(command.spawn()?);
        let output = collected(started.0.stdout.take());
        let errors = collected(started.0.stderr.take());
        let status = self.ended(&mut started).await?;
        // What a process of the command still holds open is not waited for.
        let bytes = |reader: std::thread::JoinHandle<Vec<u8>>| {
            let bytes = if status.is_some() { reader.join().ok() } else { None };
            bytes.unwrap_or_default()
        };
        Ok(Said { status, output: bytes(output), errors: bytes(errors) })
    }

    async fn ended(&self, started: &mut StartedCommand) -> std::io::Result<Option<ExitStatus>> {
        let began = Instant::now();
        loop {
            if let Some(status) = started.0.try_wait()? {
                return Ok(Some(status));
            }
            if began.elapsed() > self.patience {
                return Ok(None);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn reading(&self, said: &Said) -> ClientReading {
        let Some(status) = said.status else {
            let why = format!("no result within {} seconds", self.patience.as_secs());
            return ClientReading::Refused(why);
        };
        let errors = String::from_utf8_lossy(&said.errors);
        let last = errors.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given");
        let why = one_line(last, LONGEST_REASON);
        match status.code() {
            Some(0) if said.output.len() as u64 > MAX_OUTPUT => ClientReading::NotShown(format!(
                "the adapter printed more than {} MB, the most that is read",
                MAX_OUTPUT >> 20
            )),
            Some(0) => match json::read(&said.output) {
                Some(parsed) => ClientReading::Parsed(parsed),
                None => {
                    let shown = one_line(&String::from_utf8_lossy(&said.output), LONGEST_REASON);
                    ClientReading::NotShown(format!("the adapter printed no JSON: {shown:?}"))
                }
            },
            Some(1) => ClientReading::Refused(why),
            Some(UNSUPPORTED) => ClientReading::Unsupported(why),
            _ => ClientReading::NotShown(format!("the adapter ended with {status}: {why}")),
        }
    }
}

/// The command by the shell of this machine, which takes arguments behind it.
fn shell(command: &str) -> Command {
    if cfg!(windows) {
        let mut shell = Command::new("cmd");
        shell.args(["/C", command]);
        return shell;
    }
    let mut shell = Command::new("sh");
    // In the place of the shell, so that it is the command that is stopped when it takes too long.
    shell.args(["-c", &format!("exec {command} \"$@\""), "adapter"]);
    shell
}

/// Reads an output while the command runs.
fn collected(output: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut output) = output {
            // Output that cannot be read counts as missing.
            let _ = output.by_ref().take(MAX_OUTPUT + 1).read_to_end(&mut bytes);
            // A command whose output nobody takes would wait for ever.
            let _ = std::io::copy(&mut output, &mut std::io::sink());
        }
        bytes
    })
}
