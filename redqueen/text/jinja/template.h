// Text templates in the part of Jinja that chat templates use, with the settings of transformers
// (docs/models.md lists what there is). Work, depth and output are bounded: somebody else wrote the
// template.
#pragma once

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen::jinja {

// Immutable, thread-safe, cheap to copy.
class Template {
 public:
  // Fails with the line of what is not understood.
  static Expected<Template> parse(std::string_view source);

  // `values`: the names that the template finds, an object. `now`: what strftime_now() tells;
  // without it the function is not defined, and a template that calls it all the same is told
  // always the same day. Fails with the line, or with the template's own words if it calls
  // raise_exception().
  Expected<std::string> render(const nlohmann::ordered_json& values,
                               const std::optional<std::tm>& now = {}) const;

 private:
  struct Data;
  explicit Template(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace redqueen::jinja
