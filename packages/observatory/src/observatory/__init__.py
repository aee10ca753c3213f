"""The league's server. `observatory.app.create_app(settings)` is the application, `observatory.main` the command."""
