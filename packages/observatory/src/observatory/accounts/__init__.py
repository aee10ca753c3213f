"""Users, their players, and the credentials that identify them."""
