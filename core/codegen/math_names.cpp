#include "codegen/math_names.h"

namespace loopscope {

const char *mathFunctionName(Intrinsic intrinsic) {
    switch (intrinsic) {
    case Intrinsic::Exp:
        return "exp";
    case Intrinsic::Exp2:
        return "exp2";
    case Intrinsic::Log:
        return "log";
    case Intrinsic::Log2:
        return "log2";
    case Intrinsic::Log10:
        return "log10";
    case Intrinsic::Sqrt:
        return "sqrt";
    case Intrinsic::Tanh:
        return "tanh";
    case Intrinsic::Erf:
        return "erf";
    case Intrinsic::Sin:
        return "sin";
    case Intrinsic::Cos:
        return "cos";
    case Intrinsic::Tan:
        return "tan";
    case Intrinsic::Atan:
        return "atan";
    case Intrinsic::Fabs:
        return "fabs";
    case Intrinsic::Floor:
        return "floor";
    case Intrinsic::Ceil:
        return "ceil";
    case Intrinsic::Round:
        return "round";
    case Intrinsic::Trunc:
        return "trunc";
    case Intrinsic::Pow:
        return "pow";
    case Intrinsic::Fmod:
        return "fmod";
    default:
        return nullptr;
    }
}

} // namespace loopscope
