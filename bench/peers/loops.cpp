// Loops in C++ of the workloads B1 to B14, H1, H3, M1 to M3 and N1 to N8, which print the lines that
// the benchmark program does:
//
//     g++ -O3 -march=native -ffast-math -o loops bench/peers/loops.cpp && ./loops
//
// The two arguments that it takes are its name in the lines, and what the names of workloads begin with.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <vector>

#define FAST __restrict
using bytes = std::uint8_t;

static const char *peer = "c++ -mavx2", *only = "";

static double now() {
	using namespace std::chrono;
	return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

// measure prints the best and the median batch of 2 ms or more.
template <class F> void measure(const char *name, const char *size, F run) {
	if (strncmp(name, only, strlen(only)))
		return;
	run();
	double start = now();
	run();
	long calls = std::max(1., 2e6 / (now() - start));
	std::vector<double> times;
	for (start = now(); times.size() < 5 || now() - start < 150e6;) {
		double from = now();
		for (long i = 0; i < calls; i++) {
			run();
			asm volatile("" ::: "memory");
		}
		times.push_back((now() - from) / calls);
	}
	std::sort(times.begin(), times.end());
	printf("{\"peer\":\"%s\",\"workload\":\"%s\",\"size\":\"%s\",\"threads\":1,\"ns_per_call\":%.1f,\"ns_median\":%.1f,\"note\":\"\"}\n",
		peer, name, size, times[0], times[times.size() / 2]);
	fflush(stdout);
}

// make returns n elements that were written, from a line of a cache on.
template <class T> T *make(size_t n, double low, double high) {
	T *p = (T *)aligned_alloc(4096, (n * sizeof(T) + 4095) / 4096 * 4096);
	for (size_t i = 0; i < n; i++)
		p[i] = T(low + (high - low) * (i * 2654435761u % 65536 / 65536.));
	return p;
}

#define LOOP __attribute__((noinline)) static void

// Pictures of n pixels: planes follow each other, channels of a pixel too.
LOOP planes(const bytes *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < 3; c++)
			y[c * n + i] = x[3 * i + c] * (1.0f / 255);
}
LOOP split(const bytes *FAST x, bytes *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < 3; c++)
			y[c * n + i] = x[3 * i + c];
}
LOOP pixels(const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < 3; c++)
			y[3 * i + c] = x[c * n + i] * 2;
}
LOOP gray(const bytes *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = x[3 * i] * 0.299f + x[3 * i + 1] * 0.587f + x[3 * i + 2] * 0.114f;
}
LOOP norm(const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1];
}
LOOP stack(const float *FAST a, const float *FAST b, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		y[2 * i] = a[i] * 2;
		y[2 * i + 1] = b[i] + 1;
	}
}
LOOP sum3(const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];
}
LOOP greatest(const bytes *FAST a, const bytes *FAST b, bytes *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = a[i] > b[i] ? a[i] : b[i];
}
LOOP addsat(const bytes *FAST a, const bytes *FAST b, bytes *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		unsigned s = a[i] + b[i];
		y[i] = s > 255 ? 255 : s;
	}
}
LOOP threshold(const bytes *FAST a, bytes *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = a[i] > 100 ? 255 : 0;
}
LOOP count(const bytes *FAST a, std::int64_t *FAST y, size_t n) {
	std::int64_t c = 0;
	for (size_t i = 0; i < n; i++)
		c += a[i] > 100;
	*y = c;
}
LOOP blend(const bytes *FAST a, const bytes *FAST b, bytes *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		unsigned s = (179u * a[i] + 128u * b[i]) >> 8;
		y[i] = s > 255 ? 255 : s;
	}
}
LOOP both(const bytes *FAST a, const bytes *FAST b, bytes *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = (a[i] > 3) & (b[i] < 77);
}

