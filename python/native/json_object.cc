#include "python/native/json_object.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "python/native/text.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;

// Reads one value; where that fails, `path` says where it stands.
class Reader {
 public:
  Expected<Json> read(nb::handle object, int depth) {
    if (depth > kMaxJsonDepth) return fault("is nested too deep");
    if (object.is_none()) return Json(nullptr);
    if (nb::isinstance<nb::bool_>(object)) return Json(nb::cast<bool>(object));
    if (nb::isinstance<nb::int_>(object)) return read_integer(object);
    if (nb::isinstance<nb::float_>(object)) {
      const double value = nb::cast<double>(object);
      if (!std::isfinite(value)) return fault("is a number that JSON does not have");
      return Json(value);
    }
    if (nb::isinstance<nb::str>(object)) return Json(std::string(Text(object).view()));
    if (nb::isinstance<nb::dict>(object)) return read_dict(nb::borrow<nb::dict>(object), depth);
    if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object))
      return read_sequence(object, depth);
    if (PyIndex_Check(object.ptr()) != 0) {  // NumPy's whole numbers, say
      const auto index = nb::steal(PyNumber_Index(object.ptr()));
      if (index.is_valid()) return read_integer(index);
      PyErr_Clear();
    }
    return fault(fmt::format("is of the type {}, which JSON has no form for",
                             Text(object.type().attr("__name__")).view()));
  }

 private:
  tl::unexpected<Error> fault(std::string_view what) const {
    return usage_error("{} {}", path_.empty() ? "the value" : path_, what);
  }

  Expected<Json> read_integer(nb::handle object) {
    const auto digits =
        nb::steal(PyObject_Str(object.ptr()));  // none where Python finds it too long
    if (!digits.is_valid()) {
      PyErr_Clear();
      return fault("is an integer of too many digits");
    }
    auto number = parse_json(Text(digits).view());
    if (!number) return fault("is an integer of too many digits");
    return number;
  }

  Expected<Json> read_dict(const nb::dict& dict, int depth) {
    Json json = Json::object();
    for (const auto& [key, value] : dict) {
      if (!nb::isinstance<nb::str>(key)) return fault("has a key that is no string");
      const std::string name(Text(key).view());
      const std::size_t length = path_.size();
      path_ += fmt::format("[\"{}\"]", name);
      ASSIGN_OR_RETURN(json[name], read(value, depth + 1));
      path_.resize(length);
    }
    return json;
  }

  Expected<Json> read_sequence(nb::handle sequence, int depth) {
    Json json = Json::array();
    for (const nb::handle item : sequence) {
      const std::size_t length = path_.size();
      path_ += fmt::format("[{}]", json.size());
      ASSIGN_OR_RETURN(Json value, read(item, depth + 1));
      json.push_back(std::move(value));
      path_.resize(length);
    }
    return json;
  }

  std::string path_;
};

nb::object integer_of(const std::string& digits) {
  nb::object integer = nb::steal(PyLong_FromString(digits.c_str(), nullptr, 10));
  if (!integer.is_valid()) throw nb::python_error();
  return integer;
}

}  // namespace

nb::object to_python(const Json& json) {
  std::string_view digits;
  if (is_big_int(json, digits)) return integer_of(std::string(digits));
  switch (json.type()) {
    case Json::value_t::boolean:
      return nb::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return nb::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return nb::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return nb::float_(json.get<double>());
    case Json::value_t::string:
      return text_object(json.get_ref<const std::string&>());
    case Json::value_t::array: {
      nb::list list;
      for (const Json& item : json) list.append(to_python(item));
      return list;
    }
    case Json::value_t::object: {
      nb::dict dict;
      for (const auto& [key, value] : json.items()) dict[text_object(key)] = to_python(value);
      return dict;
    }
    default:
      return nb::none();
  }
}

Expected<Json> from_python(nb::handle object) { return Reader().read(object, 0); }

}  // namespace redqueen::python
