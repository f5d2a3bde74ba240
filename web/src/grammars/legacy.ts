import { StreamLanguage } from "@codemirror/language";
import * as juliaMode from "@codemirror/legacy-modes/mode/julia";
import * as luaMode from "@codemirror/legacy-modes/mode/lua";
import * as perlMode from "@codemirror/legacy-modes/mode/perl";
import * as rMode from "@codemirror/legacy-modes/mode/r";
import * as rubyMode from "@codemirror/legacy-modes/mode/ruby";
import * as schemeMode from "@codemirror/legacy-modes/mode/scheme";
import * as shellMode from "@codemirror/legacy-modes/mode/shell";

/** Grammars of languages that are parsed line by line. */
export const bash = StreamLanguage.define(shellMode.shell);
export const julia = StreamLanguage.define(juliaMode.julia);
export const lua = StreamLanguage.define(luaMode.lua);
export const perl = StreamLanguage.define(perlMode.perl);
export const r = StreamLanguage.define(rMode.r);
export const ruby = StreamLanguage.define(rubyMode.ruby);
export const scheme = StreamLanguage.define(schemeMode.scheme);
