//! The server: HTTP/1.1 on one address, without encryption.
//!
//! The page and its files are embedded. Requests of the page go to the application as they are.
//! Bots think on threads of their own, of which there are few, so that other requests are answered
//! meanwhile.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher as _, Hasher as _},
    net::SocketAddr,
    pin::pin,
    sync::{Mutex, PoisonError},
    thread,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Path, Request as HttpRequest, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use hyper::{
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::AsyncReadExt as _,
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{JoinError, spawn_blocking},
    time,
};
use tokio_util::io::ReaderStream;
use tower_http::compression::CompressionLayer;

use super::{
    ServeArguments,
    connections::{Connections, Place},
    guard::Guard,
    results::{FileKind, ResultsFolder, list},
};
use crate::{
    study::shared::{playtest_writer, prelude::*},
    web::{
        Application, CommandTools, FinishedReceiver, MAX_BOOKS_REQUEST, MAX_REQUEST,
        answer::Answer,
        assets::{self, Asset},
        request::Request,
    },
};

/// Maximum time for the head of a request, and between requests of a connection.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Maximum time for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Time after which a connection gets no further requests, so that nobody can keep one by slow
/// reading.
const CONNECTION_TIME: Duration = Duration::from_mins(10);
/// Maximum time for the last request of a connection.
const LAST_REQUEST_TIME: Duration = Duration::from_mins(1);
/// Number of bytes of a file that are read at once.
const FILE_PART: usize = 64 << 10;
/// Maximum number of short requests that are answered at once.
const MAX_SHORT: usize = 64;
/// Maximum number of long requests that are answered at once.
const MAX_LONG: usize = 4;
/// Maximum number of long requests whose contents are read or wait, so that they cannot fill the
/// memory.
const MAX_LONG_WAITING: usize = 16;
/// Time between two looks for games to drop.
const CLEANUP_TIME: Duration = Duration::from_secs(30);

/// Policy of the page: nothing but its own files.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// Policy of the list of results, whose style and script are in the page, which names their hashes.
const LIST_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// Policy of pages of results, whose style and script are in the page. They have an origin of their
/// own, so that they cannot ask the application.
const RESULT_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; sandbox allow-scripts allow-downloads";

/// Header with the key of the host.
const HOST_KEY: HeaderName = HeaderName::from_static("x-host-key");

