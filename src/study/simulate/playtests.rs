//! The games of people beside those of the bot: figures, differences and verdicts.

use super::{analysis::RunAnalysis, columns::POINTS, playtest_file::PlaytestFile};
use crate::{
    report::data_table::Value,
    stats::{
        equivalence::Equivalence,
        holm::SIGNIFICANCE_LEVEL,
        independent::{IndependentDifference, SampleValue, blocks_to_detect},
    },
    study::shared::prelude::*,
};

/// The smallest difference of rates that matters, and that of points as a share of the bot's mean
/// score.
const MARGIN: f64 = 0.1;
/// Maximum number of figures that the sentence names, and that a picture shows.
const MAX_NAMED: usize = 3;
const MAX_SHOWN: usize = 24;

/// The names of the figures in tables: the turn positions, then the others.
const KEYS: [&str; 12] = [
    "first_player",
    "second_player",
    "third_player",
    "fourth_player",
    "fifth_player",
    "games_won",
    "mean_score",
    "winning_score",
    "winning_margin",
    "shared_wins",
    "taken",
    "takers_win_rate",
];
/// The meanings of the verdicts.
const VERDICTS: &str = "`differ`: significantly. `agree`: the interval of the difference lies \
                        within the margin, 10 percentage points or a tenth of the bot's mean \
                        score. `open`: neither is shown.";

/// A figure of people and that of the bot.
#[derive(Clone, Debug)]
pub(super) struct PlaytestFigure {
    pub(super) key: &'static str,
    label: String,
    item: Option<Item>,
    pub(super) people: SampleValue,
    pub(super) bot: SampleValue,
}

/// A figure with the difference between people and the bot.
#[derive(Clone, Debug)]
pub(super) struct ComparedFigure {
    figure: PlaytestFigure,
    unit: Unit,
    /// The unit of the difference.
    signed: Unit,
    difference: Estimate,
    p_holm: f64,
    margin: f64,
    verdict: Equivalence,
    games_needed: Option<u64>,
}

impl ComparedFigure {
    const fn verdict_key(&self) -> &'static str {
        match self.verdict {
            Equivalence::Equal => "agree",
            Equivalence::Different => "differ",
            Equivalence::Open => "open",
        }
    }
}

/// All figures of people beside those of the bot that has all seats.
#[derive(Clone, Debug)]
pub(super) struct PlaytestComparison<'a> {
    file: &'a PlaytestFile,
    bot: &'a str,
    rows: Vec<ComparedFigure>,
    /// Sentences on the opponent whose games are the most like theirs.
    level: Option<[String; 2]>,
}

impl<'a> PlaytestComparison<'a> {
    /// Compares the games of people with those of the run; `None` without games of people. `level`
    /// has sentences on the opponent whose games are the most like theirs.
    pub(super) fn new(
        game: &BoundGame,
        analysis: &RunAnalysis<'a>,
        level: Option<[String; 2]>,
    ) -> Option<Self> {
        let file = analysis.setup.question.playtests.as_ref()?;
        let figures = figures(game, file, analysis.tally);
        let differences: Vec<_> = figures
            .iter()
            .map(|figure| IndependentDifference::new(&figure.bot, &figure.people))
            .collect();
        let p_values: Vec<_> = differences.iter().map(|difference| difference.p_value).collect();
        let tests = figures.len();
        let points = MARGIN * analysis.tally.bots[0][ALL_SEATS].scores.value().abs();
        let tested = differences.iter().zip(holm_adjust(&p_values));
        let rows = figures.into_iter().zip(tested).map(|(figure, (tested, p_holm))| {
            let (unit, signed, margin) = match figure.people {
                SampleValue::Rate(..) => (Unit::Percent, Unit::PercentagePoints, MARGIN),
                SampleValue::Mean(_) => (POINTS, Unit::Signed(2), points),
            };
            let difference = tested.estimate;
            let verdict = verdict(difference, p_holm, margin);
            // Not every game has an observation of each figure.
            let games = file.games as f64;
            let games_per_block = games / figure.people.blocks() as f64;
            let games_needed = blocks_to_detect([&figure.bot, &figure.people], margin, tests)
                .map(|blocks| (blocks * games_per_block).ceil())
                .filter(|&needed| verdict == Equivalence::Open && needed > games)
                .map(|needed| needed as u64);
            ComparedFigure {
                figure,
                unit,
                signed,
                difference,
                p_holm,
                margin,
                verdict,
                games_needed,
            }
        });
        Some(Self { file, bot: analysis.bot_name(0), rows: rows.collect(), level })
    }

