package zz
import ("testing";"fmt"
"github.com/santhosh-tekuri/jsonschema/v6")
func doc() any { return map[string]any{"type":"object","required":[]any{"a","b"},"additionalProperties":false,"properties":map[string]any{"a":map[string]any{"type":"string"},"b":map[string]any{"type":"integer"},"c":map[string]any{"enum":[]any{"x","y"}},"e":map[string]any{"type":"array","items":map[string]any{"type":"string"}}}} }
func BenchmarkCompile(b *testing.B){ c:=jsonschema.NewCompiler(); c.AssertFormat()
for i:=0;i<b.N;i++{ u:=fmt.Sprintf("weft:///shape/%d",i); if err:=c.AddResource(u,doc());err!=nil{b.Fatal(err)}; if _,err:=c.Compile(u);err!=nil{b.Fatal(err)}}}
func BenchmarkCompileNew(b *testing.B){ 
for i:=0;i<b.N;i++{c:=jsonschema.NewCompiler(); c.AssertFormat(); u:=fmt.Sprintf("weft:///shape/%d",i); if err:=c.AddResource(u,doc());err!=nil{b.Fatal(err)}; if _,err:=c.Compile(u);err!=nil{b.Fatal(err)}}}
func BenchmarkCompileTiny(b *testing.B){ c:=jsonschema.NewCompiler(); c.AssertFormat()
for i:=0;i<b.N;i++{ u:=fmt.Sprintf("weft:///shape/%d",i); if err:=c.AddResource(u,map[string]any{"type":"string"});err!=nil{b.Fatal(err)}; if _,err:=c.Compile(u);err!=nil{b.Fatal(err)}}}
func BenchmarkCheck(b *testing.B){ b.ReportAllocs(); c:=jsonschema.NewCompiler(); c.AddResource("weft:///x",doc()); s,_:=c.Compile("weft:///x"); v:=map[string]any{"a":"hello","b":3,"c":"y","e":[]any{"p","q"}}
for b.Loop(){ if err:=s.Validate(v);err!=nil{b.Fatal(err)}}}
