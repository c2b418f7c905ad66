//! Redirects into loops, and to where nobody wanted to go: nothing may be sent to another origin.

use super::attack::Attack;
use super::attack::Place::{self, Card, Sends};
use super::harm::{Harm, acts, raw, send};

/// An answer that points somewhere; `{own}` and `{canary}` are host and port.
fn to(status: &'static str, location: &'static str) -> Harm {
    acts(move |strike, stream| {
        let port = |place: &str| place.rsplit(':').next().unwrap_or_default().to_owned();
        let location = location
            .replace("{own}", strike.own)
            .replace("{canary}", strike.canary)
            .replace("{own port}", &port(strike.own))
            .replace("{canary port}", &port(strike.canary))
            .replace("{path}", strike.asked.path())
            .replace("{number}", &strike.number.to_string());
        send(stream, format!("HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").as_bytes());
    })
}

/// What stands in the Location, and its name.
const PLACES: [(&str, &str); 30] = [
    ("to itself", "{path}"),
    ("to a new place each time", "/again/{number}"),
    ("to the clouds' metadata", "http://169.254.169.254/latest/meta-data/"),
    ("to the metadata by its other name", "http://metadata.google.internal/computeMetadata/v1/"),
    ("to IPv6 of this machine", "http://[::1]:{canary port}/"),
    ("to another port", "http://{canary}/"),
    ("to the machine by its name", "http://localhost:{canary port}/"),
    ("to the machine by a number", "http://2130706433:{canary port}/"),
    ("to the machine in octal", "http://0177.0.0.1:{canary port}/"),
    ("to half an address of the machine", "http://127.1:{canary port}/"),
    ("to the machine in IPv6 by IPv4", "http://[::ffff:127.0.0.1]:{canary port}/"),
    ("to the machine with a zone", "http://[::1%25lo]:{canary port}/"),
    (
        "to the machine in circles",
        "http://\u{24db}\u{24de}\u{24d2}\u{24d0}\u{24db}\u{24d7}\u{24de}\u{24e2}\u{24e3}:{canary port}/",
    ),
    ("to the machine in wide digits", "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1:{canary port}/"),
    ("to the machine's name with a dot", "http://localhost.:{canary port}/"),
    ("to nowhere in particular", "http://0.0.0.0:{canary port}/"),
    ("to a file", "file:///etc/passwd"),
    ("to data", "data:application/json,{}"),
    ("to a script", "javascript:alert(1)"),
    ("to FTP", "ftp://{canary}/"),
    ("to https on the same port", "https://{own}/"),
    ("with a user in front", "http://{own}@{canary}/"),
    ("with two slashes", "//{canary}/"),
    ("with two backslashes", "\\\\{canary}\\"),
    ("with a slash and a backslash", "/\\{canary}/"),
    ("with a tab in the scheme", "ht\ttp://{canary}/"),
    ("to a port beyond all ports", "http://127.0.0.1:99999/"),
    ("to nothing", ""),
    ("to no address", "http://[::1"),
    ("to a name with control characters", "http://\u{1b}[2J.example/"),
];

fn located(location: &str) -> String {
    format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
}

fn named(place: Place, what: &str) -> &'static str {
    // Names live as long as the table, which is as long as the tests.
    Box::leak(format!("{what}, {}", if place == Card { "for the card" } else { "for a message" }).into_boxed_str())
}

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = Vec::new();
    for (what, location) in PLACES {
        all.push(Attack::new(named(Card, what), Card, to("302 Found", location)).with(&["--only", "discovery.*"]));
    }
    for (what, location) in PLACES {
        all.push(Attack::new(named(Sends, what), Sends, to("307 Temporary Redirect", location)));
    }
    all.extend([
        Attack::new("a Location of 1 MB", Sends, raw(located(&format!("/{}", "x".repeat(1 << 20))))),
        Attack::new("a Location of 300 KB", Sends, raw(located(&format!("/{}", "x".repeat(300_000))))).heavy(),
        Attack::new("no Location", Sends, raw("HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\n\r\n")),
        Attack::new("two Locations", Sends, raw(located("/a\r\nLocation: http://169.254.169.254/"))),
        Attack::new("300 with a choice", Sends, to("300 Multiple Choices", "http://{canary}/")),
        Attack::new("303 for a message", Sends, to("303 See Other", "http://{canary}/")),
        Attack::new("304 with a Location", Sends, to("304 Not Modified", "http://{canary}/")),
        Attack::new("305 to a proxy", Sends, to("305 Use Proxy", "http://{canary}/")),
        Attack::new("201 with a Location", Sends, to("201 Created", "http://{canary}/")),
        Attack::new(
            "a body that never ends beside the Location",
            Sends,
            super::harm::flood(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\n\r\n",
                vec![b'x'; 65536],
                16_384,
            ),
        ),
    ]);
    all
}
