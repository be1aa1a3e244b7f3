// Engines for tests, with the configurations of the source tree.
#pragma once

#include <stdexcept>

#include "redqueen/base/testing/source_dir.h"
#include "redqueen/engine/engine.h"

namespace redqueen {

inline Resources source_resources() {
  const std::filesystem::path tree = source_dir();
  return Resources({tree / "configs"}, tree);
}

// Makes an engine with two sandbox workers, which start when they are first needed.
inline Engine make_test_engine() {
  sandbox::SandboxConfig sandbox;
  sandbox.workers = 2;
  auto engine = Engine::create({.resources = source_resources(), .sandbox = std::move(sandbox)});
  if (!engine) throw std::runtime_error(engine.error().message);
  return *engine;
}

// One engine for all tests of a binary: starting workers is the slow part.
inline const Engine& shared_engine() {
  static const Engine engine = make_test_engine();
  return engine;
}

}  // namespace redqueen
