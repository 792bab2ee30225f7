//! Games by the requests of a page.

use std::{
    io::Read as _,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use watershed::{
    analysis::watch::AnalysisWatch,
    games::built_in_games,
    web::{
        Application, CommandTools, KEEP_FINISHED, KEEP_UNFINISHED, MAX_GAMES,
        assets::{FILES, LIBRARY},
        fix::{FixSearcher, KEEP_SEARCH},
        request::Request,
        table::TableReader,
    },
};

use crate::support::{Folder, Row, find_row};

fn application() -> Application {
    Application::new(built_in_games(), b"test")
}

/// Sends a request and returns the answer.
fn ask(application: &Application, request: &Value) -> Value {
    serde_json::from_str(&application.call(&request.to_string())).unwrap()
}

/// Sends a request and returns the view in the answer.
#[track_caller]
fn view(application: &Application, request: &Value) -> Value {
    let mut answer = ask(application, request);
    assert!(answer["view"].is_object(), "{request}: {answer}");
    answer["view"].take()
}

/// Sends a request that is refused and returns the kind of the problem.
#[track_caller]
fn refused(application: &Application, request: &Value) -> String {
    let answer = ask(application, request);
    assert!(!answer["error"].as_str().unwrap().contains('\n'), "{answer}");
    answer["kind"].as_str().unwrap().to_owned()
}

fn new_game(application: &Application, game: &str, seats: &[&str], seed: u64) -> Value {
    let request = json!({"request": "new", "game": game, "players": seats.len(), "seats": seats,
        "seed": seed});
    advance(application, view(application, &request))
}

/// Sends a request about the game of a view, with its number of events.
fn about(view: &Value, request: &str) -> Value {
    json!({"request": request, "id": view["id"], "events": view["events"]})
}

/// Makes the events of bots and chance.
fn advance(application: &Application, mut shown: Value) -> Value {
    while shown["next"] == "bot" || shown["next"] == "drawn_chance" {
        shown = view(application, &about(&shown, "step"));
    }
    shown
}

fn act(application: &Application, shown: &Value, action: usize) -> Value {
    let mut request = about(shown, "act");
    request["action"] = shown["actions"][action]["action"].clone();
    request["pending"] = shown["pending"].clone();
    advance(application, view(application, &request))
}

fn record(application: &Application, shown: &Value) -> String {
    let answer = ask(application, &json!({"request": "save", "id": shown["id"]}));
    answer["record"].as_str().unwrap().to_owned()
}

fn count(value: &Value) -> usize {
    value.as_array().unwrap().len()
}

/// A script of actions gives the same game here and in the terminal.
#[test]
fn whole_games_are_those_of_the_terminal() {
    let application = application();
    for (game, players) in [("the_river", 2), ("glassworks", 3), ("common_river", 4)] {
        let folder = Folder::new();
        let mut seats = vec!["random"; players];
        seats[0] = "human";
        let mut shown = new_game(&application, game, &seats, 5);
        let mut input = String::new();
        let (mut with_cells, mut decisions) = (0, 0);
        while shown["next"] == "person" {
            check_turn(shown["turn"].as_str().unwrap());
            let actions = shown["actions"].as_array().unwrap();
            let board = shown["board"].as_str().unwrap();
            for cell in actions.iter().flat_map(|action| action["cells"].as_array().unwrap()) {
                let cell = cell.as_str().unwrap();
                assert!(board.contains(&format!("data-cell=\"{cell}\"")), "{game}: {cell}");
            }
            decisions += 1;
            with_cells += usize::from(actions.iter().any(|action| count(&action["cells"]) > 0));
            // Other actions than the first, too.
            let chosen = decisions * 7 % actions.len();
            input += &format!("{}\n", chosen + 1);
            shown = act(&application, &shown, chosen);
        }
        assert_eq!(shown["next"], "over");
        assert_eq!(count(&shown["results"]["scores"]), players);
        let sentence = shown["results"]["sentence"].as_str().unwrap();
        assert!(sentence.starts_with("You ") || sentence.starts_with("Nobody "), "{sentence}");
        assert!(2 * with_cells > decisions, "{game}: {with_cells} of {decisions} on the board");
        let log = shown["log"].as_array().unwrap();
        let mut own = log.iter().filter(|entry| entry["seat"] == 0);
        assert!(own.all(|entry| entry["text"].as_str().unwrap().starts_with("You: ")), "{log:?}");

        let saved = record(&application, &shown);
        folder.write("page.jsonl", format!("{saved}\n"));
        assert_eq!(folder.succeeds("replay page.jsonl"), "1 games agree with the rules\n");
        let arguments = format!(
            "play --game {game} --players {players} --bots human,random --seed 5 --save \
             played.jsonl --playtests log.csv"
        );
        let output = folder.run_with_input(&arguments, &input);
        assert_eq!(output.status.code(), Some(0));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("The game is over."), "{printed}");
        assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
        let scores = shown["results"]["scores"].as_array().unwrap().iter();
        let scores: Vec<_> = scores.map(ToString::to_string).collect();
        let is_row = |line: &str| line.split_whitespace().skip(1).eq(&scores);
        assert!(game == "common_river" || printed.lines().any(is_row), "{printed}");
        let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_decided = shown["results"]["decided"].is_object();
        assert_eq!(words.contains(" made the difference: "), is_decided, "{printed}");
        assert_eq!(folder.rows("log.csv").len(), 1);
        assert_eq!(folder.read("played.jsonl"), folder.read("page.jsonl"), "{game}");

        // The record can be loaded, and shows the same results.
        let loaded = view(&application, &json!({"request": "load", "record": saved}));
        assert_eq!(loaded["results"], shown["results"]);
        assert_eq!(
            loaded["log"].as_array().unwrap().len(),
            shown["events"].as_u64().unwrap() as usize
        );
        assert_eq!(record(&application, &loaded), saved);
    }
}

/// Checks that the sentence on the turn of the only person addresses it.
#[track_caller]
fn check_turn(turn: &str) {
    let deed = turn.strip_prefix("Your turn: ").unwrap();
    let verb = deed.split(' ').next().unwrap();
    assert!(!verb.ends_with('s') || verb == "pass", "{turn}");
    assert!(!deed.contains("Player 1") && !deed.contains(" its "), "{turn}");
}

#[test]
fn taking_back_leads_to_the_same_game() {
    let application = application();
    let first = new_game(&application, "the_river", &["human", "balanced"], 2);
    let second = act(&application, &first, 1);
    let third = act(&application, &second, 0);
    let straight: Value = serde_json::from_str(&record(&application, &third)).unwrap();

    let back = view(&application, &about(&third, "undo"));
    assert_eq!((&back["events"], &back["board"]), (&second["events"], &second["board"]));
    let back = view(&application, &about(&back, "undo"));
    assert_eq!((&back["events"], &back["can_redo"]), (&first["events"], &json!(true)));
    let again = act(&application, &back, 1);
    assert_eq!((&again["events"], &again["log"]), (&second["events"], &second["log"]));
    let again = act(&application, &again, 0);
    let back = view(&application, &about(&again, "undo"));
    let again = advance(&application, view(&application, &about(&back, "redo")));
    let found: Value = serde_json::from_str(&record(&application, &again)).unwrap();
    assert_eq!(found["events"], straight["events"]);
    assert_eq!(found["undo"], 2);

    let start = new_game(&application, "the_river", &["human", "balanced"], 2);
    assert_eq!(refused(&application, &about(&start, "undo")), "invalid");
    assert_eq!(refused(&application, &about(&start, "redo")), "invalid");
}

