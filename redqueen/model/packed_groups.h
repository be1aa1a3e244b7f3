// Packs groups of sequences into one run of tokens, and records what each token may attend to.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/model/transformer.h"
#include "redqueen/model/varlen_attention.h"

namespace redqueen {

// A run of rows whose tokens attend causally to one another.
struct Segment {
  std::int64_t begin;
  std::int64_t length;
};

// Segments of similar length, which attention pads to the longest of them.
struct SegmentBucket {
  std::int64_t count;
  std::int64_t length;
  at::Tensor
      rows;  // [count × length] row of each slot; padding slots repeat the segment's first row
  at::Tensor padding;  // [p] the slots that are padding; undefined if there are none
  at::Tensor slots;    // [count × length − p] the slots that are not; undefined if all are
  at::Tensor real_rows;  // [count × length − p] the rows of those; undefined if there is no padding
};

// Rows [begin, begin + length) attend to all of rows [prompt_begin, prompt_begin + prompt_length)
// as well.
struct Branch {
  std::int64_t begin;
  std::int64_t length;
  std::int64_t prompt_begin;
  std::int64_t prompt_length;
};

// First all prompts, then all responses, each without its last token (nothing is predicted from
// that). Immutable.
struct PackedGroups : torch::CustomClassHolder {
  at::Tensor tokens;                   // [T] int64
  at::Tensor positions;                // [T] int64
  std::vector<SegmentBucket> buckets;  // together, every row once
  std::int64_t branches_begin = 0;     // rows from here on are covered by `branches`, in order
  std::vector<Branch> branches;  // one per group that has response rows; empty if nothing is shared
  SequenceBounds segments;       // all rows, segment by segment
  SequenceBounds
      branch_queries;  // rows from branches_begin on, branch by branch, counted from there
  SequenceBounds branch_prompts;  // prompt_rows, branch by branch
  at::Tensor prompt_rows;         // [P] rows of the prompts that `branches` attend to
  // Only where the window that it was packed for is shorter than some response with its prompt:
  at::Tensor window_rows;      // [K] rows that each of `segments` sees within windows: what its
                               // first token sees of its prompt, then its own
  SequenceBounds window_keys;  // of those, segment by segment
  at::Tensor predictors;       // [R] row whose output predicts each scored response token
  at::Tensor targets;          // [R] int64, those tokens
};

// share_prefix: a prompt is one segment and each of its responses another. Otherwise every prompt +
// response is one segment. Token numbers must lie within the vocabulary. window: of layers that
// have one; 0: none has.
c10::intrusive_ptr<PackedGroups> pack_groups(std::span<const TokenGroup> groups, bool share_prefix,
                                             at::Device device, std::int64_t window = 0);

// One causal segment, nothing predicted.
c10::intrusive_ptr<PackedGroups> pack_sequence(std::span<const Token> tokens, at::Device device,
                                               std::int64_t window = 0);

// Whether a layer of this rule sees less than all there is.
inline bool cuts(const PackedGroups& packed, const AttentionRule& rule) {
  return rule.window > 0 && packed.window_rows.defined();
}

// Segments to buckets whose shortest is at least about half their longest.
std::vector<SegmentBucket> bucket_segments(std::vector<Segment> segments, at::Device device);

}  // namespace redqueen
