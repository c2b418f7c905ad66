//! Where an interface over gRPC is called: a host and a port, whatever form its URL has.

use crate::wire::url::{Url, UrlProblem};

/// The HTTP URL of an interface over gRPC, without a path (T-GRPC-1): `host:port`, or a URL (T-CARD-12). Without a scheme it is plain text for
/// this machine and private networks, and TLS for all others. The error says why it cannot be requested.
pub fn base_url(url: &str) -> Result<String, UrlProblem> {
    let url = url.trim();
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let parsed = |scheme: &str| Url::parse(&format!("{scheme}://{}", rest.trim_start_matches('/')));
    let url = match scheme.to_ascii_lowercase().as_str() {
        "grpc" => parsed("http")?,
        "grpcs" => parsed("https")?,
        "" if rest.starts_with("unix:") => return Err(UrlProblem::Scheme("unix".to_owned())),
        // The schemes of gRPC's own addresses: `dns:///host:port`.
        "" | "dns" => {
            let plain = parsed("http")?;
            if plain.is_local() { plain } else { parsed("https")? }
        }
        other => parsed(other)?,
    };
    Ok(url.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_is_plain_only_for_private_networks() {
        for (url, base) in [
            ("localhost:50051", "http://localhost:50051"),
            ("agent.example:50051", "https://agent.example:50051"),
            ("grpc://agent.example:50051", "http://agent.example:50051"),
            ("grpcs://agent.example", "https://agent.example"),
            ("https://agent.example/a2a/grpc", "https://agent.example"),
            ("dns:///agent.example:1", "https://agent.example:1"),
        ] {
            assert_eq!(base_url(url).as_deref(), Ok(base), "{url}");
        }
        assert!(base_url("unix:/run/agent").is_err() && base_url("").is_err());
    }
}
