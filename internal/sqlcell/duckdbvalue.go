//go:build duckdb && cgo

package sqlcell

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// duckColumns returns the columns of a result. A statement is that whose values are read as texts, nil for none.
func duckColumns(texts *duckdb.Stmt, rows driver.Rows) []column {
	list := make([]column, len(rows.Columns()))
	for i, name := range rows.Columns() {
		list[i] = duckColumn(rows.(driver.RowsColumnTypeDatabaseTypeName).ColumnTypeDatabaseTypeName(i))
		if texts != nil {
			if c, ok := duckTextual(texts, i); ok {
				list[i] = c
			}
			if given, err := texts.ColumnName(i); err == nil {
				name = given
			}
		}
		list[i].name = name
	}
	return list
}

// duckColumn returns a column of the type that the driver names.
func duckColumn(declared string) column {
	c := column{declared: declared, kind: kindText}
	switch {
	case strings.HasSuffix(declared, "]") || strings.HasPrefix(declared, "STRUCT") || strings.HasPrefix(declared, "MAP") || declared == "JSON":
		c.kind = kindJSON
	case strings.HasSuffix(declared, "INT") || declared == "INTEGER" || declared == "UINTEGER" || declared == "BIGNUM":
		c.kind = kindInteger
	case declared == "FLOAT" || declared == "DOUBLE":
		c.kind = kindNumber
	case strings.HasPrefix(declared, "DECIMAL"):
		c.kind, c.exact = kindNumber, true
	case declared == "BOOLEAN":
		c.kind = kindBool
	case declared == "BLOB":
		c.kind = kindBlob
	case declared == "DATE":
		c.kind = kindDate
	case declared == "TIME":
		c.kind = kindTime
	case strings.HasPrefix(declared, "TIMESTAMP"):
		c.kind = kindDateTime
	}
	return c
}

// The types of nested values, which are shown as JSON.
const duckList, duckStruct = "LIST", "STRUCT"

// duckTextual returns a column of a statement whose values are read as the text that DuckDB writes, and whether it is one.
func duckTextual(stmt *duckdb.Stmt, i int) (column, bool) {
	info, err := stmt.ColumnTypeInfo(i)
	if err != nil {
		return column{}, false
	}
	if info.Alias() == "JSON" {
		return column{declared: "JSON", kind: kindJSON}, true
	}
	switch info.InternalType() {
	case duckdb.TYPE_DATE:
		return column{declared: "DATE", kind: kindDate}, true
	case duckdb.TYPE_TIME:
		return column{declared: "TIME", kind: kindTime}, true
	case duckdb.TYPE_TIME_TZ:
		return column{declared: "TIME WITH TIME ZONE", kind: kindText}, true
	case duckdb.TYPE_TIMESTAMP, duckdb.TYPE_TIMESTAMP_S, duckdb.TYPE_TIMESTAMP_MS, duckdb.TYPE_TIMESTAMP_NS:
		return column{declared: "TIMESTAMP", kind: kindDateTime}, true
	case duckdb.TYPE_TIMESTAMP_TZ:
		return column{declared: "TIMESTAMP WITH TIME ZONE", kind: kindDateTime}, true
	case duckdb.TYPE_INTERVAL:
		return column{declared: "INTERVAL", kind: kindText}, true
	case duckdb.TYPE_UUID:
		return column{declared: "UUID", kind: kindText}, true
	case duckdb.TYPE_LIST, duckdb.TYPE_ARRAY:
		return column{declared: duckList, kind: kindJSON}, true
	case duckdb.TYPE_STRUCT, duckdb.TYPE_MAP, duckdb.TYPE_UNION:
		return column{declared: duckStruct, kind: kindJSON}, true
	}
	return column{}, false
}

// prepareTexts prepares a query whose result has the texts that DuckDB writes for times, JSON and nested values, which the
// driver would decode and so change. It returns nil where there are none, or where the query cannot be one within another,
// and else the offset of the query in the new one.
func (d *duckDB) prepareTexts(ctx context.Context, source string, stmt *duckdb.Stmt) (texts *duckdb.Stmt, offset int) {
	n, err := stmt.ColumnCount()
	if err != nil {
		return nil, 0
	}
	names, values, some := make([]string, n), make([]string, n), false
	for i := range n {
		if t, err := stmt.ColumnType(i); err != nil || t == duckdb.TYPE_INVALID {
			return nil, 0 // the types depend on those of the parameters
		}
		names[i] = "c" + strconv.Itoa(i) // those of the query may be alike
		values[i] = names[i]
		if c, ok := duckTextual(stmt, i); ok {
			some = true
			if c.declared == duckList || c.declared == duckStruct {
				values[i] = "to_json(" + values[i] + ")"
			}
			values[i] = "CAST(" + values[i] + " AS VARCHAR)"
		}
	}
	if !some {
		return nil, 0
	}
	head := "SELECT " + strings.Join(values, ", ") + " FROM (\n"
	wrapped, err := d.conn.PrepareContext(ctx, head+source+"\n) AS q("+strings.Join(names, ", ")+")")
	if err != nil {
		return nil, 0
	}
	return wrapped.(*duckdb.Stmt), len(head)
}

// duckCell returns a value of the driver.
func (c column) duckCell(v driver.Value, most int) cell {
	switch v := v.(type) {
	case nil:
		return cell{kind: kindNull}
	case bool:
		return cell{kind: kindBool, text: strconv.FormatBool(v)}
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, *big.Int:
		return cell{kind: kindInteger, text: fmt.Sprint(v)}
	case float32:
		return floatCell(float64(v), 32)
	case float64:
		return floatCell(v, 64)
	case duckdb.Decimal:
		return cell{kind: kindNumber, text: decimalText(v.Value, int(v.Scale))}
	case string:
		k := c.kind
		if (k == kindDate || k == kindDateTime) && (strings.HasSuffix(v, "(BC)") || strings.HasSuffix(v, "infinity")) {
			k = kindText
		}
		return textCell(k, []byte(v[:min(len(v), most)]), len(v))
	case []byte:
		if c.declared == "UUID" && len(v) == 16 {
			digits := hex.EncodeToString(v)
			return cell{kind: kindText, text: strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")}
		}
		return blobCell(v[:min(len(v), most)], len(v))
	case time.Time:
		return textCell(c.kind, []byte(v.Format(c.layout())), 0)
	}
	if text, err := json.Marshal(v); err == nil && c.kind == kindJSON {
		return textCell(c.kind, text[:min(len(text), most)], len(text))
	}
	text := fmt.Sprint(v)
	return textCell(kindText, []byte(text[:min(len(text), most)]), len(text))
}

// layout is the form of the times that the driver has decoded.
func (c column) layout() string {
	switch {
	case c.kind == kindDate:
		return time.DateOnly
	case c.kind == kindTime:
		return "15:04:05.999999"
	case c.declared == "TIMESTAMPTZ":
		return "2006-01-02 15:04:05.999999-07"
	}
	return "2006-01-02 15:04:05.999999999"
}

// decimalText writes a decimal with all digits of its scale.
func decimalText(v *big.Int, scale int) string {
	digits, sign := new(big.Int).Abs(v).String(), ""
	if v.Sign() < 0 {
		sign = "-"
	}
	if scale == 0 {
		return sign + digits
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
