#include <string>
#include <string_view>

#include "redqueen/serve/embedded_files.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {

namespace {

// Scripts, style and data come from the server itself, and nothing that a text smuggled in runs.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

net::Response file(std::string_view text, const char* type) {
  return {.body = std::string(text),
          .content_type = type,
          .headers = {{"Content-Security-Policy", kPolicy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}}};
}

net::Response page(const net::Request& request) {
  if (request.path == "/docs")  // the page names its files by where it is
    return {.status = 308, .body = "", .headers = {{"Location", "/docs/"}}};
  const std::string_view name = request.part("file");
  if (name.empty()) return file(docs_index_source(), "text/html; charset=utf-8");
  if (name == "docs.css") return file(docs_style_source(), "text/css; charset=utf-8");
  if (name == "docs.js") return file(docs_script_source(), "text/javascript; charset=utf-8");
  return net::error_response(404, "there is no such file");
}

}  // namespace

void add_docs_page(net::Router& router) {
  // The page's files are the same everywhere; what it reads of the server needs the token.
  router.add(net::Method::kGet, "/docs/{file...}", page,
             {.access = net::Access::kOpen,
              .summary = "This document as a page on which calls can be tried",
              .group = "about"});
}

}  // namespace redqueen::serve
