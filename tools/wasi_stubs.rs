//! Single-threaded pthread stubs that the Rust standard library references (threads, test harness)
//! and that older packages of wasi-libc lack. They fail, as creating a thread does on this target.
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

#[unsafe(no_mangle)]
pub extern "C" fn pthread_attr_init(_attributes: usize) -> i32 {
    ENOTSUP
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_attr_setstacksize(_attributes: usize, _bytes: usize) -> i32 {
    ENOTSUP
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_attr_destroy(_attributes: usize) -> i32 {
    ENOTSUP
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_create(_thread: usize, _attributes: usize, _start: usize, _value: usize) -> i32 {
    ENOTSUP
}
