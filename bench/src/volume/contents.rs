//! What a simulated volume holds: extents of memory, each made when something is first written to it.
//!
//! Kept by the program itself rather than in a tmpfs: an answer is copied once, from here to the kernel. The device
//! shares the machine's processors with the servers it is for, so what a byte costs here is missing there.

use parking_lot::RwLock;

/// Bytes. A request of the kernel (1 MiB at most) lies in two at most.
const EXTENT: usize = 1 << 20;

pub struct Contents {
    /// Empty where nothing was written: such a place reads as zeros.
    extents: Vec<RwLock<Box<[u8]>>>,
    size: u64,
}

impl Contents {
    /// `size` bytes of zeros.
    pub fn new(size: u64) -> Contents {
        let extents = (0..size.div_ceil(EXTENT as u64)).map(|_| RwLock::default()).collect();
        Contents { extents, size }
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many of the `len` bytes from `offset` on there are: all but those behind the end.
    pub fn within(&self, offset: u64, len: usize) -> usize {
        (len as u64).min(self.size.saturating_sub(offset)) as usize
    }

    /// Hands the `len` bytes from `offset` on, all of them within the size, to `use_them`. `buffer` is used where they
    /// are not in one piece, and grows as it must.
    pub fn read<R>(&self, offset: u64, len: usize, buffer: &mut Vec<u8>, use_them: impl FnOnce(&[u8]) -> R) -> R {
        if let Some((number, from, first)) = pieces(offset, len).next()
            && first == len
        {
            let extent = self.extents[number].read();
            if !extent.is_empty() {
                return use_them(&extent[from..from + len]);
            }
        }
        buffer.clear();
        for (number, from, len) in pieces(offset, len) {
            let extent = self.extents[number].read();
            match extent.is_empty() {
                true => buffer.resize(buffer.len() + len, 0),
                false => buffer.extend_from_slice(&extent[from..from + len]),
            }
        }
        use_them(buffer)
    }

    /// `data` from `offset` on, all of it within the size.
    pub fn write(&self, offset: u64, mut data: &[u8]) {
        for (number, from, len) in pieces(offset, data.len()) {
            let (piece, rest) = data.split_at(len);
            data = rest;
            let mut extent = self.extents[number].write();
            if extent.is_empty() {
                *extent = vec![0; EXTENT].into_boxed_slice();
            }
            extent[from..from + len].copy_from_slice(piece);
        }
    }
}

/// The extents of a range: number, where in it the range begins, how many bytes of it are there.
fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let mut at = offset;
    let end = offset + len as u64;
    std::iter::from_fn(move || {
        let (number, from) = ((at / EXTENT as u64) as usize, (at % EXTENT as u64) as usize);
        let len = (EXTENT - from).min((end - at) as usize);
        at += len as u64;
        (len > 0).then_some((number, from, len))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_over_the_ends_of_extents() {
        let contents = Contents::new(3 * EXTENT as u64 + 100);
        let read = |offset, len| contents.read(offset, len, &mut vec![7; 3], <[u8]>::to_vec);
        let edge = EXTENT as u64;
        assert_eq!(read(edge - 10, 20), [0; 20]);
        contents.write(edge - 3, &[1, 2, 3, 4, 5]);
        assert_eq!(read(edge - 4, 7), [0, 1, 2, 3, 4, 5, 0]);
        // Half of it in a hole.
        assert_eq!(read(2 * edge - 1, 3), [0; 3]);
        assert_eq!((contents.within(edge, 50), contents.within(3 * edge + 90, 50)), (50, 10));
        assert_eq!(contents.within(4 * edge, 50), 0);
        assert!(read(0, 0).is_empty());
    }
}
