//! `watershed match`: bots against each other, with ratings and a sequential test.

mod analysis;
mod arguments;
mod ladder;
mod margins;
mod page;
mod tables;

use self::{
    analysis::{SequentialTest, Standings},
    arguments::{bots_text, read_bots},
    margins::MarginVerdicts,
};
use crate::{
    run::{
        manifest::{CONFIDENCE_SEQUENCE, MeanEstimate},
        programs::forfeits_sentence,
    },
    stats::{
        confidence_sequence::StoppingCriterion,
        sprt::{Sprt, SprtVerdict},
    },
    study::shared::{
        pairing::{
            Pairing,
            schedule::{Schedule, ensure_competitive, sequential_test},
        },
        planned_study::{OpenedStudy, StudyAnswer},
        prelude::*,
    },
};

pub(crate) use self::arguments::MatchArguments;

/// Describes the tables that a match writes.
pub(crate) fn schemas() -> Vec<Schema> {
    tables::schemas().into_iter().chain([margins::columns().schema()]).collect()
}

/// The part of `run.json` that only a match has.
#[derive(Serialize)]
struct MatchQuestion {
    /// The stopping criterion of each pairing.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<StoppingCriterion>,
    /// True if all pairings reached the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal_reached: Option<bool>,
    /// The kind of the intervals of win rates, differences and ratings, if the match has a goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    win_rate_intervals: Option<&'static str>,
    shared_wins: u64,
    nobody_won: u64,
    /// Games that bots lost by failures, by bot.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    forfeits: BTreeMap<String, u64>,
    rounds_per_game: MeanEstimate,
    events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SequentialTest>,
}

pub(crate) fn run(opened: &OpenedStudy<'_, MatchArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, command } = opened;
    let own = &arguments.own;
    let entries = &own.entries(game.library())?;
    let bots = &read_bots(game.library(), entries)?;
    ensure_competitive(game, selection)?;
    let (mode, players) = (own.mode(), selection.players);
    let limited = |pairing: Pairing| {
        let limits = [pairing.bot, pairing.opponent].map(|bot| entries[bot].games);
        (pairing, limits.into_iter().flatten().min())
    };
    let pairings: Vec<_> = mode.pairings(bots.len(), players).into_iter().map(limited).collect();
    let schedule = Schedule::new(&pairings, players, own.games_per_pairing())?;
    let max_blocks = schedule.blocks_per_pairing;
    let end = own.end(entries, arguments.parts.shard.is_some(), max_blocks);
    let sequence = end.sequence();
    // A match that ends when it is decided has no number of games.
    let games = end.sequence().is_none().then(|| own.games_per_pairing());
    let command = command.with("--games", games);
    // The default ladder depends on the measured strengths of the bots.
    let ladder = own.bots.is_none().then(|| bots_text(entries));
    let command = &ladder.map_or(command.clone(), |bots| command.with("--bots", Some(bots)));
    let mut plan = opened.plan(bots, max_blocks);
    plan.command = command;
    // The deals of further pairings follow those of the first one.
    plan.grows = pairings.len() == 1;
    plan.run(|study| {
        let tally = schedule.play(study, game, bots, arguments.seed(), end)?;
        let sprt = sequential_test(own.sprt.as_ref(), &tally);
        let verdict = sprt.as_ref().and_then(Sprt::verdict);
        let mut standings = Standings::new(bots, mode, &tally, sequence);
        let max_games = schedule.blocks_per_pairing * schedule.games_per_block;
        standings.max_games = sequence.filter(|_| study.is_complete()).map(|_| max_games);
        let sprt = own.sprt.zip(sprt.as_ref());
        let sprt = sprt.map(|(hypotheses, sprt)| SequentialTest::new(hypotheses, sprt, verdict));
        let counts = tally.counts(schedule.games);
        let margins = own.margin.map(|margin| standings.margin_verdicts(margin.share()));
        let provenance = &selection.provenance;
        let report = report(&standings, sprt.as_ref(), margins.as_ref(), provenance);
        let is_negative = sprt.is_some() && verdict != Some(SprtVerdict::H1);
        let own = MatchQuestion {
            goal: sequence.map(|_| StoppingCriterion::Significance),
            goal_reached: sequence.map(|sequence| {
                schedule.pairings.iter().all(|(pairing, _)| pairing.is_decided(&sequence, &tally))
            }),
            win_rate_intervals: sequence.map(|_| CONFIDENCE_SEQUENCE),
            shared_wins: tally.shared_wins,
            nobody_won: tally.nobody_won,
            forfeits: standings.forfeits().map(|(bot, games)| (bot.to_owned(), games)).collect(),
            rounds_per_game: (&tally.rounds).into(),
            events: tally.events,
            sprt,
        };
        Ok(StudyAnswer { own, counts, report, is_negative })
    })
}

/// Returns the report.
fn report(
    standings: &Standings<'_>,
    sprt: Option<&SequentialTest>,
    margins: Option<&MarginVerdicts>,
    provenance: &Claim,
) -> StudyReport {
    let mut report = StudyReport::new("Match");
    report.answer(&standings.answer());
    report.answer(&forfeits_sentence(standings.forfeits()).unwrap_or_default());
    let tables = tables::data_tables(standings, provenance);
    let (text, lines) = tables::texts(standings, sprt, &tables);
    report.terminal(&text);
    report.screen_lines(&lines);
    standings.add_sections(sprt, tables, &mut report);
    if let Some(margins) = margins {
        margins.add_to(&mut report, provenance);
    }
    report
}
