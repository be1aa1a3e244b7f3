// The [endpoint] table: a policy behind a chat endpoint, and what it may cost.
#pragma once

#include <cstdint>
#include <string>

#include "redqueen/policy/chat_endpoint.h"
#include "redqueen/run/config.h"

namespace redqueen {

// Defaults are those of EndpointOptions.
struct EndpointSettings {
  std::string model;
  std::string key_variable = "OPENAI_API_KEY";  // the environment variable that holds the key
  int concurrency = 8;
  int attempts = 6;
  double timeout_seconds = 600;
  std::string extra_body;
  bool stream = false;
  double requests_per_minute = 0;
  double tokens_per_minute = 0;
  double price_prompt = 0;
  double price_completion = 0;
  double max_cost = 0;
  std::int64_t max_tokens = 0;

  // Names every field; see run/config.h.
  void declare(run::Settings& settings);
  // For the endpoint at `url`. Reads the key from the environment: it never stands in a
  // configuration, and so never in a run's folder.
  [[nodiscard]] EndpointOptions options(std::string url) const;
};

}  // namespace redqueen
