//! `report.html`: a page that is whole, says what it is made of, and needs nothing else.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::{files, succeeds, watershed};

fn simulate(folder: &Path, arguments: &[&str]) -> String {
    report(folder, &[&["simulate"], arguments].concat())
}

fn balance(folder: &Path, arguments: &[&str]) -> String {
    report(folder, &[&["balance"], arguments].concat())
}

fn report(folder: &Path, arguments: &[&str]) -> String {
    succeeds(folder, &[arguments, &["--quiet", "--out", "run", "--force"]].concat());
    let report = fs::read_to_string(folder.join("run/report.html")).unwrap();
    is_whole(&report);
    report
}

/// Elements that have no end, and those whose contents are no markup.
const EMPTY: [&str; 1] = ["meta"];
const RAW: [&str; 2] = ["style", "script"];

/// Makes sure that every element ends where it should, that every value of an attribute is quoted
/// and that the page loads nothing.
#[track_caller]
fn is_whole(page: &str) {
    for address in ["http://", "https://", "src=", "url(", "@import", "//cdn"] {
        assert!(!page.contains(address), "{address} is in the page");
    }
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "{:?}", &rest[..start]);
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split(' ').next().unwrap();
        assert!(
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric()),
            "<{tag}>"
        );
        let between_values: String = tag.split('"').step_by(2).collect();
        assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
        assert!(
            between_values
                .split(' ')
                .all(|part| part.matches('=').count() <= 1 && !part.contains(['\'', '<'])),
            "<{tag}>"
        );
        if RAW.contains(&name) {
            let close = format!("</{name}>");
            rest = &rest[rest.find(&close).unwrap() + close.len()..];
        } else if !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.is_empty(), "{open:?} {rest:?}");
}

/// The rows of all charts of estimates: each item of a list, but for those of axes.
fn rows(page: &str) -> impl Iterator<Item = &str> {
    page.split("<li>")
        .skip(1)
        .map(|rest| rest.split_once("</li>").unwrap().0)
        .filter(|row| row.contains("role=\"img\""))
}

#[test]
fn a_report_lists_every_bot_and_item_and_draws_every_interval() {
    let folder = TempDir::new().unwrap();
    for (game, bots, tables) in [
        ("the_river", "balanced,random", "buildings,tiles,effects"),
        ("glassworks", "balanced,rows", "colours,shapes,pairs,lake_draws,columns,heights"),
        ("common_river", "balanced,warden", "roles,objectives,structures,policies,camps"),
    ] {
        let page = simulate(
            folder.path(),
            &["--game", game, "--players", "2", "--bots", bots, "--games", "200"],
        );
        for bot in bots.split(',') {
            assert!(page.contains(&format!("aria-label=\"{bot}: win rate ")), "{bot}");
        }
        for table in tables.split(',') {
            let csv = fs::read_to_string(folder.path().join(format!("run/{table}.csv"))).unwrap();
            assert!(csv.lines().count() > 1);
            for item in csv.lines().skip(1).map(|line| line.split(',').next().unwrap()) {
                assert!(page.contains(&format!(">{item}</th>")), "{table}: {item}");
            }
        }
        assert!(rows(&page).count() > 10);
        for row in rows(&page) {
            let [dots, lines] =
                ["<circle", "class=\"interval\""].map(|part| row.matches(part).count());
            assert!(dots >= 1 && lines == 3 * dots, "an interval is a line with two ends: {row}");
        }
        let command = page.split_once("<pre><code>watershed simulate").unwrap().1;
        assert!(command.starts_with(&format!(" --game {game} ")) && page.contains("seed 1"));
        let manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
        assert!(page.contains(manifest["config_sha256"].as_str().unwrap()));
        assert!(
            manifest["files"].as_array().unwrap().contains(&"report.html".into()),
            "so that --force removes it"
        );
    }
}

/// Runs of one game, of one player, of a part, and with a goal.
#[test]
fn small_and_unusual_runs_have_a_valid_report() {
    let folder = TempDir::new().unwrap();
    let one = simulate(folder.path(), &["--games", "1", "--bots", "random*"]);
    assert!(!one.contains("NaN") && !one.contains(">inf"));
    let alone =
        simulate(folder.path(), &["--game", "common_river", "--players", "1", "--games", "40"]);
    assert!(!alone.contains("expected share"));
    for one_of_several in
        ["mean rank", "mean margin", "Turn order", "turn position", "first player:"]
    {
        assert!(!alone.contains(one_of_several), "a single player has no {one_of_several}");
    }
    assert!(!folder.path().join("run/turn_order.csv").exists());
    assert!(!alone.contains("<h2>Role pairs</h2>"), "no table of zeros");
    let part = simulate(folder.path(), &["--games", "40", "--shard", "1/2"]);
    assert!(part.contains("This is a shard of a run.") && part.contains("--shard 1/2"));
    let goal = simulate(folder.path(), &["--games", "400", "--precision", "20pp"]);
    assert!(goal.contains("hold at all of them together"));
}

