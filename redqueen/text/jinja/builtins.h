// The operators, filters, tests and methods of templates, with Python's and Jinja's meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/text/jinja/value.h"

namespace redqueen::jinja {

// Thrown and caught within the template engine; the renderer adds the line.
struct TemplateError {
  std::string what;
};

struct TemplateCall {
  std::vector<TemplateValue> positional;
  std::vector<std::pair<std::string, TemplateValue>> named;

  // By its place, or else by its name; null if it was not given.
  const TemplateValue* find(std::size_t place, std::string_view name) const;
};

// The weight of the largest text or list, in bytes.
inline constexpr std::size_t kHeaviestTemplateValue = std::size_t{16} << 20;

// + - * / // % ** ~
TemplateValue apply_operator(const std::string& name, const TemplateValue& left,
                             const TemplateValue& right);
// == != < <= > >= in, not in
bool compare(const std::string& name, const TemplateValue& left, const TemplateValue& right);

TemplateValue apply_filter(const std::string& name, const TemplateValue& value,
                           const TemplateCall& call);
bool apply_test(const std::string& name, const TemplateValue& value, const TemplateCall& call);

// nullopt if values of this type have no such method.
std::optional<TemplateValue> call_method(const TemplateValue& object, const std::string& name,
                                         const TemplateCall& call);

// object.name, object[index], object[begin:end:step]; parts of a slice may be null.
TemplateValue get_attribute(const TemplateValue& object, const std::string& name);
TemplateValue get_item(const TemplateValue& object, const TemplateValue& index);
TemplateValue get_slice(const TemplateValue& object, const TemplateValue* begin,
                        const TemplateValue* end, const TemplateValue* step);

// A path like "function.name", or an index.
TemplateValue attribute_path(TemplateValue value, const TemplateValue& path);

// Returns the items that a loop over the value visits: items, keys, characters.
TemplateValue::List items_of(const TemplateValue& value);

}  // namespace redqueen::jinja
