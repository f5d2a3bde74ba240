// Package llm has the adapters of language models: one package for each dialect that services speak, each of which
// implements [github.com/quirehq/quire/core/assist.Provider], and what they share.
//
// An adapter translates messages and failures. The package call makes its requests and bounds the responses, retry
// repeats requests, and catalogue lists the models of several services at once. Credentials are given to call alone,
// below the SDK of the dialect.
package llm
