// Package quire is the root of the repository. It has no code: its tests hold the rules that concern every package at once, which are the
// direction of imports, the documentation of what is exported, and the numbered rules in spec/. The program is in cmd/quire.
package quire
