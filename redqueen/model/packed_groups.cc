#include "redqueen/model/packed_groups.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace redqueen {
namespace {

at::Tensor to_tensor(const std::vector<std::int64_t>& values, at::Device device) {
  const auto size = static_cast<std::int64_t>(values.size());
  at::Tensor result = at::empty({size}, at::kLong);
  std::copy(values.begin(), values.end(), result.mutable_data_ptr<std::int64_t>());
  return result.to(device);
}

SegmentBucket make_bucket(std::span<const Segment> segments, at::Device device) {
  SegmentBucket bucket;
  bucket.count = static_cast<std::int64_t>(segments.size());
  bucket.length = segments.back().length;
  std::vector<std::int64_t> rows, padding, slots, real_rows;
  for (const Segment& segment : segments) {
    for (std::int64_t i = 0; i < bucket.length; ++i) {
      const auto slot = static_cast<std::int64_t>(rows.size());
      const bool real = i < segment.length;
      rows.push_back(segment.begin + (real ? i : 0));
      if (real) {
        slots.push_back(slot);
        real_rows.push_back(segment.begin + i);
      } else {
        padding.push_back(slot);
      }
    }
  }
  bucket.rows = to_tensor(rows, device);
  if (!padding.empty()) {
    bucket.padding = to_tensor(padding, device);
    bucket.slots = to_tensor(slots, device);
    bucket.real_rows = to_tensor(real_rows, device);
  }
  return bucket;
}

// Collects rows and what is predicted from them.
class Packer {
 public:
  // Appends tokens as a new segment that follows a prompt, if it does; returns its first row.
  std::int64_t add_segment(std::span<const Token> tokens, const Segment& prompt = {0, 0}) {
    const auto begin = static_cast<std::int64_t>(tokens_.size());
    if (!tokens.empty()) {
      segments_.push_back({begin, static_cast<std::int64_t>(tokens.size())});
      prompts_.push_back(prompt);
    }
    extend(tokens, prompt.length);
    return begin;
  }

  // Lengthens the last segment.
  void extend(std::span<const Token> tokens, std::int64_t position) {
    for (const Token token : tokens) {
      tokens_.push_back(token);
      positions_.push_back(position++);
    }
    if (!segments_.empty()) {
      segments_.back().length = static_cast<std::int64_t>(tokens_.size()) - segments_.back().begin;
    }
  }

  void predict(std::int64_t row, Token target) {
    predictors_.push_back(row);
    targets_.push_back(target);
  }

  std::int64_t rows() const { return static_cast<std::int64_t>(tokens_.size()); }

  void finish(PackedGroups& packed, at::Device device, std::int64_t window) {
    packed.tokens = to_tensor(tokens_, device);
    packed.positions = to_tensor(positions_, device);
    packed.predictors = to_tensor(predictors_, device);
    packed.targets = to_tensor(targets_, device);
    bound_sequences(packed, device);
    if (window > 0) list_window_keys(packed, device, window);
    packed.buckets = bucket_segments(std::move(segments_), device);
  }

 private:
  void bound_sequences(PackedGroups& packed, at::Device device) const {
    std::vector<std::int64_t> segments, queries, prompts, prompt_rows;
    for (const Segment& segment : segments_) segments.push_back(segment.length);
    for (const Branch& branch : packed.branches) {
      queries.push_back(branch.length);
      prompts.push_back(branch.prompt_length);
      for (std::int64_t i = 0; i < branch.prompt_length; ++i) {
        prompt_rows.push_back(branch.prompt_begin + i);
      }
    }
    packed.segments = sequence_bounds(segments, device);
    packed.branch_queries = sequence_bounds(queries, device);
    packed.branch_prompts = sequence_bounds(prompts, device);
    packed.prompt_rows = to_tensor(prompt_rows, device);
  }

  void list_window_keys(PackedGroups& packed, at::Device device, std::int64_t window) const {
    std::vector<std::int64_t> rows, lengths;
    bool cuts = false;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const Segment &own = segments_[s], &prompt = prompts_[s];
      const std::int64_t seen = std::min(prompt.length, window - 1);
      for (std::int64_t i = prompt.length - seen; i < prompt.length; ++i) {
        rows.push_back(prompt.begin + i);
      }
      for (std::int64_t i = 0; i < own.length; ++i) rows.push_back(own.begin + i);
      lengths.push_back(seen + own.length);
      cuts = cuts || prompt.length + own.length > window;
    }
    if (!cuts) return;
    packed.window_rows = to_tensor(rows, device);
    packed.window_keys = sequence_bounds(lengths, device);
  }

  std::vector<std::int64_t> tokens_, positions_, predictors_, targets_;
  std::vector<Segment> segments_;
  std::vector<Segment> prompts_;  // of each segment: what it follows
};

