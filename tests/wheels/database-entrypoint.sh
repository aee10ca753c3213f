#!/bin/sh
# PostgreSQL with the variables of the public image `postgres`, for machines that cannot pull it.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    rm -rf "$PGDATA"
    (umask 077; printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password)
    initdb --pgdata="$PGDATA.new" --username="$POSTGRES_USER" --auth=scram-sha-256 --pwfile=/tmp/password --encoding=UTF8 --locale=C > /dev/null
    echo "host all all all scram-sha-256" >> "$PGDATA.new/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D "$PGDATA.new" postgres > /dev/null
    mv "$PGDATA.new" "$PGDATA"
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
