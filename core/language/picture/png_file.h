#pragma once
// PNG pictures on disk, by libpng.

#include "language/picture/picture.h"

#include <string>

namespace loopscope {

/// Palettes become colours and bits 8-bit samples. Throws Error that names the file: not there, no PNG, damaged, larger
/// than 2^28 pixels.
Picture readPng(const std::string &path);
/// Throws Error when it cannot be written.
void writePng(const std::string &path, const Picture &picture);

} // namespace loopscope
