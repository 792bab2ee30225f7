//! The files of the page. They load nothing from other hosts and are used as they are.

/// The HTML of the page.
pub const INDEX: &str = include_str!("assets/index.html");
/// The style of the page. The style of boards, [`crate::scene::STYLE`], is another file.
pub const STYLE: &str = include_str!("assets/page.css");
/// The script of the page.
pub const SCRIPT: &str = include_str!("assets/page.js");
/// The connection of the page to an application that is reached over HTTP, as a script.
pub const HTTP_TRANSPORT: &str = include_str!("assets/transport.js");
