package event

// The two ways to read events and drafts, which must agree.
var (
	ScanEvent   = scanEvent
	ScanDraft   = scanDraft
	DecodeEvent = decodeEvent
	SlowDraft   = decodeDraft
)
