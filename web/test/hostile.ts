/** Hostile Markdown. */
export const hostile: readonly string[] = [
  "<script>alert(1)</script>",
  "<ScRiPt src=//evil.example></sCrIpT>",
  "<script\n>alert(1)</script\n>",
  "<img src=x onerror=alert(1)>",
  "<img/src=x/onerror=alert(1)//",
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<img src="javascript:alert(1)">',
  '<img src="https://evil.example/pixel.png">',
  '<img srcset="https://evil.example/pixel.png 1x">',
  "![x](https://evil.example/pixel.png)",
  '![x](javascript:alert(1) "t")',
  "![x](data:text/html,<script>alert(1)</script>)",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#x6A;avascript:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:msgbox(1))",
  "[x](file:///etc/passwd)",
  "[x](//evil.example)",
  '<a href=" &#1; javascript:alert(1)">x</a>',
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href="https://example.com" target=_top onclick=alert(1) ping=//evil.example download>x</a>',
  "<javascript:alert(1)>",
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  '<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><script>alert(1)</script></svg>#x"/></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text y=20>x</text></a></svg>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
  "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></iframe></foreignObject></svg>",
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
  '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
  "<math href=javascript:alert(1)>x</math>",
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  "<template><img src=x onerror=alert(1)></template>",
  "<table><td><style></table><img src=x onerror=alert(1)>",
  "<textarea></textarea><img src=x onerror=alert(1)>",
  '<xmp><p id="</xmp><img src=x onerror=alert(1)>"></xmp>',
  "<!--><img src=x onerror=alert(1)>-->",
  "<!-- x --!><img src=x onerror=alert(1)>",
  "<?xml ><img src=x onerror=alert(1)> ?>",
  "<![CDATA[<img src=x onerror=alert(1)>]]>",
  "<style>@import 'https://evil.example';body{display:none}</style>",
  "<p style='position:fixed;inset:0;background:url(https://evil.example)'>x</p>",
  "<link rel=stylesheet href=https://evil.example>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<base href=https://evil.example>",
  "<form action=https://evil.example><input name=a><button formaction=javascript:alert(1)>x</button></form>",
  "<input type=image src=x onerror=alert(1)><input type=text autofocus onfocus=alert(1)><select><option>x</select>",
  "<input type=checkbox onclick=alert(1) form=x name=y>",
  "<iframe src=javascript:alert(1)></iframe><iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data=data:text/html,x></object><embed src=javascript:alert(1)><applet code=x></applet>",
  "<frameset><frame src=javascript:alert(1)></frameset>",
  "<audio src=x onerror=alert(1)></audio><video poster=https://evil.example><source src=x onerror=alert(1)></video>",
  "<details open ontoggle=alert(1)>x</details>",
  "<body onload=alert(1)><html onload=alert(1)>",
  "<marquee onstart=alert(1)>x</marquee>",
  "<dialog open>x</dialog><slot></slot><portal src=x></portal>",
  "<div data-commandlinker-command=x data-theme=dark aria-hidden=true role=button tabindex=0 contenteditable accesskey=x is=x slot=x part=x popover>x</div>",
  "<button commandfor=x command=show-modal popovertarget=x>x</button>",
  "<x-element onclick=alert(1)>x</x-element>",
  "<a id=root></a><a id=location name=location></a><img name=cookie><a id=__proto__></a>",
  "<form id=document><input name=createElement></form>",
  "<div id=root class='dialog toast katex'>x</div>",
  "# root\n\n# location",
  "```html onload=alert(1)\n<script>alert(1)</script>\n```",
  '```"><img/src/onerror=alert(1)>\nx\n```',
  "```constructor\nx\n```",
  "```__proto__\nx\n```",
  "$<img src=x onerror=alert(1)>$ and $$</code><script>alert(1)</script>$$",
  "$\\href{javascript:alert(1)}{x}$ $\\htmlStyle{position:fixed}{x}$ $\\url{javascript:alert(1)}$ $\\includegraphics{https://evil.example}$",
  "```math\n\\htmlData{x=y}{z} \\htmlId{root}{z}\n```",
  "| a |\n|:-:|\n| <img src=x onerror=alert(1)> |",
  "- [x] <script>alert(1)</script>",
  "<" + "div>".repeat(500) + "<script>alert(1)</script>",
  "<b>".repeat(600) + "<img src=x onerror=alert(1)>",
  `${"<div><table>".repeat(60)}<style><img src=x onerror=alert(1)>`,
];

/** Returns the active content in nodes. */
export function activeIn(root: ParentNode): readonly string[] {
  return [...root.querySelectorAll("*")].flatMap((element) => [...forbidden(element)]);
}

function* forbidden(element: Element): Iterable<string> {
  if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") yield `<${element.nodeName}>`;
  if (/^(script|style|iframe|object|embed|form|button|textarea|select|link|meta|base|svg|math|template|noscript|audio|video|dialog)$/i.test(element.localName))
    yield `<${element.localName}>`;
  if (element.localName === "input" && !(element.getAttribute("type") === "checkbox" && element.hasAttribute("disabled"))) yield "<input>";
  for (const { name, value } of element.attributes) {
    if (/^(on|data-|style$|srcset$|srcdoc$|action|form|ping$|slot$|part$|popover|command|is$|tabindex$|contenteditable|role$)/i.test(name)) yield name;
    if (name === "href" && !/^(https?:|mailto:|#)/i.test(value)) yield `href=${value}`;
    if (name === "src" && !/^(data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]|blob:)/i.test(value)) yield `src=${value}`;
    if ((name === "id" || name === "name") && !value.startsWith("user-content-")) yield `${name}=${value}`;
    if (name === "class" && /dialog|toast|katex/.test(value)) yield `class=${value}`;
    if (name === "target" && element.getAttribute("rel") !== "noopener noreferrer") yield "target";
  }
}
