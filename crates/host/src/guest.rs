//! One request in one fresh instance.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Body;
use hyper::{Request, Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Result, Store, Trap, UpdateDeadline};
use wasmtime_wasi::p2::pipe::MemoryInputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::p2::bindings::http::types::{ErrorCode, Scheme};
use wasmtime_wasi_http::p2::bindings::{self, ProxyPre};
use wasmtime_wasi_http::p2::body::HyperOutgoingBody;
use wasmtime_wasi_http::{WasiHttp, WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::answer::{Answer, Failure};
use crate::limits::{Limits, MIB};

/// A component, ready to be instantiated in microseconds.
pub struct Guest {
    pre: ProxyPre<State>,
    limits: Limits,
    stderr: bool,
    /// Handed to the guest on standard input where it is not the default: the component holds the same limit
    /// for hosts that have none, and learns here that this one was told otherwise.
    settings: Option<Bytes>,
}

/// What one instance owns on our side.
struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: NoOutbound,
    table: ResourceTable,
    memory: MemoryLimit,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.hooks }
    }
}

/// wasi:http/outgoing-handler is not linked; this is the second lock on the same door.
struct NoOutbound;

type Sent = Result<(Response<wasmtime_wasi_http::WasiBody>, Finished), wasmtime_wasi_http::Error>;
type Finished = Box<dyn Future<Output = Result<(), wasmtime_wasi_http::Error>> + Send>;

impl wasmtime_wasi_http::WasiHttpHooks for NoOutbound {
    fn send_request(
        &mut self,
        _request: Request<wasmtime_wasi_http::WasiBody>,
        _options: Option<wasmtime_wasi_http::RequestOptions>,
        _finished: Finished,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        Box::new(async { Err(wasmtime_wasi_http::Error::HttpRequestDenied) })
    }
}

/// Refuses growth over the limit, and remembers that it did.
struct MemoryLimit {
    bytes: usize,
    refused: Option<usize>,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        let fits = desired <= self.bytes;
        if !fits {
            self.refused = Some(desired);
        }
        Ok(fits)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        // A component's tables hold its function pointers, a few thousand.
        Ok(desired <= 100_000)
    }
}

/// The guest ran out of time.
#[derive(Debug)]
struct Overrun;

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time limit is reached")
    }
}

impl std::error::Error for Overrun {}

impl Guest {
    /// Links what the `proxy` world may import, less outbound requests.
    ///
    /// # Errors
    /// The component imports something else, or exports no `wasi:http/incoming-handler`.
    pub fn new(engine: &Engine, component: &Component, limits: &Limits, stderr: bool) -> Result<Guest> {
        let mut linker = Linker::<State>::new(engine);
        wasmtime_wasi::p2::add_to_linker_proxy_interfaces_async(&mut linker)?;
        let options = bindings::LinkOptions::default();
        bindings::http::types::add_to_linker::<_, WasiHttp>(&mut linker, &(&options).into(), State::http)?;
        let pre = ProxyPre::new(linker.instantiate_pre(component)?)?;
        let settings = (limits.body != MIB).then(|| Bytes::from(format!("body-limit {}\n", limits.body)));
        Ok(Guest { pre, limits: limits.clone(), stderr, settings })
    }

    /// Answers one request. The instance, with the permit, is given back after the answer is ready.
    pub async fn answer(
        self: Arc<Self>,
        request: Request<Full<Bytes>>,
        permit: OwnedSemaphorePermit,
    ) -> Answer {
        let bytes = request.body().size_hint().exact().unwrap_or(0) as usize;
        let time = self.limits.time(bytes);
        let mut store = self.store(Instant::now() + time);
        let outcome = self.run(&mut store, request).await;
        let refused = store.data().memory.refused;
        let answer = match outcome {
            Ok(answer) => answer,
            Err(why) => self.failure(&why, refused, time).into_answer(),
        };
        // Clearing the instance's memory need not keep the client waiting.
        tokio::spawn(async move {
            drop(store);
            drop(permit);
        });
        answer
    }

