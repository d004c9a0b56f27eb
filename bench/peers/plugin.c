// A plugin for qemu-user that counts executed instructions. Before each pread64 of an emulated program it writes the number,
// as a uint64, to a file. So a program learns the number when it reads that file:
//
//	gcc -O2 -shared -fPIC -o count.so bench/peers/plugin.c
//	qemu-aarch64 -plugin ./count.so,to=counted PROGRAM
//
// The declarations are those of QEMU's qemu-plugin.h, version 1 (QEMU 6 to 8), which Debian does not package. Threads of a program are
// counted together, without locks.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*translated_cb)(plugin_id, struct qemu_plugin_tb *);
typedef void (*syscall_cb)(plugin_id, unsigned int vcpu, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translated_cb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *, uint64_t);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id, syscall_cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

EXPORT int qemu_plugin_version = 1;

enum { PREAD64 = 67 }; // on aarch64 and riscv64

static uint64_t executed;
static int file = -1;

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
	qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed, qemu_plugin_tb_n_insns(block));
}

static void called(plugin_id id, unsigned int vcpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
	if (number == PREAD64 && pwrite(file, &executed, sizeof executed, 0) != sizeof executed)
		perror("count: write");
}

EXPORT int qemu_plugin_install(plugin_id id, const void *machine, int count, char **arguments) {
	if (count != 1 || strncmp(arguments[0], "to=", 3) || (file = open(arguments[0] + 3, O_CREAT | O_TRUNC | O_WRONLY, 0666)) < 0) {
		fprintf(stderr, "count: want to=NAME of a file that can be written\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_vcpu_syscall_cb(id, called);
	return 0;
}
