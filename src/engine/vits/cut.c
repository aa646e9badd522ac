/*
 * cut.c: divides a VITS graph into four pieces (see cut.h).
 */
#include "engine/vits/cut.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/cut_find.h"

/* Inputs or outputs of a piece: its joints and the shared values. */
#define PORTS_MAX (4 + 2 * CUT_SHARED_MAX)

struct ports {
	struct onnx_port at[PORTS_MAX];
	size_t count;
};

/* Every value at a joint is a float; its rank is the declared one. */
static void cut_add_port(struct ports *ports, const struct onnx *onnx, struct onnx_str name,
			 unsigned rank)
{
	unsigned said = onnx_type_of(onnx, name).rank;

	for (size_t i = 0; i < ports->count; ++i)
		if (onnx_str_equal(ports->at[i].name, name))
			return;
	assert(ports->count < PORTS_MAX);
	ports->at[ports->count++] = (struct onnx_port){
		.name = name,
		.elem_type = ONNX_FLOAT,
		.rank = said == ONNX_ANY_RANK ? rank : said,
	};
}

static void cut_add_shared(struct ports *ports, const struct onnx *onnx,
			   const struct cut_values *values)
{
	for (size_t i = 0; i < values->count; ++i)
		cut_add_port(ports, onnx, values->names[i], ONNX_ANY_RANK);
}

static int cut_copy_name(char **namep, struct onnx_str name)
{
	if (name.len == 0)
		return 0;
	if (memchr(name.bytes, '\0', name.len))
		return EINVAL;
	*namep = onnx_str_copy(name);
	return *namep ? 0 : ENOMEM;
}

static int cut_copy_joints(struct cut *cut, const struct cut_joints *joints)
{
	struct {
		char **to;
		struct onnx_str name;
	} copies[] = {
		{&cut->duration_noise, joints->duration_noise},
		{&cut->durations, joints->durations},
		{&cut->mean, joints->mean},
		{&cut->deviation, joints->deviation},
		{&cut->latent, joints->latent},
		{&cut->latent_noise, joints->latent_noise},
		{&cut->features, joints->features},
		{&cut->hidden, joints->hidden},
		{&cut->output, joints->output},
	};
	int err = 0;

	cut->has_speakers = joints->has_speakers;
	for (size_t i = 0; i < COUNT(copies) && !err; ++i)
		err = cut_copy_name(copies[i].to, copies[i].name);
	return err;
}

static int cut_copy_shared(struct cut_piece *piece, const struct cut_values *values)
{
	int err = 0;

	for (size_t i = 0; i < values->count && !err; ++i)
		err = cut_copy_name(&piece->shared[piece->shared_count++], values->names[i]);
	return err;
}

static int cut_extract(struct cut_piece *piece, const struct onnx *onnx, const struct ports *takes,
		       const struct ports *gives)
{
	return onnx_extract(onnx, takes->at, takes->count, gives->at, gives->count, &piece->bytes,
			    &piece->len);
}

static int cut_text(struct cut *cut, const struct onnx *onnx, const struct cut_joints *joints,
		    const struct cut_values *shared)
{
	struct ports takes = {0};
	struct ports gives = {0};
	int err = cut_copy_shared(&cut->text, shared);

	if (err)
		return err;
	if (joints->duration_noise.len > 0)
		cut_add_port(&takes, onnx, joints->duration_noise, 3);
	cut_add_port(&gives, onnx, joints->durations, 3);
	cut_add_port(&gives, onnx, joints->mean, 3);
	cut_add_port(&gives, onnx, joints->deviation, 3);
	cut_add_shared(&gives, onnx, shared);
	return cut_extract(&cut->text, onnx, &takes, &gives);
}

static int cut_later(struct cut_piece *piece, const struct onnx *onnx, struct onnx_str from,
		     struct onnx_str to, unsigned to_rank, const struct cut_values *shared)
{
	struct ports takes = {0};
	struct ports gives = {0};
	int err = cut_copy_shared(piece, shared);

	if (err)
		return err;
	cut_add_port(&takes, onnx, from, 3);
	cut_add_shared(&takes, onnx, shared);
	cut_add_port(&gives, onnx, to, to_rank);
	return cut_extract(piece, onnx, &takes, &gives);
}