/// All that requests need.
struct Server {
    application: Application,
    guard: Guard,
    /// The key without which no jobs are started, if other machines can reach the server.
    host_key: Option<String>,
    results: ResultsFolder,
    /// Permits of computations that may take long.
    thinkers: Arc<Semaphore>,
    /// Permits of all other computations.
    short: Arc<Semaphore>,
    /// Permits of long requests, and of those that are read or wait.
    long_requests: Semaphore,
    long_waiting: Semaphore,
    /// Permits of reviews in progress, one for each game.
    reviews: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// Stops a computation when the future that waits for it is dropped, as its client is gone.
struct StopOnDrop(Arc<AnalysisWatch>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The permits of a computation, which keeps them until it ends, also if its client is gone.
type Permits = Vec<OwnedSemaphorePermit>;

impl Server {
    /// Returns true if a client may start jobs: that of the host, who has the key.
    fn may_start_jobs(&self, headers: &HeaderMap) -> bool {
        let is_key = |key: &String| headers.get(HOST_KEY).is_some_and(|given| given == key);
        self.host_key.as_ref().is_none_or(is_key)
    }

    /// Waits until a request may be answered; `None` if there are too many.
    async fn permits(&self, request: &Request) -> Option<Permits> {
        if !request.may_take_long() {
            return self.short_permit();
        }
        let mut permits = Permits::new();
        if let Request::Review { id, .. } = request {
            permits.push(self.review_of(id).acquire_owned().await.ok()?);
        }
        permits.push(Arc::clone(&self.thinkers).acquire_owned().await.ok()?);
        Some(permits)
    }

    fn short_permit(&self) -> Option<Permits> {
        Arc::clone(&self.short).try_acquire_owned().ok().map(|permit| vec![permit])
    }

    /// Returns the one permit of reviews of a game, which several people may share.
    fn review_of(&self, id: &str) -> Arc<Semaphore> {
        let mut reviews = self.reviews.lock().unwrap_or_else(PoisonError::into_inner);
        reviews.retain(|_, review| Arc::strong_count(review) > 1);
        Arc::clone(
            reviews.entry(self.application.key(id)).or_insert_with(|| Arc::new(Semaphore::new(1))),
        )
    }
}

/// Computes on a thread of its own.
async fn compute<T: Send + 'static>(
    permits: Permits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let work = move || {
        let result = work();
        drop(permits);
        result
    };
    spawn_blocking(work).await
}

/// Runs the server until the process is ended.
pub(super) fn run(
    games: GameList,
    arguments: &ServeArguments,
    tools: CommandTools,
) -> anyhow::Result<ExitStatus> {
    let results = ResultsFolder::open(arguments.results.as_deref())?;
    let log = arguments.playtests.clone().map(|path| -> FinishedReceiver {
        let one_at_a_time = Mutex::new(());
        Box::new(move |game, record| {
            let _guard = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = playtest_writer::append(&path, game, record) {
                print_info(&format!("warning: --playtests: {error:#}"));
            }
        })
    });
    let application = Application::new(games, &secret()).on_finished(log).with_tools(tools);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let address = SocketAddr::new(arguments.address, arguments.port);
    runtime.block_on(serve(application, address, results))
}

async fn serve(
    application: Application,
    address: SocketAddr,
    results: ResultsFolder,
) -> anyhow::Result<ExitStatus> {
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("--port: can't listen on {address}"))?;
    let address = listener.local_addr()?;
    let host_key = (!address.ip().is_loopback()).then(|| sha256(&secret()));
    if let Some(key) = &host_key {
        print_info(&format!(
            "warning: --address: other machines can reach {}; everybody there can play, and read \
             the pages of --results",
            address.ip()
        ));
        print_info(&format!(
            "note: only the page of the host compares versions: \
             http://{address}/balance.html#key={key}"
        ));
    }
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let server = Arc::new(Server {
        application,
        guard: Guard { address },
        host_key,
        results,
        thinkers: Arc::new(Semaphore::new(cores)),
        short: Arc::new(Semaphore::new(MAX_SHORT)),
        long_requests: Semaphore::new(MAX_LONG),
        long_waiting: Semaphore::new(MAX_LONG_WAITING),
        reviews: Mutex::default(),
    });
    let router = router(Arc::clone(&server));
    print(&format!("http://{address}/\n"));
    tokio::spawn(clean_up(server));
    let connections = Arc::new(Connections::default());
    loop {
        let Ok((stream, client)) = listener.accept().await else {
            // Too many open files: others end soon.
            time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        if let Some(place) = connections.open(client.ip()) {
            let connection = Arc::clone(&place.connection);
            let task = tokio::spawn(serve_connection(stream, router.clone(), place));
            connection.set_task(task.abort_handle());
        }
    }
}

/// Answers the requests of a connection, which has the place until then.
async fn serve_connection(stream: TcpStream, router: Router, place: Place) {
    let service = TowerToHyperService::new(router);
    let answering = Arc::clone(&place.connection);
    let service = service_fn(move |request| {
        let in_progress = answering.answer();
        let answer = service.call(request);
        async move {
            let answer = answer.await;
            drop(in_progress);
            answer
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // A connection that breaks concerns nobody else.
    if time::timeout(CONNECTION_TIME, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = time::timeout(LAST_REQUEST_TIME, connection).await;
    }
    drop(place);
}

/// Returns bytes that nobody can guess, from the random keys of the standard library.
fn secret() -> Vec<u8> {
    let hash = |_| RandomState::new().build_hasher().finish();
    (0..4).map(hash).flat_map(u64::to_le_bytes).collect()
}

/// Tells the application the time, so that it drops old games.
async fn clean_up(server: Arc<Server>) {
    let start = Instant::now();
    loop {
        time::sleep(CLEANUP_TIME).await;
        server.application.set_time(start.elapsed().as_secs());
    }
}

fn router(server: Arc<Server>) -> Router {
    let mut router = Router::new();
    for Asset { name, kind, content } in assets::FILES {
        let file = get(async move || response(kind, PAGE_POLICY, content));
        router = router.route(&format!("/{name}"), file);
    }
    router
        .route("/api", post(call))
        .route("/results/", get(list_results))
        .route("/results/{*path}", get(show_result))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), check))
        .layer(CompressionLayer::new())
        .with_state(server)
}

/// Refuses requests of other origins.
async fn check(State(server): State<Arc<Server>>, request: HttpRequest, next: Next) -> Response {
    if !server.guard.accepts(request.headers()) {
        return (StatusCode::FORBIDDEN, "requests of other origins are refused\n").into_response();
    }
    next.run(request).await
}

/// Passes a request to the application.
async fn call(State(server): State<Arc<Server>>, request: HttpRequest) -> Response {
    let kind = request.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != "application/json") {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "expected application/json\n").into_response();
    }
    // Only books of openings are long, and their length is known.
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0);
    let limit = match length {
        ..=MAX_REQUEST => MAX_REQUEST,
        length if length <= MAX_BOOKS_REQUEST => MAX_BOOKS_REQUEST,
        _ => 0,
    };
    let Ok(_waiting) = server.long_waiting.try_acquire_many(u32::from(limit > MAX_REQUEST)) else {
        return busy();
    };
    let may_start_jobs = server.may_start_jobs(request.headers());
    let body = to_bytes(request.into_body(), limit);
    let Ok(body) = time::timeout(BODY_TIME, body).await else {
        return (StatusCode::REQUEST_TIMEOUT, "the request is too slow\n").into_response();
    };
    let Ok(body) = body else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "the request is too long\n").into_response();
    };
    // A slow request does not keep others waiting: it takes a permit only after it was read.
    let _permit = match body.len() {
        ..=MAX_REQUEST => None,
        _ => server.long_requests.acquire().await.ok(),
    };
    let request = match String::from_utf8(body.into()) {
        Ok(text) => Request::parse(&text),
        Err(_) => return (StatusCode::BAD_REQUEST, "expected UTF-8\n").into_response(),
    };
    let answer = match request {
        Ok(request) if request.is_job() && !may_start_jobs => {
            let refusal = "other machines can reach this server, so only its host compares \
                           versions: open the address with the key that the program has printed";
            Answer::Error(refusal.into()).to_json()
        }
        Ok(request) => match server.permits(&request).await {
            Some(permits) => answer(&server, request, permits).await,
            None => return busy(),
        },
        Err(problem) => Answer::Error(problem).to_json(),
    };
    response("application/json", PAGE_POLICY, answer)
}

