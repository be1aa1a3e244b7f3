#include "redqueen/sandbox/worker/value_text.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

namespace redqueen::sandbox::worker {
namespace {

constexpr std::size_t kMaxDepth = 1000;
constexpr std::size_t kMaxComparableDepth =
    60;  // what Python's own parser reads back, with room to spare
// Every integer of so many bits has at most 4,300 digits, Python's own bound of int to str; every
// one beyond the second has more.
constexpr std::size_t kDecimalBits = 14283;
constexpr std::size_t kMaxDecimalBits = 14285;

struct Release {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Release>;

Owned owned(PyObject* object) {
  if (object == nullptr) throw PythonError{};
  return Owned(object);
}

std::string utf8(PyObject* text) {
  const Owned bytes = owned(PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace"));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

std::string repr(PyObject* object) { return utf8(owned(PyObject_Repr(object)).get()); }

// One walk over a value writes one of the forms.
class Describer {
 public:
  explicit Describer(std::size_t limit) : limit_(limit) {}
  virtual ~Describer() = default;

  std::string take() { return std::move(text_); }

 protected:
  void add(std::string_view text) {
    if (text.size() > limit_ - std::min(limit_, text_.size())) throw TextTooLong();
    text_ += text;
  }

  // Runs `body` one level down, or returns false if `object` lies within itself.
  template <typename Body>
  bool nested(PyObject* object, Body body) {
    if (std::find(path_.begin(), path_.end(), object) != path_.end()) return false;
    path_.push_back(object);
    body();
    path_.pop_back();
    return true;
  }

  [[nodiscard]] std::size_t depth() const { return path_.size(); }

 private:
  std::size_t limit_;
  std::string text_;
  std::vector<PyObject*> path_;
};

std::string integer_text(PyObject* value) {
  const std::size_t bits = _PyLong_NumBits(value);
  if (bits == static_cast<std::size_t>(-1) && PyErr_Occurred() != nullptr) throw PythonError{};
  if (bits > kMaxDecimalBits) return utf8(owned(PyNumber_ToBase(value, 16)).get());
  PyObject* decimal = PyNumber_ToBase(value, 10);
  if (decimal == nullptr && bits > kDecimalBits && PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
    PyErr_Clear();
    return utf8(owned(PyNumber_ToBase(value, 16)).get());
  }
  return utf8(owned(decimal).get());
}

// Types of the standard library whose equality is theirs, not the program's. Taken before any
// program runs: a name says nothing.
struct LibraryTypes {
  PyTypeObject* fraction = nullptr;
  PyTypeObject* decimal = nullptr;
  PyTypeObject* deque = nullptr;
  PyTypeObject* ordered_dict = nullptr;
  PyTypeObject* default_dict = nullptr;
  PyTypeObject* counter = nullptr;
  PyObject* numerator = nullptr;  // Fraction's slots
  PyObject* denominator = nullptr;
};
LibraryTypes types;

PyTypeObject* type_of(const char* module, const char* name) {
  PyObject* imported = PyImport_ImportModule(module);
  PyObject* type = imported != nullptr ? PyObject_GetAttrString(imported, name) : nullptr;
  Py_XDECREF(imported);
  return type != nullptr && PyType_Check(type) ? reinterpret_cast<PyTypeObject*>(type) : nullptr;
}

bool is_simple(PyObject* value) {
  return value == Py_None || value == Py_Ellipsis || PyBool_Check(value) ||
         PyFloat_CheckExact(value) || PyComplex_CheckExact(value) || PyUnicode_CheckExact(value) ||
         PyBytes_CheckExact(value) || PyByteArray_CheckExact(value) ||
         Py_TYPE(value) == &PyRange_Type;
}

// As repr(), but never through a method of a container's class.
class ReprWriter : public Describer {
 public:
  using Describer::Describer;

  void write(PyObject* value) {
    if (PyLong_CheckExact(value)) {
      add(integer_text(value));
    } else if (PyList_CheckExact(value)) {
      sequence(value, "[", "]", "[...]");
    } else if (PyTuple_CheckExact(value)) {
      sequence(value, "(", PyTuple_GET_SIZE(value) == 1 ? ",)" : ")", "(...)");
    } else if (PyDict_CheckExact(value)) {
      dictionary(value);
    } else if (PyAnySet_CheckExact(value) && PySet_GET_SIZE(value) > 0) {
      set(value);
    } else {
      add(repr(value));
    }
  }

 private:
  void check_depth() {
    if (depth() <= kMaxDepth) return;
    PyErr_SetString(PyExc_RecursionError, "the value is nested more deeply than 1,000 levels");
    throw PythonError{};
  }

  void sequence(PyObject* value, std::string_view open, std::string_view close,
                std::string_view itself) {
    const bool written = nested(value, [&] {
      check_depth();
      add(open);
      // A __repr__ of an element may shrink the list under us.
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
        if (i > 0) add(", ");
        const Owned item(Py_NewRef(PySequence_Fast_GET_ITEM(value, i)));
        write(item.get());
      }
      add(close);
    });
    if (!written) add(itself);
  }

  void dictionary(PyObject* value) {
    const bool written = nested(value, [&] {
      check_depth();
      const Owned items = owned(PyDict_Items(value));  // a copy: elements may change the dictionary
      add("{");
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        if (i > 0) add(", ");
        PyObject* pair = PyList_GET_ITEM(items.get(), i);
        write(PyTuple_GET_ITEM(pair, 0));
        add(": ");
        write(PyTuple_GET_ITEM(pair, 1));
      }
      add("}");
    });
    if (!written) add("{...}");
  }

  void set(PyObject* value) {
    nested(value, [&] {
      check_depth();
      const Owned items = owned(PySequence_List(value));
      add(PyFrozenSet_CheckExact(value) ? "frozenset({" : "{");
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        if (i > 0) add(", ");
        write(PyList_GET_ITEM(items.get(), i));
      }
      add(PyFrozenSet_CheckExact(value) ? "})" : "}");
    });
  }
};

// The literals that compare() reads. A value of a subclass that inherits equality is written as
// Subclass(name, value of the base); anything that brings its own equality is not comparable, so
// that no program can grade itself.
class CanonicalWriter : public Describer {
 public:
  using Describer::Describer;