/// The numbers of all games are on the page, not only in tables for programs.
#[test]
fn a_report_shows_round_metrics_and_what_never_occurred() {
    let folder = TempDir::new().unwrap();
    let table = |name: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_path(folder.path().join("run").join(name))
            .unwrap()
            .records()
            .map(Result::unwrap)
            .collect()
    };
    let page =
        simulate(folder.path(), &["--game", "common_river", "--players", "3", "--games", "40"]);
    let health = section(&page, "Game health");
    for row in table("health.csv") {
        let row = health
            .split("<tr>")
            .find(|shown| shown.contains(&format!("<code>{}</code>", &row[0])))
            .unwrap_or_else(|| panic!("{row:?}"));
        assert!(row.contains("class=\"number\""), "{row}");
    }
    let never = section(&page, "What never happened");
    assert_eq!(never.matches("<th scope=\"row\">").count(), table("never.csv").len());
    for row in table("never.csv") {
        let shown =
            format!("<th scope=\"row\">{}</th><td>{}</td><td>{}</td>", &row[2], &row[1], &row[0]);
        assert!(never.contains(&shown), "{shown}");
    }
    let rounds = section(&page, "Round by round");
    let gauges: std::collections::BTreeSet<_> =
        table("rounds.csv").iter().map(|row| row[2].replace('_', " ")).collect();
    assert_eq!(gauges.len(), rounds.matches("<figure class=\"curve\">").count());
    assert_eq!(rounds.matches("<th scope=\"row\">").count(), table("rounds.csv").len());
    for gauge in gauges {
        assert!(rounds.contains(&format!(" aria-label=\"{gauge} by round: ")), "{gauge}");
    }
}

/// Several pages lie side by side in tabs and attachments.
#[test]
fn titles_contain_the_game_and_the_number_of_players() {
    let folder = TempDir::new().unwrap();
    let sweep = ["sweep", "--key", "rules.trade_in", "--values", "2"];
    let restrict = ["restrict", "--never", "swap"];
    for players in ["2", "3"] {
        let few = ["--games", "12", "--players", players];
        let mut pages = vec![simulate(folder.path(), &few)];
        pages.extend(
            [&["ablate"][..], &sweep, &restrict, &["luck"]]
                .map(|study| balance(folder.path(), &[study, &few].concat())),
        );
        for page in pages {
            for element in ["title", "h1"] {
                let (_, rest) = page.split_once(&format!("<{element}>")).unwrap();
                let title = rest.split_once(&format!("</{element}>")).unwrap().0;
                assert!(
                    title.contains("The River") && title.contains(&format!("{players} players")),
                    "{title}"
                );
            }
        }
    }
}

/// Openings are of a turn position, whose own rate they are compared with; the best stand first.
#[test]
fn openings_are_ranked_by_their_difference_from_the_turn_position() {
    let folder = TempDir::new().unwrap();
    let page = simulate(folder.path(), &["--bots", "balanced*", "--games", "600"]);
    let mut reader = csv::Reader::from_path(folder.path().join("run/openings.csv")).unwrap();
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(Result::unwrap).collect();
    let number = |row: &std::collections::BTreeMap<String, String>, column: &str| {
        row[column].parse::<f64>().unwrap_or(f64::NAN)
    };
    let turn_order = fs::read_to_string(folder.path().join("run/turn_order.csv")).unwrap();
    for (position, line) in turn_order.lines().skip(1).enumerate() {
        let of_position = || rows.iter().filter(|row| row["turn_position"] == position.to_string());
        let expected: Vec<_> = line.split(',').skip(2).take(4).collect();
        let columns = ["_n", "", "_ci_low", "_ci_high"]
            .map(|end| format!("expected_from_turn_position{end}"));
        assert!(
            of_position().all(|row| columns
                .iter()
                .map(|column| row[column].as_str())
                .eq(expected.iter().copied())),
            "{expected:?}"
        );
        assert_eq!(of_position().map(|row| number(row, "n")).sum::<f64>().to_string(), expected[0]);
    }
    for row in &rows {
        let above = number(row, "win_rate") - number(row, "expected_from_turn_position");
        assert!((above - number(row, "above_turn_position")).abs() < 2e-6, "{row:?}");
        let [low, high] =
            ["low", "high"].map(|end| number(row, &format!("above_turn_position_ci_{end}")));
        assert!(low <= above + 1e-6 && above <= high + 1e-6 && low < high, "{row:?}");
    }
    assert!(rows.windows(2).all(|pair| number(&pair[0], "above_turn_position_ci_low")
        >= number(&pair[1], "above_turn_position_ci_low")));
    let best = rows.iter().find(|row| number(row, "n") >= 30.0).unwrap();
    let steps = ["step_1", "step_2", "step_3"].map(|step| best[step].as_str()).join(", ");
    let openings = section(&page, "Openings");
    let first = openings.split("<th scope=\"row\">").nth(1).unwrap();
    assert!(first.starts_with(&format!("{steps}</th>")) && first.contains(" pp"), "{first}");
}

