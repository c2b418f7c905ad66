//! `--trace`: shows an exchange as it happens, and how much of its bodies. It was masked when it was recorded.

use std::fmt::Write;

use crate::engine::transcript::whole_ms;
use crate::wire::exchange::Exchange;

/// How many characters of a body are shown.
const SHOWN: usize = 2000;

/// The lines for one exchange: where it belongs, the request, the answer and their bodies.
pub(super) fn lines(exchange: &Exchange) -> String {
    let Exchange { id, scenario, step, request, .. } = exchange;
    let lane = exchange.lane.as_deref().map(|lane| format!(" on {lane}")).unwrap_or_default();
    // Writing to a string has no error to report.
    let mut text = format!("exchange {id}: {scenario}, step {step}{lane}\n  > {} {}", request.method, request.url);
    for (name, value) in request.headers.iter() {
        let _ = write!(text, "\n  > {name}: {}", one_line(value.as_bytes()));
    }
    if let Some(body) = &request.body {
        let _ = write!(text, "\n  > {}", one_line(body));
    }
    let ms = whole_ms(exchange.duration_ms());
    match &exchange.response {
        Some(response) => {
            let coding = response.headers.decoded_from();
            let _ = write!(text, "\n  < HTTP {}, {ms} ms, {} bytes{coding}", response.status, response.bytes);
            for timed in &response.frames {
                let at = whole_ms(timed.at_ms - exchange.sent_ms);
                let _ = write!(text, "\n  < after {at} ms: {}", one_line(timed.frame.data.as_bytes()));
            }
            if !response.body.is_empty() {
                let _ = write!(text, "\n  < {}", one_line(&response.body));
            }
        }
        None => {
            let _ = write!(text, "\n  < {}, {ms} ms", exchange.end.no_answer());
        }
    }
    if let (Some(why), true) = (exchange.end.cut(), exchange.response.is_some()) {
        let _ = write!(text, "\n  < {why}");
    }
    text
}

/// A body in one line. What steers a terminal or turns the direction of writing is taken out of all lines when they are written.
fn one_line(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let length = text.chars().count();
    let plain: String = text.chars().take(SHOWN).map(|c| if c.is_ascii_control() { ' ' } else { c }).collect();
    if length > SHOWN { format!("{plain} ... ({} characters more)", length - SHOWN) } else { plain }
}
