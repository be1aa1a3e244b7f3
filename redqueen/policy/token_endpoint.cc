#include "redqueen/policy/token_endpoint.h"

#include <atomic>
#include <utility>

#include "redqueen/base/json.h"
#include "redqueen/policy/chat_protocol.h"

namespace redqueen {

Expected<TokenEndpoint> TokenEndpoint::create(const EndpointOptions& options) {
  ASSIGN_OR_RETURN(auto calls, EndpointCalls::create(options));
  return TokenEndpoint(std::move(calls));
}

Status TokenEndpoint::complete(std::span<const TokenRequest> requests,
                               const TokenListener& listener) {
  TokenReply latest;  // of the request that is about to end
  std::atomic<bool> is_out_of_order = false;
  const EndpointWork work{
      .path = "/completions",
      .requests = requests.size(),
      .body = [&](std::size_t i) { return token_request_body(requests[i], options()); },
      .read = [&](std::size_t /*request*/,
                  std::string_view body) -> tl::expected<TokenCounts, EndpointFault> {
        auto reply = read_token_reply(body);
        // A field that one reply lacks, all will lack.
        if (!reply) {
          return tl::make_unexpected(
              EndpointFault{reply.error().message, EndpointFault::Reach::kEndpoint});
        }
        latest = std::move(*reply);
        return latest.counts;
      },
      .end =
          [&](const EndpointEnd& end) {
            if (!calls_.outage().empty()) is_out_of_order = true;
            if (end.failure.empty()) {
              listener(end.index, std::exchange(latest, {}));
            } else {
              listener(end.index, failure("{}", end.failure));
            }
          }};
  calls_.run(work, &is_out_of_order);
  if (is_out_of_order) return failure("{}", calls_.outage());
  if (const std::string spent = spent_budget(); !spent.empty())
    return failure("{}: the budget is spent: {}", options().url, spent);
  return {};
}

Status TokenEndpoint::load_weights(ReloadCall call, const std::filesystem::path& folder,
                                   const std::string& version) {
  if (call == ReloadCall::kVllm) {
    const Json reload{{"method", "reload_weights"},
                      {"kwargs", {{"weights_path", folder.string()}}}};
    RETURN_IF_ERROR(calls_.post("/collective_rpc", dump_json(reload)));
    // Prefixes computed with the old weights must not be continued.
    RETURN_IF_ERROR(calls_.post("/reset_prefix_cache", "{}"));
    return {};
  }
  const Json update{{"model_path", folder.string()}, {"weight_version", version}};
  ASSIGN_OR_RETURN(const std::string body,
                   calls_.post("/update_weights_from_disk", dump_json(update)));
  const auto answer = parse_json(body);
  const bool is_refused =
      answer && answer->is_object() && answer->value("success", Json(true)) == false;
  if (!is_refused) return {};
  return failure("{}: the engine did not load {}: {}", options().url, folder.string(),
                 read_chat_error(body));
}

}  // namespace redqueen
