/*
 * runtime_table.h: the entries of ONNX Runtime's function table that are called.
 *
 * The library exports one function, OrtGetApiBase, which returns a table of about three
 * hundred others. The table is only ever appended to, so a function is identified by its
 * position. Because the two dozen required entries are declared here, building the engine
 * needs nothing of the runtime: the library comes with the voices.
 *
 * Every function that can fail returns a status object, NULL for success.
 */
#ifndef ENGINE_NEURAL_RUNTIME_TABLE_H
#define ENGINE_NEURAL_RUNTIME_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The requested version of the table: the oldest (1.17) with which all entries were tested.
 * Newer libraries provide it as well. */
#define RUNTIME_TABLE_VERSION 17

enum {
	/* failures are returned as a status and need not be logged as well */
	RUNTIME_LOG_FATAL = 4,
	RUNTIME_OPTIMIZE_ALL = 99,
	RUNTIME_SEQUENTIAL = 0,
	RUNTIME_ARENA_ALLOCATOR = 1,
	RUNTIME_MEMORY_DEFAULT = 0,
	RUNTIME_ELEMENT_F32 = 1,
	RUNTIME_ELEMENT_I64 = 7,
	RUNTIME_ELEMENT_BOOL = 9,
};

/* Opaque objects of the library. */
struct runtime_status;
struct runtime_env;
struct runtime_session;
struct runtime_session_options;
struct runtime_run_options;
struct runtime_value;
struct runtime_memory_info;
struct runtime_shape_info;
struct runtime_allocator;

#define RUNTIME_CALL(name) struct runtime_status *(*name)

struct runtime_table {
	void *skip_0;
	int (*get_error_code)(const struct runtime_status *status); /* 1 */
	const char *(*get_error_message)(const struct runtime_status *status); /* 2 */
	RUNTIME_CALL(create_env) /* 3 */
	(int log_level, const char *log_id, struct runtime_env **out);
	void *skip_4[4];
	RUNTIME_CALL(create_session_from_array) /* 8 */
	(const struct runtime_env *env, const void *model, size_t model_len,
	 const struct runtime_session_options *options, struct runtime_session **out);
	RUNTIME_CALL(run) /* 9 */
	(struct runtime_session *session, const struct runtime_run_options *options,
	 const char *const *input_names, const struct runtime_value *const *inputs,
	 size_t input_count, const char *const *output_names, size_t output_count,
	 struct runtime_value **outputs);
	RUNTIME_CALL(create_session_options) /* 10 */
	(struct runtime_session_options **out);
	void *skip_11[2];
	RUNTIME_CALL(set_execution_mode) /* 13 */
	(struct runtime_session_options *options, int mode);
	void *skip_14[3];
	RUNTIME_CALL(disable_memory_pattern) /* 17 */
	(struct runtime_session_options *options);
	void *skip_18;
	RUNTIME_CALL(disable_memory_arena) /* 19 */
	(struct runtime_session_options *options);
	void *skip_20[3];
	RUNTIME_CALL(set_graph_optimization) /* 23 */
	(struct runtime_session_options *options, int level);
	RUNTIME_CALL(set_intra_op_threads) /* 24 */
	(struct runtime_session_options *options, int count);
	RUNTIME_CALL(set_inter_op_threads) /* 25 */
	(struct runtime_session_options *options, int count);
	void *skip_26[4];
	RUNTIME_CALL(get_input_count) /* 30 */
	(const struct runtime_session *session, size_t *out);
	RUNTIME_CALL(get_output_count) /* 31 */
	(const struct runtime_session *session, size_t *out);
	void *skip_32[4];
	RUNTIME_CALL(get_input_name) /* 36 */
	(const struct runtime_session *session, size_t i, struct runtime_allocator *allocator,
	 char **out);
	RUNTIME_CALL(get_output_name) /* 37 */
	(const struct runtime_session *session, size_t i, struct runtime_allocator *allocator,
	 char **out);
	void *skip_38[11];
	RUNTIME_CALL(create_tensor_with_data) /* 49 */
	(const struct runtime_memory_info *info, void *data, size_t data_len, const int64_t *shape,
	 size_t rank, int element_type, struct runtime_value **out);
	RUNTIME_CALL(is_tensor) /* 50 */
	(const struct runtime_value *value, int *out);
	RUNTIME_CALL(get_tensor_data) /* 51 */
	(struct runtime_value *value, void **out);
	void *skip_52[8];
	RUNTIME_CALL(get_element_type) /* 60 */
	(const struct runtime_shape_info *info, int *out);
	RUNTIME_CALL(get_rank) /* 61 */
	(const struct runtime_shape_info *info, size_t *out);
	RUNTIME_CALL(get_dimensions) /* 62 */
	(const struct runtime_shape_info *info, int64_t *dims, size_t rank);
	void *skip_63[2];
	RUNTIME_CALL(get_type_and_shape) /* 65 */
	(const struct runtime_value *value, struct runtime_shape_info **out);
	void *skip_66[3];
	RUNTIME_CALL(create_cpu_memory_info) /* 69 */
	(int allocator_type, int memory_type, struct runtime_memory_info **out);
	void *skip_70[6];
	RUNTIME_CALL(allocator_free) /* 76 */
	(struct runtime_allocator *allocator, void *memory);
	void *skip_77;
	RUNTIME_CALL(get_default_allocator) /* 78 */
	(struct runtime_allocator **out);
	void *skip_79[13];
	void (*release_env)(struct runtime_env *env); /* 92 */
	void (*release_status)(struct runtime_status *status); /* 93 */
	void (*release_memory_info)(struct runtime_memory_info *info); /* 94 */
	void (*release_session)(struct runtime_session *session); /* 95 */
	void (*release_value)(struct runtime_value *value); /* 96 */
	void *skip_97[2];
	void (*release_shape_info)(struct runtime_shape_info *info); /* 99 */
	void (*release_session_options)(struct runtime_session_options *options); /* 100 */
	void *skip_101[29];
	RUNTIME_CALL(add_session_config_entry) /* 130 */
	(struct runtime_session_options *options, const char *key, const char *value);
};

#define RUNTIME_TABLE_AT(entry, position)                                                          \
	_Static_assert(offsetof(struct runtime_table, entry) == (position) * sizeof(void *), #entry)

RUNTIME_TABLE_AT(create_env, 3);
RUNTIME_TABLE_AT(create_session_options, 10);
RUNTIME_TABLE_AT(set_graph_optimization, 23);
RUNTIME_TABLE_AT(get_input_count, 30);
RUNTIME_TABLE_AT(get_input_name, 36);
RUNTIME_TABLE_AT(create_tensor_with_data, 49);
RUNTIME_TABLE_AT(get_element_type, 60);
RUNTIME_TABLE_AT(get_type_and_shape, 65);
RUNTIME_TABLE_AT(create_cpu_memory_info, 69);
RUNTIME_TABLE_AT(allocator_free, 76);
RUNTIME_TABLE_AT(get_default_allocator, 78);
RUNTIME_TABLE_AT(release_env, 92);
RUNTIME_TABLE_AT(release_session_options, 100);
RUNTIME_TABLE_AT(add_session_config_entry, 130);

/* The result of OrtGetApiBase. */
struct runtime_base {
	const struct runtime_table *(*get_table)(uint32_t version);
	const char *(*get_version)(void);
};

#endif
