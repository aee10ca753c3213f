"""What operators see and do on their pages, besides seasons."""
