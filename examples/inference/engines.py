"""Says which inference engines run the two exported networks: sums by ScatterND with a reduction, and over matrices.

    pip install numpy onnx onnxruntime openvino
    pip install onnx2tf    # TFLite; takes TensorFlow, so in an environment of its own
    python engines.py FOLDER

FOLDER is that of export.py. Inputs are random; what an engine answers must equal what the reference implementation of
ONNX answers."""

import importlib
import importlib.metadata
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator


def onnx_runtime(model, inputs):
    engine = importlib.import_module("onnxruntime")
    return engine.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


def openvino(model, inputs):
    engine = importlib.import_module("openvino")
    # Without this it computes in bfloat16 where the processor can.
    precision = {"INFERENCE_PRECISION_HINT": "f32"}
    return engine.Core().compile_model(str(model), "CPU", precision)(inputs)[0]


def tflite(model, inputs):
    onnx2tf = importlib.import_module("onnx2tf")
    lite = importlib.import_module("tensorflow").lite
    with tempfile.TemporaryDirectory() as folder:
        # onnx2tf would change the order of axes to TensorFlow's, except of these.
        kept = list(inputs)
        onnx2tf.convert(str(model), output_folder_path=folder, non_verbose=True, keep_shape_absolutely_input_names=kept)
        engine = lite.Interpreter(str(next(Path(folder).glob("*float32.tflite"))))
    engine.allocate_tensors()
    for detail in engine.get_input_details():
        name = next(name for name in sorted(inputs, key=len, reverse=True) if name in detail["name"])
        engine.set_tensor(detail["index"], inputs[name].astype(detail["dtype"]))
    engine.invoke()
    return engine.get_tensor(engine.get_output_details()[0]["index"])


ENGINES = {
    "ONNX Runtime": ("onnxruntime", onnx_runtime),
    "OpenVINO": ("openvino", openvino),
    "TFLite, by onnx2tf": ("onnx2tf", tflite),
}


def random_inputs(model):
    """Categories 0 and 1, indices of rows that there are, or numbers from 0 to 1."""
    random, shapes = np.random.default_rng(0), {}
    for value in model.graph.input:
        shapes[value.name] = [axis.dim_value for axis in value.type.tensor_type.shape.dim]
    # A network takes what it is told of nodes first, then of edges.
    nodes, edges = (shape[0] for shape in list(shapes.values())[:2])
    below = {"x": 2, "z": 2, "edge_attr": 2, "edge_index": nodes, "neighbours": nodes, "neighbour_edges": edges}
    if "ptr" in shapes:
        below["batch"] = shapes["ptr"][0] - 1
    inputs = {}
    for name, shape in shapes.items():
        if name == "ptr":
            inputs[name] = np.minimum(2 * np.arange(shape[0]), nodes).astype(np.int64)
        elif name in below:
            inputs[name] = random.integers(0, below[name], shape)
        else:
            inputs[name] = random.random(shape, dtype=np.float32)
    return inputs


def smallest(folder, sums):
    """The exported network of the fewest nodes that sums so."""
    return min(folder.glob(f"{sums}-*x*.onnx"), key=lambda file: int(file.stem.split("-")[1].split("x")[0]))


def outcome(run, model, inputs, expected):
    try:
        found = np.asarray(run(model, inputs)).reshape(expected.shape)
    except Exception as error:
        # An error of one engine must not hide what the others do.
        return repr(error)[:100]
    most = np.abs(found - expected).max()
    return "runs" if most <= 1e-4 * max(1, np.abs(expected).max()) else f"differs by {most:.2g}"


def main():
    folder = Path(sys.argv[1])
    print("| engine | version | scatter | matrix |\n|---|---|---|---|")
    for name, (package, run) in ENGINES.items():
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"| {name} | not installed | | |")
            continue
        found = []
        for sums in ["scatter", "matrix"]:
            file = smallest(folder, sums)
            model = onnx.load(file)
            inputs = random_inputs(model)
            found.append(outcome(run, file, inputs, ReferenceEvaluator(model).run(None, inputs)[0]))
        print(f"| {name} | {version} | {found[0]} | {found[1]} |")


main()
