"""Users, their players, and everything that proves who somebody is."""
