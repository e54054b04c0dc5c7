#pragma once
// A document with trials as a search leaves them: real schedules of a real workload, made-up times and failures. The
// same seed gives the same document.

#include "views/session/document.h"

#include <memory>

namespace loopscope {

/// matmul_relu with its sketches and `trials` trials, about an eighth of them failed.
std::unique_ptr<Document> fabricateDocument(int trials, unsigned seed = 1);
/// `count` more.
void fabricateTrials(Document &document, int count, unsigned seed = 2);

} // namespace loopscope
