package python
import ("testing";"fmt";"os";"github.com/quirehq/quire/core/lang";"github.com/quirehq/quire/core/lang/langtest")
func TestDbg(t *testing.T){
 e:=load(t)
 s:=&langtest.Recorder{}
 src,_:=os.ReadFile("/tmp/dbg.py")
 r,err:=e.Execute(deadline(t),lang.Request{Source:string(src)},s)
 fmt.Printf("%+v %v\n",r,err)
 if r.Err!=nil {fmt.Printf("%+v\n",*r.Err)}
 for _,l:=range s.Lines(){fmt.Println(l)}
}
