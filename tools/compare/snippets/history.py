# snippet: In and Out
a = 1
# cell
In
# cell
In[1], len(In), _ih[2]
# cell
_i, _ii, _iii
# cell
_i1
# cell
%time b = 2
# cell
In[-1], In[-2]
# cell
!true
# cell
In[8]
# cell
_oh

# snippet: underscores
1
# cell
2
# cell
3
# cell
_, __, ___
# cell
_1, _2
# cell
Out[1], Out
# cell
_ + 1;
# cell
_

# snippet: None and what is muted
5
# cell
None
# cell
_
# cell
6;
# cell
_, Out

# snippet: an underscore of the program
# bare differs: deleting one's own underscore gives back the last value, as IPython documents it
# native differs: deleting one's own underscore gives back the last value, as IPython documents it
_ = 'mine'
# cell
5
# cell
_
# cell
del _
# cell
6
# cell
_

# snippet: an error in between
1
# cell
1 / 0
# cell
_, _i, sorted(Out)

# snippet: Out is shown
5
# cell
Out
# cell
Out
# cell
_
# cell
In

# snippet: %history
# native differs: there is no history of earlier sessions on disk
x = 1
# cell
%time y = 2
# cell
%history
# cell
%history -n 1-2
# cell
%history -t 2
# cell
%hist -l 2
# cell
%history -g nothing_q

# snippet: %history with outputs
1 + 1
# cell
%history -o

# snippet: several values in a cell
1
2
# cell
_
# cell
display(3)
# cell
_

# snippet: In is changed
In.append('mine')
# cell
In[-1]

# snippet: a cell with lines at its end
x = 1


# cell
In[1], _i
# cell

   
# cell
len(In)

# snippet: _ in a loop and a function
5
# cell
for _ in range(3): pass
# cell
_
# cell
7
# cell
_

# snippet: the number of the cell
get_ipython().execution_count
# cell
get_ipython().execution_count
# cell
1 / 0
# cell
get_ipython().execution_count

# snippet: history manager
x = 1
# cell
ip = get_ipython()
list(ip.history_manager.get_range())
# cell
ip.history_manager.input_hist_raw
# cell
ip.history_manager.input_hist_parsed
# cell
ip.user_ns['_i']
