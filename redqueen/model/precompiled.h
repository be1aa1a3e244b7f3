// Headers that most files with tensors use, compiled once. Files include what they need all the
// same: this one only saves time.
#pragma once

#include <ATen/ATen.h>

#include "redqueen/base/precompiled.h"
