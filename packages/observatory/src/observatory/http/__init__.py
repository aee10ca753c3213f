"""What every route needs: who calls, what a body may hold, which responses are cached."""
