//! Scenes: positions described for people, without a medium.
//!
//! A game describes a position as a [`Scene`] of titled areas with facts and grids of cells
//! (`Notation::scene`). [`Scene::svg`] draws it, and [`Scene::text`] writes it in lines. Neither
//! knows a game, and a scene knows neither, so every game is drawn in the same way. A page with
//! many drawings makes them by one [`SvgSheet`].

mod metrics;
mod svg;
mod text;
pub mod wrap;

pub use svg::{AREA_WIDTH, STYLE, SvgSheet};

/// Capitalizes the first letter.
pub fn capitalize(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A position as one seat, or somebody who knows everything, sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Scene {
    /// The game, the number of players and the round.
    pub title: String,
    /// Sentence about the event that comes next.
    pub turn: String,
    /// The parts of the table: what all seats share, then one area for each seat.
    pub areas: Vec<Area>,
}

/// A part of the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Area {
    /// Heading.
    pub title: String,
    /// Index of the seat to which the area belongs; none if all seats share it.
    pub seat: Option<usize>,
    /// True if the seat of this area decides.
    pub is_active: bool,
    /// Counters and other short statements.
    pub facts: Vec<Fact>,
    /// Boards and rows of components.
    pub grids: Vec<Grid>,
    /// Smallest height of a drawing of the width [`AREA_WIDTH`], so that what follows keeps its
    /// place during a game.
    pub min_height: usize,
}

/// A named list of chips, such as the resources of a seat.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    /// Name.
    pub name: String,
    /// Values; none is shown as a dash.
    pub chips: Vec<Chip>,
}

/// A small piece: a resource, a token, or a plain number.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Chip {
    /// Name by which actions refer to the piece (`Notation::action_cells`); empty if none does.
    pub id: String,
    /// Name.
    pub name: String,
    /// Short name where there is little space; the name if it is empty.
    pub code: String,
    /// Number of equal pieces, which is shown in front of the name, or of equal slots.
    pub count: Option<u32>,
    /// Colour and pattern; none for plain text.
    pub look: Option<Look>,
    /// Drawing in place of the name. The number and the short name, if there is one, stand
    /// beside it.
    pub icon: Option<Icon>,
    /// Number of icons, which are drawn in place of the number; 0 for one icon with the number
    /// beside it.
    pub icons: u32,
    /// True for an empty slot of this kind of piece.
    pub is_vacant: bool,
}

/// Cells in rows.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Grid {
    /// Heading; none if it is empty.
    pub title: String,
    /// Number of cells in a row.
    pub columns: usize,
    /// The meaning of the places of cells.
    pub kind: GridKind,
    /// The cells, row by row.
    pub cells: Vec<Cell>,
    /// Indices of cells that a river connects, in its direction.
    pub river: Vec<usize>,
}

/// The meaning of the places of cells in a grid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GridKind {
    /// A list: cells follow each other, and rows have no meaning.
    #[default]
    List,
    /// A board: rows and columns matter.
    Board,
    /// A board of small cells with a code only.
    Compact,
    /// Islands in a river, on which pieces are placed.
    Islands,
}

/// A tile, a card, or an empty place for one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    /// Name by which actions refer to the cell (`Notation::action_cells`); empty if none does.
    pub id: String,
    /// Name of the place, such as `spot 3`; it may be empty.
    pub place: String,
    /// Short form of the place.
    pub mark: String,
    /// Name of the component.
    pub heading: String,
    /// Short form of the heading, for [`GridKind::Compact`] and beside an icon; for an island the
    /// number of pieces.
    pub code: String,
    /// Drawing beside the heading, or in its place on a board.
    pub icon: Option<Icon>,
    /// Landscape at the foot of the cell.
    pub art: Option<Art>,
    /// Colours and patterns: one, two for a component of two kinds, or none.
    pub looks: Vec<Look>,
    /// Pieces on the component, or its cost.
    pub chips: Vec<Chip>,
    /// Short texts.
    pub lines: Vec<String>,
    /// The rule of the place, which an interactive drawing shows when a mouse points at it.
    pub rule: String,
    /// Border.
    pub border: Border,
}

/// The border of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Border {
    /// A component.
    #[default]
    Solid,
    /// An empty place.
    Dashed,
    /// An empty place with a frame.
    Framed,
}

/// The appearance of a kind of component. Kinds differ in their pattern, too, so that nothing
/// depends on colours alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Look {
    /// Colour.
    pub hue: Hue,
    /// Pattern.
    pub pattern: Pattern,
}