/// What a page says under a heading.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) =
        page.split_once(&format!("<h2>{heading}</h2>")).unwrap_or_else(|| panic!("{heading}"));
    rest.split_once("</section>").unwrap().0
}

/// Every page of a study says what data it is of, how to repeat it, and what the manifest names.
#[track_caller]
fn is_a_study(folder: &Path, page: &str) {
    assert!(
        page.contains("A reconstruction, not the printed game.") && page.contains("id=\"the-data")
    );
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("run/run.json")).unwrap()).unwrap();
    assert!(page.contains(&format!(
        "<pre><code>{}</code></pre>",
        manifest["command"].as_str().unwrap().replace('"', "&quot;")
    )));
    assert!(
        manifest["files"].as_array().unwrap().contains(&"report.html".into()),
        "so that --force removes it"
    );
    for row in rows(page) {
        let [dots, lines] = ["<circle", "class=\"interval\""].map(|part| row.matches(part).count());
        assert!(
            lines == 3 * dots || row.contains("no interval"),
            "an interval is a line with two ends: {row}"
        );
        assert_eq!(dots, row.matches("<small>n ").count(), "every figure has its n: {row}");
    }
}

#[test]
fn a_report_of_ablate_has_every_item_and_estimate() {
    let folder = TempDir::new().unwrap();
    let asked = [
        "ablate",
        "--ladder",
        "random,balanced",
        "--games",
        "400",
        "--rate",
        "0.5",
        "--item",
        "w2c1",
    ];
    let page = balance(folder.path(), &asked);
    is_a_study(folder.path(), &page);
    let mut values = csv::Reader::from_path(folder.path().join("run/values.csv")).unwrap();
    let flag = values.headers().unwrap().iter().position(|column| column == "flag").unwrap();
    let mut flags = String::new();
    for record in values.records().map(Result::unwrap) {
        let (bots, table, item) = (&record[0], &record[1], &record[2]);
        let section =
            section(&page, &format!("{}{}, by {bots}", table[..1].to_uppercase(), &table[1..]));
        assert_eq!(
            section.matches(&format!(">{item}</th>")).count(),
            3,
            "once for each measure: {table} {item}"
        );
        if &record[4] != "rounds" {
            flags += &record[flag];
        }
    }
    assert!(section(&page, "Without an item").contains("w2c1 removed, by balanced"));
    assert!(section(&page, "Effects, by balanced").contains(
        "aria-label=\"effect:income: forced pick (must take it now less may never take it) "
    ));
    let standing_out = section(&page, "What stands out");
    for (flag, words) in [
        ("strong", "Forced pick above the other items"),
        ("weak", "Forced pick below the other items"),
        ("disagree", "Association and forced pick differ"),
    ] {
        assert_eq!(
            standing_out.contains(&format!("<h3>{words}</h3>")),
            flags.contains(flag),
            "{flag}"
        );
    }
    assert!(flags.contains("disagree"));
    let again = balance(folder.path(), &[&asked[..], &["--threads", "1"]].concat());
    assert!(page == again, "the same bytes on any number of threads");
}

#[test]
fn a_report_of_restrict_has_every_restriction() {
    let folder = TempDir::new().unwrap();
    let page = balance(
        folder.path(),
        &["restrict", "--never", "swap", "--always", "build", "--games", "200"],
    );
    is_a_study(folder.path(), &page);
    for measure in ["Win share", "Score", "Rounds of the game"] {
        for rule in ["never swap", "always build", "all together"] {
            let section = section(&page, measure);
            assert!(section.contains(&format!(">{rule}</th>")), "{measure}: {rule}");
            assert!(
                section.contains(&format!("aria-label=\"{rule}: difference in ")),
                "{measure}: {rule}"
            );
        }
    }
}

