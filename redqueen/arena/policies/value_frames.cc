#include "redqueen/arena/policies/value_frames.h"

#include <bit>
#include <cstring>

namespace redqueen::arena {
namespace {

static_assert(std::endian::native == std::endian::little, "elements cross as they lie in memory");

constexpr int kMostDepth = 16;
constexpr std::size_t kMostAxes = 8;

template <typename Number>
void append(Number number, std::string& bytes) {
  char raw[sizeof(Number)];
  std::memcpy(raw, &number, sizeof(Number));
  bytes.append(raw, sizeof(Number));
}

void append_length(std::size_t length, std::string& bytes) {
  append(static_cast<std::uint32_t>(length), bytes);
}

struct Writer {
  std::string& bytes;

  void operator()(std::int64_t number) const {
    bytes.push_back('i');
    append(number, bytes);
  }
  void operator()(double number) const {
    bytes.push_back('d');
    append(number, bytes);
  }
  void operator()(const std::string& text) const {
    bytes.push_back('s');
    append_length(text.size(), bytes);
    bytes += text;
  }
  void operator()(const Array& array) const {
    bytes.push_back('a');
    bytes.push_back(static_cast<char>(array.type));
    bytes.push_back(static_cast<char>(array.shape.size()));
    for (const std::int64_t length : array.shape) {
      append_length(static_cast<std::size_t>(length), bytes);
    }
    bytes.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  }
  void operator()(const Value::Tuple& tuple) const {
    bytes.push_back('t');
    append_length(tuple.size(), bytes);
    for (const Value& part : tuple) append_value(part, bytes);
  }
  void operator()(const Value::Dict& dict) const {
    bytes.push_back('m');
    append_length(dict.size(), bytes);
    for (const auto& [key, part] : dict) {
      append_length(key.size(), bytes);
      bytes += key;
      append_value(part, bytes);
    }
  }
};

// Takes values off the front of `rest`; nullopt ends all reading.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  std::optional<Value> value(int depth = 0) {
    const auto tag = take(1);
    if (!tag || depth > kMostDepth) return std::nullopt;
    switch (tag->front()) {
      case 'i':
        return number<std::int64_t>();
      case 'd':
        return number<double>();
      case 's':
        if (const auto text = this->text()) return Value{*text};
        return std::nullopt;
      case 'a':
        return array();
      case 't':
        return tuple(depth);
      case 'm':
        return dict(depth);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<std::string_view> take(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <typename Number>
  std::optional<Value> number() {
    const auto raw = take(sizeof(Number));
    if (!raw) return std::nullopt;
    Number result{};
    std::memcpy(&result, raw->data(), sizeof(Number));
    return Value{result};
  }

  std::optional<std::uint32_t> length() {
    const auto raw = take(sizeof(std::uint32_t));
    if (!raw) return std::nullopt;
    std::uint32_t result = 0;
    std::memcpy(&result, raw->data(), sizeof(result));
    return result;
  }

  std::optional<std::string> text() {
    const auto size = length();
    const auto raw = size ? take(*size) : std::nullopt;
    return raw ? std::optional(std::string(*raw)) : std::nullopt;
  }

  std::optional<Value> array() {
    const auto head = take(2);
    if (!head) return std::nullopt;
    const auto type = static_cast<unsigned char>((*head)[0]);
    const auto axes = static_cast<unsigned char>((*head)[1]);
    if (type > static_cast<unsigned char>(ElementType::kFloat64) || axes > kMostAxes) {
      return std::nullopt;
    }
    Array array{.type = static_cast<ElementType>(type)};
    std::size_t bytes = element_size(array.type);
    for (unsigned i = 0; i < axes; ++i) {
      const auto size = length();
      if (!size) return std::nullopt;
      array.shape.push_back(*size);
      // No product grows beyond what is there to be read.
      if (*size > 0 && bytes > rest_.size() / *size) return std::nullopt;
      bytes *= *size;
    }
    const auto raw = take(bytes);
    if (!raw) return std::nullopt;
    array.bytes.resize(bytes);
    if (bytes > 0) std::memcpy(array.bytes.data(), raw->data(), bytes);
    // A truth value of another byte would be no bool.
    if (array.type == ElementType::kBool) {
      for (std::byte& each : array.bytes) each &= std::byte{1};
    }
    return Value{std::move(array)};
  }

  std::optional<Value> tuple(int depth) {
    const auto count = length();
    if (!count || *count > rest_.size()) return std::nullopt;
    Value::Tuple tuple;
    for (std::uint32_t i = 0; i < *count; ++i) {
      auto part = value(depth + 1);
      if (!part) return std::nullopt;
      tuple.push_back(std::move(*part));
    }
    return Value{std::move(tuple)};
  }

  std::optional<Value> dict(int depth) {
    const auto count = length();
    if (!count || *count > rest_.size()) return std::nullopt;
    Value::Dict dict;
    for (std::uint32_t i = 0; i < *count; ++i) {
      auto key = text();
      auto part = key ? value(depth + 1) : std::nullopt;
      if (!part) return std::nullopt;
      dict.emplace_back(std::move(*key), std::move(*part));
    }
    return Value{std::move(dict)};
  }

  std::string_view rest_;
};

}  // namespace

void append_value(const Value& value, std::string& bytes) { std::visit(Writer{bytes}, value.form); }

std::optional<Value> read_value(std::string_view bytes) {
  Reader reader(bytes);
  auto value = reader.value();
  if (!value || !reader.at_end()) return std::nullopt;
  return value;
}

}  // namespace redqueen::arena
