// Loops in C++ of the workloads W1 to W18, C1 to C5 and D1 to D7, each at the size that folder instructions counts. They print the lines that
// the benchmark program prints with -count:
//
//	aarch64-linux-gnu-g++ -O3 -march=armv8-a -static -o loops bench/peers/counted.cpp
//	qemu-aarch64 -plugin ./count.so,to=counted ./loops counted W1
//
// The arguments are the plugin's file and what the names of workloads begin with. Loops are written so that the compiler makes vectors of
// them: reductions have 32 sums, and products have a tile of sums.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <unistd.h>
#include <vector>

#define FAST __restrict
using std::size_t;
using bytes = std::uint8_t;

static int counter;
static const char *only = "";

// executed returns the number that the plugin writes before this read.
static std::uint64_t executed() {
	std::uint64_t n = 0;
	if (pread(counter, &n, sizeof n, 0) != sizeof n) {
		perror("counter");
		exit(1);
	}
	return n;
}

// count prints the instructions of a call, without those of reading the counter.
template <class F> static void count(const char *name, const char *size, F run) {
	if (strncmp(name, only, strlen(only)))
		return;
	run();
	std::uint64_t a = executed(), b = executed();
	run();
	std::uint64_t c = executed();
	printf("{\"peer\":\"c++\",\"workload\":\"%s\",\"size\":\"%s\",\"instructions\":%llu}\n", name, size, (unsigned long long)(c - b - (b - a)));
	fflush(stdout);
}

// make returns n numbers from low to high.
template <class T = float> static T *make(size_t n, double low, double high) {
	T *p = (T *)aligned_alloc(64, (n * sizeof(T) + 63) / 64 * 64);
	std::uint32_t state = 1;
	for (size_t i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		p[i] = T(low + (high - low) * (state / 4294967296.));
	}
	return p;
}

#define LOOP __attribute__((noipa)) static void // for any size

// W1 to W5.
LOOP add(const float *FAST a, const float *FAST b, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = a[i] + b[i];
}
LOOP chain(const float *FAST a, const float *FAST b, const float *FAST c, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = (a[i] * b[i] + c[i]) * a[i] - b[i] / (fabsf(c[i]) + 1);
}
template <class F> LOOP map(F f, const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = f(x[i]);
}
static float gelu(float v) { return .5f * v * (1 + tanhf(.79788456f * (v + .044715f * v * v * v))); }
LOOP prices(const float *FAST s, const float *FAST k, const float *FAST t, float *FAST y, size_t n) {
	const float rate = .05f, v = .3f, root = .70710678f;
	for (size_t i = 0; i < n; i++) {
		float width = v * sqrtf(t[i]), d1 = (logf(s[i] / k[i]) + (rate + .5f * v * v) * t[i]) / width, d2 = d1 - width;
		y[i] = s[i] * (.5f + .5f * erff(d1 * root)) - k[i] * expf(-rate * t[i]) * (.5f + .5f * erff(d2 * root));
	}
}

// W6 to W9, on matrices of n by n.
LOOP scaled(const float *FAST x, const float *FAST m, const float *FAST r, const float *FAST g, const float *FAST b, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			y[i * n + j] = (x[i * n + j] - m[j]) * r[j] * g[j] + b[j];
}
LOOP outer(const float *FAST a, const float *FAST b, const float *FAST c, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			y[i * n + j] = a[i] * b[j] + c[i * n + j];
}
LOOP transposed(const float *FAST x, const float *FAST z, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			y[i * n + j] = x[j * n + i] * 2 + z[i * n + j];
}
LOOP strided(const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n / 2; i++)
		for (size_t j = 0; j < n - 1; j++)
			y[i * (n - 1) + j] = x[2 * i * n + j + 1] * x[(2 * i + 1) * n + j];
}

