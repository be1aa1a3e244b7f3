#include "redqueen/sandbox/worker/plain_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "redqueen/base/ascii.h"

namespace redqueen::sandbox::worker {
namespace {

constexpr int kMaxDepth = 50;
constexpr int kMaxCanonicalDepth = 130;  // twice what is written: a Subclass has two
constexpr std::size_t kMaxDigits = 18;   // fits a long long

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_ascii_digit(c); }

class Parser {
 public:
  Parser(std::string_view text, Dialect dialect) : text_(text), json_(dialect == Dialect::kJson) {}

  PyObject* arguments() {
    skip_space();
    PyObject* list = json_ ? (take('[') ? items(']', 1) : nullptr) : items('\0', 0);
    skip_space();
    const bool whole = list != nullptr && at_ == text_.size();
    PyObject* tuple = whole ? PyList_AsTuple(list) : nullptr;
    Py_XDECREF(list);
    PyErr_Clear();
    return tuple;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool at_end(char close) const {
    return close == '\0' ? at_ == text_.size() : peek() == close;
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  // A list of what stands up to `close` ('\0': the end of the text), which is taken. Sets
  // trailing_.
  PyObject* items(char close, int depth) {
    PyObject* list = PyList_New(0);
    bool comma = true;
    trailing_ = false;
    for (skip_space(); list != nullptr && !at_end(close); skip_space()) {
      PyObject* item = comma ? value(depth) : nullptr;
      const bool added = item != nullptr && PyList_Append(list, item) == 0;
      Py_XDECREF(item);
      if (!added) return drop(list);
      skip_space();
      comma = take(',');
    }
    if (list == nullptr) return nullptr;
    trailing_ = comma && PyList_GET_SIZE(list) > 0;
    if (json_ && trailing_) return drop(list);
    if (close != '\0') ++at_;
    return list;
  }

  PyObject* value(int depth) {
    if (depth > kMaxDepth) return nullptr;
    const char c = peek();
    if (is_ascii_digit(c) || c == '-' || c == '.') return number();
    if (c == '"' || (c == '\'' && !json_)) return string();
    if (is_name_start(c)) return constant();
    if (c == '[') return ++at_, items(']', depth + 1);
    if (c == '(' && !json_) return ++at_, parenthesis(depth + 1);
    if (c == '{') return ++at_, dictionary(depth + 1);
    return nullptr;
  }

  // (), (1) and (1,) are three things.
  PyObject* parenthesis(int depth) {
    PyObject* list = items(')', depth);
    if (list == nullptr) return nullptr;
    PyObject* result = PyList_GET_SIZE(list) == 1 && !trailing_
                           ? Py_NewRef(PyList_GET_ITEM(list, 0))
                           : PyList_AsTuple(list);
    Py_DECREF(list);
    trailing_ = false;
    return result;
  }

  PyObject* dictionary(int depth) {
    PyObject* result = PyDict_New();
    bool comma = true;
    bool empty = true;
    for (skip_space(); result != nullptr && !at_end('}'); skip_space()) {
      if (!comma || !entry(result, depth)) return drop(result);
      empty = false;
      skip_space();
      comma = take(',');
    }
    if (json_ && comma && !empty) return drop(result);
    ++at_;
    return result;
  }

  bool entry(PyObject* target, int depth) {
    if (json_ && peek() != '"') return false;
    PyObject* key = value(depth);
    skip_space();
    const bool colon = key != nullptr && take(':');
    skip_space();
    PyObject* item = colon ? value(depth) : nullptr;
    const bool added = item != nullptr && PyDict_SetItem(target, key, item) == 0;
    Py_XDECREF(key);
    Py_XDECREF(item);
    return added;
  }

  std::size_t digits() {
    const std::size_t start = at_;
    while (is_ascii_digit(peek())) ++at_;
    return at_ - start;
  }

  PyObject* number() {
    const std::size_t start = at_;
    take('-');
    const std::size_t first = at_;
    const std::size_t whole = digits();
    const bool padded = whole > 1 && text_[first] == '0';
    bool real = false;
    if (take('.')) {
      real = true;
      if (digits() == 0 || whole == 0) return nullptr;  // "1." and ".5": Python only, and rare
    }
    if (peek() == 'e' || peek() == 'E') {
      real = true;
      ++at_;
      if (!take('-')) take('+');
      if (digits() == 0) return nullptr;
    }
    if (padded || whole == 0 || is_name_part(peek()) || peek() == '.') return nullptr;
    const std::string_view token = text_.substr(start, at_ - start);
    return real ? real_number(token) : integer(token, whole);
  }

  static PyObject* integer(std::string_view token, std::size_t count) {
    if (count > kMaxDigits) return nullptr;
    long long parsed = 0;
    std::from_chars(token.data(), token.data() + token.size(), parsed);
    return PyLong_FromLongLong(parsed);
  }

  static PyObject* real_number(std::string_view token) {
    const std::string copy(token);
    const double parsed = PyOS_string_to_double(copy.c_str(), nullptr, nullptr);
    if (parsed == -1.0 && PyErr_Occurred() != nullptr) return nullptr;
    return PyFloat_FromDouble(parsed);
  }

  PyObject* string() {
    const char quote = text_[at_++];
    const std::size_t start = at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' || static_cast<unsigned char>(text_[at_]) < 0x20) return nullptr;
    }
    if (at_ == text_.size()) return nullptr;
    const std::string_view body = text_.substr(start, at_++ - start);
    return PyUnicode_DecodeUTF8(body.data(), static_cast<Py_ssize_t>(body.size()), "strict");
  }

  PyObject* constant() {
    const std::size_t start = at_;
    while (is_name_part(peek())) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (peek() == '\'' || peek() == '"') return nullptr;  // a prefixed string
    if (name == (json_ ? "null" : "None")) return Py_NewRef(Py_None);
    if (name == (json_ ? "true" : "True")) return Py_NewRef(Py_True);
    if (name == (json_ ? "false" : "False")) return Py_NewRef(Py_False);
    return nullptr;
  }

  static PyObject* drop(PyObject* object) {
    Py_DECREF(object);
    return nullptr;
  }

  std::string_view text_;
  bool json_;
  std::size_t at_ = 0;
  bool trailing_ = false;  // the last items() ended in a comma
};

// Of canonical texts; the types of the standard library are kept from before any program.
struct Constructors {
  PyObject* fraction = nullptr;
  PyObject* decimal = nullptr;
  PyObject* deque = nullptr;
  PyObject* ordered_dict = nullptr;
  PyObject* default_dict = nullptr;
  PyObject* counter = nullptr;
  PyObject* subclass = nullptr;
};
Constructors constructors;

class CanonicalReader {
 public:
  explicit CanonicalReader(std::string_view text) : text_(text) {}

