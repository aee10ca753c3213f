"""Every table, imported once: `Base.metadata` is complete after `import observatory.database.tables`."""

import observatory.database.tables.accounts
import observatory.database.tables.administration
import observatory.database.tables.assays
import observatory.database.tables.audit
import observatory.database.tables.commissioners
import observatory.database.tables.coworlds
import observatory.database.tables.episodes
import observatory.database.tables.friendlies
import observatory.database.tables.hosted
import observatory.database.tables.images
import observatory.database.tables.jobs
import observatory.database.tables.leagues
import observatory.database.tables.matches
import observatory.database.tables.notices
import observatory.database.tables.policies
import observatory.database.tables.queue
import observatory.database.tables.requests
import observatory.database.tables.seasons
import observatory.database.tables.servers
import observatory.database.tables.workers  # noqa: F401
