//! The arguments that say how connections are made. They have no `Debug`, which would print a proxy's password.

use std::path::PathBuf;

use clap::Args;

// How the agent is reached. No doc comment: clap would show it as the description of the command.
#[derive(Args, Default)]
#[command(next_help_heading = "Connections")]
pub(super) struct ConnectionArgs {
    /// Trust the certificates of this PEM file besides those of this machine: mostly of a CA of your own. May be repeated
    #[arg(long = "cacert", value_name = "FILE")]
    pub(super) roots: Vec<PathBuf>,
    /// Show this certificate to servers that require one (mutual TLS): a PEM file, which may hold its key too
    #[arg(long, value_name = "FILE")]
    pub(super) cert: Option<PathBuf>,
    /// The private key of that certificate: a PEM file [default: the file of --cert]
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(super) key: Option<PathBuf>,
    /// Accept any certificate of a server; every report says so
    #[arg(long)]
    pub(super) insecure: bool,
    /// Send every request through this proxy: http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, with USER:PASSWORD@
    /// before the host if it wants them [default: what HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say, but nothing on
    /// this machine]
    #[arg(long, value_name = "URL")]
    pub(super) proxy: Option<String>,
    /// Send what a page of this origin would send, preflights included, and see what a browser would let it see; what keeps the
    /// page out is found out and mended as in a page
    #[arg(long, value_name = "ORIGIN")]
    pub(super) cors_origin: Option<String>,
}
