"""What English-speaking callers say, for the English recognizer: words, readings and lines."""
