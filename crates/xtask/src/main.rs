//! Build tasks: `cargo xtask serve` and `cargo xtask test` are all that a newcomer needs.

mod args;
mod bench;
mod cache;
mod check;
mod golden;
mod node;
mod outcome;
mod page;
mod paths;
mod process;
mod serve;
mod size;
mod stages;
mod tidy;
mod toolchain;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use args::Args;
use outcome::{Context, Outcome};
use page::{ENGINE, Module, PageOptions, Profile, WEB};
use paths::Paths;
use stages::Stages;

const USAGE: &str = "\
usage: cargo xtask TASK

  serve    build the page, serve it and open it
             [--port N] [--sub-path /PATH] [--no-build] [--no-open] [--profile wasm-ci|dist]
  test     every check there is [--quick: without the browser and its compiler],
             or those stages with one of these words in their names [WORD]...

  page     build the page [--profile wasm-ci|dist] [--only web|engine] [--out FOLDER]
  e2e      browser tests against the page as it was built last [PART-OF-FILE-NAME]... [--build]
  golden   golden cases; the failing ones of one group by name [GROUP] [--bless: raise the baseline]
  tidy     rules that no compiler checks
  size     sizes of the two modules beside the committed figures [--profile wasm-ci|dist] [--bless]
  dist     the optimized folder for publishing (an hour), its size figures committed
  soak     the long runs of property tests, crash points and browser kills
  bench    this page beside duckdb-wasm, in one Chromium
  setup    install what is missing and say what there is

Everything that is missing on the machine is set up on the way. What is slow to make is kept outside the checkout, in
${XDG_CACHE_HOME:-$HOME/.cache}/lakelet.";

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Outcome<ExitCode> {
    let mut args = Args::from_env();
    let task = args.task().unwrap_or_default();
    let task: fn(Args, &Paths) -> Outcome<bool> = match task.as_str() {
        "serve" => serve,
        "test" => test,
        "page" => page,
        "e2e" => e2e,
        "golden" => golden,
        "tidy" => tidy,
        "size" => size,
        "dist" => dist,
        "soak" => soak,
        "bench" => bench,
        "setup" => setup,
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let held = task(args, &Paths::find()?)?;
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn serve(mut args: Args, paths: &Paths) -> Outcome<bool> {
    let port = match args.value("--port")? {
        Some(text) => text.parse().context(format_args!("--port {text}"))?,
        None => serve::DEFAULT_PORT,
    };
    let sub_path = args.value("--sub-path")?.unwrap_or_default();
    let build = !args.flag("--no-build");
    let open = !args.flag("--no-open");
    let until_input_ends = args.flag("--until-input-ends");
    let profile = profile(&mut args)?;
    args.finish()?;
    if build {
        page::build(paths, &PageOptions { profile, only: None, folder: paths.site() })?;
    }
    let server = serve::start(&paths.site(), port, &sub_path)?;
    if open && !until_input_ends {
        open_in_browser(&server.plain);
    }
    serve::attend(&server, until_input_ends)?;
    Ok(true)
}

/// Shows an address in the desktop's browser. Where there is no desktop, the printed address has to do.
fn open_in_browser(address: &str) {
    let desktop = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if (desktop || cfg!(target_os = "macos")) && process::run(process::command(opener).arg(address)).is_err() {
        process::say("no browser could be opened; the address is below");
    }
}

fn test(mut args: Args, paths: &Paths) -> Outcome<bool> {
    let quick = args.flag("--quick");
    let wanted = args.positional();
    args.finish()?;
    check::run_all(paths, quick, wanted)
}

fn page(mut args: Args, paths: &Paths) -> Outcome<bool> {
    let profile = profile(&mut args)?;
    let only = module(&mut args)?;
    let folder = args.value("--out")?.map_or_else(|| paths.site(), |folder| paths.root.join(folder));
    let for_trunk = args.flag("--trunk");
    args.finish()?;
    page::build(paths, &PageOptions { profile, only, folder: folder.clone() })?;
    if for_trunk {
        // Trunk tells its hooks where it gathers what it is going to serve.
        let gathered = env::var_os("TRUNK_STAGING_DIR").context("--trunk is for trunk's hook")?;
        paths::copy_folder(&folder, Path::new(&gathered), |_| true)?;
    }
    Ok(true)
}

fn e2e(mut args: Args, paths: &Paths) -> Outcome<bool> {
    let build = args.flag("--build");
    let wanted = args.positional();
    args.finish()?;
    if build {
        page::build(paths, &PageOptions { profile: Profile::WasmCi, only: None, folder: paths.site() })?;
    }
    let mut stages = Stages::default();
    stages.run("browser tests", || check::browser_tests(paths, "tests/e2e", &wanted));
    Ok(stages.finish())
}

fn golden(mut args: Args, paths: &Paths) -> Outcome<bool> {
    let bless = args.flag("--bless");
    let group = args.positional();
    args.finish()?;
    let mut stages = Stages::default();
    stages.run("golden cases", || golden::run(paths, group.first().map(String::as_str), bless));
    Ok(stages.finish())
}

fn tidy(args: Args, paths: &Paths) -> Outcome<bool> {
    args.finish()?;
    let mut stages = Stages::default();
    stages.run("tidy", || tidy::run(paths));
    Ok(stages.finish())
}

fn size(mut args: Args, paths: &Paths) -> Outcome<bool> {
    let profile = profile(&mut args)?;
    let bless = args.flag("--bless");
    args.finish()?;
    let built = page::build_modules(paths, profile, None)?;
    let mut stages = Stages::default();
    stages.run("sizes", || size::report(paths, profile, &built, bless));
    Ok(stages.finish())
}

fn dist(args: Args, paths: &Paths) -> Outcome<bool> {
    args.finish()?;
    let built = page::build(paths, &PageOptions { profile: Profile::Dist, only: None, folder: paths.site() })?;
    let mut stages = Stages::default();
    stages.run("sizes", || size::report(paths, Profile::Dist, &built, true));
    Ok(stages.finish())
}

fn soak(args: Args, paths: &Paths) -> Outcome<bool> {
    args.finish()?;
    check::soak(paths)
}

fn bench(args: Args, paths: &Paths) -> Outcome<bool> {
    args.finish()?;
    bench::run(paths)?;
    Ok(true)
}

fn setup(args: Args, paths: &Paths) -> Outcome<bool> {
    args.finish()?;
    let modules = node::ensure_modules(paths, &paths.root)?;
    println!("node modules   {}", modules.display());
    let toolchain = toolchain::WasmToolchain::find(paths)?;
    println!("wasm compiler  {}", toolchain.rustc_version);
    println!("Chromium       {}", toolchain::chromium()?.display());
    println!("cache          {}", paths.cache.display());
    Ok(true)
}

fn profile(args: &mut Args) -> Outcome<Profile> {
    args.value("--profile")?.map_or(Ok(Profile::WasmCi), |name| Profile::parse(&name))
}

fn module(args: &mut Args) -> Outcome<Option<&'static Module>> {
    match args.value("--only")?.as_deref() {
        None => Ok(None),
        Some("web") => Ok(Some(&WEB)),
        Some("engine" | "worker") => Ok(Some(&ENGINE)),
        Some(other) => Err(format!("--only {other}: web or engine")),
    }
}
