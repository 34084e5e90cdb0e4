//! The component's one export, as the bindings generate it. The only file with `unsafe` in it, all of it theirs.

use wasip2::http::types::{IncomingRequest, ResponseOutparam};

struct Component;

impl wasip2::exports::http::incoming_handler::Guest for Component {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        crate::wasi::handle(&request, out);
    }
}

wasip2::http::proxy::export!(Component);
