#include "redqueen/train/slices.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

namespace redqueen {
namespace {

// Part of the slices of one tensor: numbers [offset, offset + count) of each.
struct Piece {
  std::size_t tensor;
  std::int64_t offset, count;
};

// Cuts the slices of all tensors into messages.
std::vector<std::vector<Piece>> messages(std::span<const at::Tensor> tensors, int size,
                                         std::int64_t at_once) {
  const std::int64_t most = std::max<std::int64_t>(1, at_once / size);
  std::vector<std::vector<Piece>> list;
  std::int64_t room = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::int64_t length = slice_length(tensors[i].numel(), size);
    for (std::int64_t offset = 0; offset < length;) {
      if (room == 0) {
        list.emplace_back();
        room = most;
      }
      const std::int64_t count = std::min(room, length - offset);
      list.back().push_back({i, offset, count});
      offset += count;
      room -= count;
    }
  }
  return list;
}

std::int64_t numbers_of(const std::vector<Piece>& pieces) {
  std::int64_t sum = 0;
  for (const Piece& piece : pieces) sum += piece.count;
  return sum;
}

// Of a piece, what rank r's slice of the tensor really has, as a slice of the tensor.
Slice within(const Piece& piece, std::int64_t numbers, const Share& share) {
  const Slice slice = slice_of(numbers, share);
  const std::int64_t begin = std::min(piece.offset, slice.count);
  return {slice.begin + begin, std::min(piece.count, slice.count - begin)};
}

// The numbers of a piece in the slice of this process.
at::Tensor own_piece(const at::Tensor& own, const Piece& piece) {
  const std::int64_t begin = std::min(piece.offset, own.numel());
  return own.view({-1}).narrow(0, begin, std::min(piece.count, own.numel() - begin));
}

}  // namespace

at::Tensor slice_tensor(const at::Tensor& whole, const Slice& slice) {
  return whole.detach().view({-1}).narrow(0, slice.begin, slice.count);
}

Status add_slices(Communicator& communicator, std::span<const at::Tensor> parts,
                  std::span<const at::Tensor> like, std::span<const at::Tensor> own,
                  std::int64_t at_once) {
  const at::NoGradGuard no_grad;
  for (const std::vector<Piece>& pieces : messages(like, communicator.size(), at_once)) {
    const auto options = like[pieces[0].tensor].options().dtype(at::kFloat).requires_grad(false);
    const std::int64_t length = numbers_of(pieces);
    const at::Tensor rows = at::zeros({communicator.size(), length}, options);
    std::int64_t place = 0;
    for (const Piece& piece : pieces) {
      const at::Tensor& part = parts[piece.tensor];
      for (int rank = 0; part.defined() && rank < communicator.size(); ++rank) {
        const Slice slice = within(piece, part.numel(), {rank, communicator.size()});
        rows.select(0, rank).narrow(0, place, slice.count).copy_(slice_tensor(part, slice));
      }
      place += piece.count;
    }
    const at::Tensor sums = at::empty({length}, options);
    RETURN_IF_ERROR(communicator.scatter_sum(rows, sums));
    place = 0;
    for (const Piece& piece : pieces) {
      const at::Tensor target = own_piece(own[piece.tensor], piece);
      target.add_(sums.narrow(0, place, target.numel()).to(target.device()));
      place += piece.count;
    }
  }
  return {};
}

Status spread_slices(Communicator& communicator, std::span<const at::Tensor> own,
                     std::span<const at::Tensor> whole, std::int64_t at_once) {
  const at::NoGradGuard no_grad;
  for (const std::vector<Piece>& pieces : messages(whole, communicator.size(), at_once)) {
    const auto options = whole[pieces[0].tensor].options().requires_grad(false);
    const std::int64_t length = numbers_of(pieces);
    const at::Tensor mine = at::zeros({length}, options);
    std::int64_t place = 0;
    for (const Piece& piece : pieces) {
      const at::Tensor source = own_piece(own[piece.tensor], piece);
      mine.narrow(0, place, source.numel()).copy_(source);
      place += piece.count;
    }
    const at::Tensor rows = at::empty({communicator.size(), length}, options);
    RETURN_IF_ERROR(communicator.gather(mine, rows));
    place = 0;
    for (const Piece& piece : pieces) {
      const at::Tensor& target = whole[piece.tensor];
      for (int rank = 0; rank < communicator.size(); ++rank) {
        const Slice slice = within(piece, target.numel(), {rank, communicator.size()});
        slice_tensor(target, slice).copy_(rows.select(0, rank).narrow(0, place, slice.count));
      }
      place += piece.count;
    }
  }
  return {};
}

}  // namespace redqueen