#[test]
fn late_and_wrong_clicks_change_nothing() {
    let application = application();
    let shown = new_game(&application, "glassworks", &["human", "random"], 1);
    let mut late = about(&shown, "act");
    late["action"] = shown["actions"][0]["action"].clone();
    let after = act(&application, &shown, 0);
    assert_eq!(refused(&application, &late), "stale");
    assert_eq!(refused(&application, &about(&after, "step")), "invalid");
    let mut wrong = about(&after, "act");
    wrong["action"] = json!("nothing");
    assert_eq!(refused(&application, &wrong), "invalid");
    let now = view(&application, &json!({"request": "view", "id": after["id"]}));
    assert_eq!((&now["events"], &now["board"]), (&after["events"], &after["board"]));

    let closed = ask(&application, &json!({"request": "close", "id": after["id"]}));
    assert_eq!(closed, json!({"closed": {}}));
    assert_eq!(refused(&application, &about(&after, "step")), "unknown_game");
}

/// The roles of other seats are hidden until the end.
#[test]
fn hidden_things_are_not_in_the_answers() {
    let application = application();
    let seats = ["human", "random", "random"];
    let mut shown = new_game(&application, "common_river", &seats, 3);
    let saved: Value = serde_json::from_str(&record(&application, &shown)).unwrap();
    let events = saved["events"].as_array().unwrap().iter().enumerate();
    let roles: Vec<_> = events
        .filter(|(_, event)| event[1].as_str().unwrap().starts_with("role:"))
        .map(|(index, _)| index)
        .collect();
    assert_eq!(roles.len(), 3, "{saved}");
    let text =
        |shown: &Value, event: usize| shown["log"][event]["text"].as_str().unwrap().to_owned();
    let hidden = |shown: &Value| {
        let hidden = roles.iter().filter(|&&event| shown["log"][event]["hidden"] == true);
        hidden.inspect(|&&event| assert_eq!(text(shown, event), "Chance: hidden")).count()
    };
    assert_eq!(hidden(&shown), 2);
    assert_eq!(shown["viewer"], 0);
    assert_eq!(shown["board"].as_str().unwrap().matches("> hidden<").count(), 2);
    let earlier = json!({"request": "view", "id": shown["id"], "at": shown["events"]});
    assert_eq!(view(&application, &earlier)["board"], shown["board"]);

    // The decisions of other seats are not analysed, because the search sees what they see.
    let events = shown["events"].as_u64().unwrap();
    for at in 0..=events {
        let decider = shown["log"][at as usize]["seat"].as_u64();
        let is_own = at == events || decider == Some(0);
        if !is_own {
            let request = json!({"request": "hint", "id": shown["id"], "at": at});
            assert_eq!(refused(&application, &request), "invalid", "event {at}");
        }
    }

    // The page stores a copy that shows no role, and that leads to the same game.
    let copy = ask(&application, &json!({"request": "store", "id": shown["id"]}));
    let copy = copy["copy"].as_str().unwrap();
    assert!(!copy.contains("role"), "{copy}");
    let loaded = view(&application, &json!({"request": "load", "record": copy}));
    assert_eq!((&loaded["board"], &loaded["log"]), (&shown["board"], &shown["log"]));
    assert_eq!(record(&application, &loaded), record(&application, &shown));
    for damaged in [&copy[..copy.len() - 2], &copy[..copy.len() - 1], &format!("{copy}z")] {
        let request = json!({"request": "load", "record": damaged});
        assert_eq!(refused(&application, &request), "invalid", "{damaged}");
    }

    while shown["next"] == "person" {
        shown = act(&application, &shown, 0);
    }
    let whole = view(&application, &json!({"request": "view", "id": shown["id"]}));
    assert_eq!((hidden(&whole), &whole["viewer"]), (0, &Value::Null));
}

/// Each person of a shared game sees and decides for one seat.
#[test]
fn people_play_on_pages_of_their_own() {
    let application = application();
    let mut host = new_game(&application, "common_river", &["human", "random", "human"], 3);
    let invite = json!({"request": "invite", "id": host["id"]});
    let decided = act(&application, &host, 0);
    assert_eq!(refused(&application, &invite), "invalid", "a person has decided");
    host = view(&application, &about(&decided, "undo"));
    let invitations = ask(&application, &invite)["invitations"].take();
    assert_eq!((count(&invitations), &invitations[0]["seat"]), (1, &json!(2)));
    assert_eq!(ask(&application, &invite)["invitations"], invitations);
    let join = json!({"request": "join", "key": invitations[0]["key"]});
    let key_as_id = json!({"request": "view", "id": invitations[0]["key"]});
    assert_eq!(refused(&application, &key_as_id), "unknown_game");
    // The game begins again, so that the host does not know the seed.
    let guest = view(&application, &join);
    assert!(guest["events"].as_u64() < host["events"].as_u64());
    let mut guest = advance(&application, guest);
    let guest_invites = json!({"request": "invite", "id": guest["id"]});
    assert_eq!(refused(&application, &guest_invites), "invalid");
    assert_eq!(refused(&application, &join), "invalid", "a key is used once");
    assert_eq!(count(&ask(&application, &invite)["invitations"]), 0);

    host = view(&application, &json!({"request": "view", "id": host["id"]}));
    let roles = |shown: &Value| {
        let log = shown["log"].as_array().unwrap().iter();
        let roles = log.filter(|entry| {
            entry["hidden"] == false && entry["text"].as_str().unwrap().starts_with("Chance: Role")
        });
        roles.count()
    };
    for (shown, seat) in [(&host, 0), (&guest, 2)] {
        assert_eq!((&shown["viewer"], roles(shown)), (&json!(seat), 1));
        assert_eq!(shown["seats"][seat]["name"], "you");
        assert_eq!((&shown["seed"], &shown["is_shared"]), (&json!(""), &json!(true)));
        for request in ["save", "store"] {
            let request = json!({"request": request, "id": shown["id"]});
            assert_eq!(refused(&application, &request), "invalid");
        }
    }
    assert_ne!(host["id"], guest["id"]);
    // The server reviews a game once at a time, whoever asks.
    let key = |shown: &Value| application.key(shown["id"].as_str().unwrap());
    assert_eq!(key(&host), key(&guest));

    // The pages decide in turn, until the end.
    let mut decided = [0, 0];
    while host["next"] != "over" {
        (host, guest) = (advance(&application, host), advance(&application, guest));
        let (deciding, waiting) =
            if host["next"] == "person" { (&host, &guest) } else { (&guest, &host) };
        assert_eq!(
            (&deciding["next"], &waiting["next"]),
            (&json!("person"), &json!("other_person"))
        );
        assert_eq!((count(&waiting["actions"]), &waiting["can_analyse"]), (0, &json!(false)));
        let mut late = about(waiting, "act");
        late["action"] = deciding["actions"][0]["action"].clone();
        for request in [late, about(waiting, "undo"), about(deciding, "undo")] {
            assert_eq!(refused(&application, &request), "invalid");
        }
        decided[usize::from(deciding["id"] == guest["id"])] += 1;
        let after = act(&application, deciding, 0);
        advance(&application, after);
        let whole =
            |shown: &Value| view(&application, &json!({"request": "view", "id": shown["id"]}));
        (host, guest) = (whole(&host), whole(&guest));
    }
    assert!(decided.iter().all(|&decisions| decisions > 5), "{decided:?}");
    assert_eq!(roles(&host), 3);
    assert_ne!(host["seed"], "3");
    assert_eq!(record(&application, &host), record(&application, &guest));
}

