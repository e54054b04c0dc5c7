

def main():
    parser = argparse.ArgumentParser(description="Builds the schedule, runs it, and compares it with the plain loops.")
    parser.add_argument("--inputs", type=Path, help="folder of argN.bin, argument N as it lies in memory")
    parser.add_argument("--outputs", type=Path, help="folder for the outputs, written in the same way")
    parser.add_argument("--target", default="llvm")
    parser.add_argument("--show", action="store_true", help="print the scheduled function and stop")
    options = parser.parse_args()
    sch = schedule()
    if options.show:
        print(sch.mod.script())
        return 0

    rng = np.random.default_rng(0)
    arrays = []
    for number, (name, shape, dtype, output) in enumerate(ARGUMENTS):
        if output:
            array = np.zeros(shape, dtype)
        elif options.inputs:
            array = np.fromfile(options.inputs / f"arg{number}.bin", dtype).reshape(shape)
        elif np.dtype(dtype).kind in "iub":
            array = rng.integers(0, 2 if dtype == "bool" else 5, shape).astype(dtype)
        else:
            array = rng.uniform(-1, 1, shape).astype(dtype)
        arrays.append(array)

    def run(mod):
        tensors = [tvm.runtime.tensor(array) for array in arrays]
        tvm.compile(mod, target=options.target)["main"](*tensors)
        return [tensor.numpy() for tensor in tensors]

    results = run(sch.mod)
    if options.outputs:
        for number, argument in enumerate(ARGUMENTS):
            if argument[3]:
                results[number].tofile(options.outputs / f"arg{number}.bin")
        return 0
    wrong = False
    for argument, got, expected in zip(ARGUMENTS, results, run(tvm.IRModule({"main": workload()}))):
        if not argument[3]:
            continue
        got, expected = got.astype("float64"), expected.astype("float64")
        tolerance = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-9}.get(argument[2], 0)
        right = np.allclose(got, expected, rtol=tolerance, atol=tolerance * max(1, np.abs(expected).max()),
                            equal_nan=True)
        print(f"{argument[0]}: {'right' if right else 'WRONG'}, largest difference {np.abs(got - expected).max():g}")
        wrong |= not right
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
