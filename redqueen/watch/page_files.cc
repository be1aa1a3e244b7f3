#include "redqueen/watch/page_files.h"

#include <array>

#include "redqueen/base/base64.h"
#include "redqueen/base/sha256.h"
#include "redqueen/run/report/html.h"
#include "redqueen/watch/embedded_files.h"

namespace redqueen::watch {

namespace {

// Text of JSON inside an element of HTML: no "<" is left that could end it.
std::string json_for_html(const Json& data) {
  std::string text;
  for (const char c : dump_json(data))
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

// How a policy names an inline script.
std::string digest_of(std::string_view script) {
  return fmt::format("'sha256-{}'", base64(sha256_digest(script), Base64::kPadded));
}

}  // namespace

std::span<const PageFile> page_files() {
  constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  constexpr std::string_view kStyle = "text/css; charset=utf-8";
  static const std::array<PageFile, 5> kFiles = {
      PageFile{"index.html", "text/html; charset=utf-8", index_source()},
      PageFile{"page.css", kStyle, style_source()},
      PageFile{"page.js", kScript, script_source()},
      PageFile{"uplot.js", kScript, uplot_source()},
      PageFile{"uplot.css", kStyle, uplot_style_source()},
  };
  return kFiles;
}

std::string_view page_policy() {
  return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::string page_with_data(const Json& data, std::string_view title) {
  const std::string script(script_source());
  const std::string uplot(uplot_source());
  const std::string policy = fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src {} {}; base-uri 'none'; "
      "form-action 'none'",
      digest_of(uplot), digest_of(script));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>\n{}{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">To the content</a>\n<header id=\"top\"></header>\n"
      "<main id=\"main\" tabindex=\"-1\"><p>Loading …</p></main>\n"
      "<p id=\"status\" role=\"status\" class=\"hidden\"></p>\n"
      "<noscript>This page draws its charts with JavaScript. index.html beside it does "
      "without.</noscript>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<script>{}</script>\n<script type=\"module\">{}</script>\n</body>\n</html>\n",
      policy, run::html_escape(title), uplot_style_source(), style_source(), json_for_html(data),
      uplot, script);
}

}  // namespace redqueen::watch
