#include "codegen/llvm/math_calls.h"

#include "codegen/llvm/emit_module.h"
#include "codegen/math_names.h"
#include "codegen/nvptx/device_math_calls.h"

#include <cmath>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace loopscope {

namespace {

llvm::Intrinsic::ID roundingIntrinsic(Intrinsic intrinsic) {
    switch (intrinsic) {
    case Intrinsic::Sqrt:
    case Intrinsic::Rsqrt:
        return llvm::Intrinsic::sqrt;
    case Intrinsic::Floor:
        return llvm::Intrinsic::floor;
    case Intrinsic::Ceil:
        return llvm::Intrinsic::ceil;
    case Intrinsic::Round:
        return llvm::Intrinsic::round;
    case Intrinsic::Trunc:
        return llvm::Intrinsic::trunc;
    default:
        return llvm::Intrinsic::fabs;
    }
}

/// A pure function: LLVM may move, merge and drop calls.
llvm::Value *callPure(llvm::IRBuilder<> &builder, llvm::Module &module, const std::string &name,
                      llvm::ArrayRef<llvm::Value *> args) {
    llvm::SmallVector<llvm::Type *, 2> types;
    for (llvm::Value *arg : args) types.push_back(arg->getType());
    auto callee = module.getOrInsertFunction(name, llvm::FunctionType::get(args[0]->getType(), types, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setDoesNotAccessMemory();
    return builder.CreateCall(callee, args);
}

std::string noFunction(Expr e) {
    return "no machine code for `" + toText(e) + "` of " + std::string(dtypeName(e->arg(0)->dtype));
}

} // namespace

llvm::Value *MathCalls::callScalarLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble) {
    return callPure(m_builder, m_frame.module(), std::string(name) + (isDouble ? "" : "f"), args);
}

llvm::Value *MathCalls::callVectorLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble,
                                          int lanes) {
    // The x86 vector function ABI: _ZGV, instruction set, unmasked, lanes, one v an argument, name.
    const int bytes = lanes * (isDouble ? 8 : 4);
    const char set = bytes == 64 ? 'e' : bytes == 32 ? 'd' : 'b';
    std::string symbol = std::string("_ZGV") + set + 'N' + std::to_string(lanes) + std::string(args.size(), 'v') + '_' +
                         name + (isDouble ? "" : "f");
    return callPure(m_builder, m_frame.module(), symbol, args);
}

llvm::Value *MathCalls::callLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble) {
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
    if (!type) return callScalarLibrary(name, args, isDouble);
    const int width = int(type->getNumElements());
    const int element = isDouble ? 8 : 4;
    // AVX without AVX2 has 256-bit registers but libmvec's 'd' variants use AVX2 instructions.
    const int widest = std::max(16, m_target.vectorBytes) / element;
    llvm::Value *result = llvm::PoisonValue::get(type);
    for (int at = 0; at < width;) {
        int lanes = widest;
        while (lanes > 16 / element && lanes / 2 >= width - at) lanes /= 2;
        // A piece shorter than a register repeats its last lane, whose result nobody reads.
        llvm::SmallVector<int, 16> take;
        for (int i = 0; i < lanes; ++i) take.push_back(std::min(at + i, width - 1));
        llvm::SmallVector<llvm::Value *, 2> pieces;
        for (llvm::Value *arg : args) pieces.push_back(m_builder.CreateShuffleVector(arg, take));
        llvm::Value *value = callVectorLibrary(name, pieces, isDouble, lanes);
        if (lanes == width) return value;
        llvm::SmallVector<int, 64> put;
        for (int i = 0; i < width; ++i) put.push_back(i >= at && i < at + lanes ? i - at : -1);
        llvm::Value *spread = m_builder.CreateShuffleVector(value, put);
        llvm::SmallVector<int, 64> merge;
        for (int i = 0; i < width; ++i) merge.push_back(i >= at && i < at + lanes ? width + i : i);
        result = m_builder.CreateShuffleVector(result, spread, merge);
        at += lanes;
    }
    return result;
}

llvm::Value *MathCalls::emitShuffle(Expr e, llvm::ArrayRef<llvm::Value *> args) {
    if (!m_target.isGpu()) throw ProgramRefused{"a processor has no warps for `" + toText(e) + "`"};
    constexpr uint32_t allThreads = 0xffffffff;
    constexpr uint32_t wholeWarp = 0x1f;
    const auto handed = [&](llvm::Value *word) -> llvm::Value * {
        const auto id = word->getType()->isFloatTy() ? llvm::Intrinsic::nvvm_shfl_sync_bfly_f32
                                                     : llvm::Intrinsic::nvvm_shfl_sync_bfly_i32;
        return m_builder.CreateIntrinsic(
            id, {}, {m_builder.getInt32(allThreads), word, args[1], m_builder.getInt32(wholeWarp)});
    };
    llvm::Value *x = args[0];
    llvm::Type *type = x->getType();
    llvm::Type *int32 = m_builder.getInt32Ty();
    const unsigned bits = type->getPrimitiveSizeInBits();
    if (bits == 32) return handed(x); // float32, which narrow floats are computed as, and int32
    if (bits < 32) return m_builder.CreateTrunc(handed(m_builder.CreateZExt(x, int32)), type);
    llvm::Value *whole = m_builder.CreateBitCast(x, m_builder.getInt64Ty());
    llvm::Value *low = handed(m_builder.CreateTrunc(whole, int32));
    llvm::Value *high = handed(m_builder.CreateTrunc(m_builder.CreateLShr(whole, 32), int32));
    llvm::Value *both = m_builder.CreateOr(m_builder.CreateZExt(low, m_builder.getInt64Ty()),
                                           m_builder.CreateShl(m_builder.CreateZExt(high, m_builder.getInt64Ty()), 32));
    return m_builder.CreateBitCast(both, type);
}

