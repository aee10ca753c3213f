"""Options, tables and error reports that several commands share."""
