//! The report of a run: the answer, and the sections of the page.

use super::{analysis::RunAnalysis, panel::PanelAnalysis, playtests::PlaytestComparison, tables};
use crate::{
    arena::tally::BotTally,
    report::{
        data_table::Value,
        html::HtmlTable,
        origin::game_title,
        screen::{Screen, ScreenFigure},
    },
    run::programs::forfeits_sentence,
    study::shared::{
        judged::JudgedRun,
        prelude::*,
        reference,
        verdict::RatedGame,
        verdict_page::{cards_table, worth_chart},
    },
};

/// The results of a run with everything that its report shows of them.
#[derive(Debug)]
pub(super) struct RunReport<'a> {
    pub(super) game: &'a BoundGame,
    /// The sentence that replaces the answer if programs failed in too many games.
    pub(super) invalid: Option<String>,
    pub(super) judged: JudgedRun<'a>,
    pub(super) analysis: &'a RunAnalysis<'a>,
    pub(super) panel: Option<&'a PanelAnalysis<'a>>,
    /// None without games of people.
    pub(super) playtests: Option<PlaytestComparison<'a>>,
    /// Marks of the values of the data file.
    pub(super) marks: Provenance,
}

impl RunReport<'_> {
    /// Returns the report.
    pub(super) fn build(&self) -> StudyReport {
        let mut report = StudyReport::new(self.question());
        self.add_verdict(&mut report);
        report.answer(&forfeits_sentence(self.analysis.forfeits()).unwrap_or_default());
        let trends = self.panel.map(PanelAnalysis::trends).unwrap_or_default();
        report.labels(ReportPlace::Everywhere, trends);
        if let Some(panel) = self.panel {
            report.section("The bots of the panel").is_folded = true;
            panel.add_to(&mut report);
        }
        if let Some(convergence) = self.panel.and_then(|panel| panel.convergence.as_ref()) {
            convergence.add_section(&mut report, convergence.table(self.analysis.provenance()));
        }
        if let Some(playtests) = &self.playtests {
            playtests.add_section(self.analysis.provenance(), &mut report);
        }
        self.add_winners(&mut report);
        self.add_turn_order(&mut report);
        for shown in self.analysis.shown_items(self.game.catalog()) {
            self.add_items(&shown, &mut report);
        }
        self.add_rounds(&mut report);
        self.add_health(&mut report);
        self.add_never(&mut report);
        self.add_openings(&mut report);
        self.add_items_by_round(&mut report);
        self.add_leads(&mut report);
        self.add_resources(&mut report);
        report
    }

    /// Returns the title of the page.
    fn question(&self) -> String {
        let JudgedRun { game, selection, .. } = self.judged;
        let (title, players) = (game_title(&selection.document, game.id()), game.seats());
        match players {
            _ if !self.analysis.has_equal_bots() => format!("Who wins {title}?"),
            1 => format!("How often does a single player win {title}?"),
            _ if game.is_cooperative() => format!("How often do {players} players win {title}?"),
            _ => format!("Is {title} fair for {players}?"),
        }
    }

    /// Adds the screen, or the sentence that replaces the answer.
    fn add_verdict(&self, report: &mut StudyReport) {
        let no_winner = self.nobody_won_sentence();
        let has_no_winner = !no_winner.is_empty();
        if let Some(sentence) = self.replaced_answer() {
            report.answer(&sentence);
            return;
        }
        let rated = self.judged.rated_game();
        let verdict = rated.verdict();
        let mut screen = if self.analysis.has_equal_bots() {
            let sure = self.panel.map(|panel| panel.sure(&rated, &verdict));
            self.judged.screen(&rated, &verdict, sure.unwrap_or_default(), Vec::new())
        } else {
            self.screen_of_bots(rated.clone(), self.ranking(has_no_winner))
        };
        if has_no_winner {
            // With different bots it is the most important truth; one bot has the difficulty.
            let place = if self.analysis.has_equal_bots() { screen.answer.len() } else { 0 };
            screen.answer.insert(place, no_winner);
        }
        report.screen(screen);
        if self.analysis.has_equal_bots() {
            if let Some(chart) = worth_chart(&rated, &verdict) {
                report.page(chart);
            }
            report.section("All cards");
            let cards = cards_table(&rated, &verdict).view().html("All cards");
            report.page(HtmlTable { is_open: true, ..cards });
        }
        report.file_only(reference::table(&rated, self.analysis.provenance()));
    }

    /// Returns the screen of a run in which different bots have the seats: who wins. Turn order and
    /// items are means over bots.
    fn screen_of_bots(&self, rated: RatedGame, answer: String) -> Screen {
        let rated = RatedGame { items: Vec::new(), seats: Vec::new(), ..rated };
        let sure = "win rates of these bots only; turn order and cards need one bot.";
        let screen = self.judged.screen(&rated, &rated.verdict(), sure.to_owned(), Vec::new());
        let is_length = |figure: &ScreenFigure| figure.name == "LENGTH";
        let figures = screen.figures.into_iter().filter(is_length).collect();
        Screen { answer: vec![answer], figures, next: Vec::new(), has_own_items: false, ..screen }
    }

    /// Returns true if several players compete: a single one has no rank, margin or turn position.
    pub(super) const fn is_competitive(&self) -> bool {
        self.analysis.players() > 1
    }

    /// Adds the win rates and scores of bots and seats.
    fn add_winners(&self, report: &mut StudyReport) {
        let (analysis, tally) = (self.analysis, self.analysis.tally);
        let rate = |name: String, cell: &BotTally| (name, analysis.win_rate(&cell.wins));
        let rates: Vec<_> = if self.is_competitive() && analysis.has_equal_bots() {
            let seats = analysis.bots_by_seat();
            let seats = seats.filter_map(|(bot, seat, cell)| {
                Some(rate(format!("{bot} in seat {}", seat? + 1), cell))
            });
            seats.collect()
        } else {
            analysis.bots().map(|(bot, cell)| rate(bot.to_owned(), cell)).collect()
        };
        report.terminal(&format!(
            "\n{} games in {} blocks; {} ended by the round limit\n",
            tally.games, tally.blocks, tally.health.capped.x
        ));
        // Equal bots win equally often in all seats.
        report.section("Who wins").is_folded = self.is_competitive() && analysis.has_equal_bots();
        report.page(self.win_rate_chart(rates));
        if self.is_competitive() && tally.games > 0 {
            report.paragraph(&self.share_text());
        }
        let table = tables::win_rates(analysis);
        let view = table.view();
        report.terminal_table(&if self.is_competitive() {
            view.select(&["bot", "seat", "games", "win_rate", "mean_score"])
        } else {
            let overall = view.filter(|row| row.contains(&Value::from("overall")));
            overall.select(&["bot", "games", "win_rate", "mean_score", "sd_score"])
        });
        let kind = match analysis.confidence_sequence {
            Some(_) => ", valid at every look",
            None => "",
        };
        report.terminal(&format!("[low, high]: 95 % confidence intervals{kind}\n"));
        report.page_table(&table.view(), "Bots and seats");
        report.explanation(&format!(
            "Intervals are over blocks{kind}; a block is a deal, played once for each rotation of \
             the bots."
        ));
        report.file(table, "");
    }

    /// Adds the win rates at the turn positions.
    fn add_turn_order(&self, report: &mut StudyReport) {
        if !self.is_competitive() {
            return;
        }
        let several = self.analysis.tally.bots.len() > 1;
        let rates = self.analysis.turn_positions().map(|(bot, position, results)| {
            let position = TURN_POSITION_NAMES[position];
            let name = if several { format!("{bot} as {position}") } else { position.to_owned() };
            (name, results.wins.rate(UNITS_PER_WIN))
        });
        report.section("Turn order").is_folded = self.analysis.has_equal_bots();
        report.page(self.win_rate_chart(rates.collect()));
        let table = tables::turn_order(self.analysis);
        if !several {
            let columns = ["turn_position", "n", "win_rate", "mean_score"];
            report.terminal_table(&table.view().select(&columns));
        }
        report.file(table, ", and the mean scores");
    }

    /// Returns a chart of win rates with the expected share.
    fn win_rate_chart(&self, rates: Vec<(String, Estimate)>) -> IntervalChart {
        let sentence = if rates.is_empty() {
            "No game was finished.".to_owned()
        } else {
            "Win rates, with 95 % intervals.".to_owned()
        };
        let rows = rates.into_iter().map(IntervalRow::new);
        let reference =
            self.is_competitive().then(|| self.analysis.expected_share.reference_line());
        let chart = IntervalChart::new(sentence, Unit::Percent, &["win rate"], rows);
        IntervalChart { reference, ..chart }
    }
}
