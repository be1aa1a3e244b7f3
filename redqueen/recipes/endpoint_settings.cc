#include "redqueen/recipes/endpoint_settings.h"

#include <cstdlib>

namespace redqueen {

void EndpointSettings::declare(run::Settings& settings) {
  run::Section section = settings.section(
      "endpoint", "A policy behind a chat endpoint (policy.path = \"openai:URL\").");
  section.field("model", model, {.help = "As the endpoint names it."});
  section.field("key_variable", key_variable,
                {.help = "Environment variable that holds the key; unset: none is sent."});
  section.field("concurrency", concurrency, {.help = "Requests under way at once.", .min = 1});
  section.field("attempts", attempts, {.help = "Of one request.", .min = 1, .max = 30});
  section.field("timeout_seconds", timeout_seconds, {.help = "Of one attempt.", .min = 0.1});
  section.field(
      "extra_body", extra_body,
      {.help =
           "JSON object laid over every request; with it an engine can be told what the protocol "
           "has no word for, like {\"chat_template_kwargs\": {\"enable_thinking\": false}}."});
  section.field("stream", stream, {.help = "Ask for the text in pieces."});
  section.field("requests_per_minute", requests_per_minute, {.help = "0: no limit.", .min = 0});
  section.field("tokens_per_minute", tokens_per_minute,
                {.help = "Prompt and completion together; 0: no limit.", .min = 0});
  section.field("price_prompt", price_prompt, {.help = "Of a million prompt tokens.", .min = 0});
  section.field("price_completion", price_completion,
                {.help = "Of a million completion tokens.", .min = 0});
  section.field("max_cost", max_cost,
                {.help = "Nothing more is asked once this was spent; 0: no limit.", .min = 0});
  section.field("max_tokens", max_tokens,
                {.help = "Likewise, prompt and completion tokens together.", .min = 0});
}

EndpointOptions EndpointSettings::options(std::string url) const {
  EndpointOptions options;
  options.url = std::move(url);
  options.model = model;
  if (const char* key = std::getenv(key_variable.c_str()); key != nullptr) options.api_key = key;
  options.concurrency = concurrency;
  options.attempts = attempts;
  options.timeout_seconds = timeout_seconds;
  options.extra_body = extra_body;
  options.stream = stream;
  options.requests_per_minute = requests_per_minute;
  options.tokens_per_minute = tokens_per_minute;
  options.price_prompt = price_prompt;
  options.price_completion = price_completion;
  options.max_cost = max_cost;
  options.max_tokens = max_tokens;
  return options;
}

}  // namespace redqueen
