#include "python/native/arguments.h"

#include "python/native/errors.h"

namespace redqueen::python {

namespace nb = nanobind;

std::optional<std::uint64_t> whole_number(nb::handle value) {
  if (PyBool_Check(value.ptr()) != 0) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (index.is_valid()) {
    const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() == nullptr) return number;
  }
  PyErr_Clear();
  return std::nullopt;
}

std::uint64_t number_of(nb::handle value, std::string_view name, std::uint64_t most) {
  const auto number = whole_number(value);
  if (!number || *number > most)
    raise_usage("{}: a whole number from 0 to {}, and not {}", name, most, shown_value(value));
  return *number;
}

bool truth_of(nb::handle value, std::string_view name) {
  if (value.ptr() == Py_True) return true;
  if (value.ptr() == Py_False) return false;
  const std::string type = nb::cast<std::string>(value.type().attr("__name__"));
  const bool is_numpy = type == "bool" || type == "bool_";
  const int truth = is_numpy ? PyObject_IsTrue(value.ptr()) : -1;
  if (truth < 0) raise_usage("{}: True or False, and not {}", name, shown_value(value));
  return truth == 1;
}

}  // namespace redqueen::python
