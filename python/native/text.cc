#include "python/native/text.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <string>

namespace redqueen::python {

namespace nb = nanobind;

Text::Text(nb::handle object, const char* argument) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (bytes == nullptr && PyUnicode_Check(object.ptr()) != 0) {
    PyErr_Clear();
    encoded_ = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogatepass"));
    char* own = nullptr;
    if (encoded_.is_valid() && PyBytes_AsStringAndSize(encoded_.ptr(), &own, &size) == 0)
      bytes = own;
  }
  if (bytes == nullptr) {
    PyErr_Clear();
    throw nb::type_error(fmt::format("{}: expected a text (str), and not {}", argument,
                                     nb::cast<std::string>(object.type().attr("__name__")))
                             .c_str());
  }
  view_ = {bytes, static_cast<std::size_t>(size)};
}

nb::str text_object(std::string_view text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace redqueen::python
