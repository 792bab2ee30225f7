//! The page of `balance skill`, and the sentences that state its answer.

use maud::html;

use super::analysis::{RungResult, SkillAnalysis, Step, clear_win_share};
use crate::report::{
    chart::{IntervalChart, IntervalRow, ReferenceLine},
    data_table::DataTable,
    html::{Section, Unit, format_count, format_percent, group_digits, join_with_and},
    study_page::ReportBody,
};

impl SkillAnalysis<'_> {
    /// Returns the body of the page.
    pub(super) fn report_body(&self, table: &DataTable) -> ReportBody {
        let lead = html! { (self.sentences().join(" ")) };
        let sections = vec![self.section(table)];
        ReportBody::new("Skill", lead, sections)
    }

    /// States the answer: the advantage of ten times the budget, and the depth of the ladder.
    pub(super) fn sentences(&self) -> Vec<String> {
        let headline = self.headline().map(|result| self.headline_sentence(result));
        headline.into_iter().chain([self.depth_sentence()]).chain(self.order_sentence()).collect()
    }

    fn headline_sentence(&self, result: &RungResult<'_>) -> String {
        let RungResult { rung, against, win_share, above_even, games_to_know, .. } = result;
        let copies = match self.players {
            2 => (*against).to_owned(),
            players => format!("{} copies of {against}", players - 1),
        };
        let budget = if result.comparison.is_tenth { "Ten times the budget wins" } else { "" };
        let subject = match budget {
            "" => format!("{rung} wins"),
            budget => budget.to_owned(),
        };
        let than_even = Unit::PercentagePoints.format_estimate(*above_even);
        let won = format!(
            "{subject} {} of {} ({rung} against {copies})",
            format_percent(*win_share),
            format_count(win_share.n as u64, "game"),
        );
        if games_to_know.n == 0 {
            return format!("{won}, {than_even} from even: it is not shown which is better.");
        }
        let games = |value: f64| group_digits(value as i64);
        let interval = if games_to_know.high.is_finite() {
            format!(" [{}, {}]", games(games_to_know.low), games(games_to_know.high))
        } else {
            String::new()
        };
        let upsets = format_percent(result.upset_share);
        let upsets = match self.players {
            2 => format!("the weaker bot wins {upsets}"),
            _ => format!("one of the weaker bots wins {upsets}"),
        };
        format!(
            "{won}, {than_even} above even; the better bot is ahead with a probability of 95 % \
             after {}{interval}, and {upsets} of the games with a winner.",
            format_count(games_to_know.value as u64, "game"),
        )
    }

    fn depth_sentence(&self) -> String {
        let [clear, open] = [Step::Clear, Step::Open].map(|step| self.count(step));
        let open = match open {
            0 => String::new(),
            open => format!("; {open} more may be"),
        };
        format!(
            "Depth {clear}: {clear} of {} from {} to {} {} clear, with at least {:.0} % of the \
             games for the better bot{open}.",
            format_count(self.steps().count() as u64, "step"),
            self.rungs[0],
            self.rungs.last().copied().unwrap_or_default(),
            if clear == 1 { "is" } else { "are" },
            100.0 * clear_win_share(self.players),
        )
    }

    /// Names the rungs that are weaker than the rung below.
    fn order_sentence(&self) -> Option<String> {
        let is_weaker = |result: &&RungResult<'_>| result.above_even.high < 0.0;
        let pair =
            |result: &RungResult<'_>| format!("{} is weaker than {}", result.rung, result.against);
        let pairs: Vec<_> = self.results.iter().filter(is_weaker).map(pair).collect();
        (!pairs.is_empty())
            .then(|| format!("The ladder is not in order: {}.", join_with_and(&pairs)))
    }

    fn section(&self, table: &DataTable) -> Section {
        let row = |result: &RungResult<'_>| {
            let label = format!("{} against {}", result.rung, result.against);
            IntervalRow::new((label, result.above_even))
        };
        let chart = IntervalChart {
            sentence: html! { "Win share above even of each rung, with 95 % confidence \
            intervals." },
            unit: Unit::PercentagePoints,
            series: vec!["above even".to_owned()],
            reference: Some(ReferenceLine { value: 0.0, name: "equal bots".to_owned() }),
            rows: self.results.iter().map(row).collect(),
        };
        let body = html! {
            (chart)
            (table.view().html("All pairings".to_owned()))
            p.note {
                "Each rung plays in one seat against copies of the other bot, in all seats in \
                 turn. A step is clear if its interval lies above 60 % against one opponent, \
                 which is "
                (format!("{:.1}", 100.0 * clear_win_share(self.players)))
                " % with this number of players. The bots measure the game: a stronger bot may \
                 find more to decide. "
                 code { (table.schema().file_name()) } " has the same numbers."
            }
        };
        Section::new("Rungs", body)
    }
}
