import sys

from coworld.commissioner.server import serve_commissioner
from coworld.errors import CoworldError
from coworld.roles.ruleset.commissioner import RulesetCommissioner

try:
    RulesetCommissioner()
except CoworldError as problem:
    sys.exit(f"error: {problem}")
serve_commissioner(RulesetCommissioner)
