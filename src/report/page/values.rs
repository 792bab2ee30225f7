//! What items are worth: what stands out, and a section for each table and set of bots.

use maud::{Markup, html};

use super::{
    FEWEST,
    items::{badge, leave_out_the_middle},
    study::{Findings, beyond_doubt, estimate, told},
};
use crate::{
    arena::{appraisal::Value, measure::Measure},
    report::{
        chart::{Intervals, Reference, Row as ChartRow},
        html::{Cell, Section, Table, capitalised, counted, listed},
        ladder::by,
        neutralised::NeutralisedReport,
        provenance::Provenance,
        values::{Flag, Row, ValuesReport},
    },
};

const SERIES: [&str; 3] = ["causal (granted less refused)", "adjusted (by regression)", "association (took it less did not)"];
/// What items are drawn and judged by. How long they make the game is in tables.
const CHARTED: [Measure; 2] = [Measure::WinShare, Measure::Score];
/// How many more items of a table are named in the list of what stands out.
const MOST_NAMED: usize = 5;

impl Flag {
    const ALL: [Self; 5] = [Self::Strong, Self::Weak, Self::Opposite, Self::Disagree, Self::Flips];

    const fn in_words(self) -> &'static str {
        match self {
            Self::Strong => "stronger than the others",
            Self::Weak => "weaker than the others",
            Self::Opposite => "association has the opposite sign",
            Self::Disagree => "association and effect disagree",
            Self::Flips => "other sign by other bots",
        }
    }

    /// By what items that have it are sorted, the greatest first.
    fn rank(self, row: &Row) -> f64 {
        let Value { causal, association, .. } = row.value;
        match self {
            Self::Strong => causal.value,
            Self::Weak => -causal.value,
            Self::Opposite | Self::Disagree => (causal.value - association.value).abs(),
            Self::Flips => causal.value.abs(),
        }
    }

    /// What it means for whoever designs the game.
    const fn meaning(self) -> &'static str {
        match self {
            Self::Strong => {
                "Being granted it brings more than the mean of the other items of its table and group, all of them tested together (Holm, 5 %). Who may take one and does not loses by it: a \
                 candidate for a higher cost or a smaller effect, unless it is meant to be the prize."
            }
            Self::Weak => {
                "Being granted it brings less than the mean of the others, tested in the same way. A candidate for a lower cost or a greater effect; if its effect lies below 0, these bots take it \
                 to their harm."
            }
            Self::Disagree => {
                "The intervals of association and causal effect have no number in common: those who took it did better or worse for another reason as well, as when only who is ahead can \
                 afford it. Go by the causal effect. Each item is asked by itself, so among many some disagree by chance."
            }
            Self::Opposite => {
                "Those who took it did better though it harms, or worse though it helps, each beyond doubt by itself: who goes by statistics of play alone would change it the wrong way."
            }
            Self::Flips => {
                "Its effect is above 0 with some bots and below with others, each time with the whole interval: what it is worth depends on who plays. Ask stronger bots before changing it. Each \
                 item is asked by itself, so among many some flip by chance."
            }
        }
    }
}

