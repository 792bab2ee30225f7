//! `report.html`: well-formed, complete, and without references to other files.

use std::{collections::BTreeSet, fs};

use crate::support::Folder;

fn simulate(folder: &Folder, arguments: &str) -> String {
    report(folder, &format!("simulate {arguments}"))
}

fn balance(folder: &Folder, arguments: &str) -> String {
    report(folder, &format!("balance {arguments}"))
}

fn report(folder: &Folder, arguments: &str) -> String {
    folder.succeeds(&format!("{arguments} --quiet --out run --force"));
    let report = folder.read("run/report.html");
    check_markup(&report);
    report
}

/// Elements without an end tag.
const EMPTY: [&str; 2] = ["meta", "br"];
/// Elements whose content is not markup.
const RAW: [&str; 2] = ["style", "script"];

/// Checks that elements are nested, that values of attributes are quoted, and that the page loads
/// nothing.
#[track_caller]
pub(super) fn check_markup(page: &str) {
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

/// Returns the rows of all charts of estimates: the list items except axes.
fn rows(page: &str) -> impl Iterator<Item = &str> {
    page.split("<li>")
        .skip(1)
        .map(|rest| rest.split_once("</li>").unwrap().0)
        .filter(|row| row.contains("role=\"img\""))
}

#[test]
fn a_single_game_has_a_valid_report() {
    let folder = Folder::new();
    let one = simulate(&folder, "--games 1 --bots random*");
    assert!(!one.contains("NaN") && !one.contains(">inf"));
}

/// Returns the content of a page below a heading.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<h2>{heading}</h2>")).expect(heading);
    rest.split_once("</section>").unwrap().0
}

/// Checks the markup of the page of a run, that it names its players, its data, the command that
/// repeats it and every item of its tables, and that its charts have every interval and number of
/// observations.
#[track_caller]
pub(crate) fn check_page(folder: &Folder, results: &str, page: &str) {
    check_markup(page);
    assert!(
        page.contains("A reconstruction, not the printed game.") && page.contains("id=\"the-data")
    );
    let manifest = folder.manifest(results);
    let command = manifest["command"].as_str().unwrap().replace('"', "&quot;");
    assert!(page.contains(&format!("<pre><code>{command}</code></pre>")));
    let players = match manifest["players"].as_u64().unwrap() {
        0 => "all numbers of players".to_owned(),
        number => format!("{number} player"),
    };
    // A question as the heading is below the game and the players.
    for part in [["<title>", "</title>"], ["class=\"kicker\"", "</h1>"]] {
        let title = page.split_once(part[0]).unwrap().1.split_once(part[1]).unwrap().0;
        assert!(title.contains(&players), "{title}");
    }
    // Seats are counted from 1 for people.
    assert!(!page.contains("seat 0"));
    let files: Vec<_> =
        manifest["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(files.contains(&"report.html"), "so that --force removes it");
    let tables = files.iter().filter(|file| file.split_once('.').unwrap().1 == "csv");
    let rows_of_tables = tables.flat_map(|table| folder.rows(format!("{results}/{table}")));
    let labels: BTreeSet<_> = rows_of_tables.filter_map(|mut row| row.remove("label")).collect();
    for label in labels {
        let label = label.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&label), "{label}");
    }
    for row in rows(page) {
        let [dots, lines] = ["<circle", "class=\"interval\""].map(|part| row.matches(part).count());
        assert!(
            lines == 3 * dots || row.contains("no interval"),
            "an interval is a line with two ends: {row}"
        );
        assert_eq!(dots, row.matches("<small>n ").count(), "every estimate has its n: {row}");
    }
}

#[test]
fn names_are_escaped() {
    let folder = Folder::new();
    let bot = "<img>alert(1)&\"'.toml";
    folder.write(bot, fs::read("bots/the_river/balanced.toml").unwrap());
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    let hostile = "<script>alert(1)</script>";
    let quoted = format!("\"{hostile}\"");
    let data = data.replacen("\"reconstruction\"", &quoted, 1);
    let data = data.replacen("\"The River\"", &quoted, 1);
    folder.write("mine.toml", format!("{data}# {hostile}\n"));
    let page = simulate(&folder, &format!("--bots {bot},balanced --config mine.toml --games 20"));
    assert!(!page.contains("<img") && !page.contains(hostile));
    assert_eq!(page.matches("<script").count(), 2, "the page's own");
    let asked = format!("--config mine.toml --games 40 --bots {bot}*");
    for study in ["ablate", "turn-order", "sweep --key rules.trade_in --values 2"] {
        let page = balance(&folder, &format!("{study} {asked}"));
        assert!(!page.contains("<img") && !page.contains(hostile));
        assert_eq!(page.matches("<script").count(), 2, "the page's own");
    }
    assert!(page.contains("&lt;img&gt;alert(1)&amp;&quot;'.toml"));
}

