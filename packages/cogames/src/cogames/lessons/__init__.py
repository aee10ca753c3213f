"""Lessons that teach the game by playing it.

A `Lesson` is a small mission with goals. A `Tutor` follows the episode, checks in the state of the game whether the
player has reached the goal, and sends the renderer what to show. `COURSES` has the two courses.
"""

from cogames.lessons.course import COURSES, Course, Ending, UnknownLesson, find_lesson, play_course, play_lesson
from cogames.lessons.keys import BROWSER, TERMINAL, Keys
from cogames.lessons.lesson import Goal, Highlight, Lesson
from cogames.lessons.progress import Progress
from cogames.lessons.stage import BrowserStage, Stage, TerminalStage
from cogames.lessons.tutor import Tutor
from cogames.lessons.view import LessonView

__all__ = [
    "BROWSER",
    "COURSES",
    "TERMINAL",
    "BrowserStage",
    "Course",
    "Ending",
    "Goal",
    "Highlight",
    "Keys",
    "Lesson",
    "LessonView",
    "Progress",
    "Stage",
    "TerminalStage",
    "Tutor",
    "UnknownLesson",
    "find_lesson",
    "play_course",
    "play_lesson",
]
