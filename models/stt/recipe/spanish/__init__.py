"""What Spanish-speaking callers say, for the Spanish recognizer: words, readings and lines."""
