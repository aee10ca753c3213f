from observatory.kept.answers import KeptAnswers
from observatory.kept.routes import KeptMiddleware, kept

__all__ = ["KeptAnswers", "KeptMiddleware", "kept"]
