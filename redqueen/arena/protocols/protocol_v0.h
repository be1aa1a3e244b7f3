// Answers the requests of EvoPolicyGym v0.1.0's HTTP protocol: GET /info, GET /task, POST /submit,
// and no others. v0_server.h serves them on a port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

struct V0Answer {
  int code = 200;
  std::string type = "application/json";
  std::string body;
};

// The way to a judge that is served on a port.
struct V0Address {
  std::string url;    // "http://127.0.0.1:8080"
  std::string token;  // that POST /submit asks for

  // The address to submit to, token included: programs that know nothing of tokens post there.
  [[nodiscard]] std::string submit_url() const { return url + "/submit?token=" + token; }
};

// Answers any request whatever; waits while a submission is played. `target` may have a query,
// which is ignored. May be called from several threads.
V0Answer answer_v0(Judge& judge, std::string_view method, std::string_view target,
                   std::string_view body, bool numpy);

// The case numbers of a request: a list of integers, or text such as "7-10,16". Order and repeats
// are kept. A usage error says what is wrong; more than `most` numbers are refused before they are
// written out.
Expected<std::vector<std::int64_t>> read_cases(const Json& env_instances, std::int64_t most);

}  // namespace redqueen::arena
