//! Turns a compiled wasm module into one that a page can load: the glue in JavaScript and the module itself.
//!
//! `xtask-bindgen web|no-modules INPUT.wasm NAME FOLDER` writes `FOLDER/NAME.js` and `FOLDER/NAME_bg.wasm`. It is a
//! binary of its own, compiled only when a page is built, because the library behind it takes minutes to compile.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: xtask-bindgen web|no-modules INPUT.wasm NAME FOLDER";

fn main() -> ExitCode {
    match generate(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask-bindgen: {message}");
            ExitCode::FAILURE
        }
    }
}

fn generate(arguments: &[String]) -> Result<(), String> {
    let [target, input, name, folder] = arguments else { return Err(USAGE.to_owned()) };
    let mut bindgen = Bindgen::new();
    // The loaders always say where the module is: it is compressed, and its address carries the build.
    bindgen.input_path(input).out_name(name).typescript(false).omit_default_module_path(true);
    match target.as_str() {
        "web" => bindgen.web(true),
        "no-modules" => bindgen.no_modules(true),
        _ => return Err(USAGE.to_owned()),
    }
    .map_err(|error| format!("{error:#}"))?;
    bindgen.generate(folder).map_err(|error| format!("{error:#}"))
}