    fn store(&self, deadline: Instant) -> Store<State> {
        // No arguments, no environment, no directory, no socket; standard output goes nowhere.
        let mut wasi = WasiCtx::builder();
        if let Some(settings) = &self.settings {
            wasi.stdin(MemoryInputPipe::new(settings.clone()));
        }
        if self.stderr {
            wasi.inherit_stderr();
        }
        let state = State {
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            hooks: NoOutbound,
            table: ResourceTable::new(),
            memory: MemoryLimit { bytes: self.limits.memory, refused: None },
        };
        let mut store = Store::new(self.pre.engine(), state);
        store.limiter(|state| &mut state.memory);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            if Instant::now() >= deadline { Err(Overrun.into()) } else { Ok(UpdateDeadline::Yield(1)) }
        });
        store
    }

    async fn run(&self, store: &mut Store<State>, request: Request<Full<Bytes>>) -> Result<Answer> {
        let (sender, receiver) = oneshot::channel();
        let incoming = store.data_mut().http().new_incoming_request(Scheme::Http, infallible(request))?;
        let out = store.data_mut().http().new_response_outparam(sender)?;
        let guest = async {
            let proxy = self.pre.instantiate_async(&mut *store).await?;
            let handler = proxy.wasi_http_incoming_handler();
            let outcome = handler.call_handle(&mut *store, incoming, out).await;
            // A guest that never answered still holds the sender in its table.
            store.data_mut().table = ResourceTable::new();
            outcome
        };
        // The answer is held back until the guest has ended well: a trap after its first bytes is a 5xx too.
        let (ran, collected) = tokio::join!(guest, collect(receiver, self.limits.answer));
        ran?;
        collected
    }

    fn failure(&self, why: &wasmtime::Error, refused: Option<usize>, time: Duration) -> Failure {
        if why.downcast_ref::<Overrun>().is_some() {
            let seconds = time.as_secs_f64();
            let failure = Failure::new(
                StatusCode::GATEWAY_TIMEOUT,
                "time_limit",
                format!("the request was stopped after {seconds} seconds"),
            );
            eprintln!("lacuna-host: 504 time_limit ({seconds} s)");
            return Failure { limit: Some(time.as_millis() as u64), ..failure };
        }
        if let Some(wanted) = refused {
            eprintln!("lacuna-host: 500 memory_limit ({wanted} bytes wanted)");
            let failure = Failure::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "memory_limit",
                "the request needed more memory than it may have",
            );
            return Failure { limit: Some(self.limits.memory as u64), got: Some(wanted as u64), ..failure };
        }
        // The kind of trap only: a guest's own words could hold the text.
        let kind = match why.downcast_ref::<Trap>() {
            Some(trap) => trap.to_string(),
            None => "the component did not answer".to_owned(),
        };
        eprintln!("lacuna-host: 500 guest_failed ({kind})");
        Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "guest_failed",
            format!("the component failed: {kind}"),
        )
    }
}

fn infallible(
    request: Request<Full<Bytes>>,
) -> Request<impl Body<Data = Bytes, Error = wasmtime_wasi_http::Error>> {
    request.map(|body| body.map_err(|never| match never {}))
}

/// The guest's answer as a whole.
async fn collect(
    receiver: oneshot::Receiver<Result<Response<HyperOutgoingBody>, ErrorCode>>,
    limit: usize,
) -> Result<Answer> {
    let response = match receiver.await {
        Ok(Ok(response)) => response,
        Ok(Err(code)) => wasmtime::bail!("the component answered with an error: {code:?}"),
        Err(_) => wasmtime::bail!("the component set no response"),
    };
    let (parts, body) = response.into_parts();
    let body = http_body_util::Limited::new(body, limit);
    let body = body.collect().await.map_err(|_| wasmtime::format_err!("the component's answer broke off"))?;
    Ok(Response::from_parts(parts, Full::new(body.to_bytes())))
}
