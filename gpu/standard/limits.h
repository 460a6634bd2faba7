#pragma once
#include <cuda/std/climits>
