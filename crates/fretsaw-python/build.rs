//! Tells the compiler what kind of interpreter the extension is for: `cfg(Py_GIL_DISABLED)`.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
