// The base of tests of sub-commands: runs the binary as a user does, and brings a fresh folder.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"

namespace redqueen {

class CliFixture : public testing::Test {
 protected:
  struct Outcome {
    int code = 0;
    std::string out;
    std::string err;
  };

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  static std::string read(const std::filesystem::path& path) { return read_file(path); }

  // `words` of a shell.
  Outcome run(const std::string& words) const { return run_program(redqueen_binary(), words); }

  Outcome run_program(const std::string& program, const std::string& words) const {
    const std::string command = fmt::format("{} {} >{} 2>{}", program, words, at("out"), at("err"));
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(at("out")), read(at("err"))};
  }

  TestFolder folder_;
};

}  // namespace redqueen
