// A language model behind a chat endpoint of the OpenAI protocol: vLLM, SGLang, llama.cpp, or a
// hosted service.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

struct EndpointOptions {
  std::string url = "";      // up to the version: "http://127.0.0.1:8000/v1"
  std::string model = "";    // as the endpoint names it
  std::string api_key = "";  // sent as a bearer token; empty: none
  int concurrency = 8;       // requests under way at once
  int attempts = 6;          // of one request, the first included
  double backoff_seconds =
      1;  // before the second attempt; doubled for each further one, with jitter
  double max_backoff_seconds = 60;
  double timeout_seconds = 600;  // of one attempt
  // A JSON object laid over the body of every request, for what an engine understands beyond the
  // protocol: {"chat_template_kwargs": {"enable_thinking": false}}. Empty: nothing.
  std::string extra_body = "";
  bool stream = false;  // ask for the text in pieces: a dead connection is noticed sooner
  double requests_per_minute = 0;  // 0: no limit
  double tokens_per_minute = 0;    // prompt and completion together; 0: no limit
  // Limits of cost. Requests that would start after a limit was reached are refused.
  double price_prompt = 0;      // of a million tokens
  double price_completion = 0;  // of a million tokens
  double max_cost = 0;          // in the unit of the prices; 0: no limit
  std::int64_t max_tokens = 0;  // prompt and completion together; 0: no limit
  // A file that keeps what the endpoint was used for, so that budgets outlive a process: read, if
  // it is there, by create(), written by record_usage(). Empty: none.
  std::filesystem::path usage_file = {};
};

struct ChatRequest {
  std::vector<Message> messages;
  std::vector<ToolSpec> tools;  // empty: none are offered
  SampleParameters parameters;
  std::uint64_t seed = 0;  // endpoints may honour it or not
};

struct ChatReply {
  std::string text;
  // Arguments that are no JSON are held as the text that they are.
  std::vector<ToolCall> tool_calls;
  FinishReason finish = FinishReason::kStop;
  // Tokens as the endpoint counts them; 0 if it does not say.
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  int attempts = 1;
  double seconds = 0;  // of the attempt that succeeded
};

// Told of each request as it ends, in the order of ending. It may take the reply away, which is
// then missing in what complete() returns.
using ReplyObserver = std::function<void(std::size_t index, Expected<ChatReply>& reply)>;

// Not for sharing between threads.
class ChatEndpoint {
 public:
  // Fails on a URL that is none, limits that make no sense, or a usage file that cannot be read;
  // connects to nothing yet.
  static Expected<ChatEndpoint> create(const EndpointOptions& options);
  ChatEndpoint(ChatEndpoint&&) noexcept;
  ChatEndpoint& operator=(ChatEndpoint&&) noexcept;
  ~ChatEndpoint();

  // Answers in the order of the requests; one that fails is no failure of the others. Repeats,
  // after a pause, attempts that met no connection, a time-out, a status 408, 409, 425, 429 or 5xx,
  // or a body that cannot be read; a Retry-After of the endpoint is kept. `stop`, if given and set,
  // ends what is under way: the rest fails.
  std::vector<Expected<ChatReply>> complete(std::span<const ChatRequest> requests,
                                            const ReplyObserver& observer = {},
                                            const std::atomic<bool>* stop = nullptr);

  const EndpointUsage& usage() const;
  // The limit of the options that is reached, in words; empty: none.
  std::string spent_budget() const;
  // Writes usage() to options().usage_file, if there is one.
  Status record_usage() const;
  const EndpointOptions& options() const;

 private:
  struct State;
  explicit ChatEndpoint(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace redqueen
