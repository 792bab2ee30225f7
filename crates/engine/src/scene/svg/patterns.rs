//! Patterns.

use std::fmt::Write as _;

use super::super::Pattern;

/// Returns the definitions of all patterns.
pub(super) fn patterns() -> String {
    let mut defined = String::new();
    for pattern in Pattern::ALL {
        let Some((size, content)) = tile(pattern) else { continue };
        let _ = write!(
            defined,
            concat!(
                r#"<pattern id="scene-{}" width="{}" height="{}" patternUnits="userSpaceOnUse">"#,
                r#"<g class="scene-mesh">{}</g></pattern>"#
            ),
            pattern.name(),
            size,
            size,
            content
        );
    }
    defined
}

/// Returns the size and the content of the square that a pattern repeats.
const fn tile(pattern: Pattern) -> Option<(u32, &'static str)> {
    match pattern {
        Pattern::Plain => None,
        Pattern::Dots => {
            Some((8, r#"<circle cx="2" cy="2" r=".8"/><circle cx="6" cy="6" r=".8"/>"#))
        }
        Pattern::Bars => Some((6, r#"<path d="M0 3H6"/>"#)),
        Pattern::Posts => Some((6, r#"<path d="M3 0V6"/>"#)),
        Pattern::Rising => Some((7, r#"<path d="M-1 8L8 -1M-1 1L1 -1M6 8L8 6"/>"#)),
        Pattern::Falling => Some((7, r#"<path d="M-1 -1L8 8M-1 6L1 8M6 -1L8 1"/>"#)),
        Pattern::Squares => Some((8, r#"<path d="M0 4H8M4 0V8"/>"#)),
        Pattern::Diamonds => Some((9, r#"<path d="M0 0L9 9M9 0L0 9"/>"#)),
        Pattern::Waves => Some((10, r#"<path d="M0 5Q2.5 2 5 5T10 5"/>"#)),
        Pattern::Peaks => Some((10, r#"<path d="M1 8L5 3L9 8"/>"#)),
        Pattern::Crosses => Some((10, r#"<path d="M3 5H7M5 3V7"/>"#)),
        Pattern::Rings => Some((9, r#"<circle cx="4.5" cy="4.5" r="2.5"/>"#)),
    }
}
