package amqpjms

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the package exports is listed in testdata/api.txt, so that a change to it is seen.
// Where this test fails because of one that is meant, its message has the lines to add and
// to remove.
func TestAPI(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "api.txt"))
	require.NoError(t, err)
	listed := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	exported := exportedAPI(t)
	require.Empty(t, without(exported, listed), "exported and not listed")
	require.Empty(t, without(listed, exported), "listed and not exported")
	require.Equal(t, exported, listed, "the list is sorted and names all once")
}

func without(lines, others []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return slices.Contains(others, s) }), "\n")
}

// exportedAPI returns a line for each constant, variable, function, type, field and method
// that the package exports, sorted.
func exportedAPI(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var lines []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		require.NoError(t, err)
		source := func(node any) string {
			var b strings.Builder
			require.NoError(t, format.Node(&b, fset, node))
			return strings.Join(strings.Fields(b.String()), " ")
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Name.IsExported() && (decl.Recv == nil || ast.IsExported(receiver(decl))) {
					decl.Body = nil
					lines = append(lines, source(decl))
				}
			case *ast.GenDecl:
				lines = append(lines, exportedSpecs(decl, source)...)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// receiver returns the name of the type that a method is of.
func receiver(method *ast.FuncDecl) string {
	name := ""
	ast.Inspect(method.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

func exportedSpecs(decl *ast.GenDecl, source func(any) string) (lines []string) {
	var is string // type and value, which a constant without them has from the one before
	for i, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if spec.Type != nil || len(spec.Values) > 0 {
				is = source(&ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent("")}, Type: spec.Type, Values: spec.Values})
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					lines = append(lines, decl.Tok.String()+" "+name.Name+" "+strings.Replace(is, "iota", strconv.Itoa(i), 1))
				}
			}
		case *ast.TypeSpec:
			if !spec.Name.IsExported() {
				continue
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range fields.Fields.List {
					if len(field.Names) == 0 {
						lines = append(lines, "field "+spec.Name.Name+", embedded "+source(field.Type))
					}
					for _, id := range field.Names {
						if id.IsExported() {
							lines = append(lines, "field "+spec.Name.Name+"."+id.Name+" "+source(field.Type))
						}
					}
				}
				spec.Type = &ast.StructType{Fields: &ast.FieldList{}}
			}
			lines = append(lines, "type "+source(spec))
		}
	}
	return lines
}
