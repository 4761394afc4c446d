//! Which staged operations become one: neighbours in the same file, of the same kind, up to `io_combine_limit`.

use crate::op::OpKind;

/// What merging needs to know of a staged operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeItem {
    pub file: u64,
    pub kind: OpKind,
    pub offset: u64,
    pub len: u64,
    /// Entries in the I/O vector.
    pub vectors: usize,
}

/// The kernel takes at most this many vectors in one call (`IOV_MAX`).
pub(crate) const MAX_VECTORS: usize = 1024;

/// Cuts `order` (indices into `items`) into runs that go to the kernel as one operation each, and sorts it so that a
/// run's members are adjacent and ascending. Only reads merge with reads and writes with writes; a flush, an
/// allocation or a write-then-flush stands alone. No run exceeds `limit` bytes unless a single item does.
///
/// `order` and `runs` are the caller's scratch space, reused between batches. `runs` receives the end of each run.
pub fn plan_merge(items: &[MergeItem], limit: u64, order: &mut Vec<usize>, runs: &mut Vec<usize>) {
    order.clear();
    order.extend(0..items.len());
    order.sort_by_key(|&i| (items[i].file, items[i].kind as u8, items[i].offset, i));
    runs.clear();
    let mut run_len = 0;
    let mut run_vectors = 0;
    for (position, &index) in order.iter().enumerate() {
        let item = &items[index];
        let joins = position > 0 && {
            let previous = &items[order[position - 1]];
            matches!(item.kind, OpKind::Read | OpKind::Write)
                && previous.kind == item.kind
                && previous.file == item.file
                && previous.offset + previous.len == item.offset
                && run_len + item.len <= limit
                && run_vectors + item.vectors <= MAX_VECTORS
        };
        if joins {
            run_len += item.len;
            run_vectors += item.vectors;
        } else {
            if position > 0 {
                runs.push(position);
            }
            run_len = item.len;
            run_vectors = item.vectors;
        }
    }
    if !items.is_empty() {
        runs.push(items.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item() -> impl Strategy<Value = MergeItem> {
        let kind = prop_oneof![
            Just(OpKind::Read),
            Just(OpKind::Write),
            Just(OpKind::WriteFlush),
            Just(OpKind::Fsync),
            Just(OpKind::Allocate)
        ];
        (0..3u64, kind, 0..24u64, 1..4u64).prop_map(|(file, kind, block, blocks)| MergeItem {
            file,
            kind,
            offset: block * 8192,
            len: blocks * 8192,
            vectors: blocks as usize,
        })
    }

    proptest! {
        #[test]
        fn every_item_once_and_runs_are_contiguous(
            items in prop::collection::vec(item(), 0..40),
            limit in (1..20u64).prop_map(|b| b * 8192),
        ) {
            let (mut order, mut runs) = (vec![], vec![]);
            plan_merge(&items, limit, &mut order, &mut runs);
            let mut seen = order.clone();
            seen.sort();
            prop_assert_eq!(seen, (0..items.len()).collect::<Vec<_>>());
            let mut start = 0;
            for &end in &runs {
                prop_assert!(end > start);
                let run: Vec<_> = order[start..end].iter().map(|&i| items[i]).collect();
                for pair in run.windows(2) {
                    prop_assert!(matches!(pair[0].kind, OpKind::Read | OpKind::Write));
                    prop_assert_eq!(pair[0].kind, pair[1].kind);
                    prop_assert_eq!(pair[0].file, pair[1].file);
                    prop_assert_eq!(pair[0].offset + pair[0].len, pair[1].offset);
                }
                prop_assert!(run.len() == 1 || run.iter().map(|i| i.len).sum::<u64>() <= limit);
                start = end;
            }
            prop_assert_eq!(start, items.len());
        }

        #[test]
        fn a_split_range_becomes_one_again(blocks in 1..16usize, seed in any::<u64>()) {
            // Whatever order neighbours are staged in, one operation results.
            let mut items: Vec<_> = (0..blocks)
                .map(|b| MergeItem { file: 1, kind: OpKind::Read, offset: b as u64 * 8192, len: 8192, vectors: 1 })
                .collect();
            items.sort_by_key(|i| (i.offset / 8192).wrapping_mul(seed | 1));
            let (mut order, mut runs) = (vec![], vec![]);
            plan_merge(&items, 16 * 8192, &mut order, &mut runs);
            prop_assert_eq!(runs, vec![blocks]);
        }
    }
}
