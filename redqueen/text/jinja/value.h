// The values that templates (template.h) compute with: those of Python that a chat template can
// meet.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace redqueen::jinja {

struct TemplateMacro;  // template_ast.h

class TemplateValue {
 public:
  struct Undefined {
    std::string name;  // of what was looked for
  };
  struct None {};
  using List = std::vector<TemplateValue>;
  using Dict = std::vector<std::pair<std::string, TemplateValue>>;  // in the order of insertion
  struct Namespace {
    Dict fields;
  };
  struct Function {
    std::string name;  // of one of the functions that a template finds in place
  };

  TemplateValue() : data_(None{}) {}
  static TemplateValue undefined(std::string name) {
    TemplateValue value;
    value.data_ = Undefined{std::move(name)};
    return value;
  }
  explicit TemplateValue(bool value) : data_(value) {}
  explicit TemplateValue(std::int64_t value) : data_(value) {}
  explicit TemplateValue(double value) : data_(value) {}
  explicit TemplateValue(std::string value);
  explicit TemplateValue(const char* value) : TemplateValue(std::string(value)) {}
  explicit TemplateValue(List value);
  explicit TemplateValue(Dict value);
  explicit TemplateValue(Namespace value) : data_(std::make_shared<Namespace>(std::move(value))) {}
  explicit TemplateValue(const TemplateMacro* macro) : data_(macro) {}
  explicit TemplateValue(Function function) : data_(std::move(function)) {}
  static TemplateValue from_json(const nlohmann::ordered_json& json);

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&data_);
  }
  bool is_undefined() const { return get<Undefined>() != nullptr; }
  bool is_none() const { return get<None>() != nullptr; }
  const std::string* text() const { return get<std::string>(); }
  const List* list() const { return pointee<const List>(); }
  const Dict* dict() const { return pointee<const Dict>(); }
  Namespace* name_space() const { return pointee<Namespace>(); }

  // Booleans count as 0 and 1, as in Python.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;

  bool truth() const;
  bool equals(const TemplateValue& other) const;
  std::string_view type_name() const;

  // About how many bytes it takes to write the value out, which may be far more than it holds:
  // parts are shared.
  std::size_t weight() const { return weight_; }

  // The value as {{ }} prints it: Python's str().
  std::string str() const;

 private:
  template <typename T>
  T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<T>>(&data_);
    return pointer == nullptr ? nullptr : pointer->get();
  }

  std::variant<Undefined, None, bool, std::int64_t, double, std::string,
               std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
               const TemplateMacro*, Function>
      data_;
  std::size_t weight_ = 8;
};

// The field of a dictionary, null if it has none.
const TemplateValue* find_field(const TemplateValue::Dict& dict, std::string_view name);
void set_field(TemplateValue::Dict& dict, std::string_view name, TemplateValue value);

// Python's json.dumps(value, ensure_ascii=False); `indent` < 0: on one line. Null for values that
// JSON does not have.
std::optional<std::string> to_json_text(const TemplateValue& value, int indent);

// Python's repr() of a floating-point number.
std::string float_repr(double value);

}  // namespace redqueen::jinja
