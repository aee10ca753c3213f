"""Every table, imported once: `Base.metadata` is complete after `import observatory.database.tables`."""

import observatory.accounts.tables
import observatory.administration.tables
import observatory.assays.tables
import observatory.episodes.tables
import observatory.jobs.tables
import observatory.matches.tables
import observatory.policies.tables
import observatory.seasons.tables  # noqa: F401
