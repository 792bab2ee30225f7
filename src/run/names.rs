//! What a designer names on the command line: items and kinds of action.

use anyhow::bail;

use crate::{
    arena::intervention::RestrictionTarget,
    game::{FullGame, ItemId, ItemTable},
};

/// The item of this name, written alone or after its table's singular and a colon, as in
/// `building:w2c1`.
pub(crate) fn find_item(tables: &[ItemTable], name: &str) -> anyhow::Result<ItemId> {
    match named(tables, name)[..] {
        [item] => Ok(ItemId(item as u16)),
        [] => bail!(
            "expected an item, found `{name}`; the nearest is `{}`",
            nearest(full_names(tables), name)
        ),
        [..] => {
            let full: Vec<_> = full_names(tables).collect();
            let meant: Vec<_> =
                named(tables, name).into_iter().map(|item| format!("`{}`", full[item])).collect();
            bail!("expected one item, found `{name}`, which may be {}", meant.join(" or "))
        }
    }
}

/// The singular of an item's table, and the item's name.
pub(crate) fn item_name(tables: &[ItemTable], item: ItemId) -> (&str, &str) {
    let all = tables
        .iter()
        .flat_map(|table| table.items.iter().map(|(name, _)| (table.singular, name.as_str())));
    all.into_iter().nth(item.0.into()).unwrap_or_default()
}

/// What a rule may be about: an item, a kind of action, or the beginning of a notation that has a
/// kind of action before the colon.
pub(crate) fn find_subject<G: FullGame>(game: &G, name: &str) -> anyhow::Result<RestrictionTarget> {
    let tables = game.tables();
    let kinds = game.action_kinds();
    if named(&tables, name).len() == 1 {
        return find_item(&tables, name).map(RestrictionTarget::Item);
    }
    if let Some(kind) = kinds.iter().position(|&kind| kind == name) {
        return Ok(RestrictionTarget::Kind(kind as u32));
    }
    if name.split_once(':').is_some_and(|(kind, _)| kinds.contains(&kind)) {
        let notations: Vec<_> =
            game.all_decisions().into_iter().map(|action| game.action_text(action)).collect();
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
    if named(&tables, name).is_empty() {
        let all = full_names(&tables).chain(kinds.iter().map(|&kind| kind.to_owned()));
        bail!(
            "expected an item, a kind of action ({}) or the beginning of a notation, found \
                `{name}`; the nearest is `{}`",
            kinds.join(", "),
            nearest(all, name)
        );
    }
    find_item(&tables, name).map(RestrictionTarget::Item)
}

/// The items, by their places among all, that have this name.
fn named(tables: &[ItemTable], name: &str) -> Vec<usize> {
    let alone = tables.iter().flat_map(|table| table.items.iter().map(|(item, _)| item));
    let both = alone.zip(full_names(tables)).enumerate();
    both.filter(|(_, (alone, full))| *alone == name || full == name)
        .map(|(index, _)| index)
        .collect()
}

fn full_names(tables: &[ItemTable]) -> impl Iterator<Item = String> + '_ {
    // Names such as `effect:swap` have the table before the colon already.
    let full_name = |singular: &str, item: &str| {
        let has_table = item.strip_prefix(singular).is_some_and(|rest| rest.starts_with(':'));
        if has_table { item.to_owned() } else { format!("{singular}:{item}") }
    };
    tables.iter().flat_map(move |table| {
        table.items.iter().map(move |(item, _)| full_name(table.singular, item))
    })
}

fn nearest(names: impl Iterator<Item = String>, name: &str) -> String {
    let without_table =
        |full: &str| full.split_once(':').map_or(full.to_owned(), |(_, item)| item.to_owned());
    let likeness = |full: &String| {
        strsim::jaro_winkler(full, name).max(strsim::jaro_winkler(&without_table(full), name))
    };
    names.max_by(|one, other| likeness(one).total_cmp(&likeness(other))).unwrap_or_default()
}
