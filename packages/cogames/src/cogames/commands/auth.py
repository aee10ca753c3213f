"""`cogames auth`: sign in to servers, give them names, and act as a player."""

from softmax.cli.program import Entry

COMMANDS = [
    Entry("login", "softmax.commands.auth:login", "Sign in with a browser."),
    Entry("logout", "softmax.commands.auth:logout", "Delete the saved tokens of a login server."),
    Entry("get-login-url", "softmax.commands.auth:get_login_url", "Print the address of the sign-in page."),
    Entry("status", "softmax.commands.auth:status", "Show the signed-in user, as the server reports it."),
    Entry("get-token", "softmax.commands.auth:get_token", "Print the saved token, for scripts."),
    Entry("set-token", "softmax.commands.auth:set_token", "Save a token, on a machine without a browser."),
    Entry("list", "softmax.commands.servers:list_servers", "List the servers with names, and where you are signed in."),
    Entry("add", "softmax.commands.servers:add", "Give a server a name."),
    Entry("remove", "softmax.commands.servers:remove", "Forget the name of a server; its saved tokens stay."),
    Entry("switch", "softmax.commands.servers:switch", "Use a server in all commands that do not name another one."),
    Entry("player", "cogames.commands.player:COMMANDS", "Manage players and act as one."),
]
