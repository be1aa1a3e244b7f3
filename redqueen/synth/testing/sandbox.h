// The sandbox that the tests of synth share, and the Python sources that they run in it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::synth {

using sandbox::shared_sandbox;

inline std::string read_source(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline std::string seed_source(const std::string& name) {
  return read_source("configs/evoenv/seeds/" + name + ".py");
}

// All Python files of a folder, in the order of their names.
inline std::vector<std::filesystem::path> python_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace redqueen::synth
