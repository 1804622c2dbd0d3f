package spec

import (
	"bytes"
	"path"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Decode reads one YAML or JSON file (by the end of its name; anything but .json is
// YAML) into a tree with positions, without a schema: spec tests, scripts, answers
// and inputs. The bounds of spec files hold. The tree is nil when there are errors;
// a file without content is an empty map.
func Decode(data []byte, filename string) (*source.Value, *diag.List) {
	list := &diag.List{}
	return decodeFile(filename, data, new(budget), list), list
}

func decodeFile(filename string, data []byte, b *budget, list *diag.List) *source.Value {
	if len(data) > maxFileBytes {
		list.Add(tooLong(filename, maxFileBytes))
		return nil
	}
	t := newText(filename, bytes.TrimPrefix(data, byteOrderMark))
	if !checkEncoding(t, list) {
		return nil
	}
	if isJSON(filename) {
		return readJSON(t, b, list)
	}
	return readYAML(t, b, list)
}

func isJSON(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

func tooLong(file string, limit int) diag.Finding {
	return ruleTooLarge.At(diag.Pos{File: file}, "the file is larger than %d KiB", limit>>10).WithHint("Split the file, or keep data outside of the spec.")
}
