// Asks a Python script under testdata/ for the answer that a test compares with.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "redqueen/base/testing/folder.h"

namespace redqueen {

// Returns the answer of redqueen/train/testdata/SCRIPT to `question`; nothing where .venv lacks
// Python or PyTorch. A script that fails for any other reason fails the test.
inline std::optional<nlohmann::json> ask_oracle(const std::string& script,
                                                const nlohmann::json& question) {
  const std::filesystem::path python = ".venv/bin/python";
  if (!std::filesystem::exists(python)) return std::nullopt;
  const TestFolder folder;
  const auto input = folder.path() / "question.json";
  const auto output = folder.path() / "answer.json";
  std::ofstream(input) << question;
  const std::string command = fmt::format("{} redqueen/train/testdata/{} {} {}", python.string(),
                                          script, input.string(), output.string());
  const int status = std::system(command.c_str());  // NOLINT: a command of our own making
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return std::nullopt;
  EXPECT_EQ(status, 0) << command;
  std::ifstream answer(output);
  return nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
}

}  // namespace redqueen
