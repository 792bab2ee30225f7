//! The screen of `balance ablate`: the items whose worth stands out, and a better value to look
//! for.

use super::{AblateTask, PlayedGames};
use crate::{
    report::{html::is_or_are, screen::Screen},
    study::shared::{
        comparison::edits::Edit,
        judged::JudgedRun,
        prelude::*,
        verdict::{Finding, FindingSubject, GameVerdict, ItemFigures, ItemWord, RatedGame},
        verdict_page::{cards_table, worth_chart},
    },
};

impl AblateTask<'_> {
    /// Returns the games of the first lineup with the forks of one.
    fn judged_run<'r>(
        &'r self,
        played: &'r PlayedGames,
        lineup: usize,
        edits: &'r [Edit],
    ) -> JudgedRun<'r> {
        let LineupResult { lineup, tally, .. } = &played.effects[lineup];
        JudgedRun {
            game: self.game,
            selection: self.selection,
            tally: &played.tally,
            bot: lineup,
            second: None,
            forks: Some(tally),
            edits,
        }
    }

    /// Adds the screen, the picture and the table of items. A remedy says its answer itself.
    pub(super) fn add_screen(
        &self,
        played: &PlayedGames,
        has_remedy: bool,
        report: &mut StudyReport,
    ) {
        let Self { selection, arguments, .. } = self;
        let edits = Edit::of_built_in(&selection.document, self.game);
        let run = self.judged_run(played, 0, &edits);
        let rated = items_of(&run);
        let verdict = rated.verdict();
        let is_named = |item: &usize| arguments.item.contains(&rated.items[*item].id);
        let named: Vec<_> = (0..rated.items.len()).filter(is_named).collect();
        let changed = [ItemWord::Strong, ItemWord::Weak].map(|word| verdict.rated(word));
        let changed = changed.iter().flatten().chain(&named).next().copied();
        let screen = run.screen(&rated, &verdict, self.sure(played, &edits, &verdict), named);
        let answer = (!has_remedy).then(|| first_sentence(&rated, &verdict));
        let next = changed.filter(|_| !has_remedy);
        let next = next.and_then(|item| self.remedy_command(&rated, item));
        let figures = screen.figures.into_iter().filter(|figure| figure.name == "CARDS");
        let (figures, answer) = (figures.collect(), answer.into_iter().collect());
        let next = next.map(|command| (command, "a value that mends it")).into_iter().collect();
        report.screen(Screen { answer, figures, next, ..screen });
        if let Some(chart) = worth_chart(&rated, &verdict) {
            report.page(chart);
        }
        report.section("All cards");
        report.page_table(&cards_table(&rated, &verdict).view(), "All cards");
    }

    /// Says how many bots agree on the items that are too strong or too weak.
    fn sure(&self, played: &PlayedGames, edits: &[Edit], verdict: &GameVerdict) -> String {
        let others = played.effects.len() - 1;
        if others == 0 {
            return "one bot only; another one may value cards differently.".to_owned();
        }
        for word in [ItemWord::Strong, ItemWord::Weak] {
            let Some(&item) = verdict.rated(word).first() else { continue };
            let agrees = |lineup: &usize| {
                let other = items_of(&self.judged_run(played, *lineup, edits)).verdict();
                other.ratings[item].is_some_and(|rating| rating.word == word)
            };
            let agreeing = (1..=others).filter(agrees).count();
            return format!(
                "{agreeing} of {others} other bots find the first one {}.",
                word.name()
            );
        }
        let finds = |lineup: &usize| {
            let other = items_of(&self.judged_run(played, *lineup, edits)).verdict();
            [ItemWord::Strong, ItemWord::Weak].iter().any(|word| !other.rated(*word).is_empty())
        };
        match (1..=others).filter(finds).count() {
            0 => format!("{others} other bots find no card that stands out either."),
            count => {
                format!("{count} of {others} other bots {} of another mind.", is_or_are(count))
            }
        }
    }

    /// Returns the command that looks for a better value of an item, if it has a number.
    fn remedy_command(&self, rated: &RatedGame, item: usize) -> Option<String> {
        let item = &rated.items[item];
        let table = &self.game.catalog().tables()[item.table];
        let start = format!("{}.{}.", table.data_key?, item.id);
        let keys = self.selection.data_keys().ok()?.into_iter().filter(|key| {
            key.key.starts_with(&start) && !key.is_absent && key.value.parse::<i64>().is_ok()
        });
        let mut keys: Vec<_> = keys.map(|key| key.key).collect();
        // Points change nothing but the worth of an item.
        keys.sort_by_key(|key| (!key.ends_with("points"), key.ends_with("copies")));
        let (key, flags) = (keys.first()?, self.selection.flags());
        let family = table.name;
        Some(format!(
            "watershed balance ablate{flags} --remedy {key} --only {family} --target mean"
        ))
    }
}

/// Returns what is known of the items with forks. Their levels are the question, not turn order or
/// changes.
fn items_of(run: &JudgedRun<'_>) -> RatedGame {
    let mut rated = run.rated_game();
    for item in rated.items.iter_mut().filter(|item| item.now.worth.is_none()) {
        item.now = ItemFigures::default();
    }
    RatedGame { before: None, seats: Vec::new(), targets: Vec::new(), ..rated }
}

/// States the item whose worth stands out most.
fn first_sentence(rated: &RatedGame, verdict: &GameVerdict) -> String {
    let is_item = |finding: &&Finding| matches!(finding.subject, FindingSubject::Item(_));
    match verdict.levels.iter().find(is_item) {
        Some(finding) => finding.sentence.clone(),
        None if verdict.ratings.iter().all(Option::is_none) => {
            "Too few cards are known to compare them; name a table with --only.".to_owned()
        }
        None => format!(
            "No card stands out: none is {:.0} wins above or below the typical one.",
            rated.smallest.worth
        ),
    }
}
