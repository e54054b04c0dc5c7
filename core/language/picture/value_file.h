#pragma once
// Values of a workload's inputs and outputs in files: pictures (.png) and arrays (.npy).

#include "language/interpret/interpreter.h"
#include "language/te/op.h"

#include <string>

namespace loopscope {

/// The input from the file that its name's ending says. Throws Error with the path: another ending, what cannot be
/// read, another shape or type than the input has.
TensorValue readValue(const std::string &path, const Tensor &input);

struct WrittenValue {
    int64_t beyond = 0; // elements of a picture that were darker than black or whiter than white
};
/// `stretch`: a picture's black is the least and its white the greatest value. Throws Error with the path.
WrittenValue writeValue(const std::string &path, const TensorValue &value, const std::string &name, bool stretch);

/// The file's name ends in one of the known endings. Throws Error with the path otherwise.
void checkValueFile(const std::string &path);

} // namespace loopscope
