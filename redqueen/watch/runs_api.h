// The runs below a folder as a JSON API: requests and answers as values, for any server to carry.
//
//   GET /v1/runs                                         the list
//   GET /v1/runs/VIEW?run=NAME&…                         a view of one run
//   GET /v1/runs/comparison?run=NAME&run=NAME            several side by side
//
// docs/watch.md has the views, their parameters and their answers. Everything only reads.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/watch/run_library.h"
#include "redqueen/watch/summary_cache.h"

namespace redqueen::watch {

// The parameters of a URL's query, decoded, in its order. Names may repeat.
using Parameters = std::vector<std::pair<std::string, std::string>>;

// Decodes "a=1&b=x%20y+z". What is no valid escape stays as it is.
Parameters parse_parameters(std::string_view query);

struct Answer {
  int status = 200;  // as HTTP has it: 200, 400 (a parameter is wrong), 404, 500
                     // (a run is unreadable)
  Json body;         // on a fault {"error": sentence}
};

// Safe to share between threads.
class RunsApi {
 public:
  explicit RunsApi(std::filesystem::path root) : library_(std::move(root)) {}

  // `view` is what follows "/v1/runs/"; "" is the list.
  Answer answer(std::string_view view, const Parameters& parameters) const;

  // Says where every run is: a text that changes when the list or a step or a state does. A server
  // of events sends it whenever it differs from the one before.
  std::string revision() const;

 private:
  RunLibrary library_;
  std::unique_ptr<SummaryCache> summaries_ = std::make_unique<SummaryCache>();
};

}  // namespace redqueen::watch
