//! The server of the page.

#[cfg(not(feature = "serve"))]
#[test]
fn a_program_without_the_server_says_how_to_build_it() {
    let parts = ["built without its server", "cargo build --release --features serve"];
    crate::support::Folder::new().refuses("serve", &parts);
}

#[cfg(feature = "serve")]
mod server {
    use std::{
        env, fs,
        io::{BufRead as _, BufReader, Read as _, Write as _},
        net::{Shutdown, TcpStream},
        process::{Child, Stdio},
        thread,
        time::{Duration, Instant},
    };

    use serde_json::{Value, json};

    use watershed::rng::{Purpose, Rng, random_below, stream};

    use crate::support::{Folder, peak_memory};

    /// A running server, which ends with the test.
    struct Server {
        child: Child,
        address: String,
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    /// An answer of the server.
    struct Answer {
        status: u16,
        head: String,
        body: String,
    }

    impl Server {
        fn start(folder: &Folder, arguments: &str) -> Self {
            let mut command = folder.command(&format!("serve --port 0 {arguments}"));
            let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/');
            Self { address: address.to_owned(), child }
        }

        fn connect(&self) -> TcpStream {
            let stream = TcpStream::connect(&self.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
            stream
        }

        /// Sends bytes, and returns the answer if there is one.
        fn send(&self, bytes: &[u8]) -> Option<Answer> {
            let mut stream = self.connect();
            // The server may close the connection before it has read everything.
            let _ = stream.write_all(bytes);
            let mut received = Vec::new();
            let _ = stream.read_to_end(&mut received);
            let text = String::from_utf8_lossy(&received);
            let (head, body) = text.split_once("\r\n\r\n")?;
            let status = head.split(' ').nth(1)?.parse().unwrap();
            Some(Answer { status, head: head.to_owned(), body: body.to_owned() })
        }

        /// Returns the header of the host, if it is not the first of these headers.
        fn host_unless_in(&self, headers: &str) -> String {
            let is_given = headers.starts_with("Host:");
            if is_given { String::new() } else { format!("Host: {}\r\n", self.address) }
        }

        fn get(&self, path: &str, headers: &str) -> Answer {
            let host = self.host_unless_in(headers);
            let request =
                format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n");
            self.send(request.as_bytes()).unwrap()
        }

        fn post(&self, body: &str, headers: &str) -> Answer {
            let host = self.host_unless_in(headers);
            let request = format!(
                "POST /api HTTP/1.1\r\n{host}Content-Type: application/json\r\n\
                 Content-Length: {}\r\n{headers}Connection: close\r\n\r\n{body}",
                body.len()
            );
            self.send(request.as_bytes()).unwrap()
        }

        fn ask(&self, request: &Value) -> Value {
            let answer = self.post(&request.to_string(), "");
            assert_eq!(answer.status, 200, "{}", answer.body);
            serde_json::from_str(&answer.body).unwrap()
        }

        /// Begins a game and returns its view when a person decides.
        fn new_game(&self) -> Value {
            let request = json!({"request": "new", "game": "the_river", "players": 2,
                "seats": ["human", "random"], "seed": 1});
            let mut view = self.ask(&request)["view"].take();
            while view["next"] != "person" {
                let step = json!({"request": "step", "id": view["id"], "events": view["events"]});
                view = self.ask(&step)["view"].take();
            }
            view
        }
    }

    #[test]
    fn the_page_and_its_files_are_served() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
        let start = Instant::now();
        let page = server.get("/", "");
        assert!(start.elapsed() < Duration::from_secs(1));
        assert_eq!(page.status, 200);
        let head = page.head.to_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        for file in [
            "/page.css",
            "/scene.css",
            "/page.js",
            "/start.js",
            "/balance.html",
            "/balance.js",
            "/transport.js",
            "/library/the_river-openings.json",
        ] {
            assert_eq!(server.get(file, "").status, 200, "{file}");
        }
        let long = server.get("/page.js", "");
        let short = server.get("/page.js", "Accept-Encoding: gzip\r\n");
        assert!(short.head.to_lowercase().contains("content-encoding: gzip"), "{}", short.head);
        assert!(short.body.len() < long.body.len() && short.status == 200);
        let list = server.get("/results/", "");
        assert!(list.status == 200 && list.body.contains("--results DIR"), "{}", list.body);
        // Results of later runs are shown, too.
        fs::create_dir(folder.path("results")).unwrap();
        folder.write("results/later.html", "<p>later");
        assert!(server.get("/results/", "").body.contains("href=\"/results/later.html\""));
        for file in ["/results/report.html", "/other", "/page.js/"] {
            assert_eq!(server.get(file, "").status, 404, "{file}");
        }
        assert_eq!(server.get("/api", "").status, 405);
        let view = server.new_game();
        assert_eq!(view["title"], "The River");
    }

