// Python's string functions, for templates: on characters, not bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redqueen::jinja {

// The characters of a text; a byte that is no UTF-8 counts as one.
std::vector<std::string_view> characters(std::string_view text);

enum class Side { kLeft, kRight, kBoth };

// Without `set`: white space.
std::string_view strip(std::string_view text, Side side, std::optional<std::string_view> set);

// At every `separator`, which is not empty, or at runs of white space; `most` < 0: no limit.
std::vector<std::string> split_text(std::string_view text,
                                    std::optional<std::string_view> separator, std::int64_t most);
std::vector<std::string> split_text_from_right(std::string_view text,
                                               std::optional<std::string_view> separator,
                                               std::int64_t most);

// The first `most` occurrences, all if it is negative. nullopt if the result would exceed `largest`
// bytes.
std::optional<std::string> replace_text(std::string_view text, std::string_view old,
                                        std::string_view by, std::int64_t most,
                                        std::size_t largest);

std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalize(std::string_view text);  // the first character upper, the rest lower

}  // namespace redqueen::jinja
