// Runs Python oracles in the project's own virtual environment, for tests of all folders.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "redqueen/base/testing/source_dir.h"

namespace redqueen {

inline std::filesystem::path oracle_python() { return source_dir() / ".venv" / "bin" / "python"; }

// True if the virtual environment has all of the comma-separated modules.
inline bool oracle_has(const std::string& modules) {
  if (!std::filesystem::exists(oracle_python())) return false;
  const std::string command =
      oracle_python().string() + " -c 'import " + modules + "' >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

// Returns the output of `python ARGUMENTS`; the test fails if it fails. Arguments are a shell's
// words.
inline std::string run_oracle(const std::string& arguments) {
  const std::string command = oracle_python().string() + " " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot start: " << command;
    return {};
  }
  std::string output;
  char buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, count);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

}  // namespace redqueen
