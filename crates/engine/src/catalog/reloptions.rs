//! Parameters as rows of the catalogs have them, each as `name=value`: `reloptions`, `attoptions`, `spcoptions`, `setconfig`.

use catalog::facts::Name;

/// A name and a value's text.
type Parameter = (String, String);

/// Parameters as a row has them; none are NULL.
pub fn stored(parameters: &[Parameter]) -> Option<Box<[Name]>> {
    let text = |(name, value): &Parameter| Name::Owned(format!("{name}={value}"));
    (!parameters.is_empty()).then(|| parameters.iter().map(text).collect())
}

/// The parameters that a row has.
pub fn given(stored: Option<&[Name]>) -> Vec<Parameter> {
    let parts = |text: &Name| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.to_string(), value.to_string())
    };
    stored.unwrap_or_default().iter().map(parts).collect()
}
