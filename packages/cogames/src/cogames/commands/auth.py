"""`cogames auth`: sign in to a server, and act as a player."""

from softmax.cli.program import Entry

COMMANDS = [
    Entry("login", "softmax.commands.auth:login", "Sign in with a browser."),
    Entry("logout", "softmax.commands.auth:logout", "Delete the saved tokens of a login server."),
    Entry("get-login-url", "softmax.commands.auth:get_login_url", "Print the address of the sign-in page."),
    Entry("status", "softmax.commands.auth:status", "Show the signed-in user, as the server reports it."),
    Entry("get-token", "softmax.commands.auth:get_token", "Print the saved token, for scripts."),
    Entry("set-token", "softmax.commands.auth:set_token", "Save a token, on a machine without a browser."),
    Entry("player", "cogames.commands.player:COMMANDS", "Manage players and act as one."),
]
