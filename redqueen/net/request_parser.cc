#include "redqueen/net/request_parser.h"

#include "redqueen/net/streams.h"

namespace redqueen::net {
namespace {

namespace http = boost::beast::http;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::kGet;
    case http::verb::head:
      return Method::kHead;
    case http::verb::post:
      return Method::kPost;
    case http::verb::put:
      return Method::kPut;
    case http::verb::patch:
      return Method::kPatch;
    case http::verb::delete_:
      return Method::kDelete;
    case http::verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

}  // namespace

void RequestText::clear() {
  text.clear();
  fields.clear();
  headers.clear();
  body.clear();
  if (body.capacity() > kKeptBytes) body.shrink_to_fit();
}

RequestParser::RequestParser(RequestText& request, const ServerOptions& options)
    : request_(request) {
  header_limit(static_cast<std::uint32_t>(options.max_header_bytes));
  body_limit(options.max_body_bytes);
}

void RequestParser::on_request_impl(http::verb verb, Text, Text target, int version, ErrorCode&) {
  request_.method = method_of(verb);
  request_.version = version;
  request_.target = request_.keep(view(target));
}

void RequestParser::on_field_impl(http::field, Text name, Text value, ErrorCode&) {
  if (is_header_done()) return;  // trailers say nothing that this server asks for
  const auto kept = request_.keep(view(name));
  request_.fields.emplace_back(kept, request_.keep(view(value)));
}

void RequestParser::on_header_impl(ErrorCode&) {
  for (const auto& [name, value] : request_.fields)
    request_.headers.push_back({request_[name], request_[value]});
}

std::size_t RequestParser::on_body_impl(Text body, ErrorCode&) {
  request_.append_to_body(body.data(), body.size());
  return body.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, Text body, ErrorCode&) {
  request_.append_to_body(body.data(), body.size());
  return body.size();
}

int status_of(const beast::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

}  // namespace redqueen::net
