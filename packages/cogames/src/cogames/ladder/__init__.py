"""A ladder at home: many policies, missions and seeds, ratings and one report."""
