#include "redqueen/model/packed_rows.h"

#include <ATen/ATen.h>

#include <numeric>
#include <vector>

#include "redqueen/model/cpu/row_attention.h"
#include "redqueen/model/numbers.h"

namespace redqueen {
namespace {

constexpr std::int64_t pages_of(std::int64_t tokens) { return (tokens + kKeyPage - 1) / kKeyPage; }

// A segment and the pages that its keys and values are copied to.
struct PagedSegment {
  std::int64_t begin, length, page;
};

std::vector<PagedSegment> page_segments(const PackedGroups& packed) {
  const auto* begins = packed.segments.begins.const_data_ptr<std::int32_t>();
  std::vector<PagedSegment> segments;
  std::int64_t page = 0;
  for (std::int64_t i = 0; i + 1 < packed.segments.begins.size(0); ++i) {
    segments.push_back({begins[i], begins[i + 1] - begins[i], page});
    page += pages_of(segments.back().length);
  }
  return segments;
}

// Lists the pages that every row sees. `numbers`: 0, 1, …, the numbers of all pages.
std::vector<SeenPages> seen_by_rows(const PackedGroups& packed,
                                    const std::vector<PagedSegment>& segments,
                                    std::span<const std::int64_t> numbers) {
  const auto pages = [&](const PagedSegment& s) {
    return numbers.subspan(static_cast<std::size_t>(s.page),
                           static_cast<std::size_t>(pages_of(s.length)));
  };
  std::vector<SeenPages> seen;
  std::size_t branch = 0;
  const PagedSegment* prompt = nullptr;
  for (const PagedSegment& segment : segments) {
    SeenPages row{.own_pages = pages(segment)};
    if (segment.begin >= packed.branches_begin && !packed.branches.empty()) {
      while (segment.begin >= packed.branches[branch].begin + packed.branches[branch].length) {
        ++branch;
        prompt = nullptr;
      }
      const Branch& of = packed.branches[branch];
      for (std::size_t i = 0; prompt == nullptr && i < segments.size(); ++i) {
        if (segments[i].begin == of.prompt_begin) prompt = &segments[i];
      }
      row.prompt_pages = pages(*prompt);
      row.prompt_length = of.prompt_length;
    }
    for (row.own_length = 1; row.own_length <= segment.length; ++row.own_length) {
      seen.push_back(row);
    }
  }
  return seen;
}

template <typename T>
void attend_all(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const PackedGroups& packed, const AttentionRule& rule, const RowsAttended& result) {
  const std::vector<PagedSegment> segments = page_segments(packed);
  if (segments.empty()) return;
  const std::int64_t pages = segments.back().page + pages_of(segments.back().length);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(pages));
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::int64_t kv_heads = k.size(1), head_dim = k.size(2);
  const at::Tensor paged = at::empty({2, pages, kv_heads, kKeyPage, head_dim}, k.options());
  const at::Tensor keys = paged[0], values = paged[1];
  for (const PagedSegment& segment : segments) {
    fill_pages(FillPages<T>{.begin = segment.begin,
                            .count = segment.length,
                            .page = segment.page,
                            .kv_heads = kv_heads,
                            .head_dim = head_dim,
                            .keys = numbers_of<T>(k),
                            .values = numbers_of<T>(v),
                            .paged_keys = numbers_to_write<T>(keys),
                            .paged_values = numbers_to_write<T>(values)});
  }
  const std::vector<SeenPages> seen = seen_by_rows(packed, segments, numbers);
  attend_rows(AttendRows<T>{.rows = seen,
                            .heads = q.size(1),
                            .kv_heads = kv_heads,
                            .head_dim = head_dim,
                            .rule = rule,
                            .queries = numbers_of<T>(q),
                            .keys = numbers_of<T>(keys),
                            .values = numbers_of<T>(values),
                            .out = numbers_to_write<T>(result.out),
                            .lse = numbers_to_write<float>(result.lse)});
}

}  // namespace

bool has_row_attention(const at::Tensor& q) {
  return q.is_cpu() && (q.scalar_type() == at::kFloat || q.scalar_type() == at::kBFloat16);
}

RowsAttended attend_packed_rows(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                const PackedGroups& packed, const AttentionRule& rule) {
  const RowsAttended result{at::empty_like(q),
                            at::empty({q.size(0), q.size(1)}, q.options().dtype(at::kFloat))};
  with_numbers_of(
      q, [&](auto number) { attend_all<decltype(number)>(q, k, v, packed, rule, result); });
  return result;
}

}  // namespace redqueen