  PyObject* read() {
    PyObject* result = value(0);
    if (result != nullptr && at_ != text_.size()) result = drop(result);
    PyErr_Clear();
    return result;
  }

 private:
  static PyObject* drop(PyObject* object) {
    Py_XDECREF(object);
    return nullptr;
  }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  static PyObject* take_over(PyObject* (*make)(PyObject*), PyObject* content) {
    PyObject* made = content != nullptr ? make(content) : nullptr;
    Py_XDECREF(content);
    return made;
  }

  PyObject* value(int depth) {
    if (depth > kMaxCanonicalDepth) return nullptr;
    const char c = peek();
    if (c == '[') return list(depth);
    if (c == '(') return parenthesis(depth);
    if (c == '{') return dictionary(depth);
    if (c == '\'' || c == '"') return string();
    if (c == 'b' && (peek(1) == '\'' || peek(1) == '"')) return ++at_, bytes();
    if (c == '-' || is_ascii_digit(c) || take_is_float_word()) return number();
    if (take("None")) return Py_NewRef(Py_None);
    if (take("True")) return Py_NewRef(Py_True);
    if (take("False")) return Py_NewRef(Py_False);
    if (take("Ellipsis")) return Py_NewRef(Py_Ellipsis);
    return constructed(depth);
  }

  [[nodiscard]] bool take_is_float_word() const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with("inf") || rest.starts_with("nan");
  }

  // What stands between brackets, up to `close`, which is taken. A last comma is allowed.
  PyObject* items(char close, int depth) {
    PyObject* result = PyList_New(0);
    while (result != nullptr && peek() != close) {
      PyObject* item = value(depth + 1);
      const bool added = item != nullptr && PyList_Append(result, item) == 0;
      Py_XDECREF(item);
      if (!added) return drop(result);
      trailing_ = take(", ") || take(",");
      if (!trailing_ && peek() != close) return drop(result);
    }
    ++at_;
    return result;
  }

  PyObject* list(int depth) { return ++at_, items(']', depth); }

  // A tuple, or a complex number: (1+2j).
  PyObject* parenthesis(int depth) {
    const std::size_t end = text_.find_first_of(",()[]{}'\"", at_ + 1);
    if (end != std::string_view::npos && text_[end] == ')' && text_[end - 1] == 'j') {
      return complex_number(end);
    }
    ++at_;
    trailing_ = false;
    PyObject* content = items(')', depth);
    const bool one = content != nullptr && PyList_GET_SIZE(content) == 1 && !trailing_;
    if (one) return drop(content);  // (1) is no form of ours
    return take_over(PyList_AsTuple, content);
  }

