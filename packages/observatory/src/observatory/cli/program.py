"""The frame of the `observatory` command: `softmax.cli.program`, with explanations for databases and extras."""

from __future__ import annotations

from softmax.cli.errors import CommandError, Explanation, explain, is_interrupt
from softmax.cli.program import Program

__all__ = ["ObservatoryProgram"]

_EXTRAS = {"psycopg": "postgres", "boto3": "s3", "botocore": "s3", "ray": "cluster", "opentelemetry": "tracing"}


class ObservatoryProgram(Program):
    """A program that explains what an operator can correct."""

    distribution = "observatory"
    shows_warnings = False
    packages = ("observatory", "softmax", "cogames", "mettagrid", "cogbox")

    @classmethod
    def explain(cls, error: BaseException) -> Explanation:
        explanation = explain(error, cls.packages)
        if isinstance(error, CommandError) or is_interrupt(error):
            return explanation
        from sqlalchemy.exc import ArgumentError, SQLAlchemyError

        from observatory.http.refusals import database_sentence

        if isinstance(error, ArgumentError):
            return Explanation("OBSERVATORY_DATABASE_URL is not the address of a database")
        if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
            extra = _EXTRAS[error.name]
            return Explanation(f"{error.name} is not installed", [f"pip install 'observatory[{extra}]'"])
        if isinstance(error, SQLAlchemyError):
            sentence = database_sentence(error)
            return explanation if sentence is None else Explanation(sentence)
        if isinstance(error, OSError | ValueError | RuntimeError):
            return Explanation(str(error), explanation.hints if explanation.kind != "internal" else ())
        return explanation
