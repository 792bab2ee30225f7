//! The files of the page. They load nothing from other hosts and are used as they are.
//!
//! `assets/static` has the files of the page without a server: there, the application is a module
//! for WebAssembly in a worker, and another `transport.js` sends requests to it.

use crate::scene;

/// A file of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asset {
    /// Name beside the page; that of the page itself is empty.
    pub name: &'static str,
    /// Media type.
    pub kind: &'static str,
    /// Content.
    pub content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const fn asset(name: &'static str, kind: &'static str, content: &'static str) -> Asset {
    Asset { name, kind, content }
}

/// All files of the page for a server.
pub const FILES: [Asset; 9] = [
    asset("", HTML, include_str!("assets/index.html")),
    asset("page.css", CSS, include_str!("assets/page.css")),
    asset("scene.css", CSS, scene::STYLE),
    asset("page.js", SCRIPT, include_str!("assets/page.js")),
    asset("analysis.js", SCRIPT, include_str!("assets/analysis.js")),
    asset("dom.js", SCRIPT, include_str!("assets/dom.js")),
    asset("start.js", SCRIPT, include_str!("assets/start.js")),
    asset("store.js", SCRIPT, include_str!("assets/store.js")),
    asset("transport.js", SCRIPT, include_str!("assets/transport.js")),
];
