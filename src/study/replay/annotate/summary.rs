//! A summary of all games of a file: skill, loss, luck and kinds of mistakes of each player.

use crate::{
    analysis::ledger::{Mistake, Skill},
    protocol::review::GameReview,
    report::data_table::Value,
    stats::independent::SampleValue,
    study::shared::prelude::*,
};

/// The names of the tables as files.
pub(super) const FILES: [&str; 2] = ["players.csv", "kinds.csv"];
/// Units of a share of a win in sums.
const UNITS: f64 = 1e6;
/// Number of decisions from which a kind of action is named as the costliest.
const MIN_DECISIONS: i64 = 10;

/// Meaning of the skill.
const SKILL: &str = "Skill: 100 if decisions that matter cost nothing, halved with each 5 points.";
/// The skill of a player without decisions that matter.
const NO_SKILL: Estimate = Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };

/// A player in all games of a file. Each game is a block.
#[derive(Clone, Debug, Default)]
struct PlayerSummary {
    games: Ratio,
    skill: Skill,
    loss: Ratio,
    luck: MeanSums,
    mistakes: [u64; Mistake::ALL.len()],
    /// The loss of decisions by the first word of the notation.
    kinds: BTreeMap<String, KindSummary>,
}

#[derive(Clone, Debug, Default)]
struct KindSummary {
    loss: Ratio,
    mistakes: u64,
}

/// The annotated games of a file, by the names of the players.
#[derive(Clone, Debug, Default)]
pub(super) struct GamesSummary {
    players: BTreeMap<String, PlayerSummary>,
    games: u64,
}

/// Sums over the seats and decisions of one player in one game.
#[derive(Default)]
struct GameSums {
    seats: i64,
    won: i64,
    luck: f64,
    decisions: Vec<(f64, f64)>,
    kinds: BTreeMap<String, (i64, f64)>,
}

impl GamesSummary {
    /// Adds a game.
    pub(super) fn add(&mut self, review: &GameReview) {
        self.games += 1;
        let mut games: BTreeMap<&str, GameSums> = BTreeMap::new();
        for (seat, bot) in review.bots.iter().enumerate() {
            let sums = games.entry(bot).or_default();
            sums.seats += 1;
            sums.won += (review.end[seat] * UNITS_PER_WIN as f64).round() as i64;
            sums.luck += review.luck[seat];
            sums.decisions.extend(review.decisions(seat));
            let own = review.events.iter().filter(|event| event.seat == Some(seat));
            for event in own.filter(|event| event.choices > 1) {
                let kind = event.action.split(':').next().unwrap_or_default();
                let (count, of_kind) = sums.kinds.entry(kind.to_owned()).or_default();
                *count += 1;
                *of_kind += event.cost();
                let size =
                    Mistake::ALL.into_iter().find(|size| Some(size.as_str()) == event.mistake);
                if let Some(mistake) = size {
                    let player = self.players.entry(bot.clone()).or_default();
                    player.mistakes[mistake as usize] += 1;
                    player.kinds.entry(kind.to_owned()).or_default().mistakes += 1;
                }
            }
        }
        let units = |sum: f64| (sum * UNITS).round() as i64;
        for (bot, sums) in games {
            let player = self.players.entry(bot.to_owned()).or_default();
            player.games.add_block(sums.seats, sums.won);
            player.luck.add_block(sums.seats, units(sums.luck));
            player.skill.add_block(&sums.decisions);
            let loss = sums.decisions.iter().map(|(loss, _)| loss).sum();
            player.loss.add_block(sums.decisions.len() as i64, units(loss));
            for (kind, (count, loss)) in sums.kinds {
                player.kinds.entry(kind).or_default().loss.add_block(count, units(loss));
            }
        }
    }

