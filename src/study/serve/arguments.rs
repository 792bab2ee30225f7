//! The flags of `serve`.

use std::net::{IpAddr, Ipv4Addr};

use crate::study::shared::prelude::*;

#[derive(Args, Debug)]
#[cfg_attr(not(feature = "serve"), allow(dead_code, reason = "the server reads them"))]
#[command(after_help = "\
The command prints the address of the page and runs until it is interrupted (Ctrl+C). Games are
kept in memory; the page saves them as files that `play`, `replay` and `analyze` read.

Examples:
  watershed serve
  watershed serve --port 0 --results results")]
pub(crate) struct ServeArguments {
    /// Set the port; 0 selects a free one
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = count(0..=u16::MAX))]
    pub(super) port: u16,
    /// Set the address to listen on; with an address that other machines can reach, everybody there
    /// can play and read the results
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(super) address: IpAddr,
    /// List and show the results below a folder: reports, books, annotated games, puzzles and
    /// records [default: results, as soon as there is such a folder]
    #[arg(long, value_name = "DIR")]
    pub(super) results: Option<PathBuf>,
    /// Append all finished games to a log that `simulate --playtests` reads
    #[arg(long, value_name = "FILE")]
    pub(super) playtests: Option<PathBuf>,
}
