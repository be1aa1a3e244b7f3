// Internal to this folder: parses requests from bytes, with Boost.Beast's parser, into memory that
// the next request of the same connection uses again.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "redqueen/net/http.h"
#include "redqueen/net/server.h"

namespace redqueen::net {

// A request as it arrives.
struct RequestText {
  // A part of `text`, which may move while it grows.
  struct Span {
    std::size_t at = 0;
    std::size_t size = 0;
  };
  std::string text;  // target and fields
  Span target;
  std::vector<std::pair<Span, Span>> fields;
  std::vector<Header> headers;  // views into `text`, set when the header is complete
  Method method = Method::kOther;
  int version = 11;
  boost::beast::flat_buffer body;

  std::string_view operator[](Span span) const {
    return std::string_view(text).substr(span.at, span.size);
  }
  std::string_view whole_body() const {
    const auto data = body.cdata();
    return {static_cast<const char*>(data.data()), data.size()};
  }
  void append_to_body(const void* bytes, std::size_t size) {
    body.commit(
        boost::asio::buffer_copy(body.prepare(size), boost::asio::const_buffer(bytes, size)));
  }
  // Appends to `text`.
  Span keep(std::string_view part) {
    text += part;
    return {text.size() - part.size(), part.size()};
  }
  // Forgets the request, and keeps its memory unless that is large.
  void clear();
};

// Writes the header, and bodies that come in chunks, to a RequestText, which must outlive it. A
// body of known length may be read past it. One parser reads one request.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  // Limits header and body as the options say.
  RequestParser(RequestText& request, const ServerOptions& options);

 private:
  using Text = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb verb, Text, Text target, int version,
                       ErrorCode&) override;
  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_field_impl(boost::beast::http::field, Text name, Text value, ErrorCode&) override;
  void on_header_impl(ErrorCode&) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(Text body, ErrorCode&) override;
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, ErrorCode&) override;
  void on_finish_impl(ErrorCode&) override {}

  RequestText& request_;
};

// The status with which to answer bytes at which the parser failed: 400, 413, 431 or 505.
int status_of(const boost::beast::error_code& error);

}  // namespace redqueen::net
