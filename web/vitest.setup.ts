// A busy machine must not fail a test: this only ends one that would never end. Tests without a page need no library for it.
if (typeof document !== "undefined") {
  const { configure } = await import("@testing-library/dom");
  configure({ asyncUtilTimeout: 20_000 });
}
export {};