    /// Returns the answer: the first figure, and the number of figures with each verdict.
    fn sentences(&self) -> String {
        let Some(first) = self.rows.first() else { return String::new() };
        let shown = |value: &SampleValue| first.unit.format_estimate(value.estimate());
        let margin = match first.unit {
            Unit::Percent => margin_words(first.margin),
            _ => format!("{:.1} points", first.margin),
        };
        let difference = |row: &ComparedFigure| row.signed.format_estimate(row.difference);
        let answer = match (first.verdict, first.games_needed) {
            (Equivalence::Different, _) => format!("they differ by {}", difference(first)),
            (Equivalence::Equal, _) => format!("the difference is smaller than {margin}"),
            (Equivalence::Open, None) => "no difference is shown".to_owned(),
            (Equivalence::Open, Some(games)) => format!(
                "no difference is shown; {} of people would show one of {margin}",
                format_count(games, "game")
            ),
        };
        let with = |verdict| self.rows.iter().filter(move |row| row.verdict == verdict);
        let [agree, open] = [Equivalence::Equal, Equivalence::Open].map(|v| with(v).count());
        let name = |row: &ComparedFigure| format!("{} {}", row.figure.label, difference(row));
        let mut named: Vec<_> = with(Equivalence::Different).map(name).collect();
        let differ = named.len();
        named.truncate(MAX_NAMED);
        if differ > MAX_NAMED {
            named.push(format!("{} more", differ - MAX_NAMED));
        }
        let named = join_with_and(&named);
        format!(
            "In {} of people the {} is {}, and {} with {} in all seats: {answer}. Of {}, {}; \
             agreeing within the margin: {agree}; open: {open}.",
            format_count(self.file.games, "game"),
            first.figure.label,
            shown(&first.figure.people),
            shown(&first.figure.bot),
            player_text(self.bot),
            format_count(self.rows.len(), "figure"),
            match differ {
                0 => "none differs significantly".to_owned(),
                1 => format!("1 differs significantly: {named}"),
                _ => format!("{differ} differ significantly: {named}"),
            },
        )
    }

    /// Adds the section of the page, and the answer and the figures of the game for the terminal.
    pub(super) fn add_section(&self, provenance: &Claim, report: &mut StudyReport) {
        let table = columns().table(provenance, self.rows.iter().cloned());
        let mut rows: Vec<_> = self.rows.iter().collect();
        // The figures of the game, then the items with the clearest differences.
        rows.sort_by(|one, other| {
            let is_item = |row: &ComparedFigure| row.figure.item.is_some();
            let by_p = one.p_holm.total_cmp(&other.p_holm);
            is_item(one).cmp(&is_item(other)).then(by_p)
        });
        report.section("People and bots");
        report.paragraph(&self.sentences());
        report.screen_sentences(&self.sentences());
        if let Some([level, command]) = &self.level {
            report.paragraph(&format!("{level} {command}"));
            report.screen_sentences(level);
        }
        for (unit, sentence) in [
            (Unit::Percent, "Shares of people and of the bot:"),
            (POINTS, "Points of people and of the bot:"),
        ] {
            let shown = rows.iter().filter(|row| row.unit == unit).take(MAX_SHOWN).map(|row| {
                let PlaytestFigure { label, people, bot, .. } = &row.figure;
                let estimates = vec![people.estimate(), bot.estimate()];
                IntervalRow::of_series(capitalize(label), estimates).with_note(row.verdict_key())
            });
            report.page(IntervalChart::new(sentence, unit, &["people", self.bot], shown));
        }
        let of_game = self.rows.iter().take_while(|row| row.figure.item.is_none()).count();
        let view = table.view().rows(0..of_game);
        report.terminal_table(&view.select(&["figure", "people", "bot", "verdict"]));
        report.page_table(&table.view(), "All figures of people and of the bot");
        report.explanation(&format!(
            "{} Each game counts as independent; if the same people played many of them, the \
             intervals are too narrow. {VERDICTS}",
            self.file.description()
        ));
        report.file(table, "");
    }
}

fn verdict(difference: Estimate, p_holm: f64, margin: f64) -> Equivalence {
    if p_holm < SIGNIFICANCE_LEVEL {
        Equivalence::Different
    } else if -margin <= difference.low && difference.high <= margin {
        Equivalence::Equal
    } else {
        Equivalence::Open
    }
}

