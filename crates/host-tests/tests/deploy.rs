//! What is deployed: the component's imports, and Spin's manifest.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::Path;

use lacuna_host_tests::{Build, component};
use toml::Table;

fn deploy(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

/// Names of what the component imports, without versions, and of what it exports.
fn doors(file: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let bytes = std::fs::read(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let (mut imports, mut exports) = (BTreeSet::new(), BTreeSet::new());
    let mut depth = 0;
    for payload in wasmparser::Parser::new(0).parse_all(&bytes) {
        match payload.expect("a valid component") {
            wasmparser::Payload::ModuleSection { .. } | wasmparser::Payload::ComponentSection { .. } => {
                depth += 1
            }
            wasmparser::Payload::End(_) => depth -= 1,
            wasmparser::Payload::ComponentImportSection(section) if depth == 0 => {
                imports.extend(section.into_iter().map(|import| unversioned(import.unwrap().name.name)));
            }
            wasmparser::Payload::ComponentExportSection(section) if depth == 0 => {
                exports.extend(section.into_iter().map(|export| unversioned(export.unwrap().name.name)));
            }
            _ => {}
        }
    }
    (imports, exports)
}

fn unversioned(name: &str) -> String {
    name.split('@').next().unwrap_or_default().to_owned()
}

#[test]
fn the_component_imports_what_is_listed_and_nothing_else() {
    let listed = std::fs::read_to_string(deploy("imports.txt")).unwrap();
    let listed: BTreeSet<String> =
        listed.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    for shut in ["wasi:http/outgoing-handler", "wasi:sockets", "wasi:filesystem", "wasi:keyvalue"] {
        assert!(!listed.iter().any(|name| name.starts_with(shut)), "{shut} is listed");
    }
    for build in [Build::Plain, Build::Relaxed] {
        let (imports, exports) = doors(&component(build));
        assert_eq!(imports, listed, "{build:?}");
        assert_eq!(exports, BTreeSet::from(["wasi:http/incoming-handler".to_owned()]), "{build:?}");
    }
}

/// What Spin itself lets pass: a missing route, or a component that is not there.
#[test]
fn spins_manifest_is_whole() {
    let text = std::fs::read_to_string(deploy("spin.toml")).unwrap();
    let manifest: Table = text.parse().expect("TOML");
    assert_eq!(manifest["spin_manifest_version"].as_integer(), Some(2));
    let application = manifest["application"].as_table().expect("[application]");
    assert_eq!(application["name"].as_str(), Some("lacuna"));
    assert_eq!(application["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));

    let components = manifest["component"].as_table().expect("[component.…]");
    let triggers = manifest["trigger"]["http"].as_array().expect("[[trigger.http]]");
    assert_eq!((components.len(), triggers.len()), (1, 1));
    for trigger in triggers {
        let route = trigger["route"].as_str().expect("a route");
        assert_eq!(route, "/...", "every path is the component's");
        let name = trigger["component"].as_str().expect("a component");
        assert!(components.contains_key(name), "no [component.{name}]");
    }
    for (name, table) in components {
        let source = table["source"].as_str().expect("a source");
        assert_eq!(source, "../target/lacuna.wasm", "{name}: what the build makes, seen from deploy/");
        let built = component(Build::Plain);
        assert!(built.metadata().unwrap().len() > 1 << 20, "{name}: the model is inside");
        let outbound = table["allowed_outbound_hosts"].as_array().expect("allowed_outbound_hosts");
        assert!(outbound.is_empty(), "{name}");
        let build = table["build"]["command"].as_str();
        assert_eq!(build, Some("cargo xtask component"), "{name}: what builds the source");
        for key in table.as_table().unwrap().keys() {
            assert!(["source", "allowed_outbound_hosts", "build"].contains(&key.as_str()), "{name}: {key}");
        }
    }
}
