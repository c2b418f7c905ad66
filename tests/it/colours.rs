//! The colours of `style/base.css` can be told apart, in light and in dark (WCAG 2.2, 1.4.3 and 1.4.11): text on every
//! surface, graphics that have to be seen, and the ring around the element that has the focus.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Colours of text.
const TEXT: [&str; 8] = ["ink", "dim", "accent", "pass", "fail", "advisory", "skip", "blocked"];
/// Colours of its background.
const SURFACES: [&str; 4] = ["paper", "sheet", "sunk", "hover"];
/// Shapes, edges of fields and buttons, the focus ring.
const SEEN: [&str; 8] = ["accent", "strong-line", "ink", "pass", "fail", "advisory", "skip", "blocked"];
/// Lines that only divide, and what is looked at below in a pair of its own.
const OTHERS: [&str; 2] = ["line", "on-accent"];

const SCHEMES: [&str; 2] = ["light", "dark"];

fn style(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("style").join(name)).unwrap()
}

/// The colours by their names, in light and in dark.
fn colours() -> BTreeMap<String, [[f64; 3]; 2]> {
    let style = style("base.css");
    let lines = style.lines().filter_map(|line| line.trim().strip_prefix("--")?.split_once(": light-dark("));
    lines
        .map(|(name, pair)| {
            let (light, dark) = pair.trim_end_matches(");").split_once(", ").unwrap();
            (name.to_owned(), [parse(light), parse(dark)])
        })
        .collect()
}

fn parse(hex: &str) -> [f64; 3] {
    let hex = hex.strip_prefix('#').unwrap();
    assert_eq!(hex.len(), 6, "{hex}");
    [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0)
}

/// How bright a colour is (WCAG 2.2, relative luminance).
fn luminance(colour: [f64; 3]) -> f64 {
    let [red, green, blue] =
        colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    (one / other).max(other / one)
}

/// `color-mix(in srgb, first share%, second)`.
fn mix(first: [f64; 3], second: [f64; 3], share: f64) -> [f64; 3] {
    [0, 1, 2].map(|part| first[part] * share + second[part] * (1.0 - share))
}

#[test]
fn contrast_is_measured_as_the_guidelines_do() {
    let (black, white, grey) = (parse("#000000"), parse("#ffffff"), parse("#767676"));
    assert!((contrast(black, white) - 21.0).abs() < 1e-9);
    assert!((contrast(white, grey) - 4.54).abs() < 0.005);
    assert!((contrast(grey, grey) - 1.0).abs() < 1e-9);
}

#[test]
fn every_colour_is_one_of_those_that_are_looked_at() {
    for name in colours().keys() {
        let known = [&TEXT[..], &SURFACES, &SEEN, &OTHERS].concat().contains(&name.as_str());
        assert!(known, "--{name}: name it in tests/it/colours.rs by what it is used for");
    }
}

#[test]
fn text_and_what_has_to_be_seen_stand_out_from_every_surface() {
    let colours = colours();
    let mut faint = Vec::new();
    for (scheme, name) in SCHEMES.iter().enumerate() {
        for (marks, least) in [(TEXT, 4.5), (SEEN, 3.0)] {
            for mark in marks {
                for surface in SURFACES {
                    let ratio = contrast(colours[mark][scheme], colours[surface][scheme]);
                    if ratio < least {
                        faint.push(format!("{name}: --{mark} on --{surface} has {ratio:.2}, not {least}"));
                    }
                }
            }
        }
        let [accent, on_accent, ink] = ["accent", "on-accent", "ink"].map(|mark| colours[mark][scheme]);
        for (state, button) in [("", accent), (" under the pointer", mix(accent, ink, 0.86))] {
            let ratio = contrast(on_accent, button);
            if ratio < 4.5 {
                faint.push(format!("{name}: the primary button{state} has {ratio:.2}"));
            }
        }
    }
    assert!(faint.is_empty(), "{}", faint.join("\n"));
    assert!(
        style("base.css").contains("color-mix(in srgb, var(--accent) 86%, var(--ink))"),
        "the button's own mixture"
    );
}

#[test]
fn statuses_differ_from_each_other_in_both_schemes() {
    let colours = colours();
    for scheme in 0..2 {
        let tones = ["pass", "fail", "advisory", "skip", "blocked"].map(|name| (name, colours[name][scheme]));
        for (index, (name, tone)) in tones.iter().enumerate() {
            for (other, colour) in &tones[index + 1..] {
                let distance: f64 = tone.iter().zip(colour).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!(distance > 0.15, "{}: --{name} and --{other}: {distance:.2}", SCHEMES[scheme]);
            }
        }
    }
}

#[test]
fn colours_have_names() {
    // Paper is black on white, whatever the theme.
    const EXCEPT: [&str; 1] = ["media.css"];
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("style")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".css") || EXCEPT.contains(&name.as_str()) {
            continue;
        }
        for (number, line) in style(&name).lines().enumerate() {
            let is_token = line.contains("light-dark(");
            let has_colour = line.split_once(": ").is_some_and(|(_, value)| value.contains('#'));
            assert!(is_token || !has_colour, "style/{name}:{}: a colour without a name: {line}", number + 1);
        }
    }
}
