// Sends many requests to one endpoint at a time, asks again where that may help, and keeps to rates
// and budgets.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/policy/chat_endpoint.h"

namespace redqueen {

// The fault of a failed attempt.
struct EndpointFault {
  enum class Reach {
    kRequest,   // this request alone: asked again, it would fail again
    kMoment,    // another attempt may succeed; where none does, the endpoint is out of order
    kEndpoint,  // every request: the endpoint is out of order
  };
  std::string message;
  Reach reach = Reach::kMoment;
};

// Tokens of one request, as the endpoint counts them.
struct TokenCounts {
  std::int64_t prompt = 0;
  std::int64_t completion = 0;
};

// The end of a request.
struct EndpointEnd {
  std::size_t index = 0;  // of the request
  int attempts = 1;
  double seconds = 0;   // of the attempt that succeeded
  std::string failure;  // empty: read() took its answer
};

// Requests of one kind, numbered from 0.
struct EndpointWork {
  std::string path;  // below the endpoint's URL: "/chat/completions"
  std::size_t requests = 0;
  bool is_stream = false;
  std::function<std::string(std::size_t index)> body;
  // Takes the body that came with status 200.
  std::function<tl::expected<TokenCounts, EndpointFault>(std::size_t index, std::string_view)> read;
  // Called once for each request, in the order of ending.
  std::function<void(const EndpointEnd&)> end;
};

// Not for sharing between threads.
class EndpointCalls {
 public:
  // Fails where ChatEndpoint::create() does.
  static Expected<EndpointCalls> create(const EndpointOptions& options);
  EndpointCalls(EndpointCalls&&) noexcept;
  EndpointCalls& operator=(EndpointCalls&&) noexcept;
  ~EndpointCalls();

  // Returns when every request has ended. Repeated, after a pause, are attempts that met no
  // connection, a time-out, a status 408, 409, 425, 429 or 5xx, or a fault of a moment in read();
  // a Retry-After of the endpoint is kept. `stop`, if given and set, ends what is under way: the
  // rest fails.
  void run(const EndpointWork& work, const std::atomic<bool>* stop = nullptr);

  // POSTs JSON to a path beside the version of the URL ("/reset_prefix_cache"), with the same
  // attempts and pauses. Returns the body of status 200.
  Expected<std::string> post(const std::string& path, const std::string& body);

  // The reason why the endpoint as a whole was out of order in the last run(); empty: it was not.
  const std::string& outage() const;

  const EndpointUsage& usage() const;
  // The limit of the options that is reached, in words; empty: none.
  std::string spent_budget() const;
  // Writes usage() to options().usage_file, if there is one.
  Status record_usage() const;
  const EndpointOptions& options() const;

 private:
  struct State;
  explicit EndpointCalls(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace redqueen
