//! Errors as the protocol tells them.

use engine::EngineError;
use pgwire::error::ErrorInfo;

pub fn info(severity: &str, error: &EngineError) -> ErrorInfo {
    // Strings end at a NUL on the wire.
    let clean = |s: &str| s.replace('\0', "");
    let mut info = ErrorInfo::new(severity.into(), error.code.into(), clean(&error.message));
    info.severity_nonlocalized = Some(severity.into());
    info.detail = error.detail.as_deref().map(clean);
    info.hint = error.hint.as_deref().map(clean);
    info.where_context = error.context.as_deref().map(clean);
    if let Some(about) = error.about.as_deref() {
        let name = |name: &str| (!name.is_empty()).then(|| clean(name));
        (info.schema, info.table) = (name(&about.schema), name(&about.table));
        info.column = about.column.as_deref().map(clean);
        info.routine = about.routine.map(String::from);
        info.constraint = about.constraint.as_deref().map(clean);
    }
    info.position = error.position.map(|p| p.to_string());
    info
}