/// One value that is marked as reconstructed suffices, also if the file states another provenance.
#[test]
fn reconstructed_data_is_marked_everywhere() {
    let folder = Folder::new();
    let warning = "A reconstruction, not the printed game.";
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    let data = data.replacen("\"reconstruction\"", "\"box\"", 1);
    folder.write("mine.toml", &data);
    assert!(simulate(&folder, "--bots random --games 2 --config mine.toml").contains(warning));
    let run = "simulate --bots random --games 2 --config mine.toml --games-csv --quiet --out claim";
    let (printed, message) = folder.exits_with(0, run);
    for part in ["warning: mine.toml:7: key `provenance`", "\"reconstruction\"", "\"box\""] {
        assert!(message.contains(part) && message.lines().count() == 1, "{message}");
    }
    assert!(printed.contains("data: reconstruction"));
    for table in ["claim/win_rates.csv", "claim/games.csv"] {
        let rows = folder.rows(table);
        assert!(rows.iter().all(|row| row["provenance"] == "reconstruction"), "{table}");
    }
    assert_eq!(folder.manifest("claim")["provenance"], "reconstruction");
    assert!(!folder.read("claim/report.html").contains("marked <q>box</q>"));
    let unmarked: String =
        data.lines().map(|line| format!("{}\n", line.split('#').next().unwrap())).collect();
    folder.write("mine.toml", unmarked);
    let page = simulate(&folder, "--bots random --games 2 --config mine.toml");
    assert!(!page.contains(warning) && page.contains("none of them has a mark"));
}

#[test]
fn games_without_winner_are_reported_first_and_equal_bots_win_the_mean_of_the_seats() {
    let folder = Folder::new();
    let arguments = "--game common_river --players 3 --bots balanced,random,random-kind --games 90";
    let page = simulate(&folder, arguments);
    let lead = page.split_once("<p class=\"lead\">").unwrap().1;
    assert!(lead.starts_with("Nobody won "), "{}", &lead[..200]);
    let printed = folder.succeeds(&format!("simulate --quiet --out again {arguments}"));
    let even = printed
        .lines()
        .find(|line| line.starts_with("The expected share of equal bots is "))
        .unwrap();
    let value = even.split_once(';').unwrap().0.rsplit_once(" is ").unwrap().1;
    assert!(page.contains(&format!("expected share, {value}")), "{even}");
    let words = printed.replace('\n', " ");
    for shown in [&words, &page] {
        assert!(shown.contains("; nobody won "), "{shown}");
    }
}

#[test]
fn notes_of_the_user_are_on_the_page() {
    let folder = Folder::new();
    folder.write("note.md", "# Version 7\n\nThe *income* tiles cost more. <script>x()</script>\n");
    folder.succeeds("simulate --games 60 --bots balanced --note note.md --quiet --out run");
    let page = folder.read("run/report.html");
    let notes = section(&page, "Notes");
    assert!(notes.contains("<em>income</em>") && notes.contains("&lt;script&gt;"), "{notes}");
    folder.succeeds("report run --brief --out brief.html");
    assert!(folder.read("brief.html").contains("<em>income</em>"));
    folder
        .succeeds("balance turn-order --games 40 --bots random --note note.md --quiet --out order");
    assert!(section(&folder.read("order/report.html"), "Notes").contains("Version 7"));
}

#[test]
fn tables_for_excel_are_read_back() {
    let folder = Folder::new();
    let run = "simulate --games 60 --bots balanced --quiet --opening-depth 0 --games-csv";
    let formats = ["plain", "excel", "excel-eu"];
    for format in formats {
        folder.succeeds(&format!("{run} --csv {format} --out {format}"));
        folder.succeeds(&format!("report {format} --brief --quiet --out {format}.html"));
        assert_eq!(folder.read(format!("{format}.html")), folder.read("plain.html"));
    }
    for table in ["buildings.csv", "games.csv"] {
        let [plain, excel, eu] = formats.map(|format| folder.read(format!("{format}/{table}")));
        assert_eq!(excel, format!("\u{feff}{plain}"));
        let header = |text: &str| text.lines().next().unwrap().to_owned();
        assert_eq!(header(&eu), format!("\u{feff}{}", header(&plain).replace(',', ";")));
        assert!(eu.contains(",5000;") || eu.contains(",500000;"), "{eu}");
    }
}
