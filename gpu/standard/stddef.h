#pragma once
#include <stdint.h>
#include <cuda/std/cstddef>
