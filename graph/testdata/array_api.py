#!/usr/bin/env python3
"""Writes array_api.txt: the functions, attributes and constants of a version of the Python array API standard.

Run in a clone of https://github.com/data-apis/array-api: python3 array_api.py src/array_api_stubs/_2025_12 > array_api.txt

A line is the section, which is the module of the stubs, and a name.
"""
import ast
import pathlib
import sys

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    section = path.stem
    if section in ("__init__", "_types", "linear_algebra_functions", "data_types"):
        continue  # the functions of the main namespace are also in linalg
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            print(section, node.name)
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name != "__init__":
                    print(section, member.name)
        elif isinstance(node, ast.Assign) and section == "constants" and node.targets[0].id != "__all__":
            print(section, node.targets[0].id)
for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split():
    print("data_types", name)
