//! The text of the requirement table. A page carries it without what only an open row shows: the comments, and what each
//! statement demands in words. That is in the module which the page loads on demand.
#![expect(clippy::indexing_slicing, reason = "all of this runs while it is compiled, where a wrong index is an error")]

use crate::host::IS_PAGE;

/// The table as it is written; its head says how.
pub const SOURCE: &str = include_str!("requirements.txt");

/// The table as this program carries it.
pub const TABLE: &str = if IS_PAGE { LEAN } else { SOURCE };

/// A digest (FNV-1a) of the table as it is written: the same in every program that judges by it.
pub const DIGEST: u64 = {
    let bytes = SOURCE.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
};

const LEAN: &str = {
    const LENGTH: usize = lean(SOURCE.as_bytes(), &mut []);
    #[expect(clippy::large_const_arrays, reason = "it is named once, and clippy crashes over a static here")]
    const BYTES: [u8; LENGTH] = {
        let mut bytes = [0; LENGTH];
        lean(SOURCE.as_bytes(), &mut bytes);
        bytes
    };
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => panic!("the table is cut at characters of ASCII"),
    }
};

/// Writes the table without comments and without the text of its third column into a buffer, as far as that reaches, and
/// answers how long it is.
const fn lean(table: &[u8], buffer: &mut [u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    let (mut column, mut is_comment) = (0, false);
    while at < table.len() {
        let byte = table[at];
        let starts_line = at == 0 || table[at - 1] == b'\n';
        if starts_line {
            column = 0;
            is_comment = byte == b'#' || byte == b'\n';
        }
        if byte == b'|' {
            column += 1;
        }
        // The blanks around the bars stay, because columns are split at them.
        let beside_bar =
            byte == b'|' || table[at - (at > 0) as usize] == b'|' || (at + 1 < table.len() && table[at + 1] == b'|');
        if !is_comment && (column != 2 || beside_bar || byte == b'\n') {
            if length < buffer.len() {
                buffer[length] = byte;
            }
            length += 1;
        }
        at += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::{Requirement, lines_of};

    #[test]
    fn without_its_titles_the_table_says_the_same() {
        assert!(LEAN.len() < SOURCE.len() - 10_000);
        let read = |table| lines_of(table).map(|line| Requirement::read(line).unwrap()).collect::<Vec<_>>();
        let (written, lean) = (read(SOURCE), read(LEAN));
        assert_eq!(written.len(), lean.len());
        for (written, lean) in written.iter().zip(&lean) {
            assert_eq!(lean.title, "");
            assert!(!written.title.is_empty());
            let facts = |r: &Requirement| (r.id, r.level, r.basis, r.bindings, r.spec.clone(), r.other_levels.clone());
            assert_eq!(facts(written), facts(lean));
        }
    }
}
