//! Names of items and actions on the command line.

use anyhow::bail;

use crate::{
    arena::intervention::RestrictionTarget,
    bound::BoundGame,
    game::{ItemCatalog, ItemId},
};

/// Returns the item of this name or full name, as in `w2c1` and `building:w2c1`.
pub(crate) fn find_item(catalog: &ItemCatalog, name: &str) -> anyhow::Result<ItemId> {
    match catalog.named(name).collect::<Vec<_>>()[..] {
        [item] => Ok(item),
        [] => bail!(
            "expected an item, found `{name}`; the nearest is `{}`",
            nearest(full_names(catalog), name)
        ),
        ref items => {
            let full_names: Vec<_> =
                items.iter().map(|&item| format!("`{}`", catalog.full_name(item))).collect();
            bail!("expected one item, found `{name}`, which may be {}", full_names.join(" or "))
        }
    }
}

/// Returns the items of a family, as [`ItemCatalog::items_of_family`].
pub(crate) fn find_family(catalog: &ItemCatalog, name: &str) -> anyhow::Result<Vec<ItemId>> {
    let found = catalog.items_of_family(name);
    if found.is_empty() {
        bail!(
            "expected a table or a property of items, as in `tiles` or `terrain=meadow`, found \
             `{name}`; the nearest is `{}`",
            nearest(catalog.ids().flat_map(|item| catalog.families_of(item)), name)
        );
    }
    Ok(found)
}

/// Returns the target of a restriction: an item, a kind of action, or the beginning of a notation
/// with a kind of action before the colon.
pub(crate) fn find_restriction_target(
    game: &BoundGame,
    name: &str,
) -> anyhow::Result<RestrictionTarget> {
    let (catalog, kinds) = (game.catalog(), game.action_kinds());
    if catalog.named(name).count() == 1 {
        return find_item(catalog, name).map(RestrictionTarget::Item);
    }
    if let Some(kind) = kinds.iter().position(|&kind| kind == name) {
        return Ok(RestrictionTarget::Kind(kind as u32));
    }
    if name.split_once(':').is_some_and(|(kind, _)| kinds.contains(&kind)) {
        let notations = game.decision_notations();
        if notations.iter().any(|notation| notation.starts_with(name)) {
            return Ok(RestrictionTarget::Notation(name.to_owned()));
        }
        let nearest = notations
            .iter()
            .min_by_key(|notation| strsim::damerau_levenshtein(notation, name))
            .map_or("", String::as_str);
        bail!(
            "expected the beginning of an action's notation, found `{name}`; the nearest is \
                `{nearest}`"
        );
    }
    if catalog.named(name).next().is_none() {
        let all = full_names(catalog).chain(kinds.iter().map(|&kind| kind.to_owned()));
        bail!(
            "expected an item, a kind of action ({}) or the beginning of a notation, found \
                `{name}`; the nearest is `{}`",
            kinds.join(", "),
            nearest(all, name)
        );
    }
    find_item(catalog, name).map(RestrictionTarget::Item)
}

fn full_names(catalog: &ItemCatalog) -> impl Iterator<Item = String> {
    catalog.ids().map(|item| catalog.full_name(item))
}

/// Returns the most similar name, with or without its table.
fn nearest(names: impl Iterator<Item = String>, name: &str) -> String {
    let without_table =
        |full: &str| full.split_once(':').map_or(full.to_owned(), |(_, item)| item.to_owned());
    let similarity = |full: &String| {
        strsim::jaro_winkler(full, name).max(strsim::jaro_winkler(&without_table(full), name))
    };
    names.max_by(|one, other| similarity(one).total_cmp(&similarity(other))).unwrap_or_default()
}
