/*
 * runtime.c: ONNX Runtime, loaded with dlopen (see runtime.h).
 */
#include "engine/neural/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/neural/runtime_table.h"

/* The maximum number of inputs and outputs of one run: a decoder of 32 layers takes four for each. */
#define PORTS_MAX 160

struct runtime {
	void *library;
	const struct runtime_table *table;
	struct runtime_env *env;
	struct runtime_memory_info *memory; /* describes CPU memory */
	struct runtime_session_options *options;
	char version[32];
};

struct network {
	struct runtime *runtime;
	struct runtime_session *session;
};

/* Converts a status object to an errno and a message. */
static int runtime_check(const struct runtime_table *table, struct runtime_status *status,
			 char why[RUNTIME_WHY_SIZE])
{
	const char *message;
	int err = EINVAL;

	if (!status)
		return 0;
	message = table->get_error_message(status);
	/* The library has no error code for this; these are the messages of its allocator and
	 * of the C++ library. */
	if (strstr(message, "bad_alloc") || strstr(message, "Failed to allocate memory"))
		err = ENOMEM;

	snprintf(why, RUNTIME_WHY_SIZE, "%s", message);
	why[strcspn(why, "\n")] = '\0';
	table->release_status(status);
	return err;
}

static void runtime_destroy(void *object)
{
	struct runtime *runtime = object;

	if (runtime->options)
		runtime->table->release_session_options(runtime->options);
	if (runtime->memory)
		runtime->table->release_memory_info(runtime->memory);
	if (runtime->env)
		runtime->table->release_env(runtime->env);
	/* The library is never unloaded: its threads and exit handlers may still run. */
}

/* Linkers write the section table last, so a file that ends before it was truncated. dlopen
 * does not check that and crashes. */
static bool runtime_is_whole(int fd, size_t len)
{
	ElfW(Ehdr) header;
	size_t table_len;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return true; /* dlopen reports the error */
	table_len = (size_t)header.e_shnum * header.e_shentsize;
	return header.e_shoff <= len && table_len <= len - header.e_shoff;
}

static int runtime_check_file(const char *path, char why[RUNTIME_WHY_SIZE])
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe would block */
	int err = 0;

	if (fd < 0 || fstat(fd, &status) != 0) {
		err = errno;
		snprintf(why, RUNTIME_WHY_SIZE, "cannot be read: %s", strerror(err));
	} else if (!S_ISREG(status.st_mode)) {
		err = EINVAL;
		snprintf(why, RUNTIME_WHY_SIZE, "is no file");
	} else if (!runtime_is_whole(fd, (size_t)status.st_size)) {
		err = EINVAL;
		snprintf(why, RUNTIME_WHY_SIZE, "was cut short");
	}
	if (fd >= 0)
		close(fd);
	return err;
}

static int runtime_load_library(struct runtime *runtime, const char *path,
				char why[RUNTIME_WHY_SIZE])
{
	const struct runtime_base *(*get_base)(void);
	const struct runtime_base *base;
	int err = runtime_check_file(path, why);

	if (err)
		return err;
	runtime->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!runtime->library) {
		snprintf(why, RUNTIME_WHY_SIZE, "cannot be loaded: %s", dlerror());
		return EINVAL;
	}
	*(void **)&get_base = dlsym(runtime->library, "OrtGetApiBase");
	base = get_base ? get_base() : NULL;
	if (!base) {
		snprintf(why, RUNTIME_WHY_SIZE, "is no ONNX Runtime");
		return EINVAL;
	}
	snprintf(runtime->version, sizeof(runtime->version), "%s", base->get_version());
	runtime->table = base->get_table(RUNTIME_TABLE_VERSION);
	if (!runtime->table) {
		snprintf(why, RUNTIME_WHY_SIZE, "is ONNX Runtime %s; 1.%d or newer is needed",
			 runtime->version, RUNTIME_TABLE_VERSION);
		return EINVAL;
	}
	return 0;
}

