//! File patterns of `include`: `*` and `?` inside a name, `**` over folders.

/// Whether a project path matches a pattern that is relative to the top of the project.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let path: Vec<&str> = path.split('/').collect();
    // reachable[i]: the parts of the pattern so far match the first i parts of the path.
    let mut reachable = vec![false; path.len() + 1];
    reachable[0] = true;
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        if part == "**" {
            let first = reachable.iter().position(|reached| *reached).unwrap_or(next.len());
            next.iter_mut().skip(first).for_each(|reached| *reached = true);
        } else {
            for (index, name) in path.iter().enumerate() {
                next[index + 1] = reachable[index] && name_matches(part, name);
            }
        }
        reachable = next;
    }
    reachable.last().copied().unwrap_or(false)
}

/// Whether one name matches; goes back to the last `*` only, which is enough.
fn name_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, path, expected) in [
            ("resources/*.yml", "resources/a.job.yml", true),
            ("resources/*.yml", "resources/a/b.yml", false),
            ("./resources/**/*.yml", "resources/a/b/c.yml", true),
            ("resources/**/*.yml", "resources/c.yml", true),
            ("**", "a/b", true),
            ("*/?.yml", "a/b.yml", true),
            ("*/?.yml", "a/bc.yml", false),
            ("a*b*c.yml", "aXbXbc.yml", true),
            ("a", "a/b", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
        assert!(!matches(&"*a".repeat(60), &"a".repeat(59)));
    }
}
