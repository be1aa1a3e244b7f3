// The page's files, embedded in the program: it needs no others beside it, and no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::watch {

// A file as a server gives it.
struct PageFile {
  std::string_view name;  // "index.html", "page.js", …; what the page's links say
  std::string_view content_type;
  std::string_view text;
};

// index.html first.
std::span<const PageFile> page_files();

// Returns the page's Content-Security-Policy: scripts and data come from the server alone, and
// nothing that a text smuggled in would run.
std::string_view page_policy();

// The page as one file that carries its data (carried_data.h) and its scripts, and may load
// nothing. `data` may hold texts of unknown origin.
std::string page_with_data(const Json& data, std::string_view title);

}  // namespace redqueen::watch
