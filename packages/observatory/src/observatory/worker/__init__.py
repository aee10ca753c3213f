"""The program that plays episodes. It knows the server's address and a token, and nothing of its database."""
