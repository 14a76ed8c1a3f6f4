//! [`NodeSet`]: a set of nodes, numbered in ascending order.

/// A bit per node, and the number of bits set before every eighth word.
pub(super) struct NodeSet {
    words: Vec<u64>,
    before: Vec<u64>,
}

/// Number of words between two counts.
const STRIDE: usize = 8;

impl NodeSet {
    /// An empty set of ids below `nodes`.
    pub(super) fn new(nodes: usize) -> Self {
        Self { words: vec![0; nodes.div_ceil(64)], before: Vec::new() }
    }

    pub(super) fn insert(&mut self, id: usize) {
        self.words[id / 64] |= 1 << (id % 64);
    }

    /// Numbers the nodes and returns how many there are; must be called before [`NodeSet::position`].
    pub(super) fn number(&mut self) -> u64 {
        let mut sum = 0;
        self.before.clear();
        for words in self.words.chunks(STRIDE) {
            self.before.push(sum);
            sum += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        sum
    }

    /// Number of smaller ids in the set.
    pub(super) fn position(&self, id: usize) -> u64 {
        let word = id / 64;
        let whole = &self.words[word / STRIDE * STRIDE..word];
        let smaller = self.words[word] & ((1 << (id % 64)) - 1);
        let ones = whole.iter().map(|word| word.count_ones()).sum::<u32>() + smaller.count_ones();
        self.before[word / STRIDE] + u64::from(ones)
    }

    /// The ids, ascending.
    pub(super) fn ids(&self) -> impl Iterator<Item = i64> {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let next = |&word: &u64| Some(word & word.wrapping_sub(1));
            let rests = std::iter::successors(Some(word), next).take_while(|&word| word != 0);
            rests.map(move |word| 64 * at as i64 + i64::from(word.trailing_zeros()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::NodeSet;

    #[test]
    fn positions_are_those_of_a_sorted_list() {
        let ids: Vec<usize> = (0..5000).filter(|id| id * id % 7 < 2 || (1000..1100).contains(id)).collect();
        let mut set = NodeSet::new(5000);
        ids.iter().rev().for_each(|&id| set.insert(id));
        assert_eq!(set.number(), ids.len() as u64);
        assert!(ids.iter().zip(0..).all(|(&id, place)| set.position(id) == place));
        assert!(set.ids().eq(ids.iter().map(|&id| id as i64)));
    }
}
