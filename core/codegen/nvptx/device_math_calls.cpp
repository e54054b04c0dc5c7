#include "codegen/nvptx/device_math_calls.h"

#include "codegen/nvptx/device_math.h"
#include "codegen/nvptx/device_math_double.h"

#include <llvm/IR/Intrinsics.h>

namespace loopscope {

namespace {

using Builder = llvm::IRBuilder<>;

/// A value with the operators of its kind.
struct IrTruth {
    Builder *builder;
    llvm::Value *value;
    friend IrTruth operator&(IrTruth a, IrTruth b) { return {a.builder, a.builder->CreateAnd(a.value, b.value)}; }
    friend IrTruth operator|(IrTruth a, IrTruth b) { return {a.builder, a.builder->CreateOr(a.value, b.value)}; }
    friend IrTruth operator!(IrTruth a) { return {a.builder, a.builder->CreateNot(a.value)}; }
};

struct IrInteger {
    Builder *builder;
    llvm::Value *value;
    friend IrInteger operator+(IrInteger a, IrInteger b) { return {a.builder, a.builder->CreateAdd(a.value, b.value)}; }
    friend IrInteger operator-(IrInteger a, IrInteger b) { return {a.builder, a.builder->CreateSub(a.value, b.value)}; }
    friend IrInteger operator&(IrInteger a, IrInteger b) { return {a.builder, a.builder->CreateAnd(a.value, b.value)}; }
    friend IrInteger operator|(IrInteger a, IrInteger b) { return {a.builder, a.builder->CreateOr(a.value, b.value)}; }
    friend IrInteger operator<<(IrInteger a, int by) {
        return {a.builder, a.builder->CreateShl(a.value, static_cast<uint64_t>(by))};
    }
    friend IrInteger operator>>(IrInteger a, int by) {
        return {a.builder, a.builder->CreateAShr(a.value, static_cast<uint64_t>(by))};
    }
    friend IrTruth operator<(IrInteger a, IrInteger b) {
        return {a.builder, a.builder->CreateICmpSLT(a.value, b.value)};
    }
    friend IrTruth operator==(IrInteger a, IrInteger b) {
        return {a.builder, a.builder->CreateICmpEQ(a.value, b.value)};
    }
};

struct IrReal {
    Builder *builder;
    llvm::Value *value;
    friend IrReal operator+(IrReal a, IrReal b) { return {a.builder, a.builder->CreateFAdd(a.value, b.value)}; }
    friend IrReal operator-(IrReal a, IrReal b) { return {a.builder, a.builder->CreateFSub(a.value, b.value)}; }
    friend IrReal operator*(IrReal a, IrReal b) { return {a.builder, a.builder->CreateFMul(a.value, b.value)}; }
    friend IrReal operator/(IrReal a, IrReal b) { return {a.builder, a.builder->CreateFDiv(a.value, b.value)}; }
    friend IrTruth operator<(IrReal a, IrReal b) { return {a.builder, a.builder->CreateFCmpOLT(a.value, b.value)}; }
    friend IrTruth operator==(IrReal a, IrReal b) { return {a.builder, a.builder->CreateFCmpOEQ(a.value, b.value)}; }
};

/// `type` is a float or double, or a vector of them.
template <bool isDouble> class IrMachine {
  public:
    using Real = IrReal;
    using Integer = IrInteger;
    using Truth = IrTruth;
    static constexpr int kMantissaBits = isDouble ? 52 : 23;
    static constexpr int kExponentBias = isDouble ? 1023 : 127;

    IrMachine(Builder &builder, llvm::Type *type) : m_builder(&builder), m_type(type) {
        llvm::Type *scalar = builder.getIntNTy(isDouble ? 64 : 32);
        m_integers = like(scalar);
    }

    Real constant(double value) { return {m_builder, llvm::ConstantFP::get(m_type, value)}; }
    Integer whole(int64_t value) {
        return {m_builder, llvm::ConstantInt::get(m_integers, static_cast<uint64_t>(value), true)};
    }
    Real fma(Real a, Real b, Real c) {
        return {m_builder, m_builder->CreateIntrinsic(llvm::Intrinsic::fma, {m_type}, {a.value, b.value, c.value})};
    }
    Real pick(Truth condition, Real yes, Real no) {
        return {m_builder, m_builder->CreateSelect(condition.value, yes.value, no.value)};
    }
    Integer bitsOf(Real x) { return {m_builder, m_builder->CreateBitCast(x.value, m_integers)}; }
    Real realOf(Integer x) { return {m_builder, m_builder->CreateBitCast(x.value, m_type)}; }
    IrMachine<true> wide() { return {*m_builder, like(m_builder->getDoubleTy())}; }
    Real widen(Real x) { return {m_builder, m_builder->CreateFPExt(x.value, like(m_builder->getDoubleTy()))}; }
    Real narrow(Real x) { return {m_builder, m_builder->CreateFPTrunc(x.value, m_type)}; }
    Integer narrowInteger(Integer x) { return {m_builder, m_builder->CreateTrunc(x.value, m_integers)}; }

  private:
    llvm::Type *like(llvm::Type *scalar) const {
        const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(m_type);
        return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
    }
    Builder *m_builder;
    llvm::Type *m_type;
    llvm::Type *m_integers = nullptr;
};

template <bool isDouble>
llvm::Value *emitWith(IrMachine<isDouble> machine, Intrinsic function, const std::array<IrReal, 2> &args) {
    const IrReal x = args[0];
    switch (function) {
    case Intrinsic::Exp:
        return device_math::exp(machine, x).value;
    case Intrinsic::Exp2:
        return device_math::exp2(machine, x).value;
    case Intrinsic::Exp10:
        return device_math::exp10(machine, x).value;
    case Intrinsic::Log:
        return device_math::log(machine, x).value;
    case Intrinsic::Log2:
        return device_math::log2(machine, x).value;
    case Intrinsic::Log10:
        return device_math::log10(machine, x).value;
    case Intrinsic::Tanh:
        return device_math::tanh(machine, x).value;
    case Intrinsic::Sin:
        return device_math::sin(machine, x).value;
    case Intrinsic::Cos:
        return device_math::cos(machine, x).value;
    case Intrinsic::Tan:
        return device_math::tan(machine, x).value;
    case Intrinsic::Atan:
        return device_math::atan(machine, x).value;
    case Intrinsic::Erf:
        if constexpr (isDouble) return device_math::erfOfDouble(machine, x).value;
        return device_math::erf(machine, x).value;
    case Intrinsic::Pow:
        if constexpr (isDouble) return device_math::powOfDouble(machine, x, args[1]).value;
        return device_math::pow(machine, x, args[1]).value;
    case Intrinsic::Fmod:
        if constexpr (isDouble) return device_math::fmodOfDouble(machine, x, args[1]).value;
        return device_math::fmod(machine, x, args[1]).value;
    default:
        return nullptr;
    }
}

} // namespace

llvm::Value *emitDeviceMath(llvm::IRBuilder<> &builder, Intrinsic function, llvm::ArrayRef<llvm::Value *> args) {
    // Every rounding is meant: where a product and a sum become one, the errors the code corrects are others.
    const Builder::FastMathFlagGuard guard(builder);
    builder.clearFastMathFlags();
    llvm::Type *type = args[0]->getType();
    const std::array<IrReal, 2> values = {{{&builder, args[0]}, {&builder, args[args.size() - 1]}}};
    if (type->getScalarType()->isDoubleTy()) return emitWith(IrMachine<true>(builder, type), function, values);
    return emitWith(IrMachine<false>(builder, type), function, values);
}

} // namespace loopscope