/* Collects the values that the text piece gives to the other pieces. */
static int cut_join_shared(struct cut_values *shared, const struct cut_values *more, char *why,
			   size_t why_size)
{
	for (size_t i = 0; i < more->count; ++i) {
		struct onnx_str name = more->names[i];
		size_t k = 0;

		while (k < shared->count && !onnx_str_equal(shared->names[k], name))
			++k;
		if (k < shared->count)
			continue;
		if (k == CUT_SHARED_MAX) {
			snprintf(why, why_size, "more than %d values of the text are shared",
				 CUT_SHARED_MAX);
			return ENOTSUP;
		}
		shared->names[shared->count++] = name;
	}
	return 0;
}

static int cut_pieces(struct cut *cut, const struct onnx *onnx, char *why, size_t why_size)
{
	struct cut_joints joints;
	struct cut_values shared = {0};
	int err = cut_find(&joints, onnx, why, why_size);

	if (!err)
		err = cut_join_shared(&shared, &joints.flow_takes, why, why_size);
	if (!err)
		err = cut_join_shared(&shared, &joints.head_takes, why, why_size);
	if (!err)
		err = cut_join_shared(&shared, &joints.tail_takes, why, why_size);
	if (!err)
		err = cut_copy_joints(cut, &joints);
	if (!err)
		err = cut_text(cut, onnx, &joints, &shared);
	if (!err)
		err = cut_later(&cut->flow, onnx, joints.latent, joints.features, 3,
				&joints.flow_takes);
	if (!err)
		err = cut_later(&cut->head, onnx, joints.features, joints.hidden, 3,
				&joints.head_takes);
	if (!err)
		err = cut_later(&cut->tail, onnx, joints.hidden, joints.output, ONNX_ANY_RANK,
				&joints.tail_takes);
	if (!err || err == ENOMEM || err == ENOTSUP)
		return err;
	snprintf(why, why_size, "the values at the joints cannot be told apart");
	return ENOTSUP;
}

static void cut_piece_reset(struct cut_piece *piece)
{
	free(piece->bytes);
	for (size_t i = 0; i < piece->shared_count; ++i)
		free(piece->shared[i]);
}

static void cut_destroy(void *object)
{
	struct cut *cut = object;

	cut_piece_reset(&cut->text);
	cut_piece_reset(&cut->flow);
	cut_piece_reset(&cut->head);
	cut_piece_reset(&cut->tail);
	free(cut->duration_noise);
	free(cut->durations);
	free(cut->mean);
	free(cut->deviation);
	free(cut->latent);
	free(cut->latent_noise);
	free(cut->features);
	free(cut->hidden);
	free(cut->output);
}

int cut_vits(struct cut **cutp, const struct onnx *onnx, char *why, size_t why_size)
{
	struct cut *cut = mem_zalloc(sizeof(*cut), cut_destroy);
	int err;

	if (!cut)
		return ENOMEM;
	err = cut_pieces(cut, onnx, why, why_size);
	if (err) {
		mem_deref(cut);
		return err;
	}
	*cutp = cut;
	return 0;
}

static struct onnx_str cut_string(const char *name)
{
	return (struct onnx_str){.bytes = name, .len = strlen(name)};
}

int cut_none(const struct onnx *onnx, const struct cut *cut, char **bytesp, size_t *lenp,
	     char **latent_noisep)
{
	struct ports takes = {0};
	struct ports gives = {0};
	char *latent_noise = strdup(cut->latent_noise);
	int err;

	if (!latent_noise)
		return ENOMEM;
	if (cut->duration_noise)
		cut_add_port(&takes, onnx, cut_string(cut->duration_noise), 3);
	cut_add_port(&takes, onnx, cut_string(cut->latent_noise), 3);
	cut_add_port(&gives, onnx, cut_string(cut->output), ONNX_ANY_RANK);
	err = onnx_extract(onnx, takes.at, takes.count, gives.at, gives.count, bytesp, lenp);
	if (err) {
		free(latent_noise);
		return err;
	}
	*latent_noisep = latent_noise;
	return 0;
}

static void cut_piece_free_bytes(struct cut_piece *piece)
{
	free(piece->bytes);
	piece->bytes = NULL;
	piece->len = 0;
}

void cut_drop_bytes(struct cut *cut)
{
	cut_piece_free_bytes(&cut->text);
	cut_piece_free_bytes(&cut->flow);
	cut_piece_free_bytes(&cut->head);
	cut_piece_free_bytes(&cut->tail);
}
