"""Models of what league servers send. Clients read with them; the server still has models of its own."""
