// Headers that most tests use, compiled once. Files include what they need all the same: this one
// only saves time.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/precompiled.h"