// W10. reduced combines n terms, a multiple of 32, in 32 lanes.
template <class F, class G> static inline float reduced(size_t n, float from, F term, G combine) {
	float lanes[32];
	for (int l = 0; l < 32; l++)
		lanes[l] = from;
	for (size_t i = 0; i < n; i += 32)
		for (int l = 0; l < 32; l++)
			lanes[l] = combine(lanes[l], term(i + l));
	float all = from;
	for (int l = 0; l < 32; l++)
		all = combine(all, lanes[l]);
	return all;
}
static inline float plus(float a, float b) { return a + b; }
static inline float larger(float a, float b) { return a > b ? a : b; }
LOOP sum(const float *FAST x, float *FAST y, size_t n) {
	*y = reduced(n, 0, [=](size_t i) { return x[i]; }, plus);
}
LOOP squares(const float *FAST x, const float *FAST z, float *FAST y, size_t n) {
	*y = reduced(n, 0, [=](size_t i) { float d = x[i] - z[i]; return d * d; }, plus);
}
LOOP sumColumns(const float *FAST x, float *FAST y, size_t n) {
	memset(y, 0, n * sizeof *y);
	for (size_t i = 0; i < n; i += 8)
		for (size_t j = 0; j < n; j++) {
			float t = y[j];
			for (int r = 0; r < 8; r++)
				t += x[(i + r) * n + j];
			y[j] = t;
		}
}
LOOP sumRows(const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		sum(x + i * n, y + i, n);
}
LOOP maxRows(const float *FAST x, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = reduced(n, -INFINITY, [=](size_t j) { return x[i * n + j]; }, larger);
}
LOOP argmaxRows(const float *FAST x, std::int64_t *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		float best = reduced(n, -INFINITY, [=](size_t j) { return x[i * n + j]; }, larger);
		y[i] = std::find(x + i * n, x + i * n + n, best) - (x + i * n);
	}
}

// W11 and W12, on m rows of n.
LOOP softmax(const float *FAST x, float *FAST y, size_t m, size_t n) {
	for (size_t i = 0; i < m; i++, x += n, y += n) {
		float most = reduced(n, -INFINITY, [=](size_t j) { return x[j]; }, larger), total = 0;
		for (size_t j = 0; j < n; j++)
			total += y[j] = expf(x[j] - most);
		for (size_t j = 0; j < n; j++)
			y[j] *= 1 / total;
	}
}
LOOP layernorm(const float *FAST x, const float *FAST g, const float *FAST b, float *FAST y, size_t m, size_t n) {
	for (size_t i = 0; i < m; i++, x += n, y += n) {
		float mean = reduced(n, 0, [=](size_t j) { return x[j]; }, plus) / n;
		float root = 1 / sqrtf(reduced(n, 0, [=](size_t j) { float d = x[j] - mean; return d * d; }, plus) / n + 1e-5f);
		for (size_t j = 0; j < n; j++)
			y[j] = (x[j] - mean) * root * g[j] + b[j];
	}
}

// W13: m lines of n, and down the columns.
LOOP running(const float *FAST x, float *FAST y, size_t m, size_t n) {
	for (size_t i = 0; i < m; i++) {
		float t = 0;
		for (size_t j = 0; j < n; j++)
			y[i * n + j] = t += x[i * n + j];
	}
}
LOOP runningColumns(const float *FAST x, float *FAST y, size_t n) {
	memcpy(y, x, n * sizeof *y);
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < n; j++)
			y[i * n + j] = y[(i - 1) * n + j] + x[i * n + j];
}

// W14: batches of products of n by n, in tiles of four rows and sixteen columns.
LOOP product(const float *FAST x, const float *FAST w, float *FAST y, size_t batch, size_t n) {
	for (size_t b = 0; b < batch; b++, x += n * n, w += n * n, y += n * n)
		for (size_t j = 0; j < n; j += 16)
			for (size_t i = 0; i < n; i += 4) {
				float t[4][16] = {};
				for (size_t k = 0; k < n; k++)
					for (int r = 0; r < 4; r++)
						for (int c = 0; c < 16; c++)
							t[r][c] += x[(i + r) * n + k] * w[k * n + j + c];
				for (int r = 0; r < 4; r++)
					memcpy(y + (i + r) * n + j, t[r], sizeof t[r]);
			}
}
LOOP biasGelu(float *FAST y, const float *FAST b, size_t n) {
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			y[i * n + j] = gelu(y[i * n + j] + b[j]);
}

// W15: rows of graded elements, then windows of 3 by 3.
LOOP image(const bytes *FAST x, bytes *FAST y, size_t height, size_t width, const float *scale, const float *offset) {
	std::vector<float> graded(height * width), high(width);
	const float s[3] = {scale[0], scale[1], scale[2]}, o[3] = {offset[0], offset[1], offset[2]};
	float *FAST f = graded.data(), *FAST v = high.data();
	for (size_t i = 0; i < height * width; i += 3)
		for (int c = 0; c < 3; c++)
			f[i + c] = powf(x[i + c] * (1.f / 255), 2.2f) * s[c] + o[c];
	for (size_t i = 0; i + 2 < height; i++) {
		for (size_t j = 0; j < width; j++)
			v[j] = f[i * width + j] + f[(i + 1) * width + j] + f[(i + 2) * width + j];
		for (size_t j = 0; j < width - 6; j++) {
			float t = (v[j] + v[j + 3] + v[j + 6]) * (255.f / 9) + .5f;
			t = t < 0 ? 0 : t;
			y[i * (width - 6) + j] = bytes(int(t > 255 ? 255 : t));
		}
	}
}

