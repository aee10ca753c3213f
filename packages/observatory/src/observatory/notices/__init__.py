"""Notices: sentences for users about their policies, on the page, by e-mail and to webhooks."""
