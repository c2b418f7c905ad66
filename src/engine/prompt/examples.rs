//! The words in which an ordinary agent says it can be asked: the examples of its skills.

use crate::a2a::model::Skill;
use crate::wire::place_index::IdentitySet;

/// The examples of these skills, or of all when none are named: first one of each skill, then the second of each, and so on.
pub(super) fn of_skills(skills: &[Skill], wanted: &[String]) -> Vec<String> {
    let mut chosen: Vec<_> = skills.iter().filter(|skill| wanted.is_empty() || wanted.contains(&skill.id)).collect();
    let longest = chosen.iter().map(|skill| skill.examples.len()).max().unwrap_or_default();
    let mut texts: Vec<String> = Vec::new();
    let mut known = IdentitySet::default();
    for place in 0..longest {
        chosen.retain(|skill| skill.examples.len() > place);
        for text in chosen.iter().filter_map(|skill| skill.examples.get(place)) {
            if !text.trim().is_empty() && known.add(&[text]) {
                texts.push(text.clone());
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_has_its_turn_and_no_text_comes_twice() {
        let skill = |id: &str, examples: &[&str]| Skill {
            id: id.to_owned(),
            examples: examples.iter().map(|text| (*text).to_owned()).collect(),
        };
        let skills = [skill("a", &["a1", " ", "a3"]), skill("b", &[]), skill("c", &["c1", "a1", "c3"])];
        assert_eq!(of_skills(&skills, &[]), ["a1", "c1", "a3", "c3"]);
        assert_eq!(of_skills(&skills, &["c".to_owned()]), ["c1", "a1", "c3"]);
        assert_eq!(of_skills(&skills, &["d".to_owned()]), [""; 0]);
    }
}
