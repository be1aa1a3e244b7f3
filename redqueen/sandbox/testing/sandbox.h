// One sandbox for all tests of this binary: starting workers is the slow part.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "redqueen/sandbox/sandbox.h"

namespace redqueen::sandbox {

// Made at first use, kept until the process ends.
inline Sandbox& shared_sandbox() {
  static Sandbox* sandbox = [] {
    SandboxConfig config;
    config.workers = 2;
    auto started = Sandbox::start(config);
    if (!started) throw std::runtime_error(started.error().message);
    return new Sandbox(std::move(*started));
  }();
  return *sandbox;
}

inline Profile open_profile() { return {"open", false, {}, {}}; }

// A program that may import whatever there is.
inline Program open_program(std::string source) {
  Program program;
  program.source = std::move(source);
  program.profile = open_profile();
  return program;
}

inline Outcome evaluate(const std::string& source, const std::string& expression) {
  return shared_sandbox().run(Job{open_program(source), {Call::expression(expression)}});
}

inline Outcome evaluate(const std::string& expression) { return evaluate("", expression); }

}  // namespace redqueen::sandbox