/// The host refuses hints to all seats of a shared game, and allows them again.
#[test]
fn hints_can_be_off_in_shared_games() {
    let application = application();
    let host = new_game(&application, "the_river", &["human", "human"], 3);
    let invite = |hints: Option<bool>| {
        let request = json!({"request": "invite", "id": host["id"], "hints": hints});
        ask(&application, &request)["invitations"].take()
    };
    let key = invite(Some(false))[0]["key"].take();
    let guest = view(&application, &json!({"request": "join", "key": key}));
    let allowing = json!({"request": "invite", "id": guest["id"], "hints": true});
    assert_eq!(refused(&application, &allowing), "invalid", "only the host decides");
    for hints in [None, Some(true)] {
        invite(hints);
        let now = |one: &Value| view(&application, &json!({"request": "view", "id": one["id"]}));
        let guest = advance(&application, now(&guest));
        let host = now(&host);
        let deciding = if host["next"] == "person" { host } else { guest };
        assert_eq!(deciding["allows_hints"], hints.is_some());
        assert_eq!(deciding["can_analyse"], hints.is_some());
        if hints.is_none() {
            let hint = json!({"request": "hint", "id": deciding["id"]});
            assert_eq!(refused(&application, &hint), "invalid");
        }
    }
}

/// The seat of somebody who leaves a shared game is given to another person, or to a bot.
#[test]
fn who_leaves_a_shared_game_is_replaced() {
    let application = application();
    for (game, seats) in
        [("the_river", &["human", "human"][..]), ("common_river", &["human", "random", "human"])]
    {
        let host = new_game(&application, game, seats, 3);
        let seat = seats.len() - 1;
        let invite = json!({"request": "invite", "id": host["id"]});
        let join = || {
            let key = ask(&application, &invite)["invitations"][0]["key"].take();
            view(&application, &json!({"request": "join", "key": key}))
        };
        let substitute = json!({"request": "substitute", "id": host["id"], "seat": seat});
        let shown = || view(&application, &json!({"request": "view", "id": host["id"]}));
        for _ in 0..2 {
            let guest = join();
            assert_eq!(shown()["seats"][seat]["is_open"], false);
            assert_eq!(refused(&application, &substitute), "invalid", "nobody has left");
            let guest = json!({"request": "close", "id": guest["id"]});
            ask(&application, &guest);
            assert_eq!(refused(&application, &guest), "unknown_game");
            assert_eq!(shown()["seats"][seat]["is_open"], true);
        }
        let mut host = view(&application, &substitute);
        assert_ne!(host["seats"][seat]["player"], "human");
        assert_eq!(host["seats"][seat]["is_open"], false);
        while host["next"] != "over" {
            host = advance(&application, host);
            if host["next"] == "person" {
                host = act(&application, &host, 0);
            }
        }
    }
}

#[test]
fn positions_are_analysed_and_shown_again() {
    let application = application();
    let shown = new_game(&application, "the_river", &["human", "random"], 4);
    let hint = ask(&application, &json!({"request": "hint", "id": shown["id"]}));
    let hint = &hint["hint"];
    let best = find(&shown, hint["actions"][0]["action"].as_str().unwrap()).unwrap();
    assert_eq!(hint["actions"][0]["label"], shown["actions"][best]["label"]);

    let values: Vec<_> =
        hint["actions"].as_array().unwrap().iter().map(|one| &one["value"]).collect();
    assert!(values.is_sorted_by_key(|value| -value.as_f64().unwrap()), "{hint}");
    let chances = hint["chances"].as_str().unwrap();
    assert!(chances.starts_with("Win chances: you "), "{hint}");

    let events = shown["events"].as_u64().unwrap();
    let after = act(&application, &shown, best);
    let past = json!({"request": "view", "id": after["id"], "at": events});
    let past = view(&application, &past);
    assert_eq!((&past["board"], count(&past["actions"])), (&shown["board"], 0));
    let past_hint = ask(&application, &json!({"request": "hint", "id": after["id"], "at": events}));
    assert_eq!(&past_hint["hint"], hint);
    // Whatever was chosen is judged, and the best action by the same number.
    let judged = |action: usize| {
        let action = &shown["actions"][action]["action"];
        let request = json!({"request": "hint", "id": after["id"], "at": events, "action": action});
        ask(&application, &request)["hint"]["judgement"].take()
    };
    let number = hint["actions"][0]["number"].as_str().unwrap();
    let of_best = judged(best);
    assert_eq!((of_best["loss"].as_f64(), &of_best["better"]), (Some(0.0), &Value::Null));
    assert!(of_best["text"].as_str().unwrap().contains(number), "{of_best}");
    // A search of each of them would take long.
    for action in (0..count(&shown["actions"])).filter(|&action| action != best).take(1) {
        let judgement = judged(action);
        let is_good = judgement["loss"].as_f64().unwrap() <= 0.02;
        assert_eq!(judgement["is_good"], is_good, "{judgement}");
        assert!(judgement["better"].as_str().unwrap().contains(number), "{judgement}");
    }
    let illegal = json!({"request": "hint", "id": after["id"], "at": events, "action": "skip"});
    assert_eq!(refused(&application, &illegal), "invalid");
    let beyond = json!({"request": "view", "id": after["id"], "at": 100_000});
    assert_eq!(refused(&application, &beyond), "invalid");
}

/// A request whose client is gone ends soon, and changes nothing.
#[test]
fn stopped_requests_change_nothing() {
    let application = application();
    let seats = ["human", "mcts:iterations=20000"];
    let mut shown = new_game(&application, "glassworks", &seats, 3);
    let watch = AnalysisWatch::new(None);
    watch.stop();
    let stopped = |request: Value| {
        let request = Request::parse(&request.to_string()).unwrap();
        let answer: Value =
            serde_json::from_str(&application.answer(request, &watch).to_json()).unwrap();
        answer["error"].as_str().unwrap().to_owned()
    };
    let hint = json!({"request": "hint", "id": shown["id"]});
    assert_eq!(stopped(hint), "the hint was stopped");
    while shown["next"] == "person" {
        let mut request = about(&shown, "act");
        request["action"] = shown["actions"][0]["action"].clone();
        shown = view(&application, &request);
    }
    while shown["next"] == "drawn_chance" {
        shown = view(&application, &about(&shown, "step"));
    }
    assert_eq!(shown["next"], "bot");
    assert_eq!(stopped(about(&shown, "step")), "the choice of the bot was stopped");
    let now = view(&application, &json!({"request": "view", "id": shown["id"]}));
    assert_eq!(now["events"], shown["events"]);
}