// W16: n by n distances of points of d coordinates, of which the second are transposed first.
LOOP distances(const float *FAST x, const float *FAST z, float *FAST w, float *FAST y, size_t n, size_t d) {
	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < d; k++)
			w[k * n + j] = z[j * d + k];
	for (size_t i = 0; i < n; i += 4)
		for (size_t j = 0; j < n; j += 16) {
			float t[4][16] = {};
			for (size_t k = 0; k < d; k++)
				for (int r = 0; r < 4; r++)
					for (int c = 0; c < 16; c++) {
						float e = x[(i + r) * d + k] - w[k * n + j + c];
						t[r][c] += e * e;
					}
			for (int r = 0; r < 4; r++)
				memcpy(y + (i + r) * n + j, t[r], sizeof t[r]);
		}
}

// W18.
LOOP fractal(const float *FAST a, const float *FAST b, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		float re = 0, im = 0, c = 0;
		for (int step = 0; step < 20; step++) {
			float next = re * re - im * im + a[i];
			im = 2 * re * im + b[i];
			re = next;
			c += re * re + im * im < 4 ? 1.f : 0.f;
		}
		y[i] = c;
	}
}

// C1 to C4: a copy with padding, then the sums of four results for all columns of a row.
LOOP convolve(const float *FAST x, const float *FAST w, float *FAST y, size_t images, int channels, int extent, int results, int size, int step, int pad, bool depthwise) {
	const int wide = extent + 2 * pad, out = (wide - size) / step + 1, block = depthwise ? 1 : 4, in = depthwise ? 1 : channels;
	std::vector<float> padded(channels * wide * wide);
	std::vector<float> row(block * out);
	for (size_t b = 0; b < images; b++) {
		for (int c = 0; c < channels; c++)
			for (int i = 0; i < extent; i++)
				memcpy(&padded[(c * wide + i + pad) * wide + pad], x + ((b * channels + c) * extent + i) * extent, extent * sizeof *x);
		for (int m = 0; m < results; m += block)
			for (int i = 0; i < out; i++) {
				float *FAST t = row.data();
				memset(t, 0, block * out * sizeof *t);
				for (int c = 0; c < in; c++)
					for (int u = 0; u < size; u++)
						for (int v = 0; v < size; v++) {
							const float *FAST p = &padded[((depthwise ? m : c) * wide + i * step + u) * wide + v];
							const float *q = w + ((m * in + c) * size + u) * size + v;
							if (depthwise) {
								float f = *q;
								for (int j = 0; j < out; j++)
									t[j] += f * p[j];
								continue;
							}
							const size_t next = size_t(in) * size * size;
							float f0 = q[0], f1 = q[next], f2 = q[2 * next], f3 = q[3 * next];
							if (step == 1)
								for (int j = 0; j < out; j++) {
									t[j] += f0 * p[j];
									t[out + j] += f1 * p[j];
									t[2 * out + j] += f2 * p[j];
									t[3 * out + j] += f3 * p[j];
								}
							else
								for (int j = 0; j < out; j++) {
									t[j] += f0 * p[2 * j];
									t[out + j] += f1 * p[2 * j];
									t[2 * out + j] += f2 * p[2 * j];
									t[3 * out + j] += f3 * p[2 * j];
								}
						}
				for (int r = 0; r < block; r++)
					memcpy(y + ((b * results + m + r) * out + i) * out, t + r * out, out * sizeof *y);
			}
	}
}
LOOP pool(const float *FAST x, float *FAST y, size_t planes, size_t extent) {
	for (size_t i = 0; i < planes * extent / 2; i++)
		for (size_t j = 0; j < extent / 2; j++) {
			const float *p = x + 2 * i * extent + 2 * j;
			y[i * (extent / 2) + j] = larger(larger(p[0], p[1]), larger(p[extent], p[extent + 1]));
		}
}

