#pragma once
// The packed entry point of an exported network in C: how programs that know nothing of the network but its name call
// it with tensors of DLPack. Words between @ are filled in. Internal to export_sources.

namespace loopscope {

inline constexpr const char *kExportPackedHeader = R"(
/* The same for callers that know its name alone: @INPUTS@ and @OUTPUTS@, in the order above, each the address of a
   DLTensor (codes 7 and 13) of the host, row-major. `args` are 8 bytes each. `resource` is what @NAME@_load gave, or
   NULL: then @NAME@.weights is read from beside this library, once. Returns 0, or -1 with a sentence in @NAME@_last_error.
   Threads may call it at the same time. */
int @NAME@_packed(void *args, int *codes, int count, void *ret, int *ret_code, void *resource);
/* Why the last call of this thread failed. */
const char *@NAME@_last_error(void);
/* The same by the convention of tvm_ffi, whose load_module("lib@NAME@.so")["@NAME@"] is this. */
int __tvm_ffi_@NAME@(void *handle, const void *args, int32_t count, void *result);
/* Output number i, empty, as a DLManagedTensor whose deleter the receiver calls. NULL when there is no memory. */
struct DLManagedTensor;
struct DLManagedTensor *@NAME@_new_output(int i);
)";

inline constexpr const char *kExportPacked =
    R"(/* The packed entry point of @NETWORK@. Tensors have the layout of DLPack. */
#define _GNU_SOURCE /* dladdr */
@INCLUDE@ "@NAME@.h"

@INCLUDE@ "@NAME@_kernels.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *data;
    struct {
        int32_t kind, number;
    } device;
    int32_t rank;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor_view;

struct DLManagedTensor {
    tensor_view tensor;
    void *context;
    void (*deleter)(struct DLManagedTensor *self);
};

typedef struct {
    const char *name, *type;
    uint8_t code, bits;
    int32_t rank;
    uint64_t bytes;
    int64_t shape[@RANKS@];
} tensor_facts;

enum { INPUTS = @INPUT_COUNT@, TENSORS = @TENSOR_COUNT@ };
static const tensor_facts facts[] = {
@FACTS@};

static void shape_text(char *text, size_t size, const int64_t *shape, int32_t rank) {
    size_t at = 0;
    text[at++] = '[';
    for (int32_t d = 0; d < rank && at + 24 < size; ++d)
        at += (size_t)snprintf(text + at, size - at, "%s%" PRId64, d > 0 ? ", " : "", shape[d]);
    snprintf(text + at, size - at, "]");
}

static void type_text(char *text, size_t size, const tensor_view *tensor) {
    static const char *const names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    const int known = tensor->dtype.code < sizeof names / sizeof *names;
    char lanes[16] = "", bits[8] = "";
    if (tensor->dtype.lanes != 1) snprintf(lanes, sizeof lanes, "x%u", (unsigned)tensor->dtype.lanes);
    if (tensor->dtype.code != 6) snprintf(bits, sizeof bits, "%u", (unsigned)tensor->dtype.bits);
    snprintf(text, size, "%s%s%s", known ? names[tensor->dtype.code] : "unknown", bits, lanes);
}

