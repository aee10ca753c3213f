"""Episodes to be played: queued, leased to workers, finished."""
