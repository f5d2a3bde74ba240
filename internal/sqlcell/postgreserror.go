package sqlcell

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quirehq/quire/core/lang"
)

// failure returns the fault of an error, with its place in the source that was sent.
func (d *postgresDB) failure(err error, source string) *fault {
	if err == nil {
		return nil
	}
	var e *pgconn.PgError
	lost := d.conn.IsClosed()
	if !errors.As(err, &e) {
		return &fault{name: connectionError, message: err.Error(), at: -1, lost: lost}
	}
	f := &fault{name: className(e.Code), message: e.Message + " (SQLSTATE " + e.Code + ")", at: -1, lost: lost}
	if e.Code == "53200" {
		f.lack = lang.LackMemory
	}
	for _, part := range []struct{ label, text string }{
		{"DETAIL", e.Detail}, {"HINT", e.Hint}, {"QUERY", e.InternalQuery}, {"CONTEXT", e.Where},
	} {
		if part.text != "" {
			f.more = append(f.more, part.label+": "+part.text)
		}
	}
	if e.Position > 0 {
		f.at = characters(source, int(e.Position)-1)
	}
	return f
}

// characters returns the offset of the character with a number in a text.
func characters(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// className returns the name of the class of an SQLSTATE, after the titles in appendix A of PostgreSQL's manual.
func className(code string) string {
	if len(code) == 5 {
		if name := classes(code[:2]); name != "" {
			return name
		}
	}
	return fmt.Sprintf("SQLSTATE%s", code)
}

func classes(class string) string {
	switch class {
	case "01":
		return "Warning"
	case "02":
		return "NoData"
	case "03":
		return "SQLStatementNotYetComplete"
	case "08":
		return "ConnectionException"
	case "09":
		return "TriggeredActionException"
	case "0A":
		return "FeatureNotSupported"
	case "0B":
		return "InvalidTransactionInitiation"
	case "0L":
		return "InvalidGrantor"
	case "0P":
		return "InvalidRoleSpecification"
	case "20":
		return "CaseNotFound"
	case "21":
		return "CardinalityViolation"
	case "22":
		return "DataException"
	case "23":
		return "IntegrityConstraintViolation"
	case "24":
		return "InvalidCursorState"
	case "25":
		return "InvalidTransactionState"
	case "26":
		return "InvalidSQLStatementName"
	case "27":
		return "TriggeredDataChangeViolation"
	case "28":
		return "InvalidAuthorizationSpecification"
	case "2B":
		return "DependentPrivilegeDescriptorsStillExist"
	case "2D":
		return "InvalidTransactionTermination"
	case "2F":
		return "SQLRoutineException"
	case "34":
		return "InvalidCursorName"
	case "38":
		return "ExternalRoutineException"
	case "39":
		return "ExternalRoutineInvocationException"
	case "3B":
		return "SavepointException"
	case "3D":
		return "InvalidCatalogName"
	case "3F":
		return "InvalidSchemaName"
	case "40":
		return "TransactionRollback"
	case "42":
		return "SyntaxErrorOrAccessRuleViolation"
	case "44":
		return "WithCheckOptionViolation"
	case "53":
		return "InsufficientResources"
	case "54":
		return "ProgramLimitExceeded"
	case "55":
		return "ObjectNotInPrerequisiteState"
	case "57":
		return "OperatorIntervention"
	case "58":
		return "SystemError"
	case "P0":
		return "PLpgSQLError"
	case "XX":
		return "InternalError"
	}
	return ""
}
