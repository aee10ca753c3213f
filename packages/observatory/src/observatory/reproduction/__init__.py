"""Everything needed to reproduce a match, for callers with permission."""
