//! A real block device with a cloud volume's manners: a file in FUSE that delays what it is asked ([`device`]), under a
//! loop device with an ext4 on it ([`mount`]). Any server can keep its data there, and none can tell.

mod contents;
pub mod device;
pub mod mount;
pub mod profile;

pub use device::Observed;
pub use mount::Mounted;
pub use profile::Profile;