/// A finished game is reviewed, and goes on from a mistake; an unfinished one tells nothing.
#[test]
fn finished_games_are_reviewed() {
    let application = application();
    let mut shown = new_game(&application, "glassworks", &["human", "random"], 3);
    let review = |shown: &Value| json!({"request": "review", "id": shown["id"], "iterations": 20});
    let branch =
        |shown: &Value, at: usize| json!({"request": "branch", "id": shown["id"], "at": at});
    assert_eq!(refused(&application, &review(&shown)), "invalid");
    assert_eq!(refused(&application, &branch(&shown, 0)), "invalid");
    while shown["next"] != "over" {
        shown = act(&application, &shown, count(&shown["actions"]) - 1);
    }
    let answer = ask(&application, &review(&shown))["review"].take();
    let events = answer["events"].as_array().unwrap();
    assert_eq!(shown["events"], events.len());
    for event in events {
        let chances = event["before"].as_array().unwrap().iter().map(Value::as_f64);
        let sum: f64 = chances.map(Option::unwrap).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{event}");
    }
    assert!(answer["skill"][0]["value"].as_f64().unwrap() < 1.0, "{answer}");
    let mistake = events.iter().find(|event| !event["mistake"].is_null()).unwrap();
    assert!(mistake["loss"].as_f64().unwrap() > 0.03, "{answer}");
    assert_ne!(mistake["action"], mistake["best"]);
    let at = mistake["n"].as_u64().unwrap();
    let again = view(&application, &branch(&shown, at as usize));
    assert_eq!((&again["events"], &again["seats"]), (&json!(at), &shown["seats"]));
    assert_ne!(again["id"], shown["id"]);
    let many = json!({"request": "review", "id": shown["id"], "iterations": 1_000_000});
    assert_eq!(refused(&application, &many), "invalid");
}

/// Returns the index of the action with this notation.
fn find(shown: &Value, notation: &str) -> Option<usize> {
    shown["actions"].as_array().unwrap().iter().position(|action| action["action"] == notation)
}

/// Takes actions of a combination in an order, in a copy of a game with all seats people.
fn combine(application: &Application, saved: &str, order: &[&str]) -> Option<String> {
    let mut shown = view(application, &json!({"request": "load", "record": saved}));
    for notation in order {
        let mut request = about(&shown, "act");
        request["action"] = json!(notation);
        find(&shown, notation)?;
        request["pending"] = shown["pending"].clone();
        request["log_from"] = shown["events"].clone();
        let next = view(application, &request);
        // The page is told of the events that changed, too.
        let first = next["log_from"].as_u64().unwrap();
        assert_eq!(first + count(&next["log"]) as u64, next["events"].as_u64().unwrap());
        // A second click of a double click does nothing.
        assert_eq!(refused(application, &request), "stale");
        shown = next;
    }
    (shown["pending"] == 0).then(|| record(application, &shown))
}

/// The parts of a combination can be chosen in any order; the record has the one of the rules.
#[test]
fn combinations_are_chosen_in_any_order() {
    let application = application();
    let mut combined = 0;
    for seed in 0..20 {
        let mut shown = new_game(&application, "glassworks", &["human", "human"], seed);
        for decision in 0.. {
            if shown["next"] != "person" || combined > 2 {
                break;
            }
            let actions = shown["actions"].as_array().unwrap();
            let notations = actions.iter().map(|one| one["action"].as_str().unwrap());
            let mut parts = notations.filter(|one| one.starts_with("overflow:"));
            if let (Some(one), Some(other)) = (parts.next(), parts.next_back()) {
                let saved = record(&application, &shown);
                let [straight, reversed] =
                    [[one, other], [other, one]].map(|order| combine(&application, &saved, &order));
                assert_eq!(straight, reversed, "{saved}: {one} {other}");
                combined += usize::from(straight.is_some());
            }
            shown = act(&application, &shown, decision * 7 % actions.len());
        }
    }
    assert!(combined > 2, "{combined}");
}

#[test]
fn the_mode_can_be_chosen() {
    let application = application();
    let games = ask(&application, &json!({"request": "games"}));
    let offer = &games["games"][2]["players"];
    assert_eq!(
        [&offer[0]["modes"], &offer[1]["modes"]],
        [&json!([]), &json!(["competitive", "coop"])]
    );
    for (seed, mode) in (0..5).flat_map(|seed| ["coop", "competitive"].map(|mode| (seed, mode))) {
        let request = json!({"request": "new", "game": "common_river", "players": 2,
            "seats": ["human", "human"], "seed": seed, "mode": mode});
        let shown = advance(&application, view(&application, &request));
        let saved: Value = serde_json::from_str(&record(&application, &shown)).unwrap();
        assert_eq!(saved["events"][0], json!(["chance", format!("mode:{mode}")]));
        let after = act(&application, &shown, 0);
        let back = view(&application, &about(&after, "undo"));
        assert_eq!((&back["events"], &back["can_undo"]), (&shown["events"], &json!(false)));
        ask(&application, &json!({"request": "close", "id": shown["id"]}));
    }
    for (game, mode) in [("common_river", "solo"), ("the_river", "coop")] {
        let request = json!({"request": "new", "game": game, "players": 2,
            "seats": ["human", "human"], "mode": mode});
        assert_eq!(refused(&application, &request), "invalid");
    }
}

#[test]
fn positions_are_set_up() {
    let application = application();
    for (game, seats) in
        [("the_river", 2), ("glassworks", 3), ("common_river", 1), ("common_river", 2)]
    {
        let mut shown = new_game(&application, game, &vec!["human"; seats], 5);
        for _ in 0..6 {
            let after = act(&application, &shown, 0);
            shown = advance(&application, after);
        }
        let request = json!({"request": "position", "id": shown["id"]});
        let mut text = ask(&application, &request)["position"].take();
        if shown["viewer"].is_null() || text.is_null() {
            // The roles of others are hidden.
            assert_eq!(
                (game, seats, refused(&application, &request)),
                ("common_river", 2, "invalid".to_owned())
            );
            continue;
        }
        let request = json!({"request": "set_up", "position": text, "bot": "random"});
        let set_up = view(&application, &request);
        assert_eq!(set_up["actions"], shown["actions"], "{game}");
        assert_eq!((&set_up["is_set_up"], &shown["is_set_up"]), (&json!(true), &json!(false)));
        let decider = set_up["decider"].as_u64().unwrap() as usize;
        for seat in 0..seats {
            let expected = if seat == decider { "human" } else { "random" };
            assert_eq!(set_up["seats"][seat]["player"], expected);
        }
        let hint = ask(&application, &json!({"request": "hint", "id": set_up["id"]}));
        assert!(hint["hint"]["verdict"].is_string(), "{hint}");
        for request in ["save", "store"] {
            let request = json!({"request": request, "id": set_up["id"]});
            assert_eq!(refused(&application, &request), "invalid");
        }
        // It can be played to the end, but not reviewed.
        let mut playing = set_up;
        while playing["next"] != "over" {
            let after = act(&application, &playing, 0);
            playing = advance(&application, after);
        }
        let review = json!({"request": "review", "id": playing["id"], "iterations": 1});
        assert_eq!(refused(&application, &review), "invalid");
        // The text may have line breaks, and what is wrong is refused.
        text = text.as_str().unwrap().replace(' ', "\n").into();
        view(&application, &json!({"request": "set_up", "position": text}));
        for wrong in ["", "x", "the_river", "chess/2 a:b", "the_river/9 phase:place"] {
            let request = json!({"request": "set_up", "position": wrong});
            assert_eq!(refused(&application, &request), "invalid", "{wrong}");
        }
    }
}

