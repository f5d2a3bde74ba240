package small

func constrained() int { return 0 }
