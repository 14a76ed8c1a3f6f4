//! Has the linker of macOS leave Python's symbols to Python.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
