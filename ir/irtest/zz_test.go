package irtest_test
import ("testing";"pgregory.net/rapid";"github.com/stridefuse/stridefuse/ir/irtest";"github.com/stridefuse/stridefuse/passes";"github.com/stretchr/testify/require")
func TestZZ(t *testing.T){
 for _,cfg:=range []irtest.Config{{},{Layouts:true},{Layouts:true,MaxNodes:60}} { for _,nf:=range []bool{false,true} {
 rapid.Check(t,func(t *rapid.T){
  f,_:=irtest.Func(t,cfg)
  g:=f.Clone()
  last:=""
  p,err:=passes.Lower(g,passes.Options{Verify:true,NoFuse:nf,Observe:func(stage string, text func() string){ last=text() }})
  require.NoError(t,err,"%s\n%s",f,last)
  require.NoError(t,p.Verify())
 })
 }}
}
