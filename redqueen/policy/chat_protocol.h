// Writes requests of the chat protocol, and of completions after tokens, as JSON and reads what an
// endpoint sends back.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/policy/chat_endpoint.h"
#include "redqueen/policy/token_endpoint.h"

namespace redqueen {

// `options.extra_body` is a JSON object, or empty.
std::string chat_request_body(const ChatRequest& request, const EndpointOptions& options);

// Reads a whole body of status 200. Fails when it is not of the protocol; the message says what is
// missing.
Expected<ChatReply> read_chat_reply(std::string_view body);

// Reads a streamed body: server-sent events, of which the last is [DONE].
Expected<ChatReply> read_chat_stream(std::string_view body);

// Everything that shapes the distribution is said, so that an engine's own defaults do not count.
std::string token_request_body(const TokenRequest& request, const EndpointOptions& options);

// Reads a whole body of status 200: its first choice. Fails when the engine does not tell the
// tokens that it drew, or their log-probabilities.
Expected<TokenReply> read_token_reply(std::string_view body);

// Returns what an endpoint says of an error, shortened; the body itself if it is not of the
// protocol.
std::string read_chat_error(std::string_view body);

}  // namespace redqueen
