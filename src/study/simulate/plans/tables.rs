//! The tables of plans.

use super::{
    PlanAnalysis,
    clusters::{PlanCluster, PlanClusters},
    matrix::Viability,
};
use crate::{
    game::UNITS_PER_WIN,
    report::{
        data_table::{Columns, DataTable, Schema},
        html::Unit,
        provenance::Claim,
    },
    stats::ratio::{Estimate, Ratio},
};

/// The tables of plans.
#[derive(Clone, Debug)]
pub(crate) struct PlanTables {
    pub(crate) clusters: DataTable,
    pub(crate) by_number: DataTable,
    /// `None` if the plans were not played.
    pub(crate) plans: Option<DataTable>,
    pub(crate) matrix: Option<DataTable>,
}

impl PlanTables {
    /// Tabulates the plans of a run.
    pub(crate) fn new(plans: &PlanAnalysis, provenance: &Claim) -> Self {
        let PlanAnalysis { clusters, matrix } = plans;
        let name = |plan: usize| plans.name(plan);
        let of_matrix = |columns: Columns<(String, String, Estimate)>| {
            let matrix = matrix.as_ref()?;
            let all = (0..matrix.rates.len())
                .flat_map(|plan| (0..matrix.rates.len()).map(move |other| (plan, other)));
            let played = all.filter(|(plan, other)| plan != other);
            let row = |(plan, other)| (name(plan), name(other), matrix.rates[plan][other]);
            Some(columns.table(provenance, played.map(row)))
        };
        let rows = clusters.clusters.iter().map(|cluster| (clusters, cluster));
        let families: Vec<_> = clusters.families.iter().map(|family| family.name).collect();
        Self {
            clusters: cluster_columns(&families).table(provenance, rows),
            by_number: number_columns().table(provenance, number_rows(clusters)),
            plans: matrix.as_ref().map(|matrix| {
                let rows = (0..matrix.mixture.len()).map(|plan| PlanRow {
                    name: name(plan),
                    rate: matrix.against_mixture[plan],
                    mixture: matrix.mixture[plan],
                    viability: matrix.viability(plan),
                });
                plan_columns().table(provenance, rows)
            }),
            matrix: of_matrix(matrix_columns()),
        }
    }

    /// Returns all tables in their order.
    pub(crate) fn into_tables(self) -> impl Iterator<Item = DataTable> {
        let always = [self.clusters, self.by_number].into_iter();
        always.chain(self.plans).chain(self.matrix)
    }
}

/// Describes all tables.
pub(crate) fn schemas() -> [Schema; 4] {
    [
        cluster_columns(&["<family>"]).schema(),
        number_columns().schema(),
        plan_columns().schema(),
        matrix_columns().schema(),
    ]
}

type ClusterRow<'a> = (&'a PlanClusters, &'a PlanCluster);

fn cluster_columns<'a>(families: &[&str]) -> Columns<ClusterRow<'a>> {
    let title = "One row for each cluster of winners of the first games by what they took, the \
                 most frequent first. Associations, not effects: who wins could afford more.";
    let plan = "The plan that stands for it: what its winners took more of than all winners; \
                empty if there is nothing.";
    let share = "Share of all seats, winners or not, whose items are nearest to those of the \
                 cluster.";
    let win_rate = "Win rate of these seats.";
    let columns = Columns::<ClusterRow<'_>>::new("plan_clusters", title)
        .text("plan", "plan", plan, |(all, cluster)| cluster.plan.map(|plan| &all.plans[plan].name))
        .percent("share", "share of the seats", share, |(_, cluster)| cluster.share.rate(1))
        .n("share_n", "seats")
        .percent("win_rate", "win rate", win_rate, |(_, cluster)| cluster.wins.rate(UNITS_PER_WIN))
        .n("n", "n");
    let halves = ["first", "second"];
    let all = families.iter().enumerate();
    let all = all.flat_map(|(f, name)| (0..2).map(move |half| (f, *name, half)));
    let columns = all.fold(columns, |columns, (family, name, half)| {
        let description = format!(
            "Mean number of items of the family that the winners of the cluster took in the {} \
             half of the rounds.",
            halves[half]
        );
        let key = format!("{name}_{}", halves[half]);
        let title = format!("{name}, {} half", halves[half]);
        columns.number(key, title, 3, &description, move |(_, cluster): &ClusterRow<'_>| {
            cluster.means[family][half]
        })
    });
    columns.provenance()
}

type NumberRow = (&'static str, usize, Ratio);

fn number_columns() -> Columns<NumberRow> {
    let title = "One row for each family of items and number of its items that a seat of the first \
                 games took. Associations, not effects.";
    let number = "Number of its items that the seat took; the largest number stands for all larger \
                  ones, too.";
    Columns::<NumberRow>::new("family_numbers", title)
        .text("family", "family", "Family of items.", |(family, ..)| *family)
        .integer("number", "number", number, |(_, number, _)| *number)
        .percent("win_rate", "win rate", "Win rate of these seats.", |(.., wins)| {
            wins.rate(UNITS_PER_WIN)
        })
        .n("n", "n")
        .ci("ci")
        .provenance()
}

fn number_rows(clusters: &PlanClusters) -> impl Iterator<Item = NumberRow> + '_ {
    clusters.families.iter().zip(&clusters.by_number).flat_map(|(family, numbers)| {
        let played = numbers.iter().enumerate().filter(|(_, wins)| wins.n > 0);
        played.map(|(number, &wins)| (family.name, number, wins))
    })
}

/// A plan against the mixture.
struct PlanRow {
    name: String,
    rate: Estimate,
    mixture: f64,
    viability: Viability,
}

fn plan_columns() -> Columns<PlanRow> {
    let title = "One row for free play and for each plan, played by the bot of the run against the \
                 mixture of all that no plan beats.";
    let plan = "Name of the plan: the items that the seat prefers until it has as many.";
    let rate = "Win rate against the mixture, of one seat while all others play it; games that \
                nobody wins, or several do, are divided among all seats. The mixture itself has no \
                games.";
    let mixture = "Share in the mixture. For 2 players, the equilibrium of the matrix; for more, \
                   the share in the long run (α-rank).";
    let viability = "`viable` if the win rate is at most 2 points below that of equal players, \
                     `behind` if it is lower, each with its whole interval; else `open`.";
    Columns::<PlanRow>::new("plans", title)
        .text("plan", "plan", plan, |row| row.name.clone())
        .percent("win_rate", "win rate against the mixture", rate, |row| row.rate)
        .n("n", "n")
        .ci("ci")
        .number("mixture", "share in the mixture", 4, mixture, |row| row.mixture)
        .unit(Unit::Percent)
        .word("viability", "viable", &Viability::KEYS, viability, |row| row.viability.key())
        .provenance()
}

fn matrix_columns() -> Columns<(String, String, Estimate)> {
    let title = "One row for each two plans.";
    Columns::<(String, String, Estimate)>::new("plan_matrix", title)
        .text("plan", "plan", "Plan of one seat.", |(plan, ..)| plan.clone())
        .text("opponent", "opponent", "Plan of all other seats.", |(_, other, _)| other.clone())
        .percent(
            "win_rate",
            "win rate",
            "Win rate of the seat. The intervals of all pairs hold at once (Bonferroni).",
            |(.., rate)| *rate,
        )
        .n("n", "n")
        .ci("ci")
        .provenance()
}