crate::named! {
    /// A colour. The style sheet has a light and a dark variant, each with a colour of text on it.
    pub enum Hue {
        /// Sand.
        Sand = "sand",
        /// Reddish brown.
        Rust = "rust",
        /// Green.
        Green = "green",
        /// Yellowish green.
        Lime = "lime",
        /// Dark bluish green.
        Pine = "pine",
        /// Grey.
        Grey = "grey",
        /// Red.
        Red = "red",
        /// Orange.
        Orange = "orange",
        /// Yellow.
        Yellow = "yellow",
        /// Light blue.
        Sky = "sky",
        /// Blue.
        Blue = "blue",
        /// Purple.
        Purple = "purple",
        /// White.
        White = "white",
        /// Black.
        Black = "black",
    }
}

crate::named! {
    /// A drawing of a piece or of a place.
    pub enum Icon {
        /// A log.
        Wood = "wood",
        /// A brick.
        Clay = "clay",
        /// A stone.
        Stone = "stone",
        /// An apple.
        Food = "food",
        /// A warehouse.
        Warehouse = "warehouse",
        /// A person.
        Pioneer = "pioneer",
        /// A flag.
        Flag = "flag",
        /// A card with a bookmark.
        Bookmark = "bookmark",
        /// A house.
        House = "house",
        /// Two arrows.
        Swap = "swap",
        /// A star.
        Star = "star",
        /// A fish.
        Fish = "fish",
        /// A coin.
        Gold = "gold",
        /// Three pebbles.
        Gravel = "gravel",
        /// A drop with a cross.
        Pollution = "pollution",
        /// A tree.
        Tree = "tree",
        /// A boat.
        Boat = "boat",
        /// An excavator.
        Excavator = "excavator",
        /// A wheel.
        Mill = "mill",
        /// A net.
        Net = "net",
        /// An ear of grain.
        Farm = "farm",
        /// A canal.
        Canal = "canal",
        /// A dike.
        Levee = "levee",
        /// A bridge.
        Bridge = "bridge",
        /// A tent.
        Camp = "camp",
        /// A pebble.
        Pebble = "pebble",
        /// A circle.
        Circle = "circle",
        /// A square.
        Square = "square",
        /// A triangle.
        Triangle = "triangle",
        /// A heart.
        Heart = "heart",
        /// A hexagon.
        Hexagon = "hexagon",
        /// A diamond.
        Diamond = "diamond",
        /// The sun.
        Sun = "sun",
        /// A cloud.
        Cloud = "cloud",
        /// A cloud with rain.
        Rain = "rain",
        /// A cloud with lightning.
        Storm = "storm",
    }
}

crate::named! {
    /// A landscape.
    pub enum Art {
        /// Dunes and a cactus.
        Desert = "desert",
        /// Table mountains.
        Badlands = "badlands",
        /// Trees.
        Forest = "forest",
        /// Flowers.
        Meadow = "meadow",
        /// Mountains.
        Mountain = "mountain",
        /// Hills.
        Land = "land",
        /// Reeds.
        Wetlands = "wetlands",
        /// Waves.
        Water = "water",
        /// Houses.
        City = "city",
    }
}

crate::named! {
    /// A pattern.
    pub enum Pattern {
        /// None.
        Plain = "plain",
        /// Dots.
        Dots = "dots",
        /// Horizontal lines.
        Bars = "bars",
        /// Vertical lines.
        Posts = "posts",
        /// Lines that rise to the right.
        Rising = "rising",
        /// Lines that fall to the right.
        Falling = "falling",
        /// Squares.
        Squares = "squares",
        /// Diamonds.
        Diamonds = "diamonds",
        /// Waves.
        Waves = "waves",
        /// Peaks.
        Peaks = "peaks",
        /// Crosses.
        Crosses = "crosses",
        /// Rings.
        Rings = "rings",
    }
}

impl Look {
    /// Creates a look.
    pub const fn new(hue: Hue, pattern: Pattern) -> Self {
        Self { hue, pattern }
    }

    /// Returns the look of the pieces of a seat, by its index.
    pub fn of_seat(seat: usize) -> Self {
        const HUES: [Hue; 5] = [Hue::Red, Hue::Blue, Hue::Yellow, Hue::Pine, Hue::Purple];
        Self::new(HUES[seat % HUES.len()], Pattern::Plain)
    }

    /// Returns the look of a kind without one of its own, by its index.
    pub fn of_index(index: usize) -> Self {
        Self::new(Hue::Grey, Pattern::ALL[index % Pattern::ALL.len()])
    }
}

impl Fact {
    /// Creates a fact of chips.
    pub fn new(name: impl Into<String>, chips: impl IntoIterator<Item = Chip>) -> Self {
        Self { name: name.into(), chips: chips.into_iter().collect() }
    }

