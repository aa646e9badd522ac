/*
 * model.c: what the families of models have in common (see model.h).
 */
#include "engine/vits/model.h"

#include "engine/vits/model_private.h"

int model_open(struct model **modelp, struct runtime *runtime, const struct onnx *onnx,
	       const struct model_file *file, char why[RUNTIME_WHY_SIZE])
{
	static const struct model_family_ops *const families[] = {
		[MODEL_VITS] = &model_vits,
		[MODEL_KOKORO] = &model_kokoro,
	};

	return families[file->family]->open(modelp, runtime, onnx, file, why);
}

int take_begin(struct take **takep, const struct model *model, const int64_t *ids, size_t id_count,
	       const struct take_settings *settings, char why[RUNTIME_WHY_SIZE])
{
	return model->family->begin(takep, model, ids, id_count, settings, why);
}

size_t take_frames(const struct take *take)
{
	return take->frames;
}

size_t take_frame_len(const struct take *take)
{
	return take->frame_len;
}

const float *take_durations(const struct take *take)
{
	return take->durations;
}

int take_decode(struct take *take, size_t from, size_t to, const float **samplesp,
		char why[RUNTIME_WHY_SIZE])
{
	return take->model->family->decode(take, from, to, samplesp, why);
}
