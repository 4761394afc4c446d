//! The page: 8 KiB, with a header that every kind of page shares.
//!
//! ```text
//! offset  bytes  field
//!      0      8  LSN: end of the last log record that changed the page, little-endian like everything here
//!      8      4  CRC-32C of the page without this field, continued over relation and block
//!     12      1  kind (see PageKind)
//!     13      1  format version of the kind
//!     14      2  flags, the kind's own
//!     16         the kind's content
//! ```
//! The checksum covers where the page belongs, so a page written to the wrong place is found out. A page of zeros is
//! valid: the file was extended and the page never written.

use aio::IoBuf;

use crate::smgr::RelationId;

pub const PAGE_SIZE: usize = 8192;
/// Bytes before the content.
pub const HEADER_LEN: usize = 16;

/// A page's position in its relation.
pub type BlockNumber = u32;
/// A position in the log, in bytes.
pub type Lsn = u64;

/// What is behind the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PageKind {
    New = 0,
    Heap = 1,
    BTree = 2,
    Undo = 3,
    Sequence = 4,
    Visibility = 5,
    FreeSpace = 6,
}

/// Read access to a page's bytes.
pub trait Page {
    fn bytes(&self) -> &[u8];

    fn lsn(&self) -> Lsn {
        u64::from_le_bytes(self.bytes()[0..8].try_into().expect("8 bytes"))
    }
    fn kind_byte(&self) -> u8 {
        self.bytes()[12]
    }
    fn is_new(&self) -> bool {
        self.kind_byte() == PageKind::New as u8
    }
}

impl Page for [u8] {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Write access to the header.
pub trait PageMut: Page {
    fn bytes_mut(&mut self) -> &mut [u8];

    fn set_lsn(&mut self, lsn: Lsn) {
        self.bytes_mut()[0..8].copy_from_slice(&lsn.to_le_bytes());
    }

    /// Makes it an empty page of `kind`.
    fn init(&mut self, kind: PageKind, version: u8) {
        self.bytes_mut().fill(0);
        self.bytes_mut()[12] = kind as u8;
        self.bytes_mut()[13] = version;
    }
}

impl PageMut for [u8] {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

fn checksum(page: &[u8], relation: RelationId, block: BlockNumber) -> u32 {
    let crc = crc32c::crc32c(&page[..8]);
    let crc = crc32c::crc32c_append(crc, &page[12..]);
    let mut place = [0u8; 12];
    place[0..4].copy_from_slice(&relation.database.to_le_bytes());
    place[4..8].copy_from_slice(&relation.file.to_le_bytes());
    place[8..12].copy_from_slice(&block.to_le_bytes());
    crc32c::crc32c_append(crc, &place)
}

/// Sets the checksum, just before a page is written.
pub fn seal(page: &mut IoBuf, relation: RelationId, block: BlockNumber) {
    let crc = checksum(page, relation, block);
    page[8..12].copy_from_slice(&crc.to_le_bytes());
}

/// Checks what came from the disk. The reason if it is bad.
pub fn verify(page: &[u8], relation: RelationId, block: BlockNumber) -> Result<(), String> {
    debug_assert_eq!(page.len(), PAGE_SIZE);
    let stored = u32::from_le_bytes(page[8..12].try_into().expect("4 bytes"));
    if stored == 0 && page[12] == PageKind::New as u8 && page.iter().all(|&b| b == 0) {
        return Ok(());
    }
    let calculated = checksum(page, relation, block);
    if calculated != stored {
        return Err(format!("checksum {calculated:08x} calculated, {stored:08x} stored"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aio::BufferArena;
    use proptest::prelude::*;

    #[test]
    fn zeros_are_valid_and_place_matters() {
        let arena = BufferArena::new(1, PAGE_SIZE).unwrap();
        let mut page = arena.take().unwrap();
        let rel = RelationId { database: 5, file: 16384 };
        assert!(verify(&page, rel, 7).is_ok());
        page.init(PageKind::Heap, 1);
        page.set_lsn(99);
        seal(&mut page, rel, 7);
        assert!(verify(&page, rel, 7).is_ok());
        assert!(verify(&page, rel, 8).is_err());
        assert!(verify(&page, RelationId { database: 5, file: 16385 }, 7).is_err());
    }

    proptest! {
        #[test]
        fn any_flipped_bit_is_found(bit in 0..PAGE_SIZE * 8, fill in any::<u8>()) {
            let arena = BufferArena::new(1, PAGE_SIZE).unwrap();
            let mut page = arena.take().unwrap();
            let rel = RelationId { database: 1, file: 2 };
            page.fill(fill);
            page[12] = 1;
            seal(&mut page, rel, 3);
            page[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(verify(&page, rel, 3).is_err());
        }
    }
}
