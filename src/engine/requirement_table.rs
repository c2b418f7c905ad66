//! The texts of the requirement tables, `requirements.txt` (made of `docs/statements.txt`) and `*_requirements.txt` beside it, and
//! their digest.
#![expect(clippy::indexing_slicing, reason = "all of this runs while it is compiled, where a wrong index is an error")]

/// The statements that checks judge, made of `docs/statements.txt`, whose head says how they are written.
pub const TABLE: &str = include_str!("requirements.txt");

/// What the acceptance lists of profiles ask for beside it.
pub const PROFILES: &str = include_str!("profile_requirements.txt");

/// What is asked of a gateway.
pub const GATEWAYS: &str = include_str!("gateway_requirements.txt");

/// What two agents need to work together.
pub const PAIRS: &str = include_str!("pair_requirements.txt");

/// What a load is judged by beside it; nothing in a page, which puts no agent under load.
pub const LOADS: &str = if cfg!(target_arch = "wasm32") { "" } else { include_str!("load_requirements.txt") };

/// A digest (FNV-1a) of the table as it is written: the same in every program that judges by it.
pub const DIGEST: u64 = {
    let bytes = TABLE.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
};