// D1 to D7.
LOOP take(const float *FAST x, const std::int64_t *FAST at, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		memcpy(y + i * 64, x + at[i] * 64, 64 * sizeof *y);
}
LOOP bags(const float *FAST x, const std::int64_t *FAST at, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++) {
		float t[64] = {};
		for (int k = 0; k < 16; k++)
			for (int j = 0; j < 64; j++)
				t[j] += x[at[i * 16 + k] * 64 + j];
		memcpy(y + i * 64, t, sizeof t);
	}
}
LOOP joined(const float *FAST a, const float *FAST b, const float *FAST c, const float *FAST d, float *FAST y, size_t n) {
	for (size_t i = 0; i < n; i++)
		y[i] = a[i] * 2;
	for (size_t i = 0; i < n; i++)
		y[n + i] = b[i] + 1;
	for (size_t i = 0; i < n; i++)
		y[2 * n + i] = c[i] * d[i];
}
LOOP sorted(const float *FAST x, float *FAST y, size_t m, size_t n) {
	memcpy(y, x, m * n * sizeof *y);
	for (size_t i = 0; i < m; i++)
		std::sort(y + i * n, y + i * n + n);
}
LOOP greatest(const float *FAST x, float *FAST y, size_t m, size_t n, size_t k) {
	for (size_t i = 0; i < m; i++)
		std::partial_sort_copy(x + i * n, x + i * n + n, y + i * k, y + i * k + k, [](float a, float b) { return a > b; });
}
LOOP histogram(const bytes *FAST x, std::int64_t *FAST y, size_t n) {
	unsigned c[4][256] = {};
	for (size_t i = 0; i < n; i += 4)
		for (int l = 0; l < 4; l++)
			c[l][x[i + l]]++;
	for (int v = 0; v < 256; v++)
		y[v] = std::int64_t(c[0][v]) + c[1][v] + c[2][v] + c[3][v];
}
LOOP rolling(const float *FAST x, float *FAST y, size_t m, size_t n, size_t window) {
	size_t out = n - window + 1;
	for (size_t i = 0; i < m; i++, x += n, y += out) {
		memcpy(y, x, out * sizeof *y);
		for (size_t k = 1; k < window; k++)
			for (size_t j = 0; j < out; j++)
				y[j] = larger(y[j], x[j + k]);
	}
}

static bool wanted(const char *group) { return !strncmp(group, only, std::min(strlen(only), strlen(group))); }