// Floats of 16 bits, eight at a time. Each operation is rounded.
struct Half {
	static __m256 load(const std::uint16_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
	static __m128i narrow(__m256 x) { return _mm256_cvtps_ph(x, 0); }
	static __m256 round(__m256 x) { return _mm256_cvtph_ps(narrow(x)); }
};
struct Brain {
	static __m256 load(const std::uint16_t *p) {
		return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
	}
	static __m256i bits(__m256 x) { // no NaN
		__m256i b = _mm256_castps_si256(x), odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
		return _mm256_add_epi32(b, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
	}
	static __m128i narrow(__m256 x) {
		__m256i b = _mm256_srli_epi32(bits(x), 16);
		return _mm_packus_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
	}
	static __m256 round(__m256 x) { return _mm256_castsi256_ps(_mm256_and_si256(bits(x), _mm256_set1_epi32(-65536))); }
};
template <class H> LOOP axpy(const std::uint16_t *FAST x, const std::uint16_t *FAST y, std::uint16_t *FAST out, size_t n) {
	for (size_t i = 0; i < n / 8 * 8; i += 8) {
		__m256 product = H::round(_mm256_mul_ps(H::load(x + i), _mm256_set1_ps(2.5f)));
		_mm_storeu_si128((__m128i *)(out + i), H::narrow(_mm256_add_ps(product, H::load(y + i))));
	}
}
LOOP multiplyAdd(const float *FAST z, const float *FAST w, const float *FAST v, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		y[2 * i] = z[2 * i] * w[2 * i] - z[2 * i + 1] * w[2 * i + 1] + v[2 * i];
		y[2 * i + 1] = z[2 * i] * w[2 * i + 1] + z[2 * i + 1] * w[2 * i] + v[2 * i + 1];
	}
}

// Products: many of N by N matrices, and few rows times one matrix of n by n.
template <int N> LOOP products(const float *FAST x, const float *FAST y, float *FAST z, size_t count) {
	for (size_t p = 0; p < count; p++, x += N * N, y += N * N, z += N * N)
		for (int i = 0; i < N; i++) {
			float row[N] = {};
#pragma GCC unroll 8
			for (int k = 0; k < N; k++)
#pragma GCC unroll 8
				for (int j = 0; j < N; j++)
					row[j] += x[N * i + k] * y[N * k + j];
			for (int j = 0; j < N; j++)
				z[N * i + j] = row[j];
		}
}
template <int M> LOOP fewRows(const float *FAST x, const float *FAST y, float *FAST z, size_t n) {
	memset(z, 0, M * n * sizeof(float));
	for (size_t k = 0; k < n; k++)
		for (size_t j = 0; j < n; j++)
			for (int i = 0; i < M; i++)
				z[i * n + j] += x[i * n + k] * y[k * n + j];
}
template <int M> LOOP fewRowsTransposed(const float *FAST x, const float *FAST y, float *FAST z, size_t n) {
	for (size_t j = 0; j < n; j++) {
		float total[M][32] = {};
		for (size_t k = 0; k < n; k += 32)
			for (int i = 0; i < M; i++)
				for (int l = 0; l < 32; l++)
					total[i][l] += x[i * n + k + l] * y[j * n + k + l];
		for (int i = 0; i < M; i++) {
			float t = 0;
			for (int l = 0; l < 32; l++)
				t += total[i][l];
			z[i * n + j] = t;
		}
	}
}

// Reductions of a matrix of n by n.
LOOP any(const float *FAST x, bool *FAST y, size_t n) {
	int found = 0;
	for (size_t i = 0; i < n * n; i++)
		found |= x[i] > 2 ? -1 : 0;
	*y = found;
}
LOOP countColumns(const float *FAST x, int *FAST few, std::int64_t *FAST y, size_t n) {
	memset(few, 0, n * sizeof *few);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			few[j] += x[i * n + j] > 0.5f;
	for (size_t j = 0; j < n; j++)
		y[j] = few[j];
}
LOOP greatestOfColumns(const float *FAST x, float *FAST best, int *FAST few, std::int64_t *FAST y, size_t n) {
	memcpy(best, x, n * sizeof *best);
	memset(few, 0, n * sizeof *few);
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			bool more = x[i * n + j] > best[j];
			best[j] = more ? x[i * n + j] : best[j];
			few[j] = more ? i : few[j];
		}
	for (size_t j = 0; j < n; j++)
		y[j] = few[j];
}
LOOP variances(const float *FAST x, const float *FAST mean, float *FAST y, size_t n) {
	memset(y, 0, n * sizeof *y);
	for (size_t i = 0; i < n; i += 4)
		for (size_t j = 0; j < n; j++)
			for (size_t r = i; r < i + 4; r++) {
				float d = x[r * n + j] - mean[j];
				y[j] += d * d;
			}
}

// m rows of few elements.
LOOP runningSums(const float *FAST x, float *FAST y, size_t m) {
	for (size_t i = 0; i < 3 * m; i += 3) {
		y[i] = x[i];
		y[i + 1] = y[i] + x[i + 1];
		y[i + 2] = y[i + 1] + x[i + 2];
	}
}
LOOP sums(const bytes *FAST x, std::int64_t *FAST y, size_t m) {
	for (size_t i = 0; i < m; i++) {
		int total = 0;
		for (int j = 0; j < 8; j++)
			total += x[8 * i + j];
		y[i] = total;
	}
}
LOOP everySecond(const float *FAST x, const float *FAST v, float *FAST y, size_t m) {
	for (size_t i = 0; i < m; i++) {
		y[2 * i] = v[i] + 1;
		y[2 * i + 1] = x[2 * i + 1];
	}
}
LOOP powers(const bytes *FAST x, float *FAST y, size_t m) {
	float table[256];
	for (int i = 0; i < 256; i++)
		table[i] = powf(i / 255.f, 2.2f);
	for (size_t i = 0; i < m; i++) {
		float total = 0;
		for (int j = 0; j < 8; j++)
			total += table[x[8 * i + j]];
		y[i] = total;
	}
}

