//! Tells the linker of macOS that the interpreter that imports the module has Python's symbols.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
