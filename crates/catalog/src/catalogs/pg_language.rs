//! `pg_language`.

use types::Oid;
use types::acl::AclItem;

use crate::facts::{Name, catalog};

catalog! {
    /// A language in which functions are written.
    pub struct PgLanguage in "pg_language" {
        pub oid: Oid,
        pub lanname: Name,
        pub lanowner: Oid,
        pub lanispl: bool,
        pub lanpltrusted: bool,
        pub lanplcallfoid: Oid,
        pub laninline: Oid,
        pub lanvalidator: Oid,
        pub lanacl: Option<Box<[AclItem]>>,
    }
}
