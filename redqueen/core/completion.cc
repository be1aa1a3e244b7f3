#include "redqueen/core/completion.h"

#include "redqueen/core/answer_limits.h"

namespace redqueen {

std::optional<std::string_view> find_answer(std::string_view response, const PromptFormat& format,
                                            std::size_t max_bytes) {
  if (response.size() > max_bytes) {
    count_cut_verdict();
    return std::nullopt;
  }
  const auto part = format.part_of(response);
  if (!part) return std::nullopt;
  return extract_answer(*part, format.marker, max_bytes);
}

}  // namespace redqueen
