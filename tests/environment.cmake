# What the tests see of the environment: included by ctest itself before it runs one. What a user has set for programs of
# their own (a driver, a worker, a library of kernels) must not decide a test; a test sets what it needs.
# OCCUTUNE_CACHE (results of the compiler) and OCCUTUNE_NVRTC stay: they say with what to test.
foreach(variable OCCUTUNE_CUDA_DRIVER OCCUTUNE_WORKER OCCUTUNE_SHARE OCCUTUNE_CUBLAS NO_COLOR LOCPATH
        FAKE_ANY_KERNEL FAKE_CONTEXT_S FAKE_DEVICES FAKE_NO_CONTEXT FAKE_NO_DEVICE FAKE_NVRTC FAKE_NVRTC_CALLS)
  unset(ENV{${variable}})
endforeach()
set(ENV{LC_ALL} C)
