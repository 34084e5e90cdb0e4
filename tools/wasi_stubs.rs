//! Single-threaded pthread stubs that the Rust standard library references (threads, test harness)
//! and that older packages of wasi-libc lack. They are never reached: creating a thread fails first.
#![no_std]

const ENOTSUP: i32 = 58;

#[unsafe(no_mangle)]
pub extern "C" fn pthread_join(_thread: usize, _value: *mut *mut u8) -> i32 {
    ENOTSUP
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_detach(_thread: usize) -> i32 {
    ENOTSUP
}