    /// Creates a fact of a number or of plain words.
    #[expect(clippy::needless_pass_by_value, reason = "numbers and words are passed alike")]
    pub fn text(name: impl Into<String>, value: impl ToString) -> Self {
        Self::new(name, [Chip { name: value.to_string(), ..Chip::default() }])
    }
}

impl Chip {
    /// Creates a piece without a number.
    pub fn piece(name: impl Into<String>, look: Look) -> Self {
        Self { name: name.into(), look: Some(look), ..Self::default() }
    }

    /// Sets [`Chip::count`].
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Sets [`Chip::code`].
    #[must_use]
    pub fn coded(self, code: impl Into<String>) -> Self {
        Self { code: code.into(), ..self }
    }

    /// Sets [`Chip::icon`].
    #[must_use]
    pub fn drawn(self, icon: Icon) -> Self {
        Self { icon: Some(icon), ..self }
    }

    /// Sets [`Chip::icons`], or of more than three the number that is written beside one icon.
    #[must_use]
    pub fn repeated(self, icons: u32) -> Self {
        match icons {
            ..=3 => Self { icons, ..self },
            _ => Self { code: format!("{icons} {}", self.code).trim_end().to_owned(), ..self },
        }
    }

    /// Sets [`Chip::id`].
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// Returns the number and the name.
    pub fn label(&self) -> String {
        let name = &self.name;
        match self.count {
            Some(places) if self.is_vacant => format!("room for {places}"),
            None if self.is_vacant => format!("empty {name} slot"),
            Some(count) => format!("{count} {name}"),
            None => name.clone(),
        }
    }

    /// Returns the number and the short name.
    fn short_label(&self) -> String {
        let code = if self.code.is_empty() { &self.name } else { &self.code };
        match self.count {
            Some(count) => format!("{count} {code}"),
            None => code.clone(),
        }
    }

    /// Returns the text of a drawing of the piece.
    fn caption(&self) -> String {
        if self.icon.is_none() {
            return self.short_label();
        }
        let number = self.count.filter(|_| self.icons == 0).map(|count| count.to_string());
        let code = Some(self.code.clone()).filter(|code| !code.is_empty());
        number.into_iter().chain(code).collect::<Vec<_>>().join(" ")
    }
}

impl Cell {
    /// Returns the alternative text: all that the cell shows, in words.
    pub fn label(&self) -> String {
        let name: Vec<_> = [&self.place, &self.heading]
            .into_iter()
            .filter(|name| !name.is_empty())
            .map(String::as_str)
            .collect();
        let chips: Vec<_> = self.chips.iter().map(Chip::label).collect();
        let parts = [name.join(": "), chips.join(", ")].into_iter().chain(self.lines.clone());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

impl Scene {
    /// Creates a scene of the words of a position, for a game that does not describe its scenes.
    /// A word is `key:value`, or a value.
    pub fn of_words(text: &str) -> Self {
        let mut words = text.split_ascii_whitespace();
        let title = words.next().unwrap_or("a position").to_owned();
        let facts = words.map(|word| match word.split_once(':') {
            Some((key, value)) => Fact::text(key.replace('_', " "), value.replace(',', ", ")),
            None => Fact::text("", word),
        });
        let area = Area { title: "Position".to_owned(), facts: facts.collect(), ..Area::default() };
        Self { title, turn: String::new(), areas: vec![area] }
    }

    /// Returns the identifiers of all cells, and of all pieces that are in no cell.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let chips = self.areas.iter().flat_map(|area| &area.facts).flat_map(|fact| &fact.chips);
        let ids = self.cells().map(|cell| &*cell.id).chain(chips.map(|chip| &*chip.id));
        ids.filter(|id| !id.is_empty())
    }

    /// Returns the scene without the areas of seats that do not decide.
    #[must_use]
    pub fn of_decider(mut self) -> Self {
        self.areas.retain(|area| area.seat.is_none() || area.is_active);
        self
    }

    /// Returns the names and the short names of pieces and components with their colours.
    pub fn coloured_names(&self) -> impl Iterator<Item = (&str, Hue)> {
        let facts = self.areas.iter().flat_map(|area| &area.facts).flat_map(|fact| &fact.chips);
        let chips = facts.chain(self.cells().flat_map(|cell| &cell.chips));
        let chips = chips.filter_map(|chip| Some((&chip.name, &chip.code, chip.look?)));
        let components = self.cells().filter(|cell| cell.looks.len() == 1);
        let components = components.map(|cell| (&cell.heading, &cell.code, cell.looks[0]));
        let names = chips.chain(components);
        names.flat_map(|(name, code, look)| [(&**name, look.hue), (&**code, look.hue)])
    }

    /// Returns all cells.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.areas.iter().flat_map(|area| &area.grids).flat_map(|grid| &grid.cells)
    }
}