  // False: not comparable.
  bool write(PyObject* value) {
    if (depth() > kMaxComparableDepth) return false;
    if (is_simple(value)) return add(repr(value)), true;
    if (PyLong_CheckExact(value)) return add(integer_text(value)), true;
    if (PyList_CheckExact(value)) return elements(value, value, "[", "]");
    if (PyTuple_CheckExact(value)) return elements(value, value, "(", ",)");
    if (PyDict_CheckExact(value)) return pairs(value, "{", "}");
    if (PyAnySet_CheckExact(value)) return set(value);
    return library(value) || subclass(value);
  }

 private:
  bool elements(PyObject* owner, PyObject* value, std::string_view open, std::string_view close) {
    bool comparable = true;
    const bool entered = nested(owner, [&] {
      add(open);
      const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
      for (Py_ssize_t i = 0; i < size && comparable; ++i) {
        if (i > 0) add(", ");
        comparable = write(PySequence_Fast_GET_ITEM(value, i));
      }
      add(size == 0 && close == ",)" ? ")" : close);
    });
    return entered && comparable;
  }

  bool pairs(PyObject* value, std::string_view open, std::string_view close) {
    bool comparable = true;
    const bool entered = nested(value, [&] {
      add(open);
      Py_ssize_t position = 0;
      PyObject* key = nullptr;
      PyObject* item = nullptr;
      for (bool first = true; comparable && PyDict_Next(value, &position, &key, &item) != 0;
           first = false) {
        if (!first) add(", ");
        comparable = write(key);
        add(": ");
        comparable = comparable && write(item);
      }
      add(close);
    });
    return entered && comparable;
  }