/* One thread per run: many streams share the cores, and two threads for one stream cost a
 * fifth more than they save. There is no arena: it would keep the largest window of every
 * thread for ever, while malloc, configured to keep its memory (engine/engine_main.c), shares
 * it between all. */
static int runtime_make_options(struct runtime *runtime, char why[RUNTIME_WHY_SIZE])
{
	const struct runtime_table *table = runtime->table;
	struct runtime_session_options *options;
	int err = runtime_check(table, table->create_session_options(&options), why);

	if (err)
		return err;
	runtime->options = options;
	err = runtime_check(table, table->set_intra_op_threads(options, 1), why);
	if (!err)
		err = runtime_check(table, table->set_inter_op_threads(options, 1), why);
	if (!err)
		err = runtime_check(table, table->set_execution_mode(options, RUNTIME_SEQUENTIAL),
				    why);
	if (!err)
		err = runtime_check(
			table, table->set_graph_optimization(options, RUNTIME_OPTIMIZE_ALL), why);
	if (!err)
		err = runtime_check(table, table->disable_memory_pattern(options), why);
	if (!err)
		err = runtime_check(table, table->disable_memory_arena(options), why);
	return err;
}

int runtime_open(struct runtime **runtimep, const char *path, char why[RUNTIME_WHY_SIZE])
{
	struct runtime *runtime = mem_zalloc(sizeof(*runtime), runtime_destroy);
	const struct runtime_table *table;
	int err;

	if (!runtime) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
		return ENOMEM;
	}
	err = runtime_load_library(runtime, path, why);
	table = runtime->table;
	if (!err)
		err = runtime_check(
			table, table->create_env(RUNTIME_LOG_FATAL, "syrinx", &runtime->env), why);
	if (!err)
		err = runtime_check(table,
				    table->create_cpu_memory_info(RUNTIME_ARENA_ALLOCATOR,
								  RUNTIME_MEMORY_DEFAULT,
								  &runtime->memory),
				    why);
	if (!err)
		err = runtime_make_options(runtime, why);
	if (err) {
		mem_deref(runtime);
		return err;
	}
	*runtimep = runtime;
	return 0;
}

static void runtime_network_destroy(void *object)
{
	struct network *network = object;

	if (network->session)
		network->runtime->table->release_session(network->session);
	mem_deref(network->runtime);
}

int network_open(struct network **networkp, struct runtime *runtime, const void *bytes, size_t len,
		 char why[RUNTIME_WHY_SIZE])
{
	const struct runtime_table *table = runtime->table;
	struct network *network = mem_zalloc(sizeof(*network), runtime_network_destroy);
	int err;

	if (!network) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
		return ENOMEM;
	}
	network->runtime = mem_ref(runtime);
	err = runtime_check(table,
			    table->create_session_from_array(runtime->env, bytes, len,
							     runtime->options, &network->session),
			    why);
	if (err) {
		mem_deref(network);
		return err;
	}
	*networkp = network;
	return 0;
}

size_t tensor_count(const struct tensor *tensor)
{
	size_t count = 1;

	for (unsigned i = 0; i < tensor->rank; ++i)
		count *= (size_t)tensor->dims[i];
	return count;
}

void tensor_release(struct tensor *output)
{
	const struct runtime_table *table = output->owner;

	if (output->value)
		table->release_value(output->value);
	output->value = NULL;
}

/* Indexed by tensor_type. */
static const struct runtime_element {
	int number; /* the runtime's number of the type */
	size_t size;
} runtime_elements[] = {
	[TENSOR_F32] = {RUNTIME_ELEMENT_F32, sizeof(float)},
	[TENSOR_I64] = {RUNTIME_ELEMENT_I64, sizeof(int64_t)},
	[TENSOR_BOOL] = {RUNTIME_ELEMENT_BOOL, sizeof(bool)},
};

/* The tensor borrows the caller's numbers. */
static int runtime_lend_input(const struct network *network, const struct tensor *input,
			      struct runtime_value **valuep, char why[RUNTIME_WHY_SIZE])
{
	const struct runtime_table *table = network->runtime->table;
	const struct runtime_element *element = &runtime_elements[input->type];