impl ValuesReport<'_> {
    /// The report for people, with what became of the games without some items if that was asked.
    pub fn findings(&self, neutralised: Option<&NeutralisedReport<'_>>, provenance: &Provenance) -> Findings {
        let mut sections = vec![self.standing_out()];
        for rung in 0..self.rungs.len() {
            sections.extend((0..self.tables.len()).map(|table| self.section(rung, table, provenance)));
        }
        sections.extend(neutralised.map(NeutralisedReport::section));
        Findings { title: "What items are worth".to_owned(), lead: self.lead(), sections }
    }

    fn lead(&self) -> Markup {
        let of_rung = |index: usize, bots: &str| {
            let judged =
                || self.rows.iter().filter(move |row| (row.rung, row.measure) == (index, Measure::WinShare) && row.value.causal.is_known());
            let count = |flag: Flag| judged().filter(|row| row.flags.contains(&flag)).count();
            let (strong, weak) = (count(Flag::Strong), count(Flag::Weak));
            format!(
                "Of {} that the experiment can judge with {bots} in the seats, {strong} {} shown to bring more of the win than the others of the same table, and {weak} less.",
                counted(judged().count() as u64, "item"),
                if strong == 1 { "is" } else { "are" },
            )
        };
        let sentences: Vec<_> = self.rungs.iter().enumerate().map(|(index, rung)| of_rung(index, &rung.bots)).collect();
        html! { (sentences.join(" ")) }
    }

    fn standing_out(&self) -> Section {
        let body = html! {
            @if self.rows.iter().all(|row| row.flags.is_empty()) { p { "Nothing does: no item is told apart from the others of its table." } }
            @for flag in Flag::ALL {
                @let lists = self.flagged(flag);
                @if !lists.is_empty() {
                    h3 { (capitalised(flag.in_words())) }
                    p.note { (flag.meaning()) }
                    ul { @for list in lists { li { (list) } } }
                }
            }
            h3 { "Three kinds of evidence" }
            p {
                "When an item first came up, a coin sometimes granted it to a seat or refused it; the difference between these seats is the " strong { "causal" } " effect, and the only number "
                "that says what the item brings. " strong { "Association" } " sets seats that took it against those that could have and did not, who may differ in other ways. "
                strong { "Adjusted" } " is that of the first choice, with seat, place, bot, round and the value of the position taken into account."
            }
        };
        Section::new("What stands out", body)
    }

    /// The items with a flag, a sentence for each set of bots, table and measure.
    fn flagged(&self, flag: Flag) -> Vec<Markup> {
        let mut lists = Vec::new();
        for (rung, table, measure) in self.kinds() {
            let (name, unit) = told(measure);
            let mut rows: Vec<_> = self.of(rung, table, measure).filter(|row| row.flags.contains(&flag)).collect();
            rows.sort_by(|one, other| flag.rank(other).total_cmp(&flag.rank(one)));
            let Some((first, others)) = rows.split_first() else { continue };
            let [causal, association] = [first.value.causal, first.value.association].map(|effect| {
                let shown = estimate(effect);
                format!("{} over {}", unit.both(shown), counted(shown.n as u64, "seat"))
            });
            let beside =
                if matches!(flag, Flag::Opposite | Flag::Disagree) { format!(", but by association {association}") } else { String::new() };
            let mut names: Vec<_> = others.iter().take(MOST_NAMED).map(|row| self.name(row).to_owned()).collect();
            if others.len() > MOST_NAMED {
                names.push(format!("{} more", others.len() - MOST_NAMED));
            }
            let others = if names.is_empty() { String::new() } else { format!("; also {}", listed(&names)) };
            lists.push(html! {
                strong { (capitalised(&self.title(rung, table))) ", " (name) ": " } (self.name(first)) ", " (causal) (beside) (others) "."
            });
        }
        lists
    }

    /// All charts: sets of bots, tables and measures.
    fn kinds(&self) -> impl Iterator<Item = (usize, usize, Measure)> + '_ {
        let tables = (0..self.rungs.len()).flat_map(|rung| (0..self.tables.len()).map(move |table| (rung, table)));
        tables.flat_map(|(rung, table)| CHARTED.map(|measure| (rung, table, measure)))
    }

    fn of(&self, rung: usize, table: usize, measure: Measure) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| (row.rung, row.table, row.measure) == (rung, table, measure))
    }

    fn name(&self, row: &Row) -> &str {
        &self.tables[row.table].items[row.item].0
    }

    /// A table of items, and by which bots if there are several.
    fn title(&self, rung: usize, table: usize) -> String {
        self.tables[table].name.replace('_', " ") + &by(&self.rungs[rung].bots, self.rungs.len())
    }

    fn section(&self, rung: usize, table: usize, provenance: &Provenance) -> Section {
        let body = html! {
            @for measure in CHARTED {
                (self.chart(rung, table, measure, provenance))
            }
            @for measure in Measure::ALL { (self.numbers(rung, table, measure, provenance)) }
            p.note { code { "values.csv" } " has the same numbers, with all p-values." }
        };
        Section::new(self.title(rung, table), body)
    }

    fn chart(&self, rung: usize, table: usize, measure: Measure, provenance: &Provenance) -> Markup {
        let (measured, unit) = told(measure);
        let items = &self.tables[table];
        let all: Vec<_> = self.of(rung, table, measure).collect();
        let experiment = all.iter().any(|row| row.value.causal.n >= FEWEST_SEATS && row.value.causal.is_known());
        let shown_by = |row: &Row| if experiment { row.value.causal } else { row.value.association };
        let mut shown: Vec<_> = all.iter().copied().filter(|row| shown_by(row).n >= FEWEST_SEATS && shown_by(row).is_known()).collect();
        shown.sort_by(|one, other| shown_by(other).value.total_cmp(&shown_by(one).value).then(self.name(one).cmp(self.name(other))));
        let Some(best) = shown.first() else {
            return html! { p { "Of no " (items.singular) " were there enough seats with and without it to tell what it brings (" (measured) ")." } };
        };
        let kind = usize::from(!experiment) * 2;
        let greatest = estimate(shown_by(best));
        let what = if experiment {
            "The effect of being granted one on the"
        } else {
            "No action takes one by itself, so there is only association. The"
        };
        let mut sentence = format!(
            "{what} {measured}: {} Greatest: {}, {} over {}. The greatest of many estimates tends to be too great.",
            beyond_doubt(all.iter().map(|row| (shown_by(row).value, row.holm[2 - kind]))),
            self.name(best),
            unit.both(greatest),
            counted(greatest.n as u64, "seat"),
        );
        let few = all.len() - shown.len();
        if few > 0 {
            sentence += &format!(" Left out here: {few} with fewer than {FEWEST_SEATS} seats.");
        }
        sentence += &leave_out_the_middle(&mut shown);
        let estimates = |row: &Row| [row.value.causal, row.value.adjusted, row.value.association].map(estimate)[kind..].to_vec();
        let rows = shown.iter().map(|row| ChartRow {
            label: self.name(row).to_owned(),
            mark: html! { (badge(self.marks(row, provenance))) " " small { (in_words(row)) } },
            estimates: estimates(row),
        });
        let chart = Intervals {
            sentence: html! { (sentence) },
            unit,
            series: SERIES[kind..].iter().map(|&name| name.to_owned()).collect(),
            reference: Some(Reference { value: 0.0, name: "no effect".to_owned() }),
            rows: rows.collect(),
        };
        html! { (chart) }
    }

    fn marks(&self, row: &Row, provenance: &Provenance) -> crate::report::provenance::Marks {
        let (name, properties) = &self.tables[row.table].items[row.item];
        provenance.of_item(name, properties)
    }

    fn numbers(&self, rung: usize, table: usize, measure: Measure, provenance: &Provenance) -> Table {
        let (measured, unit) = told(measure);
        let items = &self.tables[table];
        let mut headings = vec![items.singular.to_owned(), "data".to_owned()];
        headings.extend(items.properties.iter().map(|&property| property.to_owned()));
        headings.extend(
            ["causal", "n granted", "n refused", "p (Holm)", "adjusted", "n adjusted", "association", "n association", "flags"]
                .map(str::to_owned),
        );
        let rows = self.of(rung, table, measure).map(|row| {
            let [causal, adjusted, association] = [row.value.causal, row.value.adjusted, row.value.association].map(estimate);
            let count = |n: i64| if n > 0 { Cell::count(n) } else { Cell::none() };
            let mut cells = vec![Cell::text(self.name(row)), Cell::text(badge(self.marks(row, provenance)))];
            cells.extend(items.items[row.item].1.iter().map(|property| Cell::value(property)));
            cells.extend([Cell::estimate(causal, unit), count(row.granted[0]), count(row.granted[1]), Cell::probability(row.holm[2])]);
            cells.extend([Cell::estimate(adjusted, unit), count(adjusted.n), Cell::estimate(association, unit), count(association.n)]);
            cells.push(Cell::text(in_words(row)));
            cells
        });
        Table {
            caption: format!("All {} {} in numbers: {measured}", items.items.len(), items.name.replace('_', " ")),
            headings,
            rows: rows.collect(),
        }
    }
}

/// Fewer seats with and without an item together say little of it.
const FEWEST_SEATS: i64 = 2 * FEWEST;

/// The flags of a row.
fn in_words(row: &Row) -> String {
    let words = row.flags.iter().map(|flag| match (flag, row.measure) {
        (Flag::Strong, Measure::Rounds) => "more rounds than the others",
        (Flag::Weak, Measure::Rounds) => "fewer rounds than the others",
        _ => flag.in_words(),
    });
    words.collect::<Vec<_>>().join(", ")
}
