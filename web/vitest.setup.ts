import { configure } from "@testing-library/dom";

// A machine that has much to do must not fail a test: this ends one that would never end.
configure({ asyncUtilTimeout: 20_000 });