int main(int count_, char **arguments) {
	if (count_ < 2 || (counter = open(arguments[1], O_RDONLY)) < 0) {
		fprintf(stderr, "want the plugin's file, and what names begin with\n");
		return 1;
	}
	if (count_ > 2)
		only = arguments[2];
	const size_t n = 1 << 16, w = 256;
	float *a = make(n, .5, 1.5), *b = make(n, .5, 1.5), *c = make(n, -1, 1.5), *x = make(n, -4, 4), *p = make(n, .01, 100), *y = make(n, 0, 1);
	count("W1-add", "64K", [&] { add(a, b, y, n); });
	count("W2-chain5", "64K", [&] { chain(a, b, c, y, n); });
	count("W3-gelu", "64K", [&] { map(gelu, x, y, n); });
	count("W4-exp", "64K", [&] { map(expf, x, y, n); });
	count("W4-log", "64K", [&] { map(logf, p, y, n); });
	count("W4-sin", "64K", [&] { map(sinf, x, y, n); });
	count("W4-tanh", "64K", [&] { map(tanhf, x, y, n); });
	count("W4-sigmoid", "64K", [&] { map([](float v) { return 1 / (1 + expf(-v)); }, x, y, n); });
	count("W4-erf", "64K", [&] { map(erff, x, y, n); });
	float *spot = make(n, 10, 100), *strike = make(n, 10, 100), *years = make(n, .1, 2);
	count("W5-bs", "64K", [&] { prices(spot, strike, years, y, n); });
	count("W6-bcast", "256x256", [&] { scaled(x, a, b, c, p, y, w); });
	count("W7-outer", "256x256", [&] { outer(a, b, x, y, w); });
	count("W8-transpose", "256x256", [&] { transposed(x, a, y, w); });
	count("W9-strided", "256x256", [&] { strided(x, y, w); });
	count("W10-sum", "256x256", [&] { sum(x, y, n); });
	count("W10-sum0", "256x256", [&] { sumColumns(x, y, w); });
	count("W10-sum1", "256x256", [&] { sumRows(x, y, w); });
	count("W10-max1", "256x256", [&] { maxRows(x, y, w); });
	count("W10-argmax1", "256x256", [&] { argmaxRows(x, (std::int64_t *)y, w); });
	count("W10-sqdiff", "256x256", [&] { squares(x, a, y, n); });
	count("W11-softmax", "64x128", [&] { softmax(x, y, 64, 128); });
	count("W12-layernorm", "64x128", [&] { layernorm(x, a, b, y, 64, 128); });
	count("W13-cumsum", "64K", [&] { running(x, y, 1, n); });
	count("W13-cumsum0", "256x256", [&] { runningColumns(x, y, w); });
	count("W13-cumsum1", "256x256", [&] { running(x, y, w, w); });
	count("W17-overhead", "16", [&] { chain(a, b, c, y, 16); });
	if (wanted("W14")) {
		float *f = make(1 << 20, -1, 1), *g = make(1 << 20, -1, 1), *h = make(1 << 20, 0, 1);
		count("W14-matmul", "512", [&] { product(f, g, h, 1, 512); });
		count("W14-matmul+bias+gelu", "1024", [&] { product(f, g, h, 1, 1024), biasGelu(h, x, 1024); });
		count("W14-matmul-batch", "256x64x64", [&] { product(f, g, h, 256, 64); });
	}
	if (wanted("W15")) {
		const size_t height = 2160, width = 3840 * 3;
		bytes *from = make<bytes>(height * width, 0, 256), *to = make<bytes>(height * width, 0, 1);
		count("W15-image", "4K-UHD", [&] { image(from, to, height, width, a, b); });
	}
	if (wanted("W16") || wanted("W18")) {
		const size_t m = 2048;
		float *f = make(m * m, -2, 1), *g = make(m * m, -1, 1), *h = make(m * m, 0, 1);
		count("W16-pairdist", "2048x2048x64", [&] { distances(f, g, g + m * 64, h, m, 64); });
		count("W18-mandel", "2048x2048", [&] { fractal(f, g, h, m * m); });
	}
	if (wanted("C")) {
		float *f = make(8 * 64 * 56 * 56, -1, 1), *g = make(64 * 64 * 9, -1, 1), *h = make(8 * 64 * 56 * 56, 0, 1);
		const char *size = "8x64x56x56";
		count("C1-conv3x3", size, [&] { convolve(f, g, h, 8, 64, 56, 64, 3, 1, 1, false); });
		count("C2-conv1x1", size, [&] { convolve(f, g, h, 8, 64, 56, 64, 1, 1, 0, false); });
		count("C3-depthwise3x3", size, [&] { convolve(f, g, h, 8, 64, 56, 64, 3, 1, 1, true); });
		count("C4-conv7x7", "1x3x224x224", [&] { convolve(f, g, h, 1, 3, 224, 64, 7, 2, 3, false); });
		count("C5-maxpool2x2", size, [&] { pool(f, h, 8 * 64, 56); });
	}
	if (wanted("D1") || wanted("D2")) {
		const size_t rows = 1 << 17, most = 1 << 20;
		float *f = make(rows * 64, -1, 1), *h = make(most * 64, 0, 1);
		std::int64_t *at = make<std::int64_t>(most, 0, rows);
		count("D1-take", "1000000x64", [&] { take(f, at, h, 1000000); });
		count("D2-embedding", "65536x16x64", [&] { bags(f, at, h, 65536); });
		free(h);
	}
	if (wanted("D3")) {
		const size_t m = 1 << 22;
		float *f[5] = {make(m, -1, 1), make(m, -1, 1), make(m, -1, 1), make(m, -1, 1), make(3 * m, 0, 1)};
		count("D3-concat", "3x4M", [&] { joined(f[0], f[1], f[2], f[3], f[4], m); });
	}
	if (wanted("D")) {
		float *f = make(1000000, -1, 1), *h = make(1000000, 0, 1);
		bytes *o = make<bytes>(1 << 24, 0, 256);
		count("D4-sort", "1000x1000", [&] { sorted(f, h, 1000, 1000); });
		count("D5-topk", "1000x1000", [&] { greatest(f, h, 1000, 1000, 10); });
		count("D6-histogram", "16M", [&] { histogram(o, (std::int64_t *)h, 1 << 24); });
		count("D7-rolling-max", "64x10000x50", [&] { rolling(f, h, 64, 10000, 50); });
	}
}