#[test]
fn chance_can_be_entered() {
    let application = application();
    let request = json!({"request": "new", "game": "the_river", "players": 2,
        "seats": ["human", "human"], "seed": 1, "chance": "entered"});
    let shown = view(&application, &request);
    assert_eq!((&shown["next"], &shown["enters_chance"]), (&json!("entered_chance"), &json!(true)));
    let labels: Vec<_> =
        shown["actions"].as_array().unwrap().iter().map(|one| &one["label"]).collect();
    assert_eq!(labels, ["First player: player 1", "First player: player 2"]);
    let shown = act(&application, &shown, 1);
    assert_eq!(shown["log"][0]["text"], "Chance: First player: player 2");
    let back = view(&application, &about(&shown, "undo"));
    assert_eq!(back["events"], 0);
}

#[test]
fn games_are_offered_with_bots_that_can_play() {
    let application = application();
    let answer = ask(&application, &json!({"request": "games"}));
    let games = answer["games"].as_array().unwrap();
    assert_eq!(games.len(), 3);
    for game in games {
        assert!(!game["description"].as_str().unwrap().is_empty());
        assert_eq!(game["provenance"], "reconstruction");
        for entry in game["players"].as_array().unwrap() {
            let players = entry["players"].as_u64().unwrap() as usize;
            let [bots, more] = ["bots", "more_bots"].map(|key| entry[key].as_array().unwrap());
            let names: Vec<_> =
                bots.iter().chain(more).map(|bot| bot["name"].as_str().unwrap()).collect();
            for expected in ["random", "balanced", "flat", "uct"] {
                let count = names.iter().filter(|name| **name == expected).count();
                assert_eq!(count, 1, "{expected}: {names:?}");
            }
            let ratings = bots.iter().map(|bot| bot["rating"]["value"].as_f64());
            let ratings: Vec<_> = ratings.collect();
            if players > 1 {
                let (count, first) =
                    if game["id"] == "common_river" { (7, 800.0) } else { (8, 600.0) };
                assert!(ratings.len() == count && ratings.is_sorted(), "{ratings:?}");
                assert_eq!(ratings[0], Some(first));
            } else {
                assert!(ratings.iter().all(Option::is_none), "{ratings:?}");
            }
            // Bots of other numbers of players are not offered.
            let is_river = game["id"] == "the_river";
            let another = ["learned2", "learned3", "second"].map(|name| names.contains(&name));
            let expected = [players == 2 && !is_river, players == 3 && !is_river, is_river];
            assert_eq!(another, expected, "{names:?}");
            for (bot, name) in bots.iter().chain(more).zip(names) {
                assert!(bot["description"].as_str().unwrap().len() > 10, "{bot}");
                let seats = vec![name; players];
                let request = json!({"request": "new", "game": game["id"], "players": players,
                    "seats": seats});
                let shown = view(&application, &request);
                assert_ne!(shown["next"], "person");
                ask(&application, &json!({"request": "close", "id": shown["id"]}));
            }
        }
    }
    assert_eq!(application.games(), 0);
}

