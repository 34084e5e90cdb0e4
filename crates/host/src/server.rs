//! `serve`: connections in, bounded work, a graceful end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::HOST;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use wasmtime::Result;
use wasmtime::error::Context;

use crate::answer::{Answer, Failure};
use crate::arguments::Serve;
use crate::guest::Guest;
use crate::limits::{DRAIN, Limits};
use crate::{cache, engine};

/// Serves until Ctrl-C.
///
/// # Errors
/// The component does not load, or the address is taken.
pub fn serve(options: &Serve) -> Result<()> {
    let started = Instant::now();
    let engine = engine::pooled(&options.limits)?;
    let file = chosen(&options.component, options.relaxed);
    let loaded = cache::component(&engine, &file)?;
    let guest = Arc::new(Guest::new(&engine, &loaded.code, &options.limits, options.guest_stderr)?);
    engine::tick(&engine);
    let how = if loaded.compiled { "compiled" } else { "from its cache" };
    let shown = file.display();
    eprintln!("lacuna-host: {shown} {how}, ready in {} ms", started.elapsed().as_millis());

    let runtime = tokio::runtime::Builder::new_multi_thread()
        // One more than can be busy in guests, so that connections are always answered.
        .worker_threads(options.limits.active + 1)
        .enable_all()
        .build()?;
    runtime.block_on(listen(options, guest))
}

/// `NAME-relaxed.wasm` where it is wanted and there: Wasmtime runs relaxed SIMD, with the same bits.
fn chosen(component: &Path, relaxed: bool) -> PathBuf {
    let stem = component.file_stem().unwrap_or_default().to_string_lossy();
    let sibling = component.with_file_name(format!("{stem}-relaxed.wasm"));
    if relaxed && sibling.is_file() { sibling } else { component.to_path_buf() }
}

async fn listen(options: &Serve, guest: Arc<Guest>) -> Result<()> {
    let address = (options.address, options.port);
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("{}:{}", address.0, address.1))?;
    let url = format!("http://{}", listener.local_addr()?);
    let try_it =
        format!("curl -s {url}/redact -d '{{\"text\":\"Hi, I am Maria Gonzalez, maria@example.com.\"}}'");
    let said = format!("listening on {url}\ntry  {try_it}\nor open {url} in a browser; Ctrl-C stops\n");
    // Nobody need be reading.
    let _ = std::io::Write::write_all(&mut std::io::stdout(), said.as_bytes());

    let service = Arc::new(Service::new(guest, &options.limits));
    let connections = Arc::new(Semaphore::new(options.limits.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop_signal());
    loop {
        let permit = connections.clone().acquire_owned().await?;
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // A connection that broke before it began, or no file descriptor left: the next may do better.
                Err(_) => {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let connection = graceful.watch(connection(stream, service.clone()));
        tokio::spawn(async move {
            // Errors here are the client's: it went away, or spoke something else.
            let _ = connection.await;
            drop(permit);
        });
    }
    eprintln!("lacuna-host: stopping");
    if tokio::time::timeout(options.limits.stop_time, graceful.shutdown()).await.is_err() {
        eprintln!("lacuna-host: some requests did not end in time");
    }
    Ok(())
}

async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn connection(
    stream: TcpStream,
    service: Arc<Service>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Answers are written in one piece; waiting for more only delays them.
    let _ = stream.set_nodelay(true);
    let header_time = service.limits.header_time;
    let answer = service_fn(move |request| {
        let service = service.clone();
        async move { Ok::<_, std::convert::Infallible>(service.answer(request).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .serve_connection(TokioIo::new(stream), answer)
}

/// What all connections share.
struct Service {
    guest: Arc<Guest>,
    limits: Limits,
    active: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Service {
    fn new(guest: Arc<Guest>, limits: &Limits) -> Service {
        let active = Arc::new(Semaphore::new(limits.active));
        Service { guest, limits: limits.clone(), active, waiting: AtomicUsize::new(0) }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        match self.try_answer(request).await {
            Ok(answer) => answer,
            Err(failure) => failure.into_answer(),
        }
    }

    async fn try_answer(&self, request: Request<Incoming>) -> Result<Answer, Failure> {
        if request.uri().authority().is_none() && !request.headers().contains_key(HOST) {
            return Err(Failure::new(StatusCode::BAD_REQUEST, "no_host", "the request has no Host header"));
        }
        let (parts, body) = request.into_parts();
        let reading = read(body, self.limits.body);
        let body = tokio::time::timeout(self.limits.body_time, reading).await.unwrap_or_else(|_| {
            let failure =
                Failure::new(StatusCode::REQUEST_TIMEOUT, "body_too_slow", "the body did not arrive in time");
            Err(Failure { close: true, ..failure })
        })?;
        let permit = match self.active.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait().await?,
        };
        Ok(self.guest.clone().answer(Request::from_parts(parts, Full::new(body)), permit).await)
    }

    /// A place in the queue, if there is one.
    async fn wait(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Failure> {
        let busy = || Failure::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many requests are waiting");
        let place = Place::take(&self.waiting, self.limits.waiting).ok_or_else(busy)?;
        let permit = self.active.clone().acquire_owned().await.map_err(|_| busy())?;
        drop(place);
        Ok(permit)
    }
}

/// One waiting request; given back also when its client goes away.
struct Place<'a>(&'a AtomicUsize);

impl Place<'_> {
    fn take(count: &AtomicUsize, limit: usize) -> Option<Place<'_>> {
        let place = Place(count);
        let before = count.fetch_add(1, Ordering::Relaxed);
        (before < limit).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The whole body, so that a slow client costs no guest its time.
async fn read(body: Incoming, limit: usize) -> Result<Bytes, Failure> {
    let announced = body.size_hint().exact();
    if announced.is_some_and(|bytes| bytes > limit as u64) {
        drain(body).await;
        return Err(Failure::body_too_large(limit, announced));
    }
    let mut limited = Limited::new(body, limit);
    match (&mut limited).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(why) if why.is::<LengthLimitError>() => Err(Failure::body_too_large(limit, None)),
        Err(_) => {
            let failure = Failure::new(StatusCode::BAD_REQUEST, "body_broken", "the body broke off");
            Err(Failure { field: Some("body"), close: true, ..failure })
        }
    }
}

/// Reads on a little, so that the answer reaches a client that is still sending.
async fn drain(body: Incoming) {
    let read = Limited::new(body, DRAIN).collect();
    let _ = tokio::time::timeout(std::time::Duration::from_secs(2), read).await;
}
