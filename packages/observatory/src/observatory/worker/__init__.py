"""The program that plays episodes. It has the server's URL and a token, but no access to the database."""
