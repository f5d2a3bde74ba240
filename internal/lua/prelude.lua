-- What is simpler in Lua than in Go. Nothing of it is seen in traces.
local create, resume, error, select = coroutine.create, coroutine.resume, error, select

function coroutine.wrap(f)
	local co = create(f)
	local function check(ok, ...)
		if ok then return ... end
		error((...), 0)
	end
	return function(...) return check(resume(co, ...)) end
end

package = { loaded = {}, preload = {} }
for _, name in ipairs({ "string", "table", "math", "os", "io", "coroutine", "debug" }) do
	package.loaded[name] = _G[name]
end
package.loaded._G = _G

local loaded, preload, tostring = package.loaded, package.preload, tostring
function require(name)
	if loaded[name] == nil then
		local load = preload[name]
		if load == nil then
			error("module '" .. tostring(name) .. "' not found: this engine is a sandbox without files; set package.preload", 0)
		end
		local value = load(name)
		if value ~= nil then loaded[name] = value end
		if loaded[name] == nil then loaded[name] = true end
	end
	return loaded[name]
end

table.unpack = table.unpack or unpack
table.pack = table.pack or function(...) return { n = select("#", ...), ... } end
