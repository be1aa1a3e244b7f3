// Reads requests of our own API, and refuses a key that nobody reads. Protocols of others add keys
// as they like, which are ignored there (service.h).
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "redqueen/serve/routes.h"

namespace redqueen::serve {

// A usage error that names the first key which is none of `known`, and the nearest of these: left
// out unseen, a misspelt one would give another answer than was asked for.
Status check_keys(const Json& body, const std::vector<std::string_view>& known);

// Reads fields as read_fields() does, of a body that has the fields of T and the keys `besides`
// alone.
template <HasFields T>
Expected<T> read_known_fields(const Json& body,
                              std::initializer_list<std::string_view> besides = {}) {
  std::vector<std::string_view> known = besides;
  T value{};
  T::visit_fields(value, [&](std::string_view key, auto&) { known.push_back(key); });
  RETURN_IF_ERROR(check_keys(body, known));
  return read_fields<T>(body);
}

// Does likewise what with_fields() does.
template <HasFields Body, typename Handle>
net::Handler with_known_fields(Handle handle) {
  return with_json([handle](const net::Request& request, const Json& json) -> net::Answer {
    auto body = read_known_fields<Body>(json);
    if (!body) return net::error_response(body.error());
    return handle(request, std::move(*body));
  });
}

}  // namespace redqueen::serve
