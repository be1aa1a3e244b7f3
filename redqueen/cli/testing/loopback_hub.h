// A Hugging Face Hub for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "redqueen/base/testing/source_dir.h"

namespace redqueen {

// A Hub on the loopback interface, asked by huggingface_hub; it ends with the object.
class LoopbackHub {
 public:
  LoopbackHub(const std::filesystem::path& models, const std::filesystem::path& place)
      : pid_(place / "pid") {
    const std::string command = fmt::format(
        "/usr/bin/python3 redqueen/cli/testdata/loopback_hub.py {} {} {} >/dev/null 2>&1 & echo $! "
        ">{}",
        models.string(), (place / "port").string(), (place / "log").string(), pid_.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    for (int i = 0; i < 600 && !std::filesystem::exists(place / "port"); ++i) ::usleep(100'000);
    url = "http://127.0.0.1:" + read_file(place / "port");
  }
  ~LoopbackHub() { (void)!std::system(fmt::format("kill $(cat {})", pid_.string()).c_str()); }
  LoopbackHub(const LoopbackHub&) = delete;
  LoopbackHub& operator=(const LoopbackHub&) = delete;

  std::string url;

 private:
  std::filesystem::path pid_;
};

}  // namespace redqueen