#[test]
fn a_report_of_compare_has_every_difference_and_metric() {
    let folder = TempDir::new().unwrap();
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    fs::write(folder.path().join("a.toml"), &data).unwrap();
    let other = data.replacen("id = \"w2\"", "id = \"other\"", 1);
    assert!(other != data);
    fs::write(folder.path().join("b.toml"), other).unwrap();
    let page = balance(folder.path(), &["compare", "a.toml", "b.toml", "--games", "200"]);
    is_a_study(folder.path(), &page);
    let game = section(&page, "The game");
    for figure in ["win rate, seat 0", "win rate, turn position 1", "rounds", "winning margin"] {
        assert!(
            game.contains(&format!("aria-label=\"{figure}: difference, variant minus baseline ")),
            "{figure}"
        );
    }
    let differs = section(&page, "Significant differences");
    assert!(
        differs.contains("Buildings only in the baseline: w2.")
            && differs.contains("Buildings only in the variant: other.")
    );
    let mut differences = csv::Reader::from_path(folder.path().join("run/buildings.csv")).unwrap();
    let buildings = section(&page, "Buildings");
    for record in differences.records().map(Result::unwrap) {
        assert!(buildings.contains(&format!(">{}</th>", &record[0])), "{}", &record[0]);
    }
}

#[test]
fn a_report_of_sweep_has_a_curve_through_every_value() {
    let folder = TempDir::new().unwrap();
    let sweep = |values: &str| {
        balance(
            folder.path(),
            &["sweep", "--key", "rules.trade_in", "--values", values, "--games", "100"],
        )
    };
    let page = sweep("2..5");
    is_a_study(folder.path(), &page);
    let curves: Vec<_> = page
        .split("<figure class=\"curve\">")
        .skip(1)
        .map(|rest| rest.split_once("</figure>").unwrap().0)
        .collect();
    assert!(curves.len() >= 6);
    for curve in curves {
        assert_eq!(curve.matches("<circle").count(), 4, "{curve}");
        assert!(curve.contains("by rules.trade_in: 2: ") && curve.contains("; 5: "), "{curve}");
    }
    assert!(page.contains("Effects of rules.trade_in"));
}

#[test]
fn a_report_of_luck_has_every_chance_source() {
    let folder = TempDir::new().unwrap();
    let page = balance(folder.path(), &["luck", "--games", "400"]);
    is_a_study(folder.path(), &page);
    for outcome in ["Win share", "Score"] {
        let section = section(&page, outcome);
        for source in ["seats", "boards", "tiles", "buildings", "bots"] {
            assert!(
                section.contains(&format!("aria-label=\"{source}: explained alone ")),
                "{outcome} {source}"
            );
            assert_eq!(
                section.matches(&format!(">{source}</th>")).count(),
                3,
                "all seats, and each: {outcome} {source}"
            );
        }
    }
}

#[test]
fn names_are_escaped() {
    let folder = TempDir::new().unwrap();
    let bot = "<img onerror=alert(1)>&\"'.toml";
    fs::write(folder.path().join(bot), fs::read("bots/the_river/balanced.toml").unwrap()).unwrap();
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    let hostile = "<script>alert(1)</script>";
    let data = data.replacen("\"reconstruction\"", &format!("\"{hostile}\""), 1).replacen(
        "\"The River\"",
        &format!("\"{hostile}\""),
        1,
    );
    fs::write(folder.path().join("mine.toml"), format!("{data}# {hostile}\n")).unwrap();
    let page = simulate(
        folder.path(),
        &["--bots", &format!("{bot},balanced"), "--config", "mine.toml", "--games", "20"],
    );
    assert!(!page.contains("<img") && !page.contains(hostile));
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    let asked = ["--config", "mine.toml", "--games", "40", "--bots", &format!("{bot}*")];
    let sweep = ["sweep", "--key", "rules.trade_in", "--values", "2"];
    for study in [&["ablate"][..], &["luck"], &sweep] {
        let page = balance(folder.path(), &[study, &asked].concat());
        assert!(!page.contains("<img") && !page.contains(hostile));
        assert_eq!(page.matches("<script").count(), 1, "the page's own");
    }
    assert!(page.contains("&lt;img onerror=alert(1)&gt;&amp;&quot;'.toml"));
}

