/*
 * runtime_package.c: the package of ONNX Runtime (see runtime_package.h).
 */
#include "cli/runtime_package.h"

#include <stddef.h>

#if defined(__x86_64__)
static const struct pinned_package_file file = {
	.name = RUNTIME_PACKAGE_FILE,
	.member = "package/libonnxruntime.so",
	.hash = "4b3607aebd1784b26b6f9b20e4bd974c7ab8287043e4d095cb7d2cb40b5e566e"};

static const struct pinned_package package = {
	.what = "ONNX Runtime",
	.name = "sherpa-onnx-linux-x64",
	.version = "1.13.8",
	.licence = "MIT",
	.hash = "13291bcd825da5858ca27a35443e9a2c229a40616c0910086de2db12c5c9312c",
	.size = 11089653,
	.files = &file,
	.file_count = 1,
};

const struct pinned_package *runtime_package_find(void)
{
	return &package;
}
#elif defined(__aarch64__)
static const struct pinned_package_file file = {
	.name = RUNTIME_PACKAGE_FILE,
	.member = "package/libonnxruntime.so",
	.hash = "cfc800d4438f15e8d9017521326776ca7117d8783cb847ccccc2fc61ac4d540f"};

static const struct pinned_package package = {
	.what = "ONNX Runtime",
	.name = "sherpa-onnx-linux-arm64",
	.version = "1.13.8",
	.licence = "MIT",
	.hash = "e1671ad6e94e51947229a5736d06022780f3fba967da8d917173cd9765902ee8",
	.size = 13910679,
	.files = &file,
	.file_count = 1,
};

const struct pinned_package *runtime_package_find(void)
{
	return &package;
}
#else
const struct pinned_package *runtime_package_find(void)
{
	return NULL;
}
#endif
