//! Characters that cannot be seen, by their names: two values that differ only in one of them look alike.

use std::borrow::Cow;

/// Whether a character leaves no mark. Line ends and tabs are seen by what they do.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    match character {
        '\n' | '\r' | '\t' => false,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
        _ => character.is_control(),
    }
}

/// A character by its number and name.
#[must_use]
pub fn name_of(character: char) -> String {
    let name = match character {
        '\u{0}' => " NULL",
        '\u{1b}' => " ESCAPE",
        '\u{1e}' => " RECORD SEPARATOR",
        '\u{ad}' => " SOFT HYPHEN",
        '\u{200b}' => " ZERO WIDTH SPACE",
        '\u{2060}' => " WORD JOINER",
        '\u{feff}' => " BYTE ORDER MARK",
        _ => "",
    };
    format!("U+{:04X}{name}", u32::from(character))
}

/// The text with `<U+200B ZERO WIDTH SPACE>` for a character that cannot be seen. Two of them join the letters of some scripts
/// and the parts of an emoji, and stay there.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut before = ' ';
    for character in text.chars() {
        let joins = matches!(character, '\u{200c}' | '\u{200d}') && !before.is_ascii();
        if is_invisible(character) && !joins {
            shown += &format!("<{}>", name_of(character));
        } else {
            shown.push(character);
        }
        before = character;
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_named_and_all_else_stays() {
        assert_eq!(visible("DONE\u{200b}"), "DONE<U+200B ZERO WIDTH SPACE>");
        assert_eq!(visible("\u{feff}a\u{202e}b\u{7}"), "<U+FEFF BYTE ORDER MARK>a<U+202E>b<U+0007>");
        for text in ["", "a\tb\r\nc", "über 東京", "👩\u{200d}💻"] {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("a\u{200d}"), "a<U+200D>");
    }
}
