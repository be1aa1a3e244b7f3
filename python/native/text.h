// Text that crosses the border between Python and the engine.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace redqueen::python {

// The UTF-8 of a Python string, without a copy of its own: valid as long as the string and this
// live, also where the GIL is not held. A lone surrogate, which UTF-8 has no form for but a policy
// may write, is passed on as three bytes. Throws a TypeError, which names the argument, where the
// object is no string.
class Text {
 public:
  explicit Text(nanobind::handle object, const char* argument = "text");
  std::string_view view() const { return view_; }

 private:
  std::string_view view_;
  nanobind::object encoded_;  // where the string itself could not give its bytes
};

// The Python string of a text; bytes that are no UTF-8 become U+FFFD.
nanobind::str text_object(std::string_view text);

}  // namespace redqueen::python
