//! The message that calls a function by its number.

use std::time::SystemTime;

use engine::EngineError;
use session::Parameter;

use super::{Connection, Step, format_code};
use crate::frontend::{CallArguments, FunctionCall};

type Outcome<T = ()> = Result<T, EngineError>;

impl Connection<'_> {
    /// Calls a function, and sends its result (`HandleFunctionRequest`).
    pub(super) async fn function_call(&mut self, call: FunctionCall<'_>) -> Step<Outcome> {
        self.begin_work("");
        self.backend.enter_state("fastpath function call", SystemTime::now(), |_| {});
        let result = match self.called(call).await? {
            Ok(result) => result,
            Err(error) => return Ok(Err(error)),
        };
        self.send_notices().await?;
        // What was done counts before the client is told so.
        if let Err(error) = self.session.end_implicit(true).await {
            return Ok(Err(error));
        }
        self.put_result(result.as_deref());
        Ok(Ok(()))
    }

    /// The result, as it is sent; `None`: NULL.
    async fn called(&mut self, call: FunctionCall<'_>) -> Step<Outcome<Option<Vec<u8>>>> {
        let (function, arguments, format) = match self.understand_call(call) {
            Ok(call) => call,
            Err(error) => return Ok(Err(error)),
        };
        let run = Box::pin(self.session.call_fastpath(&function, &arguments));
        let mut portal = match self.interrupts.watch(self.wire, run).await? {
            Ok(portal) => portal,
            Err(error) => return Ok(Err(error)),
        };
        let row = match self.next_batch(&mut portal).await? {
            Ok(row) => row,
            Err(error) => return Ok(Err(error)),
        };
        if let Err(error) = self.flush_before_reply().await? {
            return Ok(Err(error));
        }
        let encoding = self.wire.codec().encoding;
        let encode = || -> Outcome<Option<Vec<u8>>> {
            let Some(row) = row else { return Ok(None) };
            let (format, mut value) = (format_code(format)?, Vec::new());
            if !portal.encode(&mut value, format, 0, &row.columns[0], 0)? {
                return Ok(None);
            }
            portal.to_client(encoding, format, 0, &mut value, 0)?;
            Ok(Some(value))
        };
        Ok(encode())
    }

    /// The function, its arguments, and the format of its result.
    fn understand_call(&mut self, call: FunctionCall<'_>) -> Outcome<(session::FastpathFunction, Vec<Parameter>, i16)> {
        self.session.require_live_transaction()?;
        let function = self.session.fastpath_function(call.function)?;
        let encoding = self.wire.codec().encoding;
        let CallArguments { formats, values, result_format } = call.arguments(function.arguments.len(), encoding)?;
        let input = self.session.parameter_input(&"".into(), encoding, "function argument");
        let mut arguments = Vec::with_capacity(values.len());
        for (at, (value, &ty)) in values.iter().zip(&function.arguments).enumerate() {
            let code = formats.get(at).or(formats.first().filter(|_| formats.len() == 1)).copied().unwrap_or(0);
            arguments.push(input.read(at + 1, ty, format_code(code)?, *value)?);
        }
        Ok((function, arguments, result_format))
    }

    /// Puts a FunctionCallResponse to what is to be sent.
    fn put_result(&mut self, value: Option<&[u8]>) {
        let length = value.map_or(-1, |value| value.len() as i32);
        let value = value.unwrap_or_default();
        let out = self.wire.write_buffer_mut();
        out.extend_from_slice(b"V");
        out.extend_from_slice(&(value.len() as i32 + 8).to_be_bytes());
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(value);
    }
}
