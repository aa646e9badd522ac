"""ONNX models, written without any library: for tools that make tiny ones for tests."""

import struct

FLOAT, INT64, BOOL = 1, 7, 9


def number(value):
    """A varint; a negative number has 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(0x80 | (value & 0x7F))
        value >>= 7
    out.append(value)
    return bytes(out)


def field_int(field, value):
    return number(field << 3) + number(value)


def field_float(field, value):
    return number(field << 3 | 5) + struct.pack("<f", value)


def field_bytes(field, content):
    if isinstance(content, str):
        content = content.encode("utf-8")
    return number(field << 3 | 2) + number(len(content)) + content


def packed_ints(field, values):
    return field_bytes(field, b"".join(number(v) for v in values))


def tensor(name, elem_type, dims, values):
    layout = {FLOAT: "<%df", INT64: "<%dq"}[elem_type]
    raw = struct.pack(layout % len(values), *values)
    return (packed_ints(1, dims) + field_int(2, elem_type) + field_bytes(8, name)
            + field_bytes(9, raw))


def attribute(name, value):
    out = field_bytes(1, name)
    if isinstance(value, float):
        return out + field_float(2, value) + field_int(20, 1)
    if isinstance(value, int):
        return out + field_int(3, value) + field_int(20, 2)
    if isinstance(value, bytes):
        return out + field_bytes(5, value) + field_int(20, 4)
    if isinstance(value, Graph):
        return out + field_bytes(6, value.graph()) + field_int(20, 5)
    return out + packed_ints(8, value) + field_int(20, 7)


def value_info(name, elem_type, dims):
    shape = b"".join(
        field_bytes(1, field_int(1, d) if isinstance(d, int) else field_bytes(2, d))
        for d in dims)
    tensor_type = field_int(1, elem_type) + field_bytes(2, shape)
    return field_bytes(1, name) + field_bytes(2, field_bytes(1, tensor_type))


class Graph:
    """Collects nodes and weights; names follow the exporter of PyTorch."""

    def __init__(self, producer):
        self.producer = producer
        self.nodes, self.weights, self.values = [], [], []
        self.inputs, self.outputs = [], []
        self.seen = {}

    def op(self, op, inputs, scope="", outputs=1, **attributes):
        """Adds a node and returns its output, or a list of several; `outputs` is how many, or
        their names."""
        stem = f"{scope}/{op}"
        nth = self.seen.get(stem, 0)
        self.seen[stem] = nth + 1
        if nth:
            stem += f"_{nth}"
        names = outputs
        if isinstance(outputs, int):
            names = [f"{stem}_output_{i}" for i in range(outputs)]
        message = b"".join(field_bytes(1, i) for i in inputs)
        message += b"".join(field_bytes(2, n) for n in names)
        message += field_bytes(3, stem) + field_bytes(4, op)
        for key, value in attributes.items():
            message += field_bytes(5, attribute(key, value))
        self.nodes.append(message)
        return names[0] if len(names) == 1 else names

    def ints(self, values, scope=""):
        """A Constant node, as exporters like them."""
        dims = [len(values)] if isinstance(values, list) else []
        flat = values if isinstance(values, list) else [values]
        return self.op("Constant", [], scope, value=tensor("", INT64, dims, flat))

    def float(self, value, scope=""):
        return self.op("Constant", [], scope, value=tensor("", FLOAT, [], [value]))

    def graph(self):
        """The graph alone: of a model, or of a branch of an If."""
        graph = b"".join(field_bytes(1, n) for n in self.nodes)
        graph += field_bytes(2, "torch_jit")
        graph += b"".join(field_bytes(5, w) for w in self.weights)
        graph += b"".join(field_bytes(11, i) for i in self.inputs)
        graph += b"".join(field_bytes(12, o) for o in self.outputs)
        graph += b"".join(field_bytes(13, v) for v in self.values)
        return graph

    def model(self, notes):
        out = field_int(1, 8) + field_bytes(2, self.producer)
        out += field_bytes(7, self.graph())
        out += field_bytes(8, field_bytes(1, "") + field_int(2, 15))
        for key, value in notes.items():
            out += field_bytes(14, field_bytes(1, key) + field_bytes(2, value))
        return out