std::span<const Token> without_last(const std::vector<Token>& tokens) {
  return std::span(tokens).first(tokens.empty() ? 0 : tokens.size() - 1);
}

bool has_tokens(const TokenGroup& group) {
  return std::any_of(group.responses.begin(), group.responses.end(),
                     [](const auto& response) { return !response.empty(); });
}

std::span<const TokenRun> given_runs(const TokenGroup& group, std::size_t response) {
  return group.given.empty() ? std::span<const TokenRun>() : group.given[response];
}

// Predicts all tokens of a response but those in the runs `given`. `last` is the row that predicts
// the response's first token, `begin` that of the response's first token.
void predict_response(Packer& packer, const std::vector<Token>& response,
                      std::span<const TokenRun> given, std::int64_t last, std::int64_t begin) {
  for (std::size_t i = 0; i < response.size(); ++i) {
    if (!given.empty() && i == given.front().begin) {
      i = given.front().end - 1;
      given = given.subspan(1);
      continue;
    }
    packer.predict(i == 0 ? last : begin + static_cast<std::int64_t>(i) - 1, response[i]);
  }
}

void pack_shared(std::span<const TokenGroup> groups, Packer& packer, PackedGroups& packed) {
  std::vector<std::int64_t> prompt_begins;
  for (const TokenGroup& group : groups) {
    prompt_begins.push_back(packer.rows());
    if (has_tokens(group)) packer.add_segment(group.prompt);
  }
  packed.branches_begin = packer.rows();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto prompt_length = static_cast<std::int64_t>(groups[g].prompt.size());
    const std::int64_t last = prompt_begins[g] + prompt_length - 1;
    const std::int64_t branch_begin = packer.rows();
    for (std::size_t k = 0; k < groups[g].responses.size(); ++k) {
      const std::vector<Token>& response = groups[g].responses[k];
      const std::int64_t begin = packer.add_segment(
          without_last(response), {.begin = prompt_begins[g], .length = prompt_length});
      predict_response(packer, response, given_runs(groups[g], k), last, begin);
    }
    if (packer.rows() > branch_begin) {
      packed.branches.push_back(
          {branch_begin, packer.rows() - branch_begin, prompt_begins[g], prompt_length});
    }
  }
}

void pack_separately(std::span<const TokenGroup> groups, Packer& packer) {
  for (const TokenGroup& group : groups) {
    for (std::size_t k = 0; k < group.responses.size(); ++k) {
      const std::vector<Token>& response = group.responses[k];
      if (response.empty()) continue;
      const auto prompt_length = static_cast<std::int64_t>(group.prompt.size());
      const std::int64_t begin = packer.add_segment(group.prompt);
      packer.extend(without_last(response), prompt_length);
      predict_response(packer, response, given_runs(group, k), begin + prompt_length - 1,
                       begin + prompt_length);
    }
  }
}

}  // namespace

std::size_t scored_tokens(const TokenGroup& group) {
  std::size_t count = 0;
  for (const auto& response : group.responses) count += response.size();
  for (const auto& runs : group.given) {
    for (const TokenRun& run : runs) count -= run.end - run.begin;
  }
  return count;
}

std::vector<SegmentBucket> bucket_segments(std::vector<Segment> segments, at::Device device) {
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment& a, const Segment& b) { return a.length < b.length; });
  std::vector<SegmentBucket> buckets;
  for (std::size_t begin = 0; begin < segments.size();) {
    // Short segments share one bucket: padding them costs less than another call.
    const std::int64_t longest = std::max<std::int64_t>(16, 2 * segments[begin].length);
    std::size_t end = begin;
    while (end < segments.size() && segments[end].length <= longest) ++end;
    buckets.push_back(make_bucket(std::span(segments).subspan(begin, end - begin), device));
    begin = end;
  }
  return buckets;
}

c10::intrusive_ptr<PackedGroups> pack_groups(std::span<const TokenGroup> groups, bool share_prefix,
                                             at::Device device, std::int64_t window) {
  for (const TokenGroup& group : groups) {
    TORCH_CHECK(
        !group.prompt.empty() || !has_tokens(group),
        "a group to score has an empty prompt; its first response token is predicted by nothing");
  }
  auto packed = c10::make_intrusive<PackedGroups>();
  Packer packer;
  if (share_prefix) {
    pack_shared(groups, packer, *packed);
  } else {
    pack_separately(groups, packer);
    packed->branches_begin = packer.rows();
  }
  packer.finish(*packed, device, window);
  return packed;
}

c10::intrusive_ptr<PackedGroups> pack_sequence(std::span<const Token> tokens, at::Device device,
                                               std::int64_t window) {
  auto packed = c10::make_intrusive<PackedGroups>();
  Packer packer;
  packer.add_segment(tokens);
  packed->branches_begin = packer.rows();
  packer.finish(*packed, device, window);
  return packed;
}

}  // namespace redqueen