  // Its own elements, whatever a subclass makes of iterating.
  bool set(PyObject* value) {
    const Owned items = owned(PyList_New(0));
    const Owned iterator = owned(PySet_Type.tp_iter(value));
    while (PyObject* item = PyIter_Next(iterator.get())) {
      const Owned held(item);
      if (PyList_Append(items.get(), item) != 0) throw PythonError{};
    }
    if (PyErr_Occurred() != nullptr) throw PythonError{};
    const bool frozen = PyFrozenSet_Check(value);
    return elements(value, items.get(), frozen ? "frozenset([" : "set([", "])");
  }

  bool library(PyObject* value) {
    const PyTypeObject* type = Py_TYPE(value);
    if (type == types.fraction) return fraction(value);
    if (type == types.decimal) return add(utf8(owned(types.decimal->tp_repr(value)).get())), true;
    if (type == types.deque) {
      const Owned items = owned(PySequence_List(value));
      return elements(value, items.get(), "deque([", "])");
    }
    if (type == types.ordered_dict) {
      const Owned items = owned(PyMapping_Items(value));
      return elements(value, items.get(), "OrderedDict([", "])");
    }
    if (type == types.default_dict) return pairs(value, "defaultdict({", "})");
    if (type == types.counter) return pairs(value, "Counter({", "})");
    return false;
  }

  // From the two slots, past whatever has become of the class.
  bool fraction(PyObject* value) {
    std::string text = "Fraction(";
    for (PyObject* slot : {types.numerator, types.denominator}) {
      auto* type = reinterpret_cast<PyObject*>(types.fraction);
      PyObject* found = Py_TYPE(slot)->tp_descr_get(slot, value, type);
      if (found == nullptr) PyErr_Clear();  // a slot that was never set
      if (found == nullptr || !PyLong_CheckExact(found)) {
        Py_XDECREF(found);
        return false;
      }
      const Owned number(found);
      text += integer_text(found) + (slot == types.numerator ? ", " : ")");
    }
    add(text);
    return true;
  }

  bool subclass(PyObject* value) {
    for (PyTypeObject* base :
         {&PyLong_Type, &PyFloat_Type, &PyUnicode_Type, &PyBytes_Type, &PyList_Type, &PyTuple_Type,
          &PyDict_Type, &PySet_Type, &PyFrozenSet_Type}) {
      if (PyType_IsSubtype(Py_TYPE(value), base) == 0) continue;
      if (Py_TYPE(value)->tp_richcompare != base->tp_richcompare) return false;
      add("Subclass(");
      const Owned name = owned(PyUnicode_FromString(Py_TYPE(value)->tp_name));
      add(repr(name.get()));
      add(", ");
      const bool comparable = write_base(value, base);
      add(")");
      return comparable;
    }
    return false;
  }

  bool write_base(PyObject* value, const PyTypeObject* base) {
    if (base == &PyList_Type) return elements(value, value, "[", "]");
    if (base == &PyTuple_Type) return elements(value, value, "(", ",)");
    if (base == &PyDict_Type) return pairs(value, "{", "}");
    if (base == &PySet_Type || base == &PyFrozenSet_Type) return set(value);
    if (base == &PyLong_Type)
      return add(integer_text(owned(PyLong_Type.tp_as_number->nb_int(value)).get())), true;
    const Owned text = owned(base->tp_repr(value));
    add(utf8(text.get()));
    return true;
  }
};

class JsonWriter : public Describer {
 public:
  using Describer::Describer;

  // False: no JSON.
  bool write(PyObject* value) {
    if (depth() > kMaxComparableDepth) return false;
    if (value == Py_None) return add("null"), true;
    if (PyBool_Check(value)) return add(value == Py_True ? "true" : "false"), true;
    if (PyLong_CheckExact(value)) return integer(value);
    if (PyFloat_CheckExact(value)) return real(value);
    if (PyUnicode_CheckExact(value)) return string(value);
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) return array(value);
    if (PyDict_CheckExact(value)) return object(value);
    return false;
  }

 private:
  bool integer(PyObject* value) {
    const std::string text = integer_text(value);
    if (text.find('x') != std::string::npos) return false;
    add(text);
    return true;
  }

