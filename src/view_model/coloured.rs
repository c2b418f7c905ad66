//! A text that somebody is typing, in colours: JSON as far as it is any, and the longest that gets colours. No character is added
//! or lost, whatever it is.

use super::wire::Style;

/// The longest text that gets colours, in bytes: each letter typed colours it anew.
const LONGEST: usize = 40_000;

/// The text in pieces, each with its style.
#[must_use]
pub fn coloured(text: &str) -> Vec<(Style, &str)> {
    if text.len() > LONGEST {
        return vec![(Style::Raw, text)];
    }
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (style, length) = match first {
            '"' => {
                let length = string(rest);
                let is_key = rest.get(length..).is_some_and(|after| after.trim_start().starts_with(':'));
                (if is_key { Style::Key } else { Style::String }, length)
            }
            '{' | '}' | '[' | ']' | ',' | ':' => (Style::Punctuation, 1),
            _ if first.is_whitespace() => (Style::Raw, run(rest, char::is_whitespace)),
            _ => {
                let length = run(rest, |letter| !letter.is_whitespace() && !"{}[],:\"".contains(letter));
                (word(rest.get(..length).unwrap_or_default()), length)
            }
        };
        let (piece, after) = rest.split_at(length.max(1));
        pieces.push((style, piece));
        rest = after;
    }
    pieces
}

/// How long a string at the beginning of a text is: to its closing quote, or to the end of the line.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn run(text: &str, goes_on: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !goes_on(letter)).unwrap_or(text.len())
}

fn word(word: &str) -> Style {
    match word {
        "true" | "false" | "null" => Style::Literal,
        _ if word.starts_with(|first: char| first.is_ascii_digit() || first == '-') => Style::Number,
        _ => Style::Raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_the_style_of_what_it_is() {
        let styles: Vec<_> = coloured("{\"a\" : [\"b\\\"\", -1.5, true]} oops")
            .into_iter()
            .filter(|(_, text)| !text.trim().is_empty())
            .map(|(style, text)| (style.id(), text))
            .collect();
        assert_eq!(
            styles,
            [
                ("pun", "{"),
                ("key", "\"a\""),
                ("pun", ":"),
                ("pun", "["),
                ("str", "\"b\\\"\""),
                ("pun", ","),
                ("num", "-1.5"),
                ("pun", ","),
                ("lit", "true"),
                ("pun", "]"),
                ("pun", "}"),
                ("raw", "oops"),
            ]
        );
    }

    #[test]
    fn nothing_is_added_or_lost() {
        for text in ["", "\"", "\"open\nnext\"", "é\u{1f600}\"\\", "a\tb\r\n\n", "{\"k\":\"\u{202e}\"", "\\\"x"] {
            let joined: String = coloured(text).into_iter().map(|(_, piece)| piece).collect();
            assert_eq!(joined, text);
        }
        let long = "{}".repeat(LONGEST);
        assert_eq!(coloured(&long).len(), 1);
    }
}
