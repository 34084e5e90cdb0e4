//! The engine's settings, and the clock that interrupts guests.

use wasmtime::error::Context;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Result};

use crate::limits::{EPOCH_TICK, KEEP_RESIDENT, Limits};

/// For serving: every slot a guest can need is set aside at start, and its memory is a copy-on-write image.
///
/// # Errors
/// The limits do not fit the machine's address space.
pub fn pooled(limits: &Limits) -> Result<Engine> {
    let slots = u32::try_from(limits.active)?;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        // The component is four core modules: ours, the wasip1 adapter and two of glue.
        .total_core_instances(slots.saturating_mul(8))
        .max_core_instances_per_component(8)
        .total_memories(slots.saturating_mul(2))
        .max_memories_per_component(2)
        .total_tables(slots.saturating_mul(4))
        .max_tables_per_component(4)
        .total_stacks(slots)
        .max_memory_size(limits.memory)
        .max_unused_warm_slots(slots)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(64 * 1024)
        .async_stack_keep_resident(64 * 1024)
        // Clear the pages a request wrote and no others: the model's pages stay mapped from one to the next.
        .pagemap_scan(Enabled::Auto);
    let mut config = base();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config)
}

/// For one program: memory on demand, so that a large model may grow.
///
/// # Errors
/// The processor lacks what compiled code needs.
pub fn on_demand() -> Result<Engine> {
    Engine::new(&base())
}

/// For compiling what another kind of machine runs: [`on_demand`]'s settings and no more of its instructions than
/// every such machine has.
///
/// # Errors
/// No such kind of machine, or none that this program was built for.
pub fn foreign(target: &str) -> Result<Engine> {
    let mut config = base();
    config.target(target)?;
    Engine::new(&config)
        .with_context(|| format!("--target {target} (for Arm, lacuna-host is built with `--features arm`)"))
}

/// The same machine code in all.
fn base() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.memory_init_cow(true);
    // Static data lies at the start of memory after the stack, in one piece: the model. Up to this size it may
    // become one image even if segments leave gaps.
    config.memory_guaranteed_dense_image_size(64 << 20);
    config
}

/// Advances the engine's epoch for as long as the process lives.
pub fn tick(engine: &Engine) {
    let engine = engine.weak();
    std::thread::spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(EPOCH_TICK);
        }
    });
}
