//! The items that statistics count, and the catalogue that owns their ids.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Seat;

/// An item of an [`ItemCatalog`]: a card, a tile, a kind of effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ItemId(u16);

impl ItemId {
    /// Returns the index among all items of the catalogue.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ids of the items of one table, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ItemIds {
    first: u16,
    len: u16,
}

impl ItemIds {
    /// Returns the id of the item with this index in its table.
    #[inline]
    pub const fn get(self, index: usize) -> ItemId {
        debug_assert!(index < self.len as usize);
        ItemId(self.first + index as u16)
    }

    /// Returns the indices among all items of the catalogue.
    pub fn range(self) -> Range<usize> {
        usize::from(self.first)..usize::from(self.first) + usize::from(self.len)
    }

    /// Returns all ids.
    pub fn iter(self) -> impl Iterator<Item = ItemId> {
        (self.first..self.first + self.len).map(ItemId)
    }

    /// Returns true if the item is one of the table.
    pub fn contains(self, item: ItemId) -> bool {
        self.range().contains(&item.index())
    }
}

/// The seats whose results are reported for each item of an [`ItemTable`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportedSeats {
    /// The seats that took the item, and those for which it was available and that did not take it.
    TakersAndNonTakers,
    /// The seats that took the item. The game does not report for which seats it was available.
    Takers,
    /// None. Nearly every seat takes nearly every item, so the few others would be misleading.
    None,
}

/// An item as tables show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its name in notations, on the command line and in CSV.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// Its values in the columns [`ItemTable::properties`].
    pub properties: Vec<String>,
}

impl Item {
    /// Creates an item with these properties, whose label is its name.
    pub fn new(name: impl Into<String>, properties: impl Into<Vec<String>>) -> Self {
        let name = name.into();
        Self { label: name.clone(), name, properties: properties.into() }
    }

    /// Sets [`Item::label`].
    #[must_use]
    pub fn labelled(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }
}

/// Items of one type; one CSV file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemTable {
    /// File name without extension, in the plural.
    pub name: &'static str,
    /// Heading of the first column, in the singular.
    pub singular: &'static str,
    /// Past participle for taking an item of this table (`built`, `claimed`).
    pub taken_label: &'static str,
    /// Headings of the columns that describe an item.
    pub properties: &'static [&'static str],
    /// The array of tables of the data file that lists the items; `None` if there is none.
    pub data_key: Option<&'static str>,
    /// True if [`ItemEvent::Offered`] is reported for items.
    pub offered: bool,
    /// The seats whose results are reported.
    pub reported_seats: ReportedSeats,
    /// True if an item can be reserved before it is taken.
    pub reservable: bool,
    /// True if an item scores points itself at the end.
    pub scoring: bool,
    /// The items.
    pub items: Vec<Item>,
    ids: ItemIds,
    /// The index of the table in its catalogue.
    index: usize,
}

impl ItemTable {
    /// Creates a table of items that are not offered, reserved or scored, with results of takers
    /// and non-takers. `properties` are the headings of [`Item::properties`].
    pub fn new(
        [name, singular, taken_label]: [&'static str; 3],
        properties: &'static [&'static str],
        items: impl IntoIterator<Item = Item>,
    ) -> Self {
        Self {
            name,
            singular,
            taken_label,
            properties,
            data_key: None,
            offered: false,
            reported_seats: ReportedSeats::TakersAndNonTakers,
            reservable: false,
            scoring: false,
            items: items.into_iter().collect(),
            ids: ItemIds::default(),
            index: 0,
        }
    }

    /// Sets [`ItemTable::data_key`].
    #[must_use]
    pub fn listed_as(self, data_key: &'static str) -> Self {
        Self { data_key: Some(data_key), ..self }
    }

    /// Sets [`ItemTable::offered`].
    #[must_use]
    pub fn offered(self) -> Self {
        Self { offered: true, ..self }
    }

    /// Sets [`ItemTable::reported_seats`].
    #[must_use]
    pub fn reporting(self, reported_seats: ReportedSeats) -> Self {
        Self { reported_seats, ..self }
    }

    /// Sets [`ItemTable::reservable`].
    #[must_use]
    pub fn reservable(self) -> Self {
        Self { reservable: true, ..self }
    }

    /// Sets [`ItemTable::scoring`].
    #[must_use]
    pub fn scoring(self) -> Self {
        Self { scoring: true, ..self }
    }

    /// Returns the ids of the items; empty until the table is added to a catalogue.
    pub fn ids(&self) -> ItemIds {
        self.ids
    }

    /// Returns the index of the table in its catalogue; 0 until the table is added to one.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns [`ItemTable::data_key`], or the most likely one if a table has none.
    pub fn list_key(&self) -> &'static str {
        self.data_key.unwrap_or(self.singular)
    }

    /// Returns the name of an item without the prefix `singular:`, if it has that.
    pub fn short_name<'a>(&self, item: &'a Item) -> &'a str {
        match item.name.split_once(':') {
            Some((prefix, name)) if prefix == self.singular => name,
            _ => &item.name,
        }
    }
}

