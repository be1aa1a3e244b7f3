#include "redqueen/sandbox/worker/plain_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace redqueen::worker {
namespace {

constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxDigits = 18;  // fits a long long

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

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

  // A list of what stands up to `close` ('\0': the end of the text), which is taken. Sets trailing_.
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
    if (is_digit(c) || c == '-' || c == '.') return number();
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
    while (is_digit(peek())) ++at_;
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

}  // namespace redqueen::worker
