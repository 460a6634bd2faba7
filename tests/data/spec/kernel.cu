extern "C" __global__ void k(int n, const float *a, float *c)
{
}
