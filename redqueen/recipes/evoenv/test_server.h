// The chat endpoint of testdata/environment_server.py, in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace redqueen {

class EnvironmentServer {
 public:
  // `seconds`: what every answer to a generator prompt takes.
  explicit EnvironmentServer(const std::string& seconds = "0") {
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      const char* script =
          REDQUEEN_SOURCE_DIR "/redqueen/recipes/evoenv/testdata/environment_server.py";
      execlp("/usr/bin/python3", "python3", script, seconds.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    std::string line;
    char c = 0;
    while (read(out[0], &c, 1) == 1 && c != '\n') line += c;
    close(out[0]);
    url_ = "http://127.0.0.1:" + line + "/v1";
  }
  ~EnvironmentServer() {
    close(input_);
    waitpid(child_, nullptr, 0);
  }
  EnvironmentServer(const EnvironmentServer&) = delete;
  EnvironmentServer& operator=(const EnvironmentServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  pid_t child_ = -1;
  int input_ = -1;
  std::string url_;
};

}  // namespace redqueen
