#include "measure/argument_data.h"

#include "base/check.h"
#include "measure/answer/answer_check.h"

namespace loopscope {

ArgumentData argumentData(const std::vector<KernelArg> &args, const ReferenceView &reference, InputSet set) {
    const std::vector<ReferenceTensor> &tensors = reference.tensors();
    LOOPSCOPE_CHECK(args.size() == tensors.size(), "a kernel takes the arguments of its task");
    ArgumentData data;
    data.poison = kPoison;
    for (size_t i = 0; i < args.size(); ++i) {
        LOOPSCOPE_CHECK(args[i].output == tensors[i].output && args[i].dtype == tensors[i].dtype,
                        "kernel and task have the same arguments in the same order");
        LOOPSCOPE_CHECK(args[i].output || !args[i].packing.empty() || args[i].elements == tensors[i].elements(),
                        "an unpacked input has its task's shape");
        data.inputs.push_back(args[i].output ? nullptr : reference.data(tensors[i], set));
    }
    return data;
}

} // namespace loopscope