/* What is wrong with a tensor, if anything, in @NAME@_last_error. */
static int wrong_tensor(int i, const tensor_view *tensor) {
    const tensor_facts *const wanted = &facts[i];
    char got[256], shape[256];
    const int at = i + 1;
    if (tensor == NULL) return @NAME@_fail(
        "@NAME@_packed: argument %d (%s) is a tensor without an address", at, wanted->name);
    if (tensor->dtype.code != wanted->code || tensor->dtype.bits != wanted->bits || tensor->dtype.lanes != 1) {
        type_text(got, sizeof got, tensor);
        return @NAME@_fail("@NAME@_packed: argument %d (%s) is %s; %s is wanted", at, wanted->name, got, wanted->type);
    }
    if (tensor->rank != wanted->rank)
        return @NAME@_fail(
            "@NAME@_packed: argument %d (%s) has %d dimensions; %d are wanted", at, wanted->name, (int)tensor->rank,
                         (int)wanted->rank);
    if (tensor->rank > 0 && tensor->shape == NULL)
        return @NAME@_fail("@NAME@_packed: argument %d (%s) has dimensions but no shape", at, wanted->name);
    shape_text(shape, sizeof shape, wanted->shape, wanted->rank);
    for (int32_t d = 0; d < wanted->rank; ++d)
        if (tensor->shape[d] != wanted->shape[d]) {
            shape_text(got, sizeof got, tensor->shape, tensor->rank);
            return @NAME@_fail(
                "@NAME@_packed: argument %d (%s) has the shape %s; %s is wanted", at, wanted->name, got, shape);
        }
    if (tensor->device.kind != 1)
        return @NAME@_fail(
            "@NAME@_packed: argument %d (%s) lies on device %d:%d; memory of the host (device 1) is wanted", at,
                         wanted->name, (int)tensor->device.kind, (int)tensor->device.number);
    if (wanted->bytes == 0) return 0;
    int64_t expected = 1;
    for (int32_t d = wanted->rank - 1; tensor->strides != NULL && d >= 0; --d) {
        if (wanted->shape[d] != 1 && tensor->strides[d] != expected)
            return @NAME@_fail(
                "@NAME@_packed: argument %d (%s) has the stride %" PRId64 " in dimension %d of %s; row-major order "
                             "without gaps is wanted",
                             at, wanted->name, tensor->strides[d], (int)d, shape);
        expected *= wanted->shape[d];
    }
    if (tensor->data == NULL)
        return @NAME@_fail("@NAME@_packed: argument %d (%s) has no data: its address is null", at, wanted->name);
    if (((uintptr_t)tensor->data + tensor->byte_offset) % (wanted->bits / 8u) != 0)
        return @NAME@_fail(
            "@NAME@_packed: argument %d (%s) begins at an address that is no multiple of %d, where %s may not lie", at,
                         wanted->name, wanted->bits / 8, wanted->type);
    return 0;
}

static void *first_element(const tensor_view *tensor) {
    return tensor->data == NULL ? NULL : (unsigned char *)tensor->data + tensor->byte_offset;
}

/* Kernels read inputs after they wrote outputs. */
static int overlapping(tensor_view *const *tensors) {
    for (int i = INPUTS; i < TENSORS; ++i)
        for (int k = 0; k < i; ++k) {
            const uintptr_t a = (uintptr_t)first_element(tensors[i]), b = (uintptr_t)first_element(tensors[k]);
            if (a < b + facts[k].bytes && b < a + facts[i].bytes)
                return @NAME@_fail(
                    "@NAME@_packed: argument %d (%s) shares memory with argument %d (%s); what is written needs its own",
                                 i + 1, facts[i].name, k + 1, facts[k].name);
        }
    return 0;
}

static _Atomic(@NAME@_weights *) own_weights;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* From beside the file that this function was loaded from. */
static const @NAME@_weights *weights_beside(void) {
    @NAME@_weights *weights = atomic_load(&own_weights);
    if (weights) return weights;
    pthread_mutex_lock(&loading);
    weights = atomic_load(&own_weights);
    Dl_info here;
    char path[4096];
    if (weights == NULL && dladdr(facts, &here) != 0 && here.dli_fname != NULL) {
        const char *slash = strrchr(here.dli_fname, '/');
        const int folder = slash ? (int)(slash - here.dli_fname) : 1;
        const int length =
            snprintf(path, sizeof path, "%.*s/@NAME@.weights", folder, slash ? here.dli_fname : ".");
        if (length > 0 && (size_t)length < sizeof path) weights = @NAME@_load(path);
        atomic_store(&own_weights, weights);
    } else if (weights == NULL) {
        @NAME@_fail("@NAME@_packed: where this library lies is unknown; hand over weights that @NAME@_load gave");
    }
    pthread_mutex_unlock(&loading);
    return weights;
}

/* One workspace is kept from call to call; a call that finds none makes one. */
static _Atomic(void *) spare_workspace;

