#include "codegen/llvm/element_types.h"

#include "base/check.h"

namespace loopscope {

llvm::Type *ElementTypes::valueType(DType type) {
    switch (type) {
    case DType::Bool:
        return m_builder.getInt1Ty();
    case DType::Int8:
    case DType::UInt8:
        return m_builder.getInt8Ty();
    case DType::Int16:
    case DType::UInt16:
        return m_builder.getInt16Ty();
    case DType::Int32:
    case DType::UInt32:
        return m_builder.getInt32Ty();
    case DType::Int64:
        return m_builder.getInt64Ty();
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
        return m_builder.getFloatTy();
    case DType::Float64:
        return m_builder.getDoubleTy();
    }
    LOOPSCOPE_CHECK(false, "unknown type");
}

llvm::Type *ElementTypes::memoryType(DType type) {
    switch (type) {
    case DType::Bool:
        return m_builder.getInt8Ty();
    case DType::Float16:
        return m_builder.getHalfTy();
    case DType::BFloat16:
        return m_builder.getInt16Ty();
    default:
        return valueType(type);
    }
}

namespace {

/// `scalar`, or the vector of it as wide as `like`.
llvm::Type *shaped(llvm::Type *scalar, const llvm::Value *like) {
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType()))
        return llvm::FixedVectorType::get(scalar, vector->getNumElements());
    return scalar;
}

} // namespace

llvm::Value *ElementTypes::fromMemory(llvm::Value *value, DType type) {
    if (type == DType::Bool) return m_builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    if (type == DType::Float16) return m_builder.CreateFPExt(value, shaped(m_builder.getFloatTy(), value));
    if (type == DType::BFloat16) {
        llvm::Value *bits = m_builder.CreateShl(m_builder.CreateZExt(value, shaped(m_builder.getInt32Ty(), value)), 16);
        return m_builder.CreateBitCast(bits, shaped(m_builder.getFloatTy(), value));
    }
    return value;
}

llvm::Value *ElementTypes::toMemory(llvm::Value *value, DType type) {
    if (type == DType::Bool) return m_builder.CreateZExt(value, shaped(m_builder.getInt8Ty(), value));
    if (type == DType::Float16) return m_builder.CreateFPTrunc(value, shaped(m_builder.getHalfTy(), value));
    if (type == DType::BFloat16) {
        llvm::Value *bits = m_builder.CreateBitCast(value, shaped(m_builder.getInt32Ty(), value));
        return m_builder.CreateTrunc(m_builder.CreateLShr(bits, 16), shaped(m_builder.getInt16Ty(), value));
    }
    return value;
}

llvm::Value *ElementTypes::roundTo(llvm::Value *value, DType type) {
    if (type == DType::Float16) return fromMemory(toMemory(value, type), type);
    if (type != DType::BFloat16) return value;
    // Nearest even on the bits; a NaN stays one because its highest mantissa bit is set first.
    llvm::Type *intType = shaped(m_builder.getInt32Ty(), value);
    const auto imm = [&](uint32_t v) { return llvm::ConstantInt::get(intType, v); };
    llvm::Value *bits = m_builder.CreateBitCast(value, intType);
    llvm::Value *odd = m_builder.CreateAnd(m_builder.CreateLShr(bits, imm(16)), imm(1));
    llvm::Value *rounded = m_builder.CreateAdd(bits, m_builder.CreateAdd(odd, imm(0x7fff)));
    llvm::Value *nan = m_builder.CreateFCmpUNO(value, value);
    rounded = m_builder.CreateSelect(nan, m_builder.CreateOr(bits, imm(0x400000)), rounded);
    return m_builder.CreateBitCast(m_builder.CreateAnd(rounded, imm(0xffff0000)), value->getType());
}

llvm::Value *ElementTypes::cast(llvm::Value *value, DType from, DType to) {
    if (from == to) return value;
    llvm::Type *type = shaped(valueType(to), value);
    const bool fromUnsigned = isUnsigned(from);
    if (to == DType::Bool) {
        llvm::Value *zero = llvm::Constant::getNullValue(value->getType());
        return isFloat(from) ? m_builder.CreateFCmpUNE(value, zero) : m_builder.CreateICmpNE(value, zero);
    }
    if (!isFloat(from) && !isFloat(to)) return m_builder.CreateIntCast(value, type, !fromUnsigned);
    if (!isFloat(from)) {
        value = fromUnsigned ? m_builder.CreateUIToFP(value, type) : m_builder.CreateSIToFP(value, type);
        return roundTo(value, to);
    }
    if (!isFloat(to)) {
        // Through a wider integer: a float outside int8 wraps as it does in C on this machine.
        const bool wider = to == DType::Int64 || to == DType::UInt32;
        llvm::Type *wide = shaped(wider ? m_builder.getInt64Ty() : m_builder.getInt32Ty(), value);
        return m_builder.CreateIntCast(m_builder.CreateFPToSI(value, wide), type, true);
    }
    value = m_builder.CreateFPCast(value, type);
    return roundTo(value, to);
}

} // namespace loopscope
