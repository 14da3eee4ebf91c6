//! Prints what is released beside the components, and what the libraries offer:
//!
//! ```text
//! contract page                       the contract as Markdown
//! contract package                    the contract as a WIT package in one file of WebAssembly
//! contract component NAME             a component that was built, with its name, version, licence and source
//! contract bom                        the bill of materials of the components
//! contract provenance FOLDER BUILDER  how the files of a folder came about; BUILDER is a URI
//! contract api JSON                   the public API of a library, from the JSON that rustdoc writes
//! ```

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use myao_contract::project::{self, WIT};
use myao_contract::wit::Contract;
use myao_contract::{api, bom, describe, docs, provenance};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let printed = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["page"] => page(),
        ["package"] => package(),
        ["component", name] => component(name),
        ["provenance", folder, builder] => (provenance::statement(Path::new(folder), builder)
            .map(String::into_bytes))
        .map_err(Into::into),
        ["bom"] => bom::bill().map(String::into_bytes).map_err(Into::into),
        ["api", json] => {
            (api::listing(Path::new(json)).map(String::into_bytes)).map_err(Into::into)
        }
        _ => {
            let usage = "usage: contract page | package | component NAME | bom | provenance FOLDER BUILDER | api JSON";
            Err(usage.into())
        }
    };
    let done = printed.and_then(|bytes| Ok(std::io::stdout().write_all(&bytes)?));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do where not even that can be written.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn component(name: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let path = project::component(name);
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(describe::described(name, None, &bytes)?)
}

fn page() -> Result<Vec<u8>, Box<dyn Error>> {
    let contract = Contract::read(&project::path(WIT))?;
    Ok(docs::page(&contract)?.into_bytes())
}

fn package() -> Result<Vec<u8>, Box<dyn Error>> {
    let contract = Contract::read(&project::path(WIT))?;
    let bytes = wit_component::encode(&contract.resolve, contract.package)?;
    Ok(describe::described(
        "myao:memory",
        contract.version(),
        &bytes,
    )?)
}