// productsAndRows measures M1 to M3, for N by N matrices and for as many rows.
template <int N> void productsAndRows() {
	char size[32];
	const size_t count = 360 * 640, n = 4096;
	float *x = make<float>(count * N * N, -1, 1), *y = make<float>(std::max(count * N * N, n * n), -1, 1), *z = make<float>(count * N * N, 0, 1);
	snprintf(size, sizeof size, "%zux%dx%d", count, N, N);
	measure("M1-small", size, [&] { products<N>(x, y, z, count); });
	snprintf(size, sizeof size, "%dx%zux%zu", N, n, n);
	measure("M2-rows", size, [&] { fewRows<N>(x, y, z, n); });
	measure("M3-rows-transposed", size, [&] { fewRowsTransposed<N>(x, y, z, n); });
	for (float *p : {x, y, z})
		free(p);
}

int main(int count_, char **arguments) {
	if (count_ > 1)
		peer = arguments[1];
	if (count_ > 2)
		only = arguments[2];
	const size_t n = 4 * 360 * 640;
	const char *picture = "360x640";
	bytes *a = make<bytes>(n, 0, 256), *b = make<bytes>(n, 0, 256), *y = make<bytes>(n, 0, 1);
	std::int64_t total[1];
	const size_t p = n / 4;
	float *f = make<float>(n, 0, 256), *g = make<float>(n, 0, 256);
	measure("B1-planes", picture, [&] { planes(a, g, p); });
	measure("B2-split", picture, [&] { split(a, y, p); });
	measure("B3-pixels", picture, [&] { pixels(f, g, p); });
	measure("B4-gray", picture, [&] { gray(a, g, p); });
	measure("B5-norm2", picture, [&] { norm(f, g, p); });
	measure("B6-stack", picture, [&] { stack(f, f + p, g, p); });
	measure("B7-sum3", picture, [&] { sum3(f, g, p); });
	measure("B8-max", picture, [&] { greatest(a, b, y, n); });
	measure("B9-addsat", picture, [&] { addsat(a, b, y, n); });
	measure("B10-threshold", picture, [&] { threshold(a, y, n); });
	measure("B11-count", picture, [&] { count(a, total, n); });
	measure("B13-blend", picture, [&] { blend(a, b, y, n); });
	measure("B14-both", picture, [&] { both(a, b, y, n); });
	const struct {
		const char *name;
		size_t n;
	} sizes[] = {{"1K", 1000}, {"64K", 1 << 16}, {"16M", 1 << 24}};
	for (auto s : sizes) {
		std::uint16_t *x = make<std::uint16_t>(s.n, 0x3c00, 0x3e00), *h = make<std::uint16_t>(s.n, 0x3c00, 0x3e00), *out = make<std::uint16_t>(s.n, 0, 1);
		measure("H1-axpy-f16", s.name, [&] { axpy<Half>(x, h, out, s.n); });
		measure("H1-axpy-bf16", s.name, [&] { axpy<Brain>(x, h, out, s.n); });
		float *z = make<float>(2 * s.n, -1, 1), *w = make<float>(2 * s.n, -1, 1), *v = make<float>(2 * s.n, -1, 1), *r = make<float>(2 * s.n, 0, 1);
		measure("H3-complex", s.name, [&] { multiplyAdd(z, w, v, r, s.n); });
		for (void *p : {(void *)x, (void *)h, (void *)out, (void *)z, (void *)w, (void *)v, (void *)r})
			free(p);
	}
	productsAndRows<1>();
	productsAndRows<2>();
	productsAndRows<3>();
	productsAndRows<4>();
	productsAndRows<8>();
	const size_t side = 2048, rows = 262144;
	const char *square = "2048x2048";
	float *x = make<float>(side * side, -1, 1), *mean = make<float>(side, -1, 1), *out = make<float>(2 * rows, 0, 1);
	std::int64_t *places = make<std::int64_t>(rows, 0, 1);
	int *few = make<int>(side, 0, 1);
	bool found;
	measure("N1-any", square, [&] { any(x, &found, side); });
	measure("N2-count0", square, [&] { countColumns(x, few, places, side); });
	measure("N3-argmax0", square, [&] { greatestOfColumns(x, out, few, places, side); });
	measure("N4-variance0", square, [&] { variances(x, mean, out, side); });
	float *lines = make<float>(3 * rows, 0, 1);
	bytes *eights = make<bytes>(8 * rows, 0, 200);
	measure("N5-cumsum3", "262144x3", [&] { runningSums(x, lines, rows); });
	measure("N6-sum8", "262144x8", [&] { sums(eights, places, rows); });
	measure("N7-set2", "262144x2", [&] { everySecond(x, lines, out, rows); });
	measure("N8-power-sum", "262144x8", [&] { powers(eights, out, rows); });
}