    #[test]
    fn requests_of_other_origins_are_refused() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        let view = server.new_game();
        let action = &view["actions"][0]["action"];
        let act = json!({"request": "act", "id": view["id"], "action": action,
            "events": view["events"]})
        .to_string();
        let own = &server.address;
        let port = own.split(':').nth(1).unwrap();
        for headers in [
            "Origin: http://example.com\r\n".to_owned(),
            "Origin: null\r\n".to_owned(),
            format!("Origin: https://{own}\r\n"),
            "Host: example.com\r\n".to_owned(),
            format!("Host: example.com:{port}\r\nOrigin: http://example.com:{port}\r\n"),
            format!("Host: {own}\r\nHost: example.com\r\n"),
        ] {
            assert_eq!(server.post(&act, &headers).status, 403, "{headers}");
        }
        for host in ["example.com", "127.0.0.1", "192.168.1.1:80"] {
            assert_eq!(server.get("/", &format!("Host: {host}\r\n")).status, 403, "{host}");
        }
        let now = server.ask(&json!({"request": "view", "id": view["id"]}));
        assert_eq!(now["view"]["events"], view["events"]);
        let accepted = server.post(&act, &format!("Origin: http://{own}\r\n"));
        assert_eq!(accepted.status, 200);
        assert!(accepted.body.starts_with("{\"view\""), "{}", accepted.body);
    }

    #[test]
    fn only_pages_below_the_folder_are_shown() {
        let folder = Folder::new();
        folder.write("secret.html", "secret");
        fs::create_dir_all(folder.path("results/deep er")).unwrap();
        folder.write("results/report.html", "<p>a report");
        folder.write("results/deep er/book.html", "<p>a book");
        folder.write("results/run.json", "{}");
        fs::create_dir(folder.path("results/.git")).unwrap();
        folder.write("results/.git/secret.html", "secret");
        folder.write("results/games.jsonl", "{\"game\": 1}");
        #[cfg(unix)]
        {
            let link = |target, name| {
                std::os::unix::fs::symlink(folder.path(target), folder.path(name)).unwrap();
            };
            link("secret.html", "results/link.html");
            link("", "results/up");
        }
        let server = Server::start(&folder, "--results results");
        let list = server.get("/results/", "").body;
        assert!(list.contains("href=\"/results/deep%20er/book.html\""), "{list}");
        assert!(!list.contains(".git"), "{list}");
        assert!(!list.contains("link.html") && !list.contains("secret"), "{list}");
        assert!(list.contains("href=\"/?open=results/games.jsonl\""), "{list}");
        assert!(server.get("/results/games.jsonl", "").body.ends_with("{\"game\": 1}"));
        let page = server.get("/results/deep%20er/book.html", "");
        assert!(page.status == 200 && page.body.ends_with("<p>a book"), "{}", page.body);
        assert!(page.head.contains("sandbox"), "{}", page.head);
        for path in [
            "../secret.html",
            "..%2Fsecret.html",
            "%2e%2e/secret.html",
            "%2e%2e%2fsecret.html",
            "deep%20er/../../secret.html",
            "deep%20er/..%2f..%2fsecret.html",
            "..%5csecret.html",
            "/etc/passwd",
            "%2Fetc%2Fpasswd",
            "link.html",
            "up/secret.html",
            "run.json",
            "report.html%00",
            "report.html/",
            "deep%20er",
            "%ff.html",
            ".git/secret.html",
        ] {
            let answer = server.get(&format!("/results/{path}"), "");
            assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
            assert!(!answer.body.contains("secret"), "{path}");
        }
        folder.refuses("serve --results missing", &["--results", "missing"]);
        folder.refuses("serve --results secret.html", &["--results", "not a folder"]);
        let port = server.address.split(':').nth(1).unwrap();
        folder.refuses(&format!("serve --port {port}"), &["--port", "can't listen"]);
    }