/// All items of a game, bound to a data file and a number of players.
///
/// A game builds its catalogue once and keeps the ids. Statistics count by id, and tables show the
/// names.
///
/// ```
/// use watershed::game::{Item, ItemCatalog, ItemTable};
///
/// let mut catalog = ItemCatalog::new();
/// let relics = ["idol", "mask"].map(|name| Item::new(name, ["7".to_owned()]));
/// let ids = catalog.add(ItemTable::new(["relics", "relic", "found"], &["points"], relics));
///
/// let mask = ids.get(1);
/// assert_eq!(catalog.item(mask).name, "mask");
/// assert_eq!(catalog.full_name(mask), "relic:mask");
/// assert_eq!(catalog.find("relics", "mask"), Some(mask));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemCatalog {
    tables: Vec<ItemTable>,
    /// For each item, the index of its table.
    table_of: Vec<u8>,
}

impl ItemCatalog {
    /// Creates a catalogue without items.
    pub const fn new() -> Self {
        Self { tables: Vec::new(), table_of: Vec::new() }
    }

    /// Returns the union of several catalogues. Items with equal names in tables with equal names
    /// are the same; the first of them is kept.
    pub fn merged<'a>(catalogs: impl Iterator<Item = &'a Self>) -> Self {
        let mut tables: Vec<ItemTable> = Vec::new();
        for table in catalogs.flat_map(Self::tables) {
            let Some(known) = tables.iter_mut().find(|known| known.name == table.name) else {
                tables.push(table.clone());
                continue;
            };
            for item in &table.items {
                if known.items.iter().all(|known| known.name != item.name) {
                    known.items.push(item.clone());
                }
            }
        }
        let mut merged = Self::new();
        for table in tables {
            merged.add(table);
        }
        merged
    }

    /// Adds a table and returns the ids of its items, which follow those of earlier tables. A
    /// catalogue has at most 256 tables and 65,536 items.
    pub fn add(&mut self, table: ItemTable) -> ItemIds {
        let ids = ItemIds { first: self.table_of.len() as u16, len: table.items.len() as u16 };
        self.table_of.extend(table.items.iter().map(|_| self.tables.len() as u8));
        self.tables.push(ItemTable { ids, index: self.tables.len(), ..table });
        ids
    }

    /// Returns the items of a family: an item, those of a table, as in `tiles` and `tile`, or those
    /// with a property, as in `meadow` and `terrain=meadow`.
    pub fn items_of_family(&self, name: &str) -> Vec<ItemId> {
        self.ids()
            .filter(|&item| self.families_of(item).iter().any(|family| family == name))
            .collect()
    }

    /// Returns the names of the families of an item.
    pub fn families_of(&self, item: ItemId) -> Vec<String> {
        let table = self.table(item);
        let mut names =
            [table.name, table.singular, &self.item(item).name].map(str::to_owned).to_vec();
        for (property, values) in table.properties.iter().zip(&self.item(item).properties) {
            for value in values.split('+').map(str::trim) {
                names.push(format!("{property}={value}"));
                if value.parse::<f64>().is_err() && !value.is_empty() {
                    names.push(value.to_owned());
                }
            }
        }
        names
    }

    /// Returns the tables.
    pub fn tables(&self) -> &[ItemTable] {
        &self.tables
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.table_of.len()
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.table_of.is_empty()
    }

    /// Returns the ids of all items.
    pub fn ids(&self) -> impl Iterator<Item = ItemId> {
        (0..self.table_of.len()).map(|index| ItemId(index as u16))
    }

    /// Returns the index of an item's table.
    #[inline]
    pub fn table_index(&self, item: ItemId) -> usize {
        self.table_of[item.index()].into()
    }

    /// Returns the table of an item.
    pub fn table(&self, item: ItemId) -> &ItemTable {
        &self.tables[self.table_index(item)]
    }

    /// Returns an item.
    pub fn item(&self, item: ItemId) -> &Item {
        let table = self.table(item);
        &table.items[item.index() - table.ids.range().start]
    }

    /// Returns the name of an item with its table, as in `building:w2c1`.
    pub fn full_name(&self, item: ItemId) -> String {
        let table = self.table(item);
        format!("{}:{}", table.singular, table.short_name(self.item(item)))
    }

    /// Returns the item of these names of a table and an item.
    pub fn find(&self, table: &str, item: &str) -> Option<ItemId> {
        let table = self.tables.iter().find(|other| other.name == table)?;
        let index = table.items.iter().position(|other| other.name == item)?;
        Some(table.ids.get(index))
    }

    /// Returns the item of a key of a data file, such as `building.w2c1.cost.wood`.
    pub fn item_of_key(&self, key: &str) -> Option<ItemId> {
        let (list, rest) = key.split_once('.')?;
        let name = rest.split_once('.').map_or(rest, |(name, _)| name);
        self.ids().find(|&id| self.table(id).data_key == Some(list) && self.item(id).name == name)
    }

    /// Returns the items of this name or full name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = ItemId> {
        self.ids().filter(move |&item| self.item(item).name == name || self.full_name(item) == name)
    }
}

/// An event of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemEvent {
    /// The item was placed where seats can take it.
    Offered(ItemId),
    /// A seat reserved the item to take it later.
    Reserved(Seat, ItemId),
    /// A seat took the item.
    Taken(Seat, ItemId),
    /// The item scored these points for a seat at the end.
    Scored(Seat, ItemId, i32),
}