  // Python's own reader of complex numbers takes what repr() writes.
  PyObject* complex_number(std::size_t end) {
    const std::string_view token = text_.substr(at_, end + 1 - at_);
    if (token.size() > 100) return nullptr;
    at_ = end + 1;
    PyObject* text =
        PyUnicode_FromStringAndSize(token.data(), static_cast<Py_ssize_t>(token.size()));
    PyObject* result = text != nullptr
                           ? PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), text)
                           : nullptr;
    Py_XDECREF(text);
    return result;
  }

  PyObject* dictionary(int depth) {
    ++at_;
    PyObject* result = PyDict_New();
    while (result != nullptr && peek() != '}') {
      PyObject* key = value(depth + 1);
      PyObject* item = key != nullptr && take(": ") ? value(depth + 1) : nullptr;
      const bool added = item != nullptr && PyDict_SetItem(result, key, item) == 0;
      Py_XDECREF(key);
      Py_XDECREF(item);
      if (!added || (!take(", ") && peek() != '}')) return drop(result);
    }
    ++at_;
    return result;
  }

  // The inside of a string as repr() writes it, quotes taken.
  std::string_view quoted(bool& escaped) {
    const char quote = text_[at_++];
    const std::size_t start = at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n') return closed(start, false);
      if (text_[at_] == '\\') {
        escaped = true;
        ++at_;
      }
    }
    return closed(start, at_ < text_.size());
  }
  std::string_view closed(std::size_t start, bool whole) {
    broken_ = !whole;
    return whole ? text_.substr(start, at_++ - start) : std::string_view();
  }

  PyObject* string() {
    bool escaped = false;
    const std::string_view body = quoted(escaped);
    if (broken_) return nullptr;
    if (!escaped) {
      return PyUnicode_DecodeUTF8(body.data(), static_cast<Py_ssize_t>(body.size()), "strict");
    }
    // Python's reader of escapes takes Latin-1, so what is beyond ASCII is escaped first.
    PyObject* plain =
        PyUnicode_DecodeUTF8(body.data(), static_cast<Py_ssize_t>(body.size()), "strict");
    PyObject* ascii =
        plain != nullptr ? PyUnicode_AsEncodedString(plain, "ascii", "backslashreplace") : nullptr;
    Py_XDECREF(plain);
    PyObject* result = ascii != nullptr
                           ? PyUnicode_DecodeUnicodeEscape(PyBytes_AS_STRING(ascii),
                                                           PyBytes_GET_SIZE(ascii), "strict")
                           : nullptr;
    Py_XDECREF(ascii);
    return result;
  }

  PyObject* bytes() {
    bool escaped = false;
    const std::string_view body = quoted(escaped);
    if (broken_ || std::any_of(body.begin(), body.end(), [](char c) { return (c & 0x80) != 0; })) {
      return nullptr;
    }
    return PyBytes_DecodeEscape(body.data(), static_cast<Py_ssize_t>(body.size()), "strict", 0,
                                nullptr);
  }

  PyObject* number() {
    const std::size_t start = at_;
    take("-");
    const bool hexadecimal = take("0x");
    const auto belongs = [&](char c) {
      if (hexadecimal) return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
      return is_name_part(c) || c == '.' || c == '+' ||
             (c == '-' && at_ > start && text_[at_ - 1] == 'e');
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    const std::string token(text_.substr(start, at_ - start));
    const std::string_view digits = std::string_view(token).substr(token[0] == '-' ? 1 : 0);
    const bool whole = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_ascii_digit);
    if (hexadecimal) return PyLong_FromString(token.c_str(), nullptr, 16);
    if (whole && digits.size() > 1 && digits[0] == '0') return nullptr;
    if (whole && digits.size() <= kMaxDigits) return PyLong_FromLongLong(std::stoll(token));
    if (whole) return PyLong_FromString(token.c_str(), nullptr, 10);
    if (token.ends_with('j')) return imaginary(token);
    if (digits != "inf" && digits != "nan" && !is_ascii_digit(digits.empty() ? '\0' : digits[0])) {
      return nullptr;
    }
    const double parsed = PyOS_string_to_double(token.c_str(), nullptr, nullptr);
    if (parsed == -1.0 && PyErr_Occurred() != nullptr) return nullptr;
    return PyFloat_FromDouble(parsed);
  }

  static PyObject* imaginary(std::string token) {
    token.pop_back();
    const double parsed = PyOS_string_to_double(token.c_str(), nullptr, nullptr);
    if (parsed == -1.0 && PyErr_Occurred() != nullptr) return nullptr;
    return PyComplex_FromDoubles(0.0, parsed);
  }

  // The arguments of a form, and the bracket behind them.
  PyObject* arguments(std::size_t least, std::size_t most, int depth) {
    PyObject* content = items(')', depth);
    const auto count = content != nullptr ? static_cast<std::size_t>(PyList_GET_SIZE(content)) : 0;
    return count >= least && count <= most ? content : drop(content);
  }

  static PyObject* call(PyObject* callable, PyObject* list) {
    PyObject* tuple = take_over(PyList_AsTuple, list);
    PyObject* result = tuple != nullptr ? PyObject_Call(callable, tuple, nullptr) : nullptr;
    Py_XDECREF(tuple);
    return result;
  }

  template <typename Check>
  static bool all(PyObject* list, Check check) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
      if (!check(PyList_GET_ITEM(list, i))) return false;
    }
    return true;
  }

  PyObject* constructed(int depth) {
    const auto is_list = [](PyObject* item) { return PyList_CheckExact(item) != 0; };
    const auto is_dict = [](PyObject* item) { return PyDict_CheckExact(item) != 0; };
    const auto is_integer = [](PyObject* item) { return PyLong_CheckExact(item) != 0; };
    const auto is_text = [](PyObject* item) { return PyUnicode_CheckExact(item) != 0; };
    const auto is_bytes = [](PyObject* item) { return PyBytes_CheckExact(item) != 0; };
    const auto made = [&](PyObject* callable, std::size_t least, std::size_t most, auto check) {
      PyObject* content = arguments(least, most, depth);
      if (content == nullptr || callable == nullptr || !all(content, check)) return drop(content);
      return call(callable, content);
    };
    const auto type = [](PyTypeObject& one) { return reinterpret_cast<PyObject*>(&one); };
    if (take("set(")) return made(type(PySet_Type), 0, 1, is_list);
    if (take("frozenset(")) return made(type(PyFrozenSet_Type), 0, 1, is_list);
    if (take("bytearray(")) return made(type(PyByteArray_Type), 1, 1, is_bytes);
    if (take("range(")) return made(type(PyRange_Type), 2, 3, is_integer);
    if (take("Fraction(")) return made(constructors.fraction, 2, 2, is_integer);
    if (take("Decimal(")) return made(constructors.decimal, 1, 1, is_text);
    if (take("deque(")) return made(constructors.deque, 1, 1, is_list);
    if (take("OrderedDict(")) return made(constructors.ordered_dict, 1, 1, is_list);
    if (take("Counter(")) return made(constructors.counter, 1, 1, is_dict);
    if (take("defaultdict(")) return default_dictionary(depth);
    if (take("Subclass(")) {
      return made(constructors.subclass, 2, 2, [](PyObject*) { return true; });
    }
    return nullptr;
  }

  PyObject* default_dictionary(int depth) {
    PyObject* content = arguments(1, 1, depth);
    if (content == nullptr) return nullptr;
    PyObject* result = PyDict_CheckExact(PyList_GET_ITEM(content, 0)) != 0
                           ? PyObject_CallFunctionObjArgs(constructors.default_dict, Py_None,
                                                          PyList_GET_ITEM(content, 0), nullptr)
                           : nullptr;
    Py_DECREF(content);
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool trailing_ = false;  // the last items() ended in a comma
  bool broken_ = false;    // the last quoted() has no end
};

