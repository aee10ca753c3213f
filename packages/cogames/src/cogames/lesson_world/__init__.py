"""The lessons as a Coworld: one seat, one lesson in each game, played in the browser of a league.

python -m cogames.lesson_world              the game program: one lesson, or a replay
python -m cogames.lesson_world.manifest     regenerate the manifest
"""
