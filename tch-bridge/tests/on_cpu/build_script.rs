//! What the build says of a libtorch that is not the expected one.

#[path = "../../build/version.rs"]
mod version;

use std::error::Error;
use std::fs;

#[test]
fn another_or_unknown_libtorch_is_refused() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let include = folder.path();
    let refused = || version::check(include).expect_err("it is not known");
    let place = include.display();
    assert_eq!(refused(), format!("expected libtorch 2.11.0 or 2.13.0, found none that says its version in {place}"));
    let [new, old] = ["torch/headeronly", "torch/csrc/api/include/torch"].map(|folder| include.join(folder));
    for folder in [&new, &old] {
        fs::create_dir_all(folder)?;
    }
    // Versions before 2.9 have one header, and later ones include another in it.
    fs::write(old.join("version.h"), "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION \\\n  \"2.8.0\"\n")?;
    assert_eq!(refused(), format!("expected libtorch 2.11.0 or 2.13.0, found 2.8.0 in {place}"));
    fs::write(old.join("version.h"), "#include <torch/headeronly/version.h>\n")?;
    for version in ["2.10.0", "2.11.1", "2.11.0a0", "2.12.0"] {
        fs::write(new.join("version.h"), format!("#define TORCH_VERSION \\\n  \"{version}\"\n"))?;
        assert_eq!(refused(), format!("expected libtorch 2.11.0 or 2.13.0, found {version} in {place}"));
    }
    for version in version::VERSIONS {
        fs::write(new.join("version.h"), format!("#define TORCH_VERSION \\\n  \"{}\"\n", version.name))?;
        assert_eq!(version::check(include)?, version);
    }
    Ok(())
}
