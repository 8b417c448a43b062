"""How good retrieval and answers are: questions with known answers, run and scored."""
