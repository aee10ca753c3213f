"""The HTTP routes, one module per subject: parse a request, call a service, return a wire model."""
