package sqlcell

import (
	"encoding/hex"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresColumns returns the columns of a result.
func postgresColumns(fields []pgconn.FieldDescription) []column {
	list := make([]column, len(fields))
	for i, f := range fields {
		list[i] = postgresType(f.DataTypeOID)
		list[i].name = f.Name
	}
	return list
}

// postgresType returns the kind of a type of the server. One that is not known is text.
func postgresType(oid uint32) column {
	switch oid {
	case pgtype.Int2OID:
		return column{declared: "smallint", kind: kindInteger}
	case pgtype.Int4OID:
		return column{declared: "integer", kind: kindInteger}
	case pgtype.Int8OID:
		return column{declared: "bigint", kind: kindInteger}
	case pgtype.OIDOID:
		return column{declared: "oid", kind: kindInteger}
	case pgtype.Float4OID:
		return column{declared: "real", kind: kindNumber}
	case pgtype.Float8OID:
		return column{declared: "double precision", kind: kindNumber}
	case pgtype.NumericOID:
		return column{declared: "numeric", kind: kindNumber, exact: true}
	case pgtype.BoolOID:
		return column{declared: "boolean", kind: kindBool}
	case pgtype.ByteaOID:
		return column{declared: "bytea", kind: kindBlob}
	case pgtype.JSONOID:
		return column{declared: "json", kind: kindJSON}
	case pgtype.JSONBOID:
		return column{declared: "jsonb", kind: kindJSON}
	case pgtype.DateOID:
		return column{declared: "date", kind: kindDate}
	case pgtype.TimeOID:
		return column{declared: "time", kind: kindTime}
	case pgtype.TimestampOID:
		return column{declared: "timestamp", kind: kindDateTime}
	case pgtype.TimestamptzOID:
		return column{declared: "timestamp with time zone", kind: kindDateTime}
	case pgtype.BoolArrayOID, pgtype.Int2ArrayOID, pgtype.Int4ArrayOID, pgtype.Int8ArrayOID, pgtype.TextArrayOID, pgtype.VarcharArrayOID,
		pgtype.Float4ArrayOID, pgtype.Float8ArrayOID, pgtype.NumericArrayOID, pgtype.DateArrayOID, pgtype.TimestampArrayOID,
		pgtype.TimestamptzArrayOID, pgtype.UUIDArrayOID, pgtype.NameArrayOID:
		return column{declared: "array", kind: kindArray}
	}
	return column{kind: kindText}
}

// postgresCell returns a value from its text form, nil for NULL.
func postgresCell(k kind, v []byte, most int) cell {
	size := len(v)
	switch {
	case v == nil:
		return cell{kind: kindNull}
	case k == kindBool:
		if string(v) == "t" {
			return cell{kind: k, text: "true"}
		}
		return cell{kind: k, text: "false"}
	case k == kindBlob:
		digits, ok := strings.CutPrefix(string(v), `\x`)
		if !ok { // the older form, by bytea_output
			return textCell(kindText, v[:min(size, most)], size)
		}
		whole := hex.DecodedLen(len(digits))
		return cell{kind: k, text: digits[:2*min(whole, most)], size: whole, cut: whole > most}
	case k == kindDateTime && strings.HasSuffix(string(v), " BC") || k == kindDateTime && strings.HasSuffix(string(v), "infinity"):
		return textCell(kindText, v, size)
	}
	return textCell(k, v[:min(size, most)], size)
}

// addPostgres adds a row in the text form of the protocol.
func (t *table) addPostgres(values [][]byte) {
	if !t.reads() {
		t.count++
		return
	}
	row := make([]cell, len(values))
	for i, v := range values {
		row[i] = postgresCell(t.columns[i].kind, v, t.wants())
	}
	t.add(row)
}
