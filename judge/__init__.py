"""The judge in pure Python: values, resolution, retrieval order, quotes, verdicts and the pipeline.

Imports the standard library and pydantic only; no file, socket, clock, environment or setting.
"""
