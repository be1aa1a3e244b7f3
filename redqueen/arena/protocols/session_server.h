// The session protocol of EvoPolicyGym's later versions ("agent-session/v3"): a Unix socket in the
// run's folder, one request a connection, each a frame of 4 bytes of length (big-endian) and JSON.
// The agent submits the policy in workspace/program/, and ends the search when it likes by naming
// up to three of its submissions, from which the judge then chooses. A request that is refused
// costs nothing and uses up no number.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// Returns the judge's answer to one frame, whatever the frame holds.
Json answer_session(Judge& judge, std::string_view request);

// Names as the protocol writes them: "submission-000001" is the judge's submission 0.
std::string session_name(int submission);

// Serves control/session.sock of the run's folder until it is destroyed; the judge must live
// longer. Beside it lies bin/evopolicygym-session, the program that agents call (Python).
class SessionServer {
 public:
  static Expected<std::unique_ptr<SessionServer>> start(Judge& judge);
  ~SessionServer();
  SessionServer(const SessionServer&) = delete;
  SessionServer& operator=(const SessionServer&) = delete;

 private:
  class Listener;
  explicit SessionServer(std::unique_ptr<Listener> listener);
  std::unique_ptr<Listener> listener_;
};

}  // namespace redqueen::arena
