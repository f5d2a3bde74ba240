# snippet: a command
!echo hello
# cell
!echo a; echo b
# cell
!true
# cell
_exit_code
# cell
!exit 3
# cell
_exit_code

# snippet: variables in a command
x, d = 'val', {'k': 1}
!echo $x {x} {d['k']} {1 + 1}
# cell
!echo $$HOME_Q ${{x}} {{y}}
# cell
!echo $nothing_q
# cell
!echo {nothing_q}
# cell
!echo "$x" '$x'

# snippet: the lines of a command
# bare differs: what IPython alone can do with lines is missing
x = !echo a; echo b
x
# cell
x.s, x.n, x.l
# cell
type(x).__name__
# cell
x.grep('a')
# cell
x.fields(0)

# snippet: !! and what it returns
# bare differs: it is taken as the lines of a command
!!echo a
# cell
_
# cell
x = !!echo b
x

# snippet: the shell of the user
# bare differs: a name that the program has not is the shell's
!source /dev/null && echo ok
# cell
![[ 1 == 1 ]] && echo yes
# cell
!echo -e 'a\tb'
# cell
!echo $'q'
# cell
!diff <(echo 1) <(echo 1) && echo same
# cell
!echo {1..3}
# cell
x = ![[ 1 == 1 ]] && echo yes
x
# cell
!echo $0
# cell
!echo ${{BASH_VERSION:+bash}}

# snippet: the shell of the user in system and getoutput
# native differs: the text of a command has no line end more
ip = get_ipython()
ip.system('[[ 1 == 1 ]] && echo yes')
# cell
ip.getoutput('echo {1..3}')
# cell
ip.getoutput('echo a; echo b', split=False)
# cell
ip.system_raw('[[ 1 == 1 ]] && echo raw')
# cell
ip.system_piped('echo piped')

# snippet: a command in the background
# bare differs: a command may go on in the background
# native differs: a command may go on in the background
!sleep 0 &

# snippet: errors of commands
# bare differs: errors of commands are on stderr
# native differs: errors of commands are on stderr
!nothing_there_q
# cell
!ls /nothing_q
# cell
!echo err >&2

# snippet: cd in a command does not last
!cd / && pwd
# cell
import os
os.getcwd() == '/'

# snippet: the environment of a command
import os
os.environ['QQ'] = 'set'
!echo $QQ
# cell
!echo $$QQ

# snippet: a command over lines
!echo a \
  b
# cell
x = !echo a \
  c
x

# snippet: a command in a loop and a function
for i in range(3):
    !echo {i}
# cell
def f(name):
    !echo hi {name}
f('Ann')

# snippet: a pipe and quotes
!echo 'a b' | tr a-z A-Z
# cell
!python3 -c "print('in python')"
# cell
!printf '%s\n' a b | sort -r

# snippet: unicode and binary of a command
!echo é😀
# cell
!printf 'a\xffb\n'

# snippet: a result that is assigned twice
a = !echo 1
b = !echo 2
a, b
# cell
a, b = !printf '1\n2\n'
a, b

# snippet: an assignment to an attribute or an item
# bare differs: lines of a command are for names and attributes
class C: pass
c = C()
c.x = !echo 1
c.x
# cell
d = {}
d['k'] = !echo 2
d

# snippet: a command with a tab and a comment
	!echo tab
# cell
!echo a # comment

# snippet: SHELL
# bare differs: TERM is that of the environment
# native differs: TERM is that of the environment
import os
os.environ['SHELL']
# cell
os.environ.get('TERM'), os.environ.get('PAGER')

# snippet: a bang in a string and an operator
'!x'
# cell
1 != 2
# cell
print('''
!echo no
''')
# cell
x = [
    '!', 1
]
x