/// Returns the figures that the file shows, those of the game before those of items. A file
/// without winners shows no wins if the rules do not give the win to the highest score.
pub(super) fn figures(game: &BoundGame, file: &PlaytestFile, bot: &Tally) -> Vec<PlaytestFigure> {
    let (seats, has_own_wins) = (game.seats(), game.wins_are_independent());
    let people = file.tally(game);
    let mut figures = Vec::new();
    let mut add =
        |key, label: String, item: Option<Item>, value: &dyn Fn(&Tally) -> SampleValue| {
            let (people, bot) = (value(&people), value(bot));
            // Turn order and points need not be known.
            if people.blocks() > 0 {
                figures.push(PlaytestFigure { key, label, item, people, bot });
            }
        };
    let wins = |wins: Ratio| SampleValue::Rate(wins, UNITS_PER_WIN);
    let has_wins = file.has_winners || !has_own_wins;
    let is_joint = seats == 1 || game.is_cooperative();
    // One of two players wins what the other does not.
    let positions = if is_joint || (seats == 2 && !has_own_wins) { 1 } else { seats };
    for position in 0..positions * usize::from(has_wins) {
        let win_rate = format!("win rate of the {}", TURN_POSITION_NAMES[position]);
        let (key, label) = if is_joint {
            ("games_won", "share of games won".to_owned())
        } else {
            (KEYS[position], win_rate)
        };
        add(key, label, None, &|tally| wins(tally.turn_order[0][position].wins));
    }
    let mut add_mean = |key: &'static str, value: fn(&Tally) -> MeanSums| {
        add(key, key.replace('_', " "), None, &|tally| SampleValue::Mean(value(tally)));
    };
    add_mean("mean_score", |tally| tally.bots[0][ALL_SEATS].scores);
    if has_wins && !is_joint {
        add_mean("winning_score", |tally| tally.health.winning_scores);
        add_mean("winning_margin", |tally| tally.health.winning_margins);
        let shared = "share of games that several seats win".to_owned();
        add("shared_wins", shared, None, &|tally| SampleValue::Rate(tally.health.shared_wins, 1));
    }
    for id in file.items() {
        let (item, index) = (game.catalog().item(id), id.index());
        let label = format!("share of seats with {}", item.label);
        add("taken", label, Some(item.clone()), &|tally| {
            let takers = tally.items[index].wins_with;
            SampleValue::Rate(takers.share_observed(tally.blocks, seats as i64), 1)
        });
        if has_wins {
            let label = format!("win rate with {}", item.label);
            add("takers_win_rate", label, Some(item.clone()), &|tally| {
                wins(tally.items[index].wins_with)
            });
        }
    }
    figures
}

/// Returns the columns of `playtests.csv`.
pub(super) fn columns() -> Columns<ComparedFigure> {
    let figure = "Figure: win rate of a turn position, share of the games won, points, share of \
                  the games that several seats win, share of the seats that took an item, or the \
                  win rate of these seats.";
    let margin = "Margin of the verdict: 0.1 of a rate, or a tenth of the bot's mean score.";
    let needed = "Games of people with which a difference of the margin is found with a \
                  probability of 90 %, if the bot plays many more; empty unless `open` and \
                  more than there are.";
    Columns::<ComparedFigure>::new("playtests", "One row for each figure of the games of people.")
        .word("figure", &KEYS, figure, |row| row.figure.key)
        .text("item", "Name of the item; empty for figures of the game.", |row| {
            row.figure.item.as_ref().map(Value::from)
        })
        .estimate("people", POINTS, "Figure of people; a game is a block.", |row| {
            Value::EstimateIn(row.figure.people.estimate(), row.unit)
        })
        .n(("people_n", "n people"))
        .estimate("bot", POINTS, "Figure with the first bot in all seats.", |row| {
            Value::EstimateIn(row.figure.bot.estimate(), row.unit)
        })
        .n(("bot_n", "n bot"))
        .estimate("difference", Unit::Signed(2), "People minus bot.", |row| {
            Value::EstimateIn(row.difference, row.signed)
        })
        .p_value(("p_holm", "p (Holm)"), "Test of no difference, adjusted for all rows.", |row| {
            row.p_holm
        })
        .number("margin", 4, margin, |row| row.margin)
        .word("verdict", &["agree", "differ", "open"], VERDICTS, ComparedFigure::verdict_key)
        .integer("games needed", needed, |row| row.games_needed)
        .provenance()
        .label()
}