/// Any value that is marked as reconstructed makes a reconstruction, whatever the file calls
/// itself.
#[test]
fn reconstructed_data_is_marked_everywhere() {
    let folder = TempDir::new().unwrap();
    let warning = "A reconstruction, not the printed game.";
    assert!(simulate(folder.path(), &["--games", "2"]).contains(warning));
    let data = fs::read_to_string("configs/the_river.toml").unwrap().replacen(
        "\"reconstruction\"",
        "\"box\"",
        1,
    );
    fs::write(folder.path().join("mine.toml"), &data).unwrap();
    assert!(simulate(folder.path(), &["--games", "2", "--config", "mine.toml"]).contains(warning));
    let run = [
        "simulate",
        "--games",
        "2",
        "--config",
        "mine.toml",
        "--games-csv",
        "--quiet",
        "--out",
        "claim",
    ];
    let output = watershed(folder.path(), &run);
    let message = String::from_utf8(output.stderr).unwrap();
    for part in ["warning: mine.toml:7: key `provenance`", "\"reconstruction\"", "\"box\""] {
        assert!(message.contains(part) && message.lines().count() == 1, "{message}");
    }
    assert!(String::from_utf8(output.stdout).unwrap().contains("data: reconstruction"));
    let read = |file: &str| fs::read_to_string(folder.path().join("claim").join(file)).unwrap();
    for table in ["win_rates.csv", "games.csv"] {
        assert!(
            read(table).lines().skip(1).all(|line| line.ends_with(",reconstruction")),
            "{table}"
        );
    }
    let manifest: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
    assert_eq!(manifest["provenance"], "reconstruction");
    assert!(!read("report.html").contains("marked <q>box</q>"));
    let unmarked: String =
        data.lines().map(|line| format!("{}\n", line.split('#').next().unwrap())).collect();
    fs::write(folder.path().join("mine.toml"), unmarked).unwrap();
    let page = simulate(folder.path(), &["--games", "2", "--config", "mine.toml"]);
    assert!(!page.contains(warning) && page.contains("none of them has a mark"));
    assert!(files(&folder.path().join("run")).contains(&"report.html".to_owned()));
}

#[test]
fn games_without_winner_are_reported_first_and_equal_bots_win_the_table_mean() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "--game",
        "common_river",
        "--players",
        "3",
        "--bots",
        "balanced,random,random-kind",
        "--games",
        "90",
    ];
    let page = simulate(folder.path(), &arguments);
    let lead = page.split_once("<p class=\"lead\">").unwrap().1;
    assert!(lead.starts_with("Nobody won "), "{}", &lead[..200]);
    let printed = String::from_utf8(
        watershed(
            folder.path(),
            &[&["simulate", "--quiet", "--out", "again"], &arguments[..]].concat(),
        )
        .stdout,
    )
    .unwrap();
    let even = printed
        .lines()
        .find(|line| line.starts_with("The expected share of equal bots is "))
        .unwrap();
    let value = even.split_once(';').unwrap().0.rsplit_once(" is ").unwrap().1;
    assert!(page.contains(&format!("expected share, {value}")), "{even}");
    assert!(printed.contains(";\nnobody won "), "{even}");
    assert!(
        printed.contains("minus the mean of the other seats")
            && page.contains("Difference from the mean of the other seats: balanced ")
    );
    // Each bot's difference is that of its win rate and the mean of the two others', in the table
    // as in the terminal.
    let text = fs::read_to_string(folder.path().join("run/win_rates.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|heading| *heading == name).unwrap();
    let number = |row: &[&str], name: &str| row[column(name)].parse::<f64>().unwrap();
    let overall: Vec<_> = rows.iter().filter(|row| row[column("seat")] == "all").collect();
    for row in &overall {
        let rates: f64 = overall.iter().map(|row| number(row, "win_rate")).sum();
        let expected = number(row, "win_rate") - (rates - number(row, "win_rate")) / 2.0;
        assert!((number(row, "difference") - expected).abs() < 3e-6, "{row:?}");
        assert!(
            number(row, "difference_ci_low") < expected
                && expected < number(row, "difference_ci_high"),
            "{row:?}"
        );
        assert!(
            printed.contains(&format!("{:+.2} [", 100.0 * number(row, "difference"))),
            "{row:?}: {printed}"
        );
    }
    let won = simulate(folder.path(), &["--bots", "balanced,random", "--games", "60"]);
    assert!(won.contains("expected share, 50 %") && !won.contains("Nobody won"));
}