  bool real(PyObject* value) {
    if (!std::isfinite(PyFloat_AS_DOUBLE(value))) return false;
    add(repr(value));
    return true;
  }

  bool string(PyObject* value) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(value, &size);
    if (bytes == nullptr) {  // a lone surrogate
      PyErr_Clear();
      return false;
    }
    static constexpr char kHex[] = "0123456789abcdef";
    add("\"");
    for (const char c : std::string_view(bytes, static_cast<std::size_t>(size))) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        add(std::string{'\\', c});
      } else if (byte < 0x20 || byte == 0x7F) {
        add(std::string{'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]});
      } else {
        add(std::string_view(&c, 1));
      }
    }
    add("\"");
    return true;
  }

  bool array(PyObject* value) {
    bool fits = true;
    const bool entered = nested(value, [&] {
      add("[");
      for (Py_ssize_t i = 0; fits && i < PySequence_Fast_GET_SIZE(value); ++i) {
        if (i > 0) add(",");
        fits = write(PySequence_Fast_GET_ITEM(value, i));
      }
      add("]");
    });
    return entered && fits;
  }

  bool object(PyObject* value) {
    bool fits = true;
    const bool entered = nested(value, [&] {
      add("{");
      Py_ssize_t position = 0;
      PyObject* key = nullptr;
      PyObject* item = nullptr;
      for (bool first = true; fits && PyDict_Next(value, &position, &key, &item) != 0;
           first = false) {
        if (!first) add(",");
        fits = PyUnicode_CheckExact(key) && string(key);
        add(":");
        fits = fits && write(item);
      }
      add("}");
    });
    return entered && fits;
  }
};

template <typename W>
std::string written(PyObject* value, std::size_t limit) {
  W writer(limit);
  return writer.write(value) ? writer.take() : std::string();
}

}  // namespace

bool keep_library_types() {
  types = {.fraction = type_of("fractions", "Fraction"),
           .decimal = type_of("decimal", "Decimal"),
           .deque = type_of("collections", "deque"),
           .ordered_dict = type_of("collections", "OrderedDict"),
           .default_dict = type_of("collections", "defaultdict"),
           .counter = type_of("collections", "Counter")};
  if (types.fraction == nullptr || types.decimal == nullptr || types.deque == nullptr ||
      types.ordered_dict == nullptr || types.default_dict == nullptr || types.counter == nullptr) {
    return false;
  }
  auto* fraction = reinterpret_cast<PyObject*>(types.fraction);
  types.numerator = PyObject_GetAttrString(fraction, "_numerator");
  types.denominator = PyObject_GetAttrString(fraction, "_denominator");
  return types.numerator != nullptr && types.denominator != nullptr &&
         Py_TYPE(types.numerator)->tp_descr_get != nullptr;
}

ValueText describe(PyObject* value, std::size_t limit) {
  ValueText text;
  ReprWriter writer(limit);
  writer.write(value);
  text.value = writer.take();
  // The other two forms may be a little longer (tags, escapes) without that being the program's
  // fault.
  const std::size_t room = 16 * limit + 1024;
  text.canonical = written<CanonicalWriter>(value, room);
  text.json = written<JsonWriter>(value, room);
  return text;
}

std::string text_of(PyObject* object, std::size_t limit) {
  PyObject* text = PyObject_Str(object);
  if (text == nullptr) {
    PyObject* type = PyErr_Occurred();
    std::string remark = "<its __str__ raised ";
    remark += type != nullptr ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "nothing";
    PyErr_Clear();
    return remark + ">";
  }
  const Owned held(text);
  const Owned start(PyUnicode_Substring(text, 0, static_cast<Py_ssize_t>(limit)));
  if (!start) {
    PyErr_Clear();
    return "<it is too long>";
  }
  try {
    std::string result = utf8(start.get());
    if (result.size() > limit) result.resize(limit);
    return result;
  } catch (const PythonError&) {
    PyErr_Clear();
    return "<it cannot be written>";
  }
}

}  // namespace redqueen::sandbox::worker
