//! Colours of components in terminal text.

use crate::scene::{Hue, Scene};

/// The names of pieces and components with their colours, the longest first.
#[derive(Default)]
pub(super) struct NameColours(Vec<(String, Hue)>);

impl NameColours {
    /// Returns the names of a scene.
    pub(super) fn of(scene: &Scene) -> Self {
        // Others are phrases, such as `produces 1 wood`.
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_numeric);
        let names = scene.coloured_names().filter(|&(name, _)| is_name(name));
        let mut names: Vec<_> = names.map(|(name, hue)| (name.to_owned(), hue)).collect();
        names.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then(one.cmp(other)));
        names.dedup();
        Self(names)
    }

    /// Returns a text with its names in their colours, as codes of ECMA-48. Short names count in
    /// the same case only.
    pub(super) fn colour(&self, text: &str) -> String {
        let (mut painted, mut rest, mut last) = (String::new(), text, ' ');
        while let Some(letter) = rest.chars().next() {
            let is_start = |(name, _): &&(String, Hue)| {
                let is_name = rest.get(..name.len()).is_some_and(|start| {
                    start == name || name.len() > 2 && start.eq_ignore_ascii_case(name)
                });
                is_name && !rest[name.len()..].starts_with(char::is_alphanumeric)
            };
            let found = self.0.iter().find(is_start).filter(|_| !last.is_alphanumeric());
            let length = found.map_or(letter.len_utf8(), |(name, _)| name.len());
            let (part, after) = rest.split_at(length);
            painted += &found.map_or_else(
                || part.to_owned(),
                |(_, hue)| format!("\x1b[{}m{part}\x1b[0m", style(*hue)),
            );
            last = part.chars().last().unwrap_or(letter);
            rest = after;
        }
        painted
    }
}

/// Returns the code of a colour that is legible on light and dark terminals.
const fn style(hue: Hue) -> &'static str {
    match hue {
        Hue::Sand => "38;5;137",
        Hue::Rust => "38;5;130",
        Hue::Green => "32",
        Hue::Lime => "38;5;70",
        Hue::Pine => "38;5;29",
        Hue::Grey => "38;5;244",
        Hue::Red => "31",
        Hue::Orange => "38;5;166",
        Hue::Yellow => "38;5;136",
        Hue::Sky => "38;5;38",
        Hue::Blue => "38;5;33",
        Hue::Purple => "38;5;133",
        Hue::White | Hue::Black => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_coloured() {
        let names = [("Dark green", Hue::Pine), ("green", Hue::Green), ("DG", Hue::Pine)];
        let paint = NameColours(names.map(|(name, hue)| (name.to_owned(), hue)).into());
        let green = "\x1b[38;5;29mdark green\x1b[0m";
        assert_eq!(paint.colour("a dark green tile"), format!("a {green} tile"));
        assert_eq!(paint.colour("evergreen, dg"), "evergreen, dg");
        assert_eq!(paint.colour("DG é DGs"), "\x1b[38;5;29mDG\x1b[0m é DGs");
    }
}