int @NAME@_packed(void *args, int *codes, int count, void *ret, int *ret_code, void *resource) {
    tensor_view *tensors[TENSORS];
    @NAME@_fail("%s", "");
    if (count != TENSORS)
        return @NAME@_fail("@NAME@_packed: %d argument%s given; it takes %d: @INPUTS@, then @OUTPUTS@", count,
                         count == 1 ? "" : "s", TENSORS);
    for (int i = 0; i < TENSORS; ++i) {
        if (codes[i] != 7 && codes[i] != 13)
            return @NAME@_fail(
                "@NAME@_packed: argument %d (%s) has the code %d; a tensor (7 or 13) is wanted", i + 1, facts[i].name,
                             codes[i]);
        memcpy(&tensors[i], (const unsigned char *)args + 8 * (size_t)i, sizeof tensors[i]);
        if (wrong_tensor(i, tensors[i])) return -1;
    }
    if (overlapping(tensors)) return -1;
    const @NAME@_weights *weights = resource ? resource : weights_beside();
    if (weights == NULL) return -1;
    void *workspace = atomic_exchange(&spare_workspace, NULL);
    if (workspace == NULL) workspace = aligned_alloc(64, (@NAME@_workspace_bytes() + 63) / 64 * 64 + 64);
    if (workspace == NULL) return @NAME@_fail(
        "@NAME@_packed: no memory for %zu bytes to work in", @NAME@_workspace_bytes());
    @NAME@_run(weights, workspace@ARGUMENTS@);
    free(atomic_exchange(&spare_workspace, workspace));
    if (ret != NULL) memset(ret, 0, 8);
    if (ret_code != NULL) *ret_code = 4; /* nothing */
    return 0;
}

/* An argument or a result of tvm_ffi, TVM's newer convention. */
typedef struct {
    int32_t type;
    uint32_t zero;
    union {
        void *pointer;
        int64_t number;
    } value;
} ffi_value;

enum { FFI_NOTHING = 0, FFI_VIEW = 7, FFI_TENSOR = 70, FFI_OBJECT_BYTES = 24 /* a view stands behind the object's head */ };

/* Who calls by this convention looks for the reason in its own library. */
static int raised_for_ffi(void) {
    void (*raise)(const char *kind, const char *message) = NULL;
    *(void **)&raise = dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStr");
    if (raise) raise("ValueError", @NAME@_last_error());
    return -1;
}

int __tvm_ffi_@NAME@(void *handle, const void *args, int32_t count, void *result) {
    const ffi_value *given = args;
    void *tensors[TENSORS];
    int codes[TENSORS];
    (void)handle;
    for (int32_t i = 0; i < count && i < TENSORS; ++i) {
        if (given[i].type != FFI_VIEW && given[i].type != FFI_TENSOR) {
            @NAME@_fail("@NAME@: argument %d (%s) has the type %d of tvm_ffi; a tensor (7 or 70) is wanted", (int)i + 1,
                        facts[i].name, (int)given[i].type);
            return raised_for_ffi();
        }
        tensors[i] = given[i].value.pointer;
        if (given[i].type == FFI_TENSOR) tensors[i] = (unsigned char *)tensors[i] + FFI_OBJECT_BYTES;
        codes[i] = 7;
    }
    if (@NAME@_packed(tensors, codes, count, NULL, NULL, NULL) != 0) return raised_for_ffi();
    if (result) *(ffi_value *)result = (ffi_value){FFI_NOTHING, 0, {NULL}};
    return 0;
}

static void free_output(struct DLManagedTensor *self) {
    if (self) free(self->tensor.data);
    free(self);
}

struct DLManagedTensor *@NAME@_new_output(int i) {
    if (i < 0 || i >= TENSORS - INPUTS) {
        @NAME@_fail("@NAME@_new_output: there is no output %d; it has %d, counted from 0", i, TENSORS - INPUTS);
        return NULL;
    }
    const tensor_facts *const of = &facts[INPUTS + i];
    struct DLManagedTensor *made = calloc(1, sizeof *made + sizeof of->shape);
    void *data = aligned_alloc(64, (of->bytes + 63) / 64 * 64 + 64);
    if (made == NULL || data == NULL) {
        free(data);
        free(made);
        @NAME@_fail("@NAME@_new_output: no memory for output %d of %" PRIu64 " bytes", i, of->bytes);
        return NULL;
    }
    made->tensor.data = data;
    made->tensor.device.kind = 1;
    made->tensor.rank = of->rank;
    made->tensor.dtype.code = of->code;
    made->tensor.dtype.bits = of->bits;
    made->tensor.dtype.lanes = 1;
    made->tensor.shape = memcpy(made + 1, of->shape, sizeof of->shape);
    made->deleter = free_output;
    return made;
}

/* When the library is closed. */
static __attribute__((destructor)) void leave(void) {
    free(atomic_exchange(&spare_workspace, NULL));
    @NAME@_unload(atomic_exchange(&own_weights, NULL));
}
)";

} // namespace loopscope
