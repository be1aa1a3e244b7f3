// The link of one process to the others that train the same parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// All of them make the same calls in the same order. A call fails when another process is gone, or
// does not come for too long; after that the object is of no more use.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // of this process, 0 … size() − 1
  virtual int size() const = 0;

  // Puts the sum over all processes into every tensor: the same bits in every process. float32,
  // contiguous, of the same shapes everywhere.
  virtual Status sum(const std::vector<at::Tensor>& tensors) = 0;

  // Puts into `own`, [n], the sum over all processes of their row number rank(). rows: [size, n],
  // float32, contiguous, of the same shape everywhere.
  virtual Status scatter_sum(const at::Tensor& rows, const at::Tensor& own) = 0;

  // Puts into rows, [size, n], what every process has in `own`, [n], by rank. Contiguous, of the
  // same type and shapes everywhere.
  virtual Status gather(const at::Tensor& own, const at::Tensor& rows) = 0;

  // Gives every process the bytes of all, by rank.
  virtual Expected<std::vector<std::string>> exchange(const std::string& bytes) = 0;
};

}  // namespace redqueen
