/** The sort orders, in the order of the columns. */
export const sorts = [
  { sort: "title", label: "Title" },
  { sort: "changed", label: "Changed" },
  { sort: "created", label: "Created" },
] as const;
