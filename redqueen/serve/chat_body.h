// Reads a request for completions in the form of OpenAI's API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/fields.h"
#include "redqueen/base/json.h"
#include "redqueen/policy/policy.h"

namespace redqueen::serve {

// The fields that chat and plain completions share. What is left out is as OpenAI has it.
struct SamplingFields {
  std::optional<int> max_tokens;
  std::optional<int> max_completion_tokens;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<int> top_k;
  std::optional<double> min_p;
  std::optional<int> n;
  std::optional<std::uint64_t> seed;
  std::optional<bool> stream;
  REDQUEEN_FIELDS(max_tokens, max_completion_tokens, temperature, top_p, top_k, min_p, n, seed,
                  stream)
};

struct Asked {
  SamplingFields fields;
  SampleParameters parameters;
  bool wants_log_probs = false;
  bool streams = false;
  bool wants_usage = true;  // a stream tells it on request alone
};

// Usage errors name the key. So do those of all functions here.
Expected<Asked> read_asked(const Json& body);

// The addresses, one a choice. The same seed gives the same responses; a request without one gets
// another seed each time.
std::vector<RandomAddress> addresses_of(const SamplingFields& fields);

// A string or a list of strings; nothing where there is no such key.
Expected<std::vector<std::string>> texts_of(const Json& body, const char* key);

// A list of tokens; empty where the key is missing or has something else.
Expected<std::vector<Token>> tokens_at(const Json& body, const char* key);

// "messages" and "tools" of a chat.
Expected<std::vector<Message>> messages_of(const Json& body);
Expected<std::vector<ToolSpec>> tools_of(const Json& body);

}  // namespace redqueen::serve