	/* f32 is used for all types: the members of the union are pointers to the numbers. */
	return runtime_check(table,
			     table->create_tensor_with_data(network->runtime->memory, input->f32,
							    tensor_count(input) * element->size,
							    input->dims, input->rank,
							    element->number, valuep),
			     why);
}

static int runtime_read_shape(const struct runtime_table *table, struct tensor *output,
			      const struct runtime_shape_info *info, char why[RUNTIME_WHY_SIZE])
{
	int type;
	size_t rank;
	int err = runtime_check(table, table->get_element_type(info, &type), why);

	if (!err)
		err = runtime_check(table, table->get_rank(info, &rank), why);
	if (err)
		return err;
	if ((type != RUNTIME_ELEMENT_F32 && type != RUNTIME_ELEMENT_I64) ||
	    rank > TENSOR_RANK_MAX) {
		snprintf(why, RUNTIME_WHY_SIZE, "gives %s as something other than expected",
			 output->name);
		return EINVAL;
	}
	output->type = type == RUNTIME_ELEMENT_F32 ? TENSOR_F32 : TENSOR_I64;
	output->rank = (unsigned)rank;
	return runtime_check(table, table->get_dimensions(info, output->dims, rank), why);
}

static int runtime_read_output(const struct runtime_table *table, struct tensor *output,
			       char why[RUNTIME_WHY_SIZE])
{
	struct runtime_shape_info *info;
	void *data;
	int err = runtime_check(table, table->get_type_and_shape(output->value, &info), why);

	if (err)
		return err;
	err = runtime_read_shape(table, output, info, why);
	table->release_shape_info(info);
	if (!err)
		err = runtime_check(table, table->get_tensor_data(output->value, &data), why);
	if (!err)
		output->f32 = data; /* or i64: the same pointer */
	return err;
}

static int runtime_run(const struct network *network, const struct tensor *inputs,
		       size_t input_count, struct runtime_value **values, struct tensor *outputs,
		       size_t output_count, char why[RUNTIME_WHY_SIZE])
{
	const struct runtime_table *table = network->runtime->table;
	const char *input_names[PORTS_MAX];
	const char *output_names[PORTS_MAX];
	struct runtime_value *results[PORTS_MAX] = {0};
	int err = 0;

	for (size_t i = 0; i < input_count && !err; ++i) {
		input_names[i] = inputs[i].name;
		err = runtime_lend_input(network, &inputs[i], &values[i], why);
	}
	for (size_t i = 0; i < output_count; ++i)
		output_names[i] = outputs[i].name;
	if (!err)
		err = runtime_check(table,
				    table->run(network->session, NULL, input_names,
					       (const struct runtime_value *const *)values,
					       input_count, output_names, output_count, results),
				    why);
	for (size_t i = 0; i < output_count; ++i) {
		outputs[i].value = results[i];
		outputs[i].owner = table;
	}
	for (size_t i = 0; i < output_count && !err; ++i)
		err = runtime_read_output(table, &outputs[i], why);
	return err;
}

int network_run(const struct network *network, const struct tensor *inputs, size_t input_count,
		struct tensor *outputs, size_t output_count, char why[RUNTIME_WHY_SIZE])
{
	const struct runtime_table *table = network->runtime->table;
	struct runtime_value *values[PORTS_MAX] = {0};
	int err;

	if (input_count > PORTS_MAX || output_count > PORTS_MAX) {
		snprintf(why, RUNTIME_WHY_SIZE, "too many inputs or outputs");
		return EINVAL;
	}
	err = runtime_run(network, inputs, input_count, values, outputs, output_count, why);
	for (size_t i = 0; i < input_count; ++i) {
		if (values[i])
			table->release_value(values[i]);
	}
	for (size_t i = 0; err && i < output_count; ++i)
		tensor_release(&outputs[i]);
	return err;
}
