// Runs a script of testdata/ that is a real HTTP server, as another process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "redqueen/base/testing/source_dir.h"

namespace redqueen {

// The script prints its port and serves until its standard input ends.
class TestServer {
 public:
  // `script`: below the root of the sources.
  explicit TestServer(const std::string& script, const std::string& argument = "") {
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      const std::string path = source_dir() / script;
      execlp("/usr/bin/python3", "python3", path.c_str(), argument.c_str(), nullptr);
      _exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    std::string line;
    char c = 0;
    while (::read(out[0], &c, 1) == 1 && c != '\n') line += c;
    ::close(out[0]);
    url_ = "http://127.0.0.1:" + line + "/v1";
  }
  ~TestServer() {
    ::close(input_);
    waitpid(child_, nullptr, 0);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  pid_t child_ = -1;
  int input_ = -1;
  std::string url_;
};

}  // namespace redqueen
