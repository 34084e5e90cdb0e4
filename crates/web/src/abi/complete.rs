//! The exports of a module that generates text: `open`, `take` as often as bytes come, `ready`; then for each text
//! `begin` and `step` until it is over, or `stop`.

use std::cell::RefCell;

use lacuna::json::ApiError;

use super::{keep_place_of_panics, leave, slice};
use crate::engine::{Engine, Memory, Outcome};
use crate::memory;

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Waits for a model of `size` bytes; 0 where that is not known.
#[unsafe(no_mangle)]
extern "C" fn open(size: f64) {
    keep_place_of_panics();
    // JavaScript's numbers: whole up to 2^53.
    let size = (size >= 1.0).then_some(size as u64);
    let memory = Memory { can_have: memory::can_have, make_room: memory::make_room };
    ENGINE.set(Some(Engine::new(size, memory)));
}

/// Takes the next bytes of the model file.
///
/// # Safety
/// `bytes` bytes at `address` were written by the caller and stay as they are during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn take(address: *const u8, bytes: usize) -> u32 {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice(address, bytes) };
    with_engine(|engine| engine.take(bytes))
}

/// The model file has come whole.
#[unsafe(no_mangle)]
extern "C" fn ready() -> u32 {
    with_engine(Engine::finish)
}

/// Begins a text.
///
/// # Safety
/// As `take`.
#[unsafe(no_mangle)]
unsafe extern "C" fn begin(address: *const u8, bytes: usize) -> u32 {
    // SAFETY: the caller's promise.
    let request = unsafe { slice(address, bytes) };
    with_engine(|engine| engine.begin(request))
}

/// The next piece of the prompt, or the next token.
#[unsafe(no_mangle)]
extern "C" fn step() -> u32 {
    with_engine(Engine::step)
}

/// Ends the text that is under way.
#[unsafe(no_mangle)]
extern "C" fn stop() -> u32 {
    with_engine(Engine::stop)
}

fn with_engine(work: impl FnOnce(&mut Engine) -> Outcome) -> u32 {
    // What was refused before is answered for.
    memory::forget_refusal();
    leave(ENGINE.with_borrow_mut(|engine| match engine {
        Some(engine) => work(engine),
        None => Err(ApiError::new(400, "not_loaded", "no model was opened in this instance")),
    }))
}