    #[test]
    fn idle_connections_do_not_block_others() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        let idle: Vec<_> = (0..140).map(|_| server.connect()).collect();
        let start = Instant::now();
        assert_eq!(server.get("/", "").status, 200);
        assert!(start.elapsed() < Duration::from_secs(2));
        drop(idle);
    }

    #[test]
    fn a_review_ends_when_its_client_is_gone() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        let new = json!({"request": "new", "game": "the_river", "players": 2,
            "seats": ["random", "random"], "seed": 1});
        let mut view = server.ask(&new)["view"].take();
        while view["next"] != "over" {
            let step = json!({"request": "step", "id": view["id"], "events": view["events"]});
            view = server.ask(&step)["view"].take();
        }
        let review =
            |iterations| json!({"request": "review", "id": view["id"], "iterations": iterations});
        let long = review(4000).to_string();
        for _ in 0..20 {
            let head = "Content-Type: application/json\r\nContent-Length";
            let request = format!(
                "POST /api HTTP/1.1\r\nHost: {}\r\n{head}: {}\r\n\r\n{long}",
                server.address,
                long.len()
            );
            server.connect().write_all(request.as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(20));
        }
        // A game has one review at a time, so the others have ended.
        assert!(server.ask(&review(1))["review"].is_object());
    }

    #[test]
    fn a_bot_that_thinks_does_not_block_other_requests() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        let seats = ["mcts:iterations=20000"; 2];
        let slow = json!({"request": "new", "game": "the_river", "players": 2, "seats": seats});
        let mut thinking = server.ask(&slow)["view"].take();
        while thinking["next"] != "bot" {
            let step = json!({"request": "step", "id": thinking["id"],
                "events": thinking["events"]});
            thinking = server.ask(&step)["view"].take();
        }
        let view = server.new_game();
        let step = json!({"request": "step", "id": thinking["id"], "events": thinking["events"]});
        let start = Instant::now();
        thread::scope(|scope| {
            let slow = scope.spawn(|| {
                let answer = server.ask(&step);
                (answer, start.elapsed())
            });
            thread::sleep(Duration::from_millis(20));
            let act = json!({"request": "act", "id": view["id"],
                "action": view["actions"][0]["action"], "events": view["events"]});
            let acted = server.ask(&act);
            let act_time = start.elapsed();
            // The game of the bot is shown meanwhile, too.
            let shown = server.ask(&json!({"request": "view", "id": thinking["id"]}));
            let (answer, slow_time) = slow.join().unwrap();
            let shown = &shown["view"]["events"];
            assert!([&thinking["events"], &answer["view"]["events"]].contains(&shown), "{shown}");
            assert!(acted["view"].is_object(), "{acted}");
            assert!(answer["view"].is_object(), "{answer}");
            assert!(act_time < slow_time, "{act_time:?} {slow_time:?}");
        });
    }

    /// Returns a hostile request: invalid, too long, or of another origin; and true if it is
    /// broken off, so that the server gets no more.
    fn hostile(rng: &mut Rng, address: &str, view: &Value) -> (Vec<u8>, bool) {
        const PATHS: [&str; 7] = [
            "/results/../../../../etc/passwd",
            "/results/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
            "//etc/passwd",
            "/%00",
            "/results/\u{fc}",
            "http://example.com/",
            "/api?request=close",
        ];
        let act =
            json!({"request": "act", "id": view["id"], "action": view["actions"][0]["action"],
            "events": view["events"]})
            .to_string();
        let close = json!({"request": "close", "id": view["id"]}).to_string();
        let mut below = |limit| random_below(rng, limit);
        let foreign = if below(2) == 0 {
            format!("Host: {address}\r\nOrigin: http://example.com\r\n")
        } else {
            "Host: example.com\r\n".to_owned()
        };
        let post = |headers: &str, length: usize, body: &str| {
            format!(
                "POST /api HTTP/1.1\r\n{headers}Content-Type: application/json\r\n\
                 Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .into_bytes()
        };
        let own = format!("Host: {address}\r\n");
        let kind = below(12);
        let request = match kind {
            0 => {
                let path = PATHS[below(PATHS.len() as u32) as usize];
                format!("GET {path} HTTP/1.1\r\n{own}Connection: close\r\n\r\n").into_bytes()
            }
            1 => (0..below(2000)).map(|_| below(256) as u8).collect(),
            2 => post(&foreign, act.len(), &act),
            3 => post(&foreign, close.len(), &close),
            4 => post(&own, 400_000, &"x".repeat(400_000)),
            5 => {
                let body = "[".repeat(below(100_000) as usize);
                post(&own, body.len(), &body)
            }
            // The connection ends before the body.
            6 => post(&own, 10_000, "{\"request\":"),
            7 => {
                let header = format!("X-Long: {}\r\n", "a".repeat(below(600_000) as usize));
                format!("GET / HTTP/1.1\r\n{own}{header}Connection: close\r\n\r\n").into_bytes()
            }
            8 => format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: ").into_bytes(),
            9 => {
                let body = json!({"request": "act", "id": view["id"],
                    "action": "x".repeat(below(1000) as usize), "events": below(1000) + 1000})
                .to_string();
                post(&own, body.len(), &body)
            }
            10 => {
                let body = json!({"request": "new", "game": "the_river",
                    "players": u64::from(below(1000)) << 30, "seats": [PATHS[0], "mcts"]})
                .to_string();
                post(&own, body.len(), &body)
            }
            _ => {
                let chunked = "Transfer-Encoding: chunked\r\n";
                format!(
                    "POST /api HTTP/1.1\r\n{own}{chunked}Content-Type: application/json\r\n\
                     Connection: close\r\n\r\nffffffffff\r\n{act}"
                )
                .into_bytes()
            }
        };
        (request, [1, 6, 8, 11].contains(&kind))
    }

    /// Returns a search for a fix with few games.
    fn fix(goals: &str) -> Value {
        json!({"request": "fix", "game": "the_river", "players": 2, "seed": 3,
            "version": {"edits": [["building.w2c1.points", "9"]]}, "goals": goals,
            "keys": ["building.w2c1.points+=-5..0"], "max_edits": 1, "games": 200})
    }

    /// Searches for a fix, and returns the answer or the problem.
    fn find_fix(server: &Server, request: &Value) -> Value {
        let started = server.ask(request);
        let look = json!({"request": "fix_progress", "id": started["search"]});
        loop {
            let answer = server.ask(&look);
            if answer["error"].is_string() {
                return answer["error"].clone();
            }
            if answer["fix"]["found"].is_object() {
                return answer["fix"]["found"].clone();
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_fix_is_that_of_the_command() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        let goals = "[item.w2c1]\nwin_rate = [0.4, 0.65]\n";
        let found = find_fix(&server, &fix(goals));
        let building = "id = \"w2c1\"\ncost = { wood = 2, clay = 1 }\npoints = ";
        let [old, new] = ["4", "9"].map(|points| format!("{building}{points}"));
        folder.copy_with("configs/the_river.toml", "mine.toml", &old, &new);
        folder.write("goals.toml", goals);
        folder.balance(
            "out",
            "search --config mine.toml --keys building.w2c1.points+=-5..0 --goal goals.toml \
             --max-edits 1 --games 200 --seed 3 --bots expert",
        );
        let rows = folder.rows("out/goals.csv");
        let of = |edits: &Value| {
            rows.iter().find(|row| row["deals"] == "sealed" && row["edits"] == *edits).unwrap()
        };
        let proposals = found["proposals"].as_array().unwrap();
        assert!(!proposals.is_empty(), "{found}");
        for proposal in proposals {
            let (row, figure) = (of(&proposal["text"]), &proposal["figures"][0]);
            let value = 100.0 * row["figure"].parse::<f64>().unwrap();
            let shown = figure["after"].as_str().unwrap();
            assert!(shown.starts_with(&format!("{value:.1} %")), "{shown}, {value}");
            assert_eq!(row["verdict"], figure["verdict"]);
        }
        assert_eq!(proposals[0]["edits"][0][0], "building.w2c1.points");
        assert_eq!(found["games"], folder.manifest("out")["games"]);

        for (key, value, expected) in [
            ("goals", json!("rounds = [5, 4]"), "the minimum and the maximum"),
            ("goals", json!(""), "expected a goal"),
            ("keys", json!(["no.key=1..2"]), "no.key"),
            ("keys", json!([]), "expected a key"),
            ("max_edits", json!(6), "expected 1 to 5"),
            ("games", json!(0), "games: expected 1"),
        ] {
            let mut wrong = fix(goals);
            wrong[key] = value;
            let error = find_fix(&server, &wrong);
            assert!(error.as_str().unwrap().contains(expected), "{error}");
        }
    }

    #[test]
    fn edits_are_played_during_a_search() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        let mut long = fix("rounds = [1, 2]");
        (long["games"], long["max_edits"]) = (json!(1_000_000), json!(5));
        let look = json!({"request": "fix_progress", "id": server.ask(&long)["search"],
            "stop": true});
        thread::sleep(Duration::from_millis(500));
        let compare = json!({"request": "compare", "game": "the_river", "players": 2, "seed": 1,
            "versions": [{}, {}], "blocks": [0, 64]});
        assert_eq!(server.ask(&compare)["comparison"]["games"], 64);
        // The search has not ended.
        assert_eq!(server.ask(&look)["fix"]["found"], Value::Null);
    }

    #[test]
    fn a_table_is_read_as_by_the_command() {
        let folder = Folder::new();
        let server = Server::start(&folder, "");
        folder.succeeds("data export the_river --csv tables");
        let table = folder.read("tables/building.csv").replacen("w2c1,", "w2c1_new,", 1);
        folder.write("building.csv", &table);
        let read = |name: &str, bytes: &[u8]| {
            server.ask(&json!({"request": "table", "game": "the_river", "players": 2,
                "version": {"edits": [["rules.trade_in", "2"]]}, "name": name, "bytes": bytes}))
        };
        let answer = read("building.csv", table.as_bytes());
        let new = folder.succeeds("data import building.csv --game the_river");
        let new = new.replace("trade_in = 3", "trade_in = 2");
        assert_eq!(answer["table"]["data"], new);
        // Bytes of the encoding of Windows, and a column that no list has.
        let other = table.replacen("points,", "points,Größe,", 1);
        let other = other.chars().map(|letter| letter as u8).collect::<Vec<_>>();
        let notes = read("building.csv", &other)["table"]["notes"].clone();
        let expected = ["building.csv: read as Windows-1252", "building.csv: not read: `Größe`"];
        assert_eq!(notes, json!(expected));
        for (name, bytes, expected) in [
            ("cards.csv", "a,b\n1,2\n", "cards.csv:1: expected the columns of one of"),
            ("cards.csv", "id,points\nw2,x\n", "key `building.w2.points`: expected an integer"),
            ("cards.json", "[]", "cards.json: expected a table in CSV, found JSON"),
        ] {
            let error = read(name, bytes.as_bytes())["error"].take();
            assert!(error.as_str().unwrap().contains(expected), "{error}");
        }
    }

    #[test]
    fn only_the_host_starts_jobs_on_an_open_address() {
        let folder = Folder::new();
        let mut server = Server::start(&folder, "--address 0.0.0.0");
        let mut messages = BufReader::new(server.child.stderr.take().unwrap());
        let mut note = String::new();
        while !note.contains("#key=") {
            note.clear();
            messages.read_line(&mut note).unwrap();
        }
        let key = note.trim().split_once("#key=").unwrap().1.to_owned();
        let request = json!({"request": "compare", "game": "the_river", "players": 2, "seed": 1,
            "versions": [{}, {}], "blocks": [0, 8]})
        .to_string();
        let answer = |headers: &str| server.post(&request, headers).body;
        for headers in ["", "X-Host-Key: \r\n", "X-Host-Key: 0\r\n"] {
            assert!(answer(headers).contains("only its host compares"), "{headers}");
        }
        assert!(answer(&format!("X-Host-Key: {key}\r\n")).starts_with("{\"comparison\""));
    }

    /// Sends hostile requests: 1000, or the number in the environment variable `HOSTILE_REQUESTS`.
    #[test]
    fn hostile_requests_change_nothing() {
        let requests = env::var("HOSTILE_REQUESTS").map_or(1000, |number| number.parse().unwrap());
        let folder = Folder::new();
        fs::create_dir(folder.path("results")).unwrap();
        let server = Server::start(&folder, "--results results");
        let view = server.new_game();
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        // Slow connections stay open meanwhile.
        let mut slow: Vec<_> = (0..20).map(|_| server.connect()).collect();
        for stream in &mut slow {
            let _ = stream.write_all(b"POST /api HT");
        }
        // The longest requests that are read.
        let long = |item: &str| {
            let items = vec![item; (16_000_000 - 100) / (item.len() + 1)].join(",");
            format!("{{\"request\": \"book\", \"books\": [{items}]}}")
        };
        for body in [long("0"), long("\"\""), "[".repeat(16_000_000)] {
            assert!(server.post(&body, "").body.starts_with("{\"error\""));
        }
        assert_eq!(server.post(&"x".repeat(17_000_000), "").status, 413);
        let mut answered = 0;
        for _ in 0..requests {
            let (request, is_broken_off) = hostile(&mut rng, &server.address, &view);
            let mut stream = server.connect();
            let _ = stream.write_all(&request);
            if is_broken_off {
                let _ = stream.shutdown(Shutdown::Write);
            }
            let mut received = Vec::new();
            let _ = stream.read_to_end(&mut received);
            let text = String::from_utf8_lossy(&received);
            answered += usize::from(!text.is_empty());
            assert!(!text.contains("root:"), "{text}");
            assert!(!text.starts_with("HTTP/1.1 5"), "{text}");
        }
        assert!(answered > requests / 2, "{answered} of {requests}");
        let now = server.ask(&json!({"request": "view", "id": view["id"]}));
        assert_eq!(now["view"]["events"], view["events"]);
        assert_eq!(now["view"]["board"], view["board"]);
        let peak = peak_memory(server.child.id()).unwrap_or_default();
        assert!(peak < 390, "{peak} MiB");
        assert_eq!(folder.files("results"), Vec::<String>::new());
    }
}
