//! What the user says about the tests of a run, a line for each, as the command line takes it: `--var name=Value`.

use crate::acts::TestSettings;

/// Reads the lines. The error is a sentence about the first line that cannot be read.
pub(super) fn read(text: &str) -> Result<TestSettings, String> {
    let mut settings = TestSettings::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let wrong = || format!("Expected --var NAME=VALUE, --behavior PREFIX=TEXT or --agent NAME=URL, got {line:?}.");
        let (option, pair) = line.split_once(char::is_whitespace).ok_or_else(wrong)?;
        let list = match option {
            "--var" => &mut settings.variables,
            "--behavior" => &mut settings.behaviors,
            "--agent" => &mut settings.agents,
            _ => return Err(wrong()),
        };
        let (name, value) = pair.split_once('=').filter(|(name, _)| !name.trim().is_empty()).ok_or_else(wrong)?;
        list.push((name.trim().to_owned(), unquoted(value.trim()).to_owned()));
    }
    Ok(settings)
}

/// A text without the quotes that a shell would take away.
fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    within('\'').or_else(|| within('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_the_command_line_takes_them() {
        let text = "--var name=A=B\n\n  --behavior  tck-cancel='Wait for an hour'\n--behavior tck-sing=\n--agent down=localhost:1";
        let settings = read(text).unwrap();
        let pairs = |list: &[(&str, &str)]| -> Vec<_> {
            list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        assert_eq!(settings.variables, pairs(&[("name", "A=B")]));
        assert_eq!(settings.behaviors, pairs(&[("tck-cancel", "Wait for an hour"), ("tck-sing", "")]));
        assert_eq!(settings.agents, pairs(&[("down", "localhost:1")]));
        for wrong in ["name=x", "--var", "--var name", "--var =x", "--prompt a=b"] {
            assert!(read(wrong).unwrap_err().ends_with(&format!("got {wrong:?}.")), "{wrong}");
        }
    }
}