    /// Returns the answer: how well each player decided, what luck did, and the costliest kind of
    /// decision.
    fn answer(&self) -> String {
        let players = self.players.iter();
        let players =
            players.filter_map(|(name, player)| Some((name, player, player.skill.estimate()?)));
        let sentences = players.map(|(name, player, skill)| {
            let percent = |share: f64| Unit::Percent.format_number(share, 0);
            let points = |share: f64| Unit::Percent.format_number(share, 1);
            let mut sentence = format!(
                "{name}: skill {} of 100, {} points of win chance lost in each of {} decisions \
                 that matter, luck {} points a game (n {}).",
                percent(skill.value),
                points(player.skill.lost().map_or(f64::NAN, |lost| lost.value)),
                group_digits(skill.n),
                Unit::PercentagePoints.format_number(player.luck_estimate().value, 1),
                group_digits(player.games.n),
            );
            let common = player.kinds.iter().filter(|(_, kind)| kind.loss.n >= MIN_DECISIONS);
            let costliest = common.max_by(|one, other| one.1.mean().total_cmp(&other.1.mean()));
            if let Some((kind, sums)) = costliest {
                sentence += &format!(
                    " Costliest: {kind}, {} points a decision (n {}).",
                    points(sums.mean()),
                    group_digits(sums.loss.n)
                );
            }
            sentence
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// Returns the report.
    pub(super) fn report(&self, title: &str, provenance: &Claim) -> StudyReport {
        let [players, kinds] = self.tables(provenance);
        let title = format!("{title}, {} explained", format_count(self.games, "game"));
        let mut report = StudyReport::new(&title);
        report.answer(&format!("{title}. {}", self.answer()));
        report.section("Players");
        let view = || players.view();
        report.terminal_table(&view().select(&["player", "n", "win_rate", "skill"]));
        report.terminal_table(&view().select(&["player", "decisions", "loss", "luck"]));
        report.page_table(&view(), "Luck and skill");
        report.section("Kinds of decisions");
        let keys = ["player", "kind", "n", "loss", "mistakes"];
        report.table(&kinds.view().select(&keys), "Loss by kind of decision");
        report
    }

    /// Tabulates the players and the kinds of their decisions.
    pub(super) fn tables(&self, provenance: &Claim) -> [DataTable; 2] {
        let kinds = self.players.iter().flat_map(|(name, player)| {
            player.kinds.iter().map(move |(kind, sums)| (&**name, &**kind, sums))
        });
        [
            player_columns().table(provenance, self.players.iter()),
            kind_columns().table(provenance, kinds),
        ]
    }
}

impl PlayerSummary {
    fn loss_estimate(&self) -> Estimate {
        self.loss.rate(UNITS as i64)
    }

    /// Returns the mean luck of a game, of which a mean of few games has no interval.
    fn luck_estimate(&self) -> Estimate {
        SampleValue::Mean(self.luck).estimate().map(|luck| luck / UNITS)
    }
}

impl KindSummary {
    fn mean(&self) -> f64 {
        self.loss.value(UNITS as i64)
    }
}

fn player_columns<'a>() -> Columns<(&'a String, &'a PlayerSummary)> {
    let mistakes = |size: Mistake| {
        let description = format!(
            "Number of decisions that cost more than {} points and are confirmed, none of a \
             greater size.",
            100.0 * size.threshold()
        );
        (size.as_str(), description)
    };
    let columns = Columns::<(&String, &PlayerSummary)>::new("players", "One row for each player.")
        .text("player", "Name of the bot, or `human`.", |(name, _)| (*name).clone())
        .percent("win rate", "Win share of its seats.", |(_, player)| {
            player.games.rate(UNITS_PER_WIN)
        })
        .n(("n", "seats"))
        .ci("win_rate_ci")
        .percent("skill", SKILL, |(_, player)| player.skill.estimate().unwrap_or(NO_SKILL))
        .n(("decisions_that_matter", "decisions that matter"))
        .ci("skill_ci")
        .percentage_points("loss", "Win chance lost by a decision.", |(_, player)| {
            player.loss_estimate()
        })
        .n("decisions")
        .ci("loss_ci")
        .percentage_points("luck", "Change of the win chance by luck.", |(_, player)| {
            player.luck_estimate()
        })
        .ci("luck_ci");
    let columns = Mistake::ALL.into_iter().fold(columns, |columns, size| {
        let (name, description) = mistakes(size);
        columns.integer((name, format!("{name}s")), &description, move |(_, player)| {
            Value::from(player.mistakes[size as usize])
        })
    });
    columns.provenance()
}

fn kind_columns<'a>() -> Columns<(&'a str, &'a str, &'a KindSummary)> {
    let title = "One row for each player and kind of decision.";
    Columns::<(&str, &str, &KindSummary)>::new("kinds", title)
        .text("player", "Name of the bot, or `human`.", |(name, ..)| *name)
        .text("kind", "First word of the notation.", |(_, kind, _)| *kind)
        .percentage_points("loss", "Win chance lost by a decision.", |(.., sums)| {
            sums.loss.rate(UNITS as i64)
        })
        .n(("n", "decisions"))
        .ci("ci")
        .integer("mistakes", "Number of mistakes of any size.", |(.., sums)| {
            Value::from(sums.mistakes)
        })
        .provenance()
}
