#pragma once
// The messages of the ONNX format, for this module alone: whoever includes this needs protobuf.

#include <onnx/onnx_pb.h> // onnx-ml.pb.h with the macros that it needs
