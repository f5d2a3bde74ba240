import { configure } from "@testing-library/dom";

// A busy machine must not fail a test: this only ends one that would never end.
configure({ asyncUtilTimeout: 20_000 });
