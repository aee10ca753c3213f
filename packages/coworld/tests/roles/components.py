"""Reporter components for tests, assembled from WebAssembly text: the imports they need, and one function."""

from __future__ import annotations

from wasmtime import wat2wasm

_TYPES = """
  (import "softmax:reporter/types@0.6.0" (instance $types
    (type $s (variant (case "episodes" (list string)) (case "round" string) (case "league" string)
      (case "player" string) (case "freeform")))
    (export "subject" (type $subject (eq $s)))
    (type $q (record (field "run-id" string) (field "subject" $subject) (field "params" (option string))))
    (export "run-request" (type (eq $q)))
    (type $m (record (field "parts-emitted" u32)))
    (export "run-summary" (type (eq $m)))
    (type $e (variant (case "not-found" string) (case "forbidden" string) (case "budget-exhausted" string)
      (case "invalid" string) (case "internal" string)))
    (export "tool-error" (type (eq $e)))))
  (alias export $types "run-request" (type $request))
  (alias export $types "run-summary" (type $summary))
  (alias export $types "tool-error" (type $error))
  (import "softmax:reporter/episodes@0.6.0" (instance $episodes
    (alias outer 1 $error (type $error'))
    (export "tool-error" (type $error (eq $error')))
    (export "results" (func (param "ereq" string) (result (result (list u8) (error $error)))))
    (export "error-info" (func (param "ereq" string) (result (result (option string) (error $error)))))))
  (import "softmax:reporter/output@0.6.0" (instance $output
    (alias outer 1 $error (type $error'))
    (export "tool-error" (type $error (eq $error')))
    (type $v (record (field "ts" u64) (field "player" s64) (field "key" string) (field "value" string)))
    (export "event" (type $event (eq $v)))
    (type $f (record (field "media-type" string) (field "bytes" (list u8))))
    (export "file-payload" (type $file (eq $f)))
    (type $p (variant (case "render-html" string) (case "render-markdown" string) (case "event-log" (list $event))
      (case "json" string) (case "file" $file)))
    (export "part-value" (type $part (eq $p)))
    (export "emit" (func (param "name" string) (param "value" $part) (result (result (error $error)))))
    (export "log" (func (param "level" string) (param "msg" string)))))
"""
_SLEEP = """
  (import "wasi:io/poll@0.2.0" (instance $poll
    (export "pollable" (type $pollable (sub resource)))
    (export "[method]pollable.block" (func (param "self" (borrow $pollable))))))
  (alias export $poll "pollable" (type $pollable))
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
    (alias outer 1 $pollable (type $pollable'))
    (export "pollable" (type $pollable (eq $pollable')))
    (export "subscribe-duration" (func (param "when" u64) (result (own $pollable))))))
  (core func $block (canon lower (func $poll "[method]pollable.block")))
  (core func $subscribe (canon lower (func $clock "subscribe-duration")))
"""
SUCCESS = "(i32.store8 (i32.const 16) (i32.const 0)) (i32.store (i32.const 20) (i32.const 1)) (i32.const 16)"
"""return `ok` with one part"""
RETURN_ERROR = "(i32.const 64)"
"""return the error of the last call, whose result lies at 64: an error of the same shape"""


def component(
    run: str, *, texts: dict[int, str] | None = None, sleeps: bool = False, memory: str = "2", more: str = ""
) -> bytes:
    """Assemble a component whose `run` has this code. It may call `$emit`, `$results` (results at 64) and `$log`.

    `texts` are strings by their place in memory, from 1024 on; `more` are further parts of the component.
    """
    data = "".join(f'(data (i32.const {place}) "{_escaped(text)}")' for place, text in (texts or {}).items())
    lower = '(memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))'
    sleep_imports = (
        '(import "host" "subscribe" (func $subscribe (param i64) (result i32)))'
        '(import "host" "block" (func $block (param i32)))'
        if sleeps
        else ""
    )
    sleep_exports = '(export "subscribe" (func $subscribe)) (export "block" (func $block))' if sleeps else ""
    text = f"""(component {_TYPES}{_SLEEP if sleeps else ""}{more}
  (core module $memory_module
    (memory (export "memory") {memory}) {data}
    (global $top (mut i32) (i32.const 65536))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
      (local.set $at (global.get $top))
      (global.set $top (i32.add (local.get $at) (i32.and (i32.add (local.get 3) (i32.const 15)) (i32.const -16))))
      (if (i32.gt_u (global.get $top) (i32.const 130000)) (then (global.set $top (i32.const 65536))))
      (local.get $at)))
  (core instance $memory (instantiate $memory_module))
  (core func $emit (canon lower (func $output "emit") {lower}))
  (core func $log (canon lower (func $output "log") {lower}))
  (core func $results (canon lower (func $episodes "results") {lower}))
  (core func $info (canon lower (func $episodes "error-info") {lower}))
  (core module $code
    (import "host" "memory" (memory 1))
    (import "host" "emit" (func $emit (param i32 i32 i32 i32 i32 i32 i32 i32)))
    (import "host" "log" (func $log (param i32 i32 i32 i32)))
    (import "host" "results" (func $results (param i32 i32 i32)))
    (import "host" "info" (func $info (param i32 i32 i32)))
    {sleep_imports}
    (func (export "run") (param i32 i32 i32 i32 i32 i32 i32 i32) (result i32) {run}))
  (core instance $program (instantiate $code (with "host" (instance
    (export "memory" (memory $memory "memory"))
    (export "emit" (func $emit)) (export "log" (func $log)) (export "results" (func $results))
    (export "info" (func $info)) {sleep_exports}))))
  (func (export "run") (param "request" $request) (result (result $summary (error $error)))
    (canon lift (core func $program "run") {lower})))"""
    return bytes(wat2wasm(text))


def emit(name: tuple[int, int], kind: int, first: tuple[int, int], second: tuple[int, int] = (0, 0)) -> str:
    """Return the code that emits a part; texts are given by place and length."""
    words = [*name, kind, *first, *second, 64]
    return f"(call $emit {' '.join(f'(i32.const {word})' for word in words)})"


def emitting(kind: int, text: str, *, name: str = "recap", then: str = SUCCESS) -> bytes:
    """Assemble a component that emits one part of text."""
    texts = {1024: name, 2048: text}
    return component(emit((1024, len(name.encode())), kind, (2048, len(text.encode()))) + then, texts=texts)


def _escaped(text: str) -> str:
    return "".join(f"\\{byte:02x}" for byte in text.encode())
