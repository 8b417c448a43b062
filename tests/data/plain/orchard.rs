//! Counts the trees of an orchard.

/// One tree.
#[derive(Debug, Clone)]
pub struct Tree<'a> {
    kind: &'a str,
    age: u32,
}

impl<'a> Tree<'a> {
    /// Whether it is old enough: '{' and '"' are characters.
    pub fn bears(&self) -> bool {
        let odd = r#"a "raw" { string"#;
        self.age >= 4 && odd.len() > 1 && self.kind != "\"{"
    }
}

/* A comment /* within */ a comment. */
pub fn count(trees: &[Tree]) -> usize {
    trees.iter().filter(|tree| tree.bears()).count()
}
