package text_test

import (
	"fmt"

	"github.com/quirehq/quire/core/text"
)

// Two users edit one text at the same time, and each then receives the edit of the other.
func ExampleTransform() {
	ann, bob := text.NewText("print(1)"), text.NewText("print(1)")
	first, second := text.Insert(6, "x + "), text.Replace(6, 1, "2")
	first2, second2 := text.Transform(first, second)
	for _, e := range []text.Edit{first, second2} {
		if err := ann.Apply(e); err != nil {
			fmt.Println(err)
		}
	}
	for _, e := range []text.Edit{second, first2} {
		if err := bob.Apply(e); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(ann)
	fmt.Println(bob)
	// Output:
	// print(x + 2)
	// print(x + 2)
}

func ExampleEdit_Position() {
	e := text.Insert(4, "new ")
	fmt.Println(e.Position(4, text.Before), e.Position(4, text.After))
	// Output: 4 8
}

func ExampleDiff() {
	fmt.Println(text.Diff("let value = 1\n", "let number = 1\nprint(number)\n"))
	// Output: [4,"number",-5,5,"print(number)\n"]
}