/// Local response normalisation has 0.75. Every step is correctly rounded: a few units in the last place at most. A
/// normalisation of 192 x 55 x 55 took 1.64 ms with the library's powers, and 1.02 with roots.
llvm::Value *MathCalls::emitQuarterPower(Expr exponent, llvm::Value *x) {
    constexpr double kMost = 4;
    if (exponent->kind != ExprKind::FloatImm) return nullptr;
    const double power = std::fabs(exponent->floatValue);
    const double quarters = 4 * power;
    if (!(power > 0 && power <= kMost) || quarters != std::floor(quarters)) return nullptr;
    const auto whole = static_cast<int>(power);
    const int rest = static_cast<int>(quarters) % 4;
    llvm::Value *result = nullptr;
    const auto times = [&](llvm::Value *factor) {
        result = result == nullptr ? factor : m_builder.CreateFMul(result, factor);
    };
    if (rest > 0) {
        // As the library has it: of minus zero zero, of minus infinity infinity.
        auto *infinity = llvm::ConstantFP::getInfinity(x->getType());
        auto *least = llvm::ConstantFP::getInfinity(x->getType(), /*Negative=*/true);
        x = m_builder.CreateFAdd(x, llvm::ConstantFP::get(x->getType(), 0.0));
        x = m_builder.CreateSelect(m_builder.CreateFCmpOEQ(x, least), infinity, x);
        llvm::Value *root = m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
        if ((rest & 2) != 0) times(root);
        if ((rest & 1) != 0) times(m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, root));
    }
    for (int i = 0; i < whole; ++i) times(x);
    return exponent->floatValue < 0 ? m_builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), result) : result;
}

llvm::Value *MathCalls::emit(Expr e, llvm::ArrayRef<llvm::Value *> args) {
    const Intrinsic intrinsic = e->intrinsic;
    const DType type = e->arg(0)->dtype;
    const bool isDouble = type == DType::Float64;
    llvm::Value *x = args[0];
    switch (intrinsic) {
    case Intrinsic::Fabs:
        if (!isFloat(type))
            return !isUnsigned(type) ? m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, m_builder.getFalse())
                                     : x;
        [[fallthrough]];
    case Intrinsic::Sqrt:
    case Intrinsic::Rsqrt:
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Round:
    case Intrinsic::Trunc: {
        if (!isFloat(type)) return x;
        llvm::Value *value = m_builder.CreateUnaryIntrinsic(roundingIntrinsic(intrinsic), x);
        if (intrinsic == Intrinsic::Rsqrt) value = m_builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), value);
        return m_types.roundTo(value, e->dtype);
    }
    case Intrinsic::Sigmoid: {
        // exp overflows to infinity for very negative x, and 1/inf is the right answer there.
        llvm::Value *one = llvm::ConstantFP::get(x->getType(), 1);
        llvm::Value *decay = m_builder.CreateFNeg(x);
        llvm::Value *power =
            m_target.isGpu() ? emitDeviceMath(m_builder, Intrinsic::Exp, decay) : callLibrary("exp", decay, isDouble);
        return m_types.roundTo(m_builder.CreateFDiv(one, m_builder.CreateFAdd(one, power)), e->dtype);
    }
    case Intrinsic::Fmod:
        if (m_target.isGpu()) break; // there it would be rounded
        return m_types.roundTo(m_builder.CreateFRem(x, args[1]), e->dtype);
    case Intrinsic::Isnan:
        return isFloat(type) ? m_builder.CreateFCmpUNO(x, x)
                             : llvm::Constant::getNullValue(m_builder.CreateICmpNE(x, x)->getType());
    case Intrinsic::Popcount:
        return m_types.cast(m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x), type, e->dtype);
    case Intrinsic::ShiftLeft:
    case Intrinsic::ShiftRight: {
        // By the low bits of the count, as the machine shifts.
        auto *last = llvm::ConstantInt::get(x->getType(), unsigned(dtypeBytes(type)) * 8 - 1);
        llvm::Value *count = m_builder.CreateAnd(m_types.cast(args[1], e->arg(1)->dtype, type), last);
        if (intrinsic == Intrinsic::ShiftLeft) return m_builder.CreateShl(x, count);
        return isUnsigned(type) ? m_builder.CreateLShr(x, count) : m_builder.CreateAShr(x, count);
    }
    case Intrinsic::BitwiseAnd:
        return m_builder.CreateAnd(x, args[1]);
    case Intrinsic::BitwiseOr:
        return m_builder.CreateOr(x, args[1]);
    case Intrinsic::BitwiseXor:
        return m_builder.CreateXor(x, args[1]);
    case Intrinsic::ShuffleXor:
        return emitShuffle(e, args);
    default:
        break;
    }
    if (m_target.isGpu()) {
        llvm::Value *value = isFloat(type) ? emitDeviceMath(m_builder, intrinsic, args) : nullptr;
        if (value == nullptr) throw ProgramRefused{noFunction(e)};
        return m_types.roundTo(value, e->dtype);
    }
    if (intrinsic == Intrinsic::Pow && isFloat(type))
        if (llvm::Value *value = emitQuarterPower(e->arg(1), x)) return m_types.roundTo(value, e->dtype);
    const char *name = intrinsic == Intrinsic::Exp10 ? "exp10" : mathFunctionName(intrinsic); // exp10 is no C

    if (!name || !isFloat(type)) throw ProgramRefused{noFunction(e)};
    return m_types.roundTo(callLibrary(name, args, isDouble), e->dtype);
}

} // namespace loopscope
