//! The page of `calibrate`.

use super::{
    analysis::{CHANCES, CalibrationRow, Source, TENTHS},
    tables::{NamedCalibration, bot_key, summary, tenth_name},
};
use crate::study::shared::prelude::*;

/// Returns the report.
pub(super) fn report(bots: &[NamedCalibration], tables: [DataTable; 3]) -> StudyReport {
    let mut report = StudyReport::new("Calibration of win chances");
    report.answer(&summary(bots));
    let [calibration, ranks, maps] = tables;
    for source in Source::ALL {
        for (seat, title) in ["the seat to move", "the other seats"].into_iter().enumerate() {
            let rows = || bots.iter().flat_map(|bot| &bot.results.rows);
            let is_shown = |row: &CalibrationRow| row.source == source && row.seat == seat;
            if !rows().any(is_shown) {
                continue;
            }
            report.section(&format!("Chance of {title}, of the {}", source.name()));
            for bot in bots {
                report.page(chart(bot, source, seat, bots.len() > 1));
            }
            let is_main = source == Source::Position && seat == 0;
            let place = if is_main { ReportPlace::Everywhere } else { ReportPlace::Page };
            for (index, chance) in CHANCES.iter().enumerate() {
                let shown =
                    (0..).zip(rows()).filter(|(_, row)| is_shown(row) && row.chance == index);
                let keys = ["tenth", "games", "n", "mean_chance", "won", "is_calibrated"];
                let view = calibration.view().select(&bot_key(bots, &keys));
                let view = view.rows(shown.map(|(index, _)| index));
                report.captioned_table(place, &format!("{chance} chances of {title}"), &view);
            }
        }
    }
    report.file(calibration, "");
    if !ranks.rows().is_empty() {
        let view = ranks.view().select(&bot_key(bots, &["kind", "n", "first", "within_3"]));
        report.section("Chosen action and prior");
        let caption = "rank of the chosen action in the prior";
        report.captioned_table(ReportPlace::Everywhere, caption, &view);
    }
    report.file(ranks, "");
    let keys = ["source", "slope", "mover", "no_win", "log_loss", "calibrated_log_loss"];
    report.section("Maps");
    let view = maps.view().select(&bot_key(bots, &keys));
    let caption = "maps from mean rewards to win chances";
    report.captioned_table(ReportPlace::Everywhere, caption, &view);
    report.explanation(
        "The odds of two seats are those of their mean rewards to the power of the slope, times e \
         to the power of the second number for the seat to move: logistic scaling (Platt 1999), \
         for several seats temperature scaling with a bias (Guo et al. 2017). The calibrated \
         chances of each half of the games are from a map that is fitted to the other half; the \
         maps of this table are fitted to all games.",
    );
    report.file(maps, "");
    report
}

/// Draws the share won minus the mean chance of each tenth, without and with the map.
fn chart(bot: &NamedCalibration, source: Source, seat: usize, names_bot: bool) -> IntervalChart {
    let find = |tenth: usize, chance: usize| {
        let is_row = |row: &&CalibrationRow| {
            (row.source, row.seat, row.tenth, row.chance) == (source, seat, tenth, chance)
        };
        let none = Estimate { n: 0, value: 0.0, low: 0.0, high: 0.0 };
        let row = bot.results.rows.iter().find(is_row);
        row.map_or(none, |row| row.won.map(|won| won - row.mean_chance))
    };
    let row = |tenth: usize| {
        IntervalRow::of_series(tenth_name(tenth), vec![find(tenth, 0), find(tenth, 1)])
    };
    let has_chances = |row: &IntervalRow| row.estimates.iter().any(|estimate| estimate.n > 0);
    let of_bot = if names_bot { format!(" of {}", bot.bot) } else { String::new() };
    let sentence = format!("Share won minus mean chance{of_bot}, by tenths of the chance.");
    let rows = (0..TENTHS).map(row).filter(has_chances);
    IntervalChart::new(sentence, Unit::PercentagePoints, &CHANCES, rows)
        .with_reference(0.0, "calibrated")
}
