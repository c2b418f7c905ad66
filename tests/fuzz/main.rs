//! The fuzz targets on stable Rust: each tries its kept inputs, its seeds, and inputs that are made of both.
//!
//! Every run makes the same inputs, so that a failure is always that of the change at hand. To look further, set `FUZZ_SEED` to another
//! number and `FUZZ_CASES` to how many times as many inputs there shall be, or run `make fuzz`.

#[cfg(test)]
mod mutate;
#[cfg(test)]
mod targets;
#[cfg(test)]
mod try_targets;

/// Inputs by the thousand allocate as no user's run does.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
