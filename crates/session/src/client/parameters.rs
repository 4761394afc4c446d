//! Values of parameters, as clients send them.

use std::sync::Arc;

use ::error::sqlstate;
use catalog::Catalog;
use engine::{EngineError, Result};
use types::base_type::LEFT_OVER;
use types::encoding::Encoding;
use types::{Context, Datum, Oid, Reader, Repr, made_of};

use crate::client::client_encoding::from_client;
use crate::client::output::Format;
use crate::errors::reported;
use crate::session::Session;
use crate::statement::parameter::Parameter;

/// Reads the parameters of a message.
pub struct ParameterInput<'a> {
    context: Context,
    encoding: &'a Encoding,
    called: &'static str,
}

impl Session {
    /// `text` is the statement's, `encoding` the client's; `called`: what parameters are in errors.
    pub fn parameter_input<'a>(
        &mut self,
        text: &Arc<str>,
        encoding: &'a Encoding,
        called: &'static str,
    ) -> ParameterInput<'a> {
        let environment = self.environment();
        ParameterInput { context: self.context(&environment, text), encoding, called }
    }
}

impl ParameterInput<'_> {
    /// The value of the parameter of this number, from 1. Fails as the type's input and receive functions do, and with 0A000
    /// for types that are not here.
    pub fn read(&self, number: usize, ty: Oid, format: Format, bytes: Option<&[u8]>) -> Result<Parameter> {
        let missing = || match Catalog::BUILT_IN.pg_type(ty).filter(|row| row.typtype == b'p') {
            Some(row) => EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("cannot accept a value of type {}", row.typname),
            ),
            None => EngineError::unsupported(format!("a parameter of type {ty}")),
        };
        let reader = Reader::of(ty);
        let repr = made_of::repr(&self.context, ty).map_err(|_| missing())?;
        let Some(bytes) = bytes else { return Ok(Parameter { ty, repr, value: Datum::Null }) };
        let value = match format {
            Format::Text => {
                let text = self.encoding.decode(bytes)?;
                reader.input(&self.context, &text, -1)
            }
            Format::Binary if self.encoding.is_utf8() && !matches!(repr, Repr::Text | Repr::Bpchar) => {
                reader.receive(&self.context, bytes, -1)
            }
            Format::Binary => {
                let bytes = from_client(self.encoding, repr, bytes)?;
                reader.receive(&self.context, &bytes, -1)
            }
        };
        let value = value.map_err(|error| {
            let error = reported(error, "");
            match &*error.message {
                LEFT_OVER => EngineError { message: format!("{} in {} {number}", error.message, self.called), ..error },
                _ => error,
            }
        })?;
        Ok(Parameter { ty, repr, value })
    }
}