async fn answer(server: &Arc<Server>, request: Request, permits: Permits) -> String {
    let server = Arc::clone(server);
    let watch = Arc::new(AnalysisWatch::new(None));
    let _guard = StopOnDrop(Arc::clone(&watch));
    let work = move || server.application.answer(request, &watch).to_json();
    let answer = compute(permits, work).await;
    answer.unwrap_or_else(|_| Answer::Error("the request failed; this is a bug".into()).to_json())
}

async fn list_results(State(server): State<Arc<Server>>) -> Response {
    let Some(permits) = server.short_permit() else { return busy() };
    let list = compute(permits, move || list(&server.results)).await;
    list.map_or_else(
        |_| not_found(),
        |list| response("text/html; charset=utf-8", LIST_POLICY, list),
    )
}

async fn show_result(State(server): State<Arc<Server>>, Path(path): Path<String>) -> Response {
    let Some(permits) = server.short_permit() else { return busy() };
    let file = compute(permits, move || server.results.open_file(&path)).await;
    // The file is sent part by part, so that slow readers of long files need no memory.
    let send = |kind, policy, file, length: u64| {
        let content = tokio::fs::File::from_std(file).take(length);
        let body = Body::from_stream(ReaderStream::with_capacity(content, FILE_PART));
        let mut response = response(kind, policy, body);
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
        response
    };
    match file {
        Ok(Some((FileKind::Page, file, length))) => {
            send("text/html; charset=utf-8", RESULT_POLICY, file, length)
        }
        Ok(Some((FileKind::Data, file, length))) => {
            send("application/json", PAGE_POLICY, file, length)
        }
        _ => not_found(),
    }
}

fn busy() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, "the server is busy; try again\n").into_response()
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "not found\n").into_response()
}

fn response(kind: &'static str, policy: &'static str, content: impl Into<Body>) -> Response {
    const HEADERS: [(HeaderName, &str); 5] = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    let mut response = Response::new(content.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
