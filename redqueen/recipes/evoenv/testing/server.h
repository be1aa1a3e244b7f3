// The chat endpoint of testdata/environment_server.py, in a process of its own.
#pragma once

#include <string>

#include "redqueen/policy/testing/server.h"

namespace redqueen::evoenv {

class EnvironmentServer : public TestServer {
 public:
  // `seconds`: what every answer to a generator prompt takes.
  explicit EnvironmentServer(const std::string& seconds = "0")
      : TestServer("redqueen/recipes/evoenv/testdata/environment_server.py", seconds) {}
};

}  // namespace redqueen::evoenv