/// Returns the content of a file that comes with the page.
fn library_file(path: &str) -> String {
    let file = FILES.iter().find(|file| file.name == path).unwrap();
    let content = file.content;
    if file.kind != "application/gzip" {
        return String::from_utf8(content.to_vec()).unwrap();
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(content).read_to_string(&mut text).unwrap();
    text
}

/// Smallest number of puzzles of a game.
const PUZZLES: usize = 110;

/// Puzzles are judged as `watershed puzzles solve` judges them, and their positions show no
/// solution.
#[test]
fn puzzles_are_those_of_the_terminal() {
    let application = application();
    let files: Vec<_> =
        LIBRARY.iter().filter(|(_, file)| file.path.ends_with("puzzles.jsonl.gz")).collect();
    assert_eq!(files.len(), 3);
    for (game, file) in files {
        let folder = Folder::new();
        let text = library_file(file.path);
        assert!(text.lines().count() >= PUZZLES, "{}", file.path);
        // A search of each answer to all of them would take long.
        let line = text.lines().next().unwrap();
        folder.write("puzzles.jsonl", line);
        let puzzle: Value = serde_json::from_str(line).unwrap();
        assert_eq!(puzzle["game"], *game, "{}", file.path);
        let ask = |mut request: Value| {
            request["puzzle"] = json!(line);
            ask(&application, &request)
        };
        let posed = ask(json!({"request": "puzzle"}));
        let posed = &posed["puzzle"];
        let text = posed.to_string();
        assert!(!text.contains("Right"), "{text}");
        let board = posed["board"].as_str().unwrap();
        let actions = posed["actions"].as_array().unwrap();
        let solution = &puzzle["steps"][0]["solution"][0];
        assert!(actions.iter().any(|action| action["action"] == *solution), "{solution}");
        for (number, action) in actions.iter().enumerate() {
            for cell in action["cells"].as_array().unwrap() {
                let cell = cell.as_str().unwrap();
                assert!(board.contains(&format!("data-cell=\"{cell}\"")), "{cell}");
            }
            let is_solution = action["action"] == *solution;
            if number > 0 && !is_solution {
                continue;
            }
            let answer = ask(json!({"request": "solve", "action": action["action"]}));
            let answer = &answer["solution"];
            let output =
                folder.run_with_input("puzzles solve puzzles.jsonl", &format!("{}\n", number + 1));
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let shown = words(&String::from_utf8(output.stdout).unwrap());
            let verdict = words(answer["verdict"].as_str().unwrap());
            assert!(shown.contains(&verdict), "{verdict}: {shown}");
            assert!(answer["is_right"] == true || !is_solution, "{answer}");
            assert_eq!(answer["action"], *solution);
        }
        let shown = ask(json!({"request": "solve"}));
        assert_eq!(shown["solution"]["verdict"], Value::Null);
        let wrong = json!({"request": "solve", "puzzle": line, "action": "nothing"});
        assert_eq!(refused(&application, &wrong), "invalid");
    }
}

/// Every lesson is a position of the built-in data in which the person can do what it asks for.
#[test]
fn lessons_can_be_fulfilled() {
    let application = application();
    let files = LIBRARY.iter().filter(|(_, file)| file.path.ends_with("lessons.jsonl"));
    let mut lessons = 0;
    for (game, file) in files {
        for line in library_file(file.path).lines() {
            let lesson: Value = serde_json::from_str(line).unwrap();
            let request = json!({"request": "load", "record": lesson["record"].to_string()});
            let shown = view(&application, &request);
            assert_eq!((&shown["game"], &shown["next"]), (&json!(game), &json!("person")));
            let accepted = lesson["accept"].as_str().unwrap();
            let actions = shown["actions"].as_array().unwrap();
            let notation = |action: &Value| action["action"].as_str().unwrap().to_owned();
            assert!(actions.len() > 1, "{line}");
            assert!(actions.iter().any(|action| notation(action).starts_with(accepted)), "{line}");
            lessons += 1;
        }
    }
    assert_eq!(lessons, 24);
}

/// The page shows the rows that `watershed openings show` prints.
#[test]
fn books_have_the_rows_of_the_terminal() {
    let application = application();
    let book = library_file("library/the_river-openings.json");
    let answer = ask(&application, &json!({"request": "book", "books": [book, book]}));
    let view = &answer["book"];
    assert_eq!((&view["title"], count(&view["books"])), (&json!("The River"), 2));
    let folder = Folder::new();
    folder.write("book.json", &book);
    for level in 1..=2 {
        let shown = format!("openings show book.json --level {level} --min-n 0 --json");
        let shown: Value = serde_json::from_str(&folder.succeeds(&shown)).unwrap();
        let printed = shown["book"].as_array().unwrap().iter();
        let printed: Vec<_> = printed.filter(|row| !row["ci_low"].is_null()).collect();
        let situations = view["situations"].as_array().unwrap().iter();
        let rows: Vec<_> = situations
            .filter(|situation| situation["level"] == level)
            .flat_map(|situation| situation["actions"].as_array().unwrap())
            .collect();
        assert_eq!(rows.len(), printed.len());
        assert!(rows.len() > 20, "{}", rows.len());
        for (row, printed) in rows.into_iter().zip(printed) {
            assert_eq!(row["label"], printed["label"]);
            assert_eq!(row["effects"][0], row["effects"][1]);
            let effect = &row["effects"][0];
            assert_eq!(
                (&effect["forks"], &effect["verdict"]),
                (&printed["n"], &printed["verdict"])
            );
            for (ours, theirs) in [("value", "effect"), ("low", "ci_low"), ("high", "ci_high")] {
                let [ours, theirs] = [&effect["effect"][ours], &printed[theirs]]
                    .map(|value| value.as_f64().unwrap());
                assert!((ours - theirs).abs() < 1e-6, "{printed}");
            }
        }
    }

    let other = book.replace("\"players\":2", "\"players\":3");
    for books in [
        json!([]),
        json!(["{}"]),
        json!([book.replace("watershed.book/1", "watershed.book/9")]),
        json!([book, other]),
        json!([book.replace("\"turn_position\":1", "\"turn_position\":200")]),
        json!([book.repeat(200)]),
    ] {
        assert_eq!(refused(&application, &json!({"request": "book", "books": books})), "invalid");
    }
}

/// The book knows the first decision of each seat, by the rows that the page shows.
#[test]
fn books_judge_openings() {
    let application = application();
    let book = library_file("library/the_river-openings.json");
    let shown = ask(&application, &json!({"request": "book", "books": [book]}));
    let situations = shown["book"]["situations"].as_array().unwrap();
    let opening = |game: &Value| {
        let request = json!({"request": "opening", "id": game["id"], "book": book});
        ask(&application, &request)
    };
    for seats in [["human", "random"], ["random", "human"]] {
        let game = new_game(&application, "the_river", &seats, 2);
        let answer = opening(&game)["opening"].take();
        let rows = answer["rows"].as_array().unwrap();
        assert!(rows.len() > 1, "{answer}");
        let of_book = situations.iter().find(|one| {
            (&one["decision"], &one["detail"]) == (&answer["decision"], &answer["detail"])
        });
        let of_book = of_book.unwrap()["actions"].as_array().unwrap();
        assert!(rows.iter().all(|row| of_book.contains(row)), "{answer}");
        let row_of = answer["row_of"].as_array().unwrap();
        assert_eq!(row_of.len(), count(&game["actions"]));
        for (row, action) in row_of.iter().zip(game["actions"].as_array().unwrap()) {
            if let Some(row) = row.as_u64() {
                assert_eq!(rows[row as usize]["label"], action["label"]);
            }
        }
    }
    let other = new_game(&application, "glassworks", &["human", "random"], 2);
    assert_eq!(opening(&other)["kind"], "invalid");
}

#[test]
fn wrong_requests_are_refused() {
    let application = application();
    let game = |seats: Value, players: u64, name: &str| -> Value {
        json!({"request": "new", "game": name, "players": players, "seats": seats})
    };
    for request in [
        json!(null),
        json!([]),
        json!({"request": "nothing"}),
        json!({"request": "games", "extra": 1}),
        json!({"request": "act", "id": "x", "action": 1, "events": 0}),
        game(json!(["human"]), 2, "the_river"),
        game(json!(["human", "human"]), 2, "chess"),
        game(json!(["human", "nobody"]), 2, "the_river"),
        game(json!(["human", "mcts:iterations=99999999"]), 2, "the_river"),
        game(json!(["human", "mcts:trees=64"]), 2, "the_river"),
        game(json!(["human", "bots/the_river/balanced.toml"]), 2, "the_river"),
        game(json!(["human", "/etc/passwd"]), 2, "the_river"),
        game(json!([]), 0, "the_river"),
        game(json!(["human", "human"]), 99, "the_river"),
        json!({"request": "load", "record": "{}"}),
        json!({"request": "load", "record": "x".repeat(300_000)}),
        json!({"request": "puzzle", "puzzle": "{}"}),
    ] {
        assert_eq!(refused(&application, &request), "invalid", "{request}");
    }
    let unknown = json!({"request": "view", "id": "../../etc/passwd"});
    assert_eq!(refused(&application, &unknown), "unknown_game");

    // A record that the rules contradict is refused.
    let shown = new_game(&application, "the_river", &["human", "random"], 1);
    let saved = record(&application, &act(&application, &shown, 0));
    for (old, new) in [
        ("claim:", "claim:x"),
        ("\"unfinished\":true", "\"unfinished\":false"),
        ("\"players\":2", "\"players\":3"),
        ("the_river", "chess"),
        ("\"config_sha256\":\"", "\"config_sha256\":\"0"),
        ("random", "a.toml"),
    ] {
        assert!(saved.contains(old), "{old}: {saved}");
        let request = json!({"request": "load", "record": saved.replace(old, new)});
        assert_eq!(refused(&application, &request), "invalid", "{old}");
    }
}

#[test]
fn old_games_are_dropped() {
    let application = application();
    let start = |seats: [&str; 2]| new_game(&application, "glassworks", &seats, 1);
    let finished = start(["random", "random"]);
    assert_eq!(finished["next"], "over");
    let unfinished = start(["human", "random"]);
    application.set_time(KEEP_FINISHED);
    assert_eq!(application.games(), 2);
    application.set_time(KEEP_FINISHED + 1);
    assert_eq!(application.games(), 1);
    // A request keeps a game for longer.
    view(&application, &json!({"request": "view", "id": unfinished["id"]}));
    application.set_time(KEEP_UNFINISHED + 1);
    assert_eq!(application.games(), 1);
    application.set_time(KEEP_FINISHED + 1 + KEEP_UNFINISHED + 1);
    assert_eq!(application.games(), 0);

    // If there is no place, the game that was used longest ago gives way, finished or not.
    let oldest = start(["human", "random"]);
    let used = start(["random", "random"]);
    let request = json!({"request": "new", "game": "glassworks", "players": 2,
        "seats": ["human", "human"]});
    for _ in 2..MAX_GAMES {
        view(&application, &request);
    }
    view(&application, &json!({"request": "view", "id": used["id"]}));
    assert_eq!(application.games(), MAX_GAMES);
    view(&application, &request);
    assert_eq!(application.games(), MAX_GAMES);
    view(&application, &json!({"request": "view", "id": used["id"]}));
    let gone = refused(&application, &json!({"request": "view", "id": oldest["id"]}));
    assert_eq!(gone, "unknown_game");
}

#[test]
fn versions_are_compared_as_by_the_command() {
    let folder = Folder::new();
    let application = application();
    let edited = json!({"edits": [["building.w3c2s2.points", "60"]]});
    let ask_values = |version: &Value| {
        let request =
            json!({"request": "values", "game": "the_river", "players": 2, "version": version});
        ask(&application, &request)["values"].clone()
    };
    let values = ask_values(&edited);
    assert_eq!(values["changes"], json!(["building.w3c2s2.points: 9 → 60"]));
    assert_eq!(values["refused"], json!([]));
    folder.write("base.toml", ask_values(&json!({}))["text"].as_str().unwrap());
    folder.write("mine.toml", values["text"].as_str().unwrap());
    let refused = ask_values(&json!({"edits": [["building.w2.points", "x"], ["no.key", "1"]]}));
    let keys = refused["refused"].as_array().unwrap().iter().map(|edit| edit["key"].clone());
    assert_eq!(keys.collect::<Vec<_>>(), ["building.w2.points", "no.key"]);

    let compare = |blocks: [u64; 2], sums: Vec<Value>| {
        let request = json!({"request": "compare", "game": "the_river", "players": 2, "seed": 1,
            "versions": [{}, edited], "blocks": blocks, "sums": sums});
        ask(&application, &request)["comparison"].clone()
    };
    let parts = [compare([50, 200], vec![]), compare([0, 50], vec![])];
    let all = compare([200, 200], parts.map(|part| part["sums"].clone()).into());
    assert_eq!(all, compare([0, 200], vec![]));
    let edit = all["items"].as_array().unwrap().iter().find(|item| item["is_edited"] == true);
    let taken = &edit.unwrap()["figures"][0];
    assert!(taken["score"].as_f64().unwrap() > 1.0, "{taken}");

    let games = all["games"].as_u64().unwrap();
    folder.succeeds(&format!(
        "balance compare base.toml mine.toml --bots expert --games {games} --seed 1 --quiet \
         --out run"
    ));
    let rows = folder.rows("run/differences.csv");
    let row = rows.iter().find(|row| row["metric"] == "rounds").unwrap();
    let rounds = all["figures"].as_array().unwrap().iter().find(|one| one["metric"] == "rounds");
    let found = rounds.unwrap()["difference"]["value"].as_f64().unwrap();
    assert_eq!(format!("{found:.6}"), row["difference"]);

    // The panel is that of the command, and no other bot plays.
    let panel = values["panel"].as_array().unwrap().iter();
    let panel: Vec<_> = panel.map(|member| member["games"].as_u64().unwrap()).collect();
    assert_eq!(panel, [10_000, 10_000, 750]);
    folder.succeeds("balance compare base.toml mine.toml --games 40 --seed 1 --quiet --force");
    let rows = folder.rows("results/latest/differences.csv");
    let by_bot = |bot: &str| {
        let request = json!({"request": "compare", "game": "the_river", "players": 2, "seed": 1,
            "versions": [{}, edited], "blocks": [0, 3], "bot": bot});
        ask(&application, &request)
    };
    let search = by_bot("mcts:iterations=50")["comparison"].take();
    let wanted = [("lineup", "mcts:iterations=50"), ("metric", "rounds")];
    let row = find_row(&rows, &wanted);
    let rounds = search["figures"].as_array().unwrap().iter().find(|one| one["metric"] == "rounds");
    let found = rounds.unwrap()["difference"]["value"].as_f64().unwrap();
    assert_eq!(format!("{found:.6}"), row["difference"]);
    let error = by_bot("mcts:iterations=9000")["error"].take();
    assert!(error.as_str().unwrap().contains("expected one of expert, second, mcts"));
}

#[test]
fn components_are_copied_and_removed() {
    let application = application();
    let ask_values = |edits: Value| {
        let request = json!({"request": "values", "game": "the_river", "players": 2,
            "version": {"edits": edits}});
        ask(&application, &request)["values"].clone()
    };
    let rows = |values: &Value| -> Vec<Value> {
        let tables = values["tables"].as_array().unwrap().iter();
        tables.flat_map(|table| table["rows"].as_array().unwrap()).cloned().collect()
    };
    // A value that is edited too is that of the copy; a refused value leaves the copy in its place.
    let values = ask_values(json!([
        ["building.w2_2.points", "5"],
        ["building.w2_2", "copy of w2"],
        ["building.c2", "remove"],
        ["building.s2.points", "-1"]
    ]));
    assert_eq!(values["refused"].as_array().unwrap().len(), 1);
    let keys: Vec<_> = rows(&values).into_iter().map(|row| row["key"].clone()).collect();
    assert!(keys.contains(&json!("building.w2_2")) && !keys.contains(&json!("building.c2")));
    assert_eq!(keys.last(), Some(&Value::Null), "rules are no component");
    let accepted = json!([["building.w2_2", "copy of w2"], ["building.c2", "remove"]]);
    let values = ask_values(accepted.clone());
    assert_eq!(
        values["changes"],
        json!([
            "building.c2: removed, { cost = { clay = 2 }, id = \"c2\", points = 2 }",
            "building.w2_2: added, { cost = { wood = 2 }, id = \"w2_2\", points = 2 }"
        ])
    );
    let copy = rows(&values).into_iter().find(|row| row["name"] == "w2_2").unwrap();
    let points = copy["values"].as_array().unwrap().iter().find(|value| value["name"] == "points");
    assert_eq!(
        [&points.unwrap()["unedited"], &points.unwrap()["built_in"]],
        [&json!("2"), &Value::Null]
    );

    for (edit, message) in [
        (["building.x", "remove"], "expected the `id` of an entry of `building`, found \"x\""),
        (["building.w2", "copy of c2"], "expected a unique name, found \"w2\" twice"),
        (["board.blue", "remove"], "board: expected 4 to"),
        (["building.a b", "copy of w2"], "expected a name of letters, digits and underscores"),
        (["rules", "remove"], "expected the `id` of an entry of `rules`"),
    ] {
        let refused = &ask_values(json!([edit]))["refused"][0];
        assert_eq!(refused["key"], edit[0]);
        assert!(refused["message"].as_str().unwrap().contains(message), "{refused}");
    }

    let request = json!({"request": "compare", "game": "the_river", "players": 2, "seed": 1,
        "versions": [{}, {"edits": accepted}], "blocks": [0, 50]});
    let items = ask(&application, &request)["comparison"]["items"].clone();
    let edited = items.as_array().unwrap().iter().filter(|item| item["is_edited"] == true);
    let names: Vec<_> = edited.map(|item| item["item"].clone()).collect();
    assert_eq!(names, ["c2", "w2_2"]);
    let many = vec![["building.w2", "remove"]; 1001];
    let request = json!({"request": "values", "game": "the_river", "players": 2,
        "version": {"edits": many}});
    assert_eq!(refused(&application, &request), "invalid");
}

#[test]
fn components_that_nobody_takes_are_copied_and_removed() {
    let application = application();
    let values = |edits: Value| {
        let request = json!({"request": "values", "game": "common_river", "players": 3,
            "version": {"edits": edits}});
        ask(&application, &request)["values"].take()
    };
    let shown = values(json!([["weather.rain_2", "copy of rain"], ["role.grocer", "remove"]]));
    assert_eq!(shown["refused"], json!([]));
    assert_eq!(shown["changes"].as_array().unwrap().len(), 2, "{shown}");
    let tables = shown["tables"].as_array().unwrap().iter();
    let rows: Vec<_> = tables.flat_map(|table| table["rows"].as_array().unwrap()).collect();
    let row = |key: &str| rows.iter().find(|row| row["key"] == key);
    assert_eq!(row("weather.rain_2").unwrap()["label"], "Weather: Rain 2");
    assert_eq!(row("role.mogul").unwrap()["values"], json!([]));
    assert!(row("role.grocer").is_none());
    let refused = &values(json!([["weather.sun", "remove"]]))["refused"][0];
    assert_eq!(refused["key"], "weather.sun");
}

#[test]
fn edited_data_is_played() {
    let application = application();
    let version = json!({"edits": [["building.w2_2", "copy of w2"], ["rules.trade_in", "2"]]});
    let request = |version: &Value| {
        json!({"request": "new", "game": "the_river", "players": 2, "seats": ["human", "random"],
            "seed": 1, "version": version})
    };
    let shown = view(&application, &request(&version));
    assert_eq!(shown["is_edited"], true);
    let provenance = shown["provenance"].as_str().unwrap();
    assert!(provenance.starts_with("edited, building.w2_2: added"));
    let begun = advance(&application, shown);
    let copy = ask(&application, &json!({"request": "store", "id": begun["id"]}))["copy"].clone();
    let load = |version: &Value| json!({"request": "load", "record": copy, "version": version});
    let again = view(&application, &load(&version));
    assert_eq!([&again["board"], &again["provenance"]], [&begun["board"], &begun["provenance"]]);
    // Other data has other rules.
    assert_eq!(refused(&application, &load(&Value::Null)), "invalid");
    assert_eq!(
        refused(&application, &load(&json!({"edits": [["rules.trade_in", "4"]]}))),
        "invalid"
    );
    assert_eq!(refused(&application, &request(&json!({"edits": [["no.key", "1"]]}))), "invalid");
    assert_eq!(view(&application, &request(&json!({})))["is_edited"], false);
}

#[test]
fn worth_is_that_of_the_command() {
    let folder = Folder::new();
    let application = application();
    let edited = json!({"edits": [["building.w2c1.points", "40"]]});
    let worth = |versions: &Value, items: &Value, blocks: [[u64; 2]; 2], sums: &Value| {
        let request = json!({"request": "worth", "game": "the_river", "players": 2, "seed": 1,
            "versions": versions, "items": items, "blocks": blocks, "sums": sums});
        ask(&application, &request)["worth"].clone()
    };
    let versions = json!([{}, edited]);
    let items = json!([["buildings", "w2c1"]]);
    // The blocks of the baseline may be others than those of the version.
    let first = worth(&versions, &items, [[0, 160], [60, 160]], &json!([[], []]));
    let sums = first["sums"].as_array().unwrap();
    let rest = [[160, 160], [0, 60]];
    let all = worth(&versions, &items, rest, &json!([[sums[0]], [sums[1]]]));
    assert_eq!(all, worth(&versions, &items, [[0, 160]; 2], &json!([[], []])));
    let found = &all["items"][0]["worth"];
    assert!(found["score"].as_f64().unwrap() > 1.0, "{found}");
    // Each game has a bot that plays them.
    let request = json!({"request": "compare", "game": "common_river", "players": 3, "seed": 1,
        "versions": [{}, {}], "blocks": [0, 1]});
    assert_eq!(ask(&application, &request)["comparison"]["games"], 1);
    let same = worth(&json!([{}, {}]), &json!([]), [[0, 40]; 2], &json!([[], []]));
    for item in same["items"].as_array().unwrap() {
        assert_eq!(item["worth"]["before"], item["worth"]["after"]);
    }

    let request = json!({"request": "values", "game": "the_river", "players": 2,
        "version": edited});
    let values = ask(&application, &request);
    folder.write("mine.toml", values["values"]["text"].as_str().unwrap());
    for (flags, side) in [("", "before"), ("--config mine.toml", "after")] {
        folder.succeeds(&format!(
            "balance ablate {flags} --item w2c1 --bots expert --games {} --quiet --force",
            all["games"][0]
        ));
        let rows = folder.rows("results/latest/forks.csv");
        let is_of = |row: &&Row| row["metric"] == "win_share" && row["scope"] == "overall";
        let row = rows.iter().find(is_of).unwrap();
        for (key, column) in
            [("value", "access_estimate"), ("low", "access_ci_low"), ("high", "access_ci_high")]
        {
            let number = found[side][key].as_f64().unwrap();
            assert_eq!(format!("{number:.6}"), row[column], "{side} {column}");
        }
    }
}

/// Returns the request of a search for edits.
fn fix(goals: &str) -> Value {
    json!({"request": "fix", "game": "the_river", "players": 2, "version": {},
        "keys": ["rules.start_pioneers=3..4"], "goals": goals, "max_edits": 1, "games": 10,
        "seed": 1})
}

#[test]
fn nothing_is_searched_without_the_command() {
    let answer = ask(&application(), &fix("rounds = [4, 5]"));
    assert!(answer["error"].as_str().unwrap().contains("the command `balance search`"), "{answer}");
}

#[test]
fn searches_end_with_their_pages() {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    let read_table: TableReader = |_, _, _, _| Err("no table".into());
    let find_fix: FixSearcher = |task| {
        assert_eq!(task.request.goals, "", "a bug");
        while !task.stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        ENDED.fetch_add(1, Ordering::Relaxed);
        Err("stopped".into())
    };
    let application = application().with_tools(CommandTools { find_fix, read_table });
    let start = |goals: &str| ask(&application, &fix(goals));
    let look = |id: &Value, stop: bool| {
        let request = json!({"request": "fix_progress", "id": id, "stop": stop});
        ask(&application, &request)
    };
    let problem = |answer: &Value| answer["error"].as_str().unwrap_or_default().to_owned();
    // A failed search leaves nothing.
    let failing = &start("fails")["search"];
    let answer = (0..5000).map(|_| {
        thread::sleep(Duration::from_millis(1));
        look(failing, false)
    });
    let failed = answer.map(|answer| problem(&answer)).find(|problem| !problem.is_empty());
    assert_eq!(failed.as_deref(), Some("the search failed; this is a bug"));
    assert!(problem(&look(failing, false)).contains("no such search"));
    // There are as many as cores.
    let cores = thread::available_parallelism().unwrap().get();
    let ids: Vec<_> = (0..cores).map(|_| start("")["search"].clone()).collect();
    assert!(problem(&start("")).contains(&format!("{cores} searches are in progress")));
    application.set_time(KEEP_SEARCH);
    assert_eq!(look(&ids[0], false)["fix"], json!({"done": 0, "total": 0, "found": null}));
    application.set_time(KEEP_SEARCH + 1);
    assert!(ids[1..].iter().all(|id| look(id, false)["fix"].is_null()), "their pages are gone");
    assert_eq!(look(&ids[0], true)["fix"]["found"], Value::Null);
    while ENDED.load(Ordering::Relaxed) < cores {
        thread::sleep(Duration::from_millis(1));
    }
}
