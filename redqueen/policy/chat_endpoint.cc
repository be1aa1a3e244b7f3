#include "redqueen/policy/chat_endpoint.h"

#include "redqueen/policy/chat_protocol.h"
#include "redqueen/policy/endpoint_calls.h"

namespace redqueen {

struct ChatEndpoint::State {
  EndpointCalls calls;
};

Expected<ChatEndpoint> ChatEndpoint::create(const EndpointOptions& options) {
  ASSIGN_OR_RETURN(auto calls, EndpointCalls::create(options));
  return ChatEndpoint(std::make_unique<State>(std::move(calls)));
}

ChatEndpoint::ChatEndpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChatEndpoint::ChatEndpoint(ChatEndpoint&&) noexcept = default;
ChatEndpoint& ChatEndpoint::operator=(ChatEndpoint&&) noexcept = default;
ChatEndpoint::~ChatEndpoint() = default;

std::vector<Expected<ChatReply>> ChatEndpoint::complete(std::span<const ChatRequest> requests,
                                                        const ReplyObserver& observer,
                                                        const std::atomic<bool>* stop) {
  std::vector<Expected<ChatReply>> replies(requests.size());
  const EndpointWork work{
      .path = "/chat/completions",
      .requests = requests.size(),
      .is_stream = options().stream,
      .body = [&](std::size_t i) { return chat_request_body(requests[i], options()); },
      .read = [&](std::size_t i,
                  std::string_view body) -> tl::expected<TokenCounts, EndpointFault> {
        replies[i] = options().stream ? read_chat_stream(body) : read_chat_reply(body);
        if (!replies[i]) return tl::make_unexpected(EndpointFault{replies[i].error().message});
        return TokenCounts{replies[i]->prompt_tokens, replies[i]->completion_tokens};
      },
      .end =
          [&](const EndpointEnd& end) {
            Expected<ChatReply>& reply = replies[end.index];
            if (end.failure.empty()) {
              reply->attempts = end.attempts;
              reply->seconds = end.seconds;
            } else {
              reply = failure("{}", end.failure);
            }
            if (observer) observer(end.index, reply);
          }};
  state_->calls.run(work, stop);
  return replies;
}

const EndpointUsage& ChatEndpoint::usage() const { return state_->calls.usage(); }
const EndpointOptions& ChatEndpoint::options() const { return state_->calls.options(); }

std::string ChatEndpoint::spent_budget() const { return state_->calls.spent_budget(); }

Status ChatEndpoint::record_usage() const { return state_->calls.record_usage(); }

}  // namespace redqueen
