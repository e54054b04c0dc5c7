# Runs exported TensorIR schedules one after the other in one process: each folder named on standard input has a
# schedule.py and its inputs; outputs go to its folder `out`, what goes wrong into error.txt.
import importlib.util
import sys
import traceback
from pathlib import Path

for line in sys.stdin:
    folder = Path(line.strip())
    try:
        (folder / "out").mkdir(exist_ok=True)
        spec = importlib.util.spec_from_file_location("schedule_" + folder.name, folder / "schedule.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.argv = ["schedule.py", "--inputs", str(folder), "--outputs", str(folder / "out")]
        module.main()
    except BaseException as error:  # whatever it is, the others run
        text = "".join(traceback.format_exception_only(error))
        where = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith("schedule.py")]
        (folder / "error.txt").write_text((f"line {where[-1].lineno}: {where[-1].line}\n" if where else "") + text)