constexpr std::array<std::string_view, 36> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "__debug__"};

}  // namespace

PyObject* plain_arguments(std::string_view text, Dialect dialect) {
  return Parser(text, dialect).arguments();
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && is_name_start(text.front()) &&
         std::all_of(text.begin(), text.end(), is_name_part) &&
         std::find(kKeywords.begin(), kKeywords.end(), text) == kKeywords.end();
}

bool keep_constructors(PyObject* subclass) {
  const auto kept = [](const char* module, const char* name) {
    PyObject* imported = PyImport_ImportModule(module);
    PyObject* found = imported != nullptr ? PyObject_GetAttrString(imported, name) : nullptr;
    Py_XDECREF(imported);
    return found;
  };
  constructors = {.fraction = kept("fractions", "Fraction"),
                  .decimal = kept("decimal", "Decimal"),
                  .deque = kept("collections", "deque"),
                  .ordered_dict = kept("collections", "OrderedDict"),
                  .default_dict = kept("collections", "defaultdict"),
                  .counter = kept("collections", "Counter"),
                  .subclass = Py_XNewRef(subclass)};
  return constructors.fraction != nullptr && constructors.decimal != nullptr &&
         constructors.deque != nullptr && constructors.ordered_dict != nullptr &&
         constructors.default_dict != nullptr && constructors.counter != nullptr &&
         constructors.subclass != nullptr;
}

PyObject* read_canonical(std::string_view text) { return CanonicalReader(text).read(); }

}  // namespace redqueen::sandbox::worker
